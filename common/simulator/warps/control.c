// Calls and returns (PTX ISA, "call", "ret", "exit"). A frame belongs to the lanes that called
// together; arguments and results are copied lane by lane between .param variables or registers of
// the two frames.
#include "warps/split.h"

static void copy_params(uint8_t *to, const sim_frame_param *to_params, uint32_t to_count,
                        const uint8_t *from, const sim_frame_param *from_params,
                        uint32_t from_count, uint32_t lanes) {
    uint32_t count = to_count < from_count ? to_count : from_count;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t to_bytes = to_params[k].size_bytes, from_bytes = from_params[k].size_bytes;
        uint32_t bytes = to_bytes < from_bytes ? to_bytes : from_bytes;
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            size_t lane = (size_t)__builtin_ctz(rest);
            memcpy(to + to_params[k].slot + lane * to_bytes,
                   from + from_params[k].slot + lane * from_bytes, bytes);
        }
    }
}

static void fill_local_base(sim_frame *frame) {
    uint32_t slot = frame->function->local_base_slot;
    if (slot == SIM_NO_SLOT) return;
    uint64_t *lanes = (uint64_t *)(frame->registers + slot);
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) lanes[lane] = frame->local_base;
}

// The running split, all of whose lanes call `function`.
static void enter(sim_warp *warp, const sim_instr *instr, const sim_function *function) {
    const sim_call *call = instr->extra;
    sim_frame *caller = warp->frame;
    uint32_t lanes = warp->lanes, lane = (uint32_t)__builtin_ctz(lanes);
    uint32_t base = sim_stack_top(caller, lanes);
    if (function->refusal) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION, "call of %s: %s", function->name,
                       function->refusal);
        return;
    }
    if (caller->depth + 1 >= SIM_MAX_CALL_DEPTH ||
        (uint64_t)base + function->local_bytes > sim_stack_limit(warp)) {
        sim_fault_text(
            warp, instr, lane, SIM_STACK_OVERFLOW,
            "stack overflow: call of %s at depth %u with %u of %" PRIu64
            " bytes of local memory in use: raise cudaLimitStackSize with cudaDeviceSetLimit",
            function->name, caller->depth + 1, base, sim_stack_limit(warp));
        return;
    }
    if (function->local_bytes && !sim_warp_reserve_local(warp, lanes, base, function->local_bytes))
        return;
    sim_frame *callee = sim_frame_take(warp, function);
    if (!callee) return;
    callee->call = call;
    callee->depth = caller->depth + 1;
    callee->local_base = base;
    fill_local_base(callee);
    copy_params(callee->registers, function->params, function->param_count, caller->registers,
                call->arguments, call->argument_count, lanes);
    sim_observe_entry(warp, callee, lanes);
    sim_split_call(warp, callee);
}

static const sim_function *function_at(const sim_warp *warp, uint64_t address) {
    const sim_program *program = warp->block->grid->launch->program;
    uint64_t index = (address - SIM_CODE_WINDOW) / 16;
    if (address < SIM_CODE_WINDOW || address % 16 || index >= program->function_count) return NULL;
    const sim_function *function = &program->functions[index];
    return function->is_entry ? NULL : function;
}

static void call_indirect(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const uint64_t *addresses = (const uint64_t *)(warp->registers + instr->src[0]);
    uint32_t lane = (uint32_t)__builtin_ctz(lanes), group = 0;
    for (uint32_t i = 0; i < SIM_WARP_LANES; i++)
        if (lanes >> i & 1 && addresses[i] == addresses[lane]) group |= 1u << i;
    const sim_function *function = function_at(warp, addresses[lane]);
    if (!function) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "call through 0x%" PRIx64 ", which is no device function", addresses[lane]);
        return;
    }
    uint32_t pc = (uint32_t)(instr - warp->frame->function->code);
    if (group != warp->lanes && !sim_split_separate(warp, group, lanes & ~group, pc)) return;
    enter(warp, instr, function);
}

void sim_control_call(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const sim_call *call = instr->extra;
    if (call->is_builtin) {
        sim_builtin_call(warp, instr, lanes);
    } else if (instr->mods & SIM_MOD_INDIRECT) {
        call_indirect(warp, instr, lanes);
    } else {
        if (lanes != warp->lanes && !sim_split_separate(warp, lanes, 0, 0)) return;
        enter(warp, instr, &warp->block->grid->launch->program->functions[instr->target]);
    }
}

void sim_control_return(sim_warp *warp, uint32_t lanes) {
    sim_frame *frame = warp->frame;
    if (!frame->caller) {
        sim_control_exit(warp, NULL, lanes);
        return;
    }
    const sim_function *function = frame->function;
    copy_params(frame->caller->registers, frame->call->returns, frame->call->return_count,
                frame->registers, function->returns, function->return_count, lanes);
    sim_split_return(warp, lanes);
}

void sim_control_exit(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    if (warp->observing) sim_observe_sync(warp, instr, SIM_SYNC_EXIT, lanes);
    sim_split_exit(warp, lanes);
}
