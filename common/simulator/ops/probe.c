// Probing a program (record/traces.h): which instructions get another handler, and that of
// branches.
#include "ops/memory/probe.h"
#include "ops/ops.h"

static bool is_branch(const sim_instr *instr) {
    return instr->op == SIM_OP_BRX || (instr->op == SIM_OP_BRA && instr->guard != SIM_NO_SLOT);
}

// Of a branch with several ways: the lanes that do not go where the first of them goes.
static uint32_t leaving_lanes(const sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const sim_function *function = warp->frame->function;
    const uint32_t *index = (const uint32_t *)(warp->registers + instr->src[0]);
    uint32_t leaving = 0, first = SIM_PC_EXIT;
    for (uint32_t rest = warp->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), to = instr->pc + 1;
        bool jumps = lanes >> lane & 1 && index[lane] < instr->target_count;
        if (jumps) to = function->slots[instr->target + index[lane]];
        if (first == SIM_PC_EXIT) first = to;
        if (to != first) leaving |= UINT32_C(1) << lane;
    }
    return leaving;
}

static void probe_branch(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const sim_function *function = warp->frame->function;
    const sim_block *block = warp->block;
    sim_probes *probes = block->grid->probes;
    uint32_t active = warp->lanes;
    if (probes && warp->counting) {
        uint32_t jumping = instr->op == SIM_OP_BRX ? leaving_lanes(warp, instr, lanes) : lanes;
        sim_probe *probe = NULL;
        if (jumping && jumping != active)
            probe = sim_probe_at(probes, block->worker->index, function, function->bound->index,
                                 instr->pc);
        const uint32_t id[3] = {block->id.x, block->id.y, block->id.z};
        if (probe) sim_probe_note_split(probe, block->index, id, warp->index, active, jumping);
    }
    function->bound->unprobed[instr->pc](warp, instr, lanes);
}

static sim_status probe_function(sim_program *program, sim_function *function) {
    sim_bound *bound = function->bound;
    bound->unprobed =
        sim_arena_array(program->arena, (size_t)function->code_count + 1, sizeof *bound->unprobed);
    if (!bound->unprobed) return SIM_OUT_OF_MEMORY;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        bound->unprobed[pc] = instr->exec;
        if (is_branch(instr)) instr->exec = probe_branch;
        if (sim_probes_memory(instr)) instr->exec = sim_exec_probe_memory;
    }
    return SIM_OK;
}

sim_status sim_bind_probes(sim_program *program, kl_error *err) {
    for (uint32_t i = 0; i < program->function_count; i++) {
        if (program->functions[i].refusal) continue;
        if (probe_function(program, &program->functions[i]) != SIM_OK)
            return sim_fail(err, SIM_OUT_OF_MEMORY, "no host memory to probe %s",
                            program->functions[i].name);
    }
    return SIM_OK;
}
