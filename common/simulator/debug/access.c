// The memory that an instruction is about to touch, from the registers that hold its addresses.
#include "debug/internal.h"
#include "warps/lanes.h"

sim_debug_access debug_access_of(const sim_instr *instr) {
    if (instr->mods & SIM_MOD_FRAME) return SIM_DEBUG_NO_ACCESS; // a parameter of a call
    if (sim_is_atomic(instr)) return SIM_DEBUG_ATOMIC;
    if (sim_is_load(instr)) return SIM_DEBUG_LOAD;
    return sim_is_write(instr) ? SIM_DEBUG_STORE : SIM_DEBUG_NO_ACCESS;
}

uint64_t debug_lane_address(const debug_moment *now, uint32_t lane) {
    const sim_instr *instr = now->instr;
    const uint8_t *slot = now->frame->registers + instr->src[0];
    if (instr->src[0] == SIM_NO_SLOT) return (uint64_t)instr->offset;
    if (instr->mods & SIM_MOD_ADDRESS32)
        return ((const uint32_t *)slot)[lane] + (uint32_t)instr->offset;
    return ((const uint64_t *)slot)[lane] + (uint64_t)instr->offset;
}

bool debug_address_in(const sim_warp *warp, uint8_t instr_space, uint32_t space, uint64_t address,
                      uint64_t *out_address) {
    static const uint64_t windows[] = {
        [PTX_SPACE_SHARED] = SIM_SHARED_WINDOW, [PTX_SPACE_LOCAL] = SIM_LOCAL_WINDOW};
    *out_address = address;
    if (space == PTX_SPACE_GLOBAL) {
        *out_address = sim_device_address(warp, address);
        return instr_space == PTX_SPACE_GLOBAL || instr_space == PTX_SPACE_NONE;
    }
    if (instr_space != space && instr_space != PTX_SPACE_NONE) return false;
    if (instr_space == PTX_SPACE_NONE) *out_address -= windows[space];
    if (space == PTX_SPACE_SHARED) *out_address = sim_shared_offset(warp, *out_address);
    return instr_space == space || *out_address < SIM_WINDOW_BYTES;
}

// A generic address lies in a window, or in global memory.
static uint32_t space_of(const sim_warp *warp, const sim_instr *instr, uint64_t address) {
    uint64_t ignored;
    if (debug_address_in(warp, instr->space, PTX_SPACE_SHARED, address, &ignored))
        return PTX_SPACE_SHARED;
    if (debug_address_in(warp, instr->space, PTX_SPACE_LOCAL, address, &ignored))
        return PTX_SPACE_LOCAL;
    bool is_global = instr->space == PTX_SPACE_GLOBAL || instr->space == PTX_SPACE_NONE;
    return is_global ? PTX_SPACE_GLOBAL : PTX_SPACE_NONE;
}

static void describe_access(const debug_moment *now, sim_debug_instruction *out) {
    const sim_instr *instr = now->instr;
    uint32_t first = (uint32_t)__builtin_ctz(now->on);
    out->space = space_of(now->warp, instr, debug_lane_address(now, first));
    if (out->space == PTX_SPACE_NONE) return;
    out->access = debug_access_of(instr);
    out->bytes = sim_access_bytes(instr);
    for (uint32_t rest = now->on; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (debug_address_in(now->warp, instr->space, out->space, debug_lane_address(now, lane),
                             &out->addresses[lane]))
            out->touching |= 1u << lane;
    }
}

void debug_describe_instruction(const debug_moment *now, sim_debug_instruction *out) {
    memset(out, 0, sizeof *out);
    out->thread = debug_thread_of(now, now->lanes ? (uint32_t)__builtin_ctz(now->lanes) : 0);
    out->lanes = now->lanes;
    out->on = now->on;
    debug_describe_lane(now->frame->function, now->instr->pc, SIM_DEBUG_ACTIVE, &out->at);
    out->depth = now->frame->depth;
    out->is_barrier = sim_is_barrier(now->instr);
    if (now->on && debug_access_of(now->instr) != SIM_DEBUG_NO_ACCESS) describe_access(now, out);
}
