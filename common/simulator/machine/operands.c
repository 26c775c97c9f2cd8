// See machine.h.
#include "machine/machine.h"

static bool is_float(uint8_t type) {
    switch (type) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
    case PTX_F32:
    case PTX_F64: return true;
    default: return false;
    }
}

// The table's pipe, refined by type: single-precision adds run on the FMA pipe, double precision
// has its own, 64-bit integer arithmetic is several ALU instructions but is charged as one here.
sim_pipe sim_pipe_of(const sim_instr *instr) {
    sim_pipe pipe = sim_op_rows[instr->op].pipe;
    bool arithmetic = pipe == SIM_PIPE_ALU || pipe == SIM_PIPE_FMA;
    if (arithmetic && instr->type == PTX_F64) return SIM_PIPE_FP64;
    if (pipe == SIM_PIPE_ALU && is_float(instr->type) && sim_is_sum(instr)) return SIM_PIPE_FMA;
    if (sim_cost_of(instr) == SIM_COST_CONVERSION && !is_float(instr->type) &&
        !is_float(instr->type2))
        return SIM_PIPE_ALU;
    if (sim_is_ld(instr) && instr->space == PTX_SPACE_PARAM) return SIM_PIPE_ALU;
    if (instr->space == PTX_SPACE_LOCAL && instr->machine == SIM_MACHINE_MERGED)
        return SIM_PIPE_ALU; // a register (machine/machine.h)
    return pipe;
}

static uint32_t add_slot(uint32_t *slots, uint32_t count, uint32_t slot) {
    if (slot == SIM_NO_SLOT || count == SIM_OPERAND_SLOTS) return count;
    slots[count] = slot;
    return count + 1;
}

// Parts `from` to `end` of its list.
static uint32_t add_list(const sim_function *function, const sim_instr *instr, uint32_t from,
                         uint32_t end, uint32_t *slots, uint32_t count) {
    if (instr->list == SIM_NO_SLOT) return count;
    for (uint32_t i = from; i < end && i < instr->vector; i++)
        count = add_slot(slots, count, function->slots[instr->list + i]);
    return count;
}

uint32_t sim_operand_sources(const sim_function *function, const sim_instr *instr,
                             uint32_t slots[SIM_OPERAND_SLOTS]) {
    uint32_t count = add_slot(slots, 0, instr->guard);
    for (int i = 0; i < 4; i++) count = add_slot(slots, count, instr->src[i]);
    if (sim_is_wgmma(instr)) { // its sums go on where the last product left them
        uint32_t of_a = ((const sim_matrix *)instr->extra)->registers[SIM_MATRIX_A];
        uint32_t from = sim_written_parts(instr);
        return add_list(function, instr, from, from + of_a, slots, count);
    }
    return add_list(function, instr, sim_written_parts(instr), instr->vector, slots, count);
}

uint32_t sim_operand_results(const sim_function *function, const sim_instr *instr,
                             uint32_t slots[SIM_OPERAND_SLOTS]) {
    uint32_t count = add_slot(slots, add_slot(slots, 0, instr->dst), instr->dst2);
    return add_list(function, instr, 0, sim_written_parts(instr), slots, count);
}
