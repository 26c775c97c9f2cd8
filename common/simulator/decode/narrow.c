// Loops whose only way out compares an index of 32 bits, signed, with a parameter of the kernel:
// one of 64 bits, before which the index is extended, or the low half of it. When the parameter is
// 2^31 or more, the first holds for every index, and the second is negative.
#include "decode/internal.h"

// Of each value: how often it is written, where last, and how often by the extension of an int.
typedef struct narrow_values {
    uint32_t *writes, *last_write, *extensions;
    uint32_t pc;
    bool extends;
} narrow_values;

static void note_write(void *context, uint32_t *field, bool is_write) {
    narrow_values *values = context;
    if (!is_write) return;
    values->writes[*field]++;
    values->extensions[*field] += values->extends;
    values->last_write[*field] = values->pc;
}

static bool find_writes(const decode_function *function, narrow_values *values) {
    uint32_t **arrays[] = {&values->writes, &values->last_write, &values->extensions};
    for (int i = 0; i < 3; i++) {
        *arrays[i] = sim_arena_array(function->scratch, function->value_count, sizeof **arrays[i]);
        if (!*arrays[i]) return false;
    }
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        values->pc = pc;
        values->extends =
            instr->op == SIM_OP_CVT && instr->type == PTX_S64 && instr->type2 == PTX_S32;
        decode_for_slots(function, instr, note_write, values);
    }
    return true;
}

// The instruction that alone gives the value; NULL: there are several, or it has a guard.
static const sim_instr *source_of(const decode_function *function, const narrow_values *values,
                                  uint32_t value) {
    if (value >= function->value_count || values->writes[value] != 1) return NULL;
    const sim_instr *from = &function->code[values->last_write[value]];
    return from->guard == SIM_NO_SLOT ? from : NULL;
}

// The parameter that the value was loaded from, with `bytes` of it; NULL: it was not.
static const sim_instr *parameter(const decode_function *function, const narrow_values *values,
                                  uint32_t value, uint32_t bytes) {
    const sim_instr *load = source_of(function, values, value);
    bool halves = load && bytes == 4 && load->op == SIM_OP_CVT && ptx_type_bytes(load->type2) == 8;
    if (halves) load = source_of(function, values, load->src[0]);
    bool is_one = load && load->op == SIM_OP_LD && load->space == PTX_SPACE_PARAM &&
                  !(load->mods & SIM_MOD_FRAME) && load->vector <= 1 && load->offset >= 0 &&
                  function->values[load->src[0]].kind == VALUE_CONSTANT;
    return is_one && ptx_type_bytes(load->type) == (halves ? 8 : bytes) ? load : NULL;
}

// Whether threads stay in the loop first .. last until this branch leads them out of it.
static bool is_only_exit(const decode_function *function, uint32_t first, uint32_t last,
                         uint32_t exit) {
    for (uint32_t pc = first; pc <= last; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (instr->op == SIM_OP_RET || instr->op == SIM_OP_EXIT || instr->op == SIM_OP_TRAP ||
            instr->op == SIM_OP_BRX)
            return false;
        if (instr->op == SIM_OP_BRA && pc != exit &&
            (instr->target < first || instr->target > last))
            return false;
    }
    return true;
}

// Whether `test`, on which the loop first .. last goes on when it is `goes_on`, is such a
// comparison.
static bool is_narrow(const decode_function *function, const narrow_values *values,
                      const sim_instr *test, bool goes_on, uint32_t first, uint32_t last,
                      sim_narrow_loop *out) {
    uint32_t bytes = test->type == PTX_S64 ? 8 : 4;
    bool is_signed = test->type == PTX_S64 || test->type == PTX_S32;
    if (test->op != SIM_OP_SETP || !is_signed || test->boolean != SIM_BOOL_NONE) return false;
    for (int side = 0; side < 2; side++) {
        bool below = test->compare == (side ? SIM_CMP_GT : SIM_CMP_LT) ||
                     test->compare == (side ? SIM_CMP_GE : SIM_CMP_LE);
        bool above = test->compare == (side ? SIM_CMP_LT : SIM_CMP_GT) ||
                     test->compare == (side ? SIM_CMP_LE : SIM_CMP_GE);
        uint32_t index = test->src[side], bound = test->src[1 - side];
        const sim_instr *load = parameter(function, values, bound, bytes);
        if (!load || !(goes_on ? below : above)) continue;
        uint32_t at = values->last_write[index];
        bool moves = values->writes[index] > 0 && at >= first && at <= last;
        if (!moves || (bytes == 8 && values->extensions[index] != values->writes[index])) continue;
        *out = (sim_narrow_loop){.offset = (uint32_t)load->offset, .bytes = bytes};
        return true;
    }
    return false;
}

sim_status decode_find_narrow(decode_function *function) {
    narrow_values values = {0};
    sim_function *out = function->out;
    if (!out->is_entry) return SIM_OK;
    if (!find_writes(function, &values)) return decode_no_memory(function->module);
    sim_narrow_loop *loops =
        sim_arena_array(function->module->arena, SIM_NARROW_LOOPS, sizeof *loops);
    if (!loops) return decode_no_memory(function->module);
    out->narrow = loops;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *jump = &function->code[pc];
        if (jump->op != SIM_OP_BRA || jump->target > pc || jump->guard == SIM_NO_SLOT) continue;
        const sim_instr *test = source_of(function, &values, jump->guard);
        sim_narrow_loop *loop = &loops[out->narrow_count];
        if (!test || out->narrow_count == SIM_NARROW_LOOPS ||
            !is_only_exit(function, jump->target, pc, pc) ||
            !is_narrow(function, &values, test, !jump->guard_negated, jump->target, pc, loop))
            continue;
        loop->pc = values.last_write[jump->guard];
        out->narrow_count++;
    }
    return SIM_OK;
}
