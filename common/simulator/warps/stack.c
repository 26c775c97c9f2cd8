// The stack of a thread beyond its variables: alloca, stacksave, stackrestore (PTX ISA 9.0, section
// 9.7.18 "Stack Manipulation Instructions"). Lanes may take different amounts, so each has a top of
// its own; a callee starts above the highest of those that call it.
#include "warps/split.h"

enum { STACK_ALIGN = 16, DEFAULT_STACK_BYTES = 64 * 1024 };

static uint32_t bottom(const sim_frame *frame) {
    return frame->local_base + frame->function->local_bytes;
}

// A device gives a kernel the stack that ptxas found it to need; only recursion and calls through
// pointers, of which nobody can tell beforehand, are held to the limit. Frames here are a
// function's own variables, to which machine code adds saved registers: what overflows here
// overflows there.
static uint64_t stack_of(const sim_grid *grid) {
    uint64_t limit = grid->stack_bytes ? grid->stack_bytes : DEFAULT_STACK_BYTES;
    bool is_exact =
        !grid->launch->function->bound->has_bounded_stack || limit > DEFAULT_STACK_BYTES;
    return is_exact ? limit : DEFAULT_STACK_BYTES;
}

uint64_t sim_stack_limit(const sim_warp *warp) {
    const sim_grid *grid = warp->block->grid;
    return grid->launch->function->local_bytes + stack_of(grid);
}

uint32_t sim_stack_top(const sim_frame *frame, uint32_t lanes) {
    uint32_t top = bottom(frame);
    for (uint32_t rest = frame->allocates ? lanes : 0; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (frame->tops[lane] > top) top = frame->tops[lane];
    }
    return top;
}

static uint32_t *tops_of(sim_frame *frame) {
    if (!frame->allocates) {
        frame->allocates = true;
        frame->highest = bottom(frame);
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) frame->tops[lane] = frame->highest;
    }
    return frame->tops;
}

void sim_stack_allocate(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const uint64_t *bytes = (const uint64_t *)(warp->registers + instr->src[0]);
    uint64_t *out = (uint64_t *)(warp->registers + instr->dst), limit = sim_stack_limit(warp);
    sim_frame *frame = warp->frame;
    uint32_t *tops = tops_of(frame);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t align = (uint64_t)instr->offset, wanted = bytes[lane];
        uint64_t begin = (tops[lane] + align - 1) / align * align;
        uint64_t end = begin + (wanted + STACK_ALIGN - 1) / STACK_ALIGN * STACK_ALIGN;
        if (wanted > limit || end > limit) {
            sim_fault_text(warp, instr, lane, SIM_STACK_OVERFLOW,
                           "stack overflow: alloca of %" PRIu64 " bytes with %" PRIu64
                           " of %" PRIu64 " bytes of local memory in use",
                           wanted, begin, limit);
            return;
        }
        uint32_t from = (uint32_t)begin, count = (uint32_t)(end - begin);
        if (!sim_warp_reserve_local(warp, 1u << lane, from, count)) return;
        tops[lane] = (uint32_t)end;
        if (tops[lane] > frame->highest) frame->highest = tops[lane];
        out[lane] = begin;
    }
    sim_warp_set_frame(warp, frame);
}

void sim_stack_save(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    uint64_t *out = (uint64_t *)(warp->registers + instr->dst);
    const uint32_t *tops = tops_of(warp->frame);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        out[lane] = tops[lane];
    }
}

void sim_stack_restore(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const uint64_t *in = (const uint64_t *)(warp->registers + instr->src[0]);
    uint32_t *tops = tops_of(warp->frame);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (in[lane] < bottom(warp->frame) || in[lane] > tops[lane]) {
            sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                           "stackrestore of 0x%" PRIx64 ", which no stacksave of this call gave",
                           in[lane]);
            return;
        }
        tops[lane] = (uint32_t)in[lane];
    }
}
