// Loads and stores: the complete path (memory.c) checks every lane, resolves generic
// addresses, explains faults, orders blocks and tells observers; the quick path
// (fast.c) does the plain cases and gives up, before any effect, whenever something is
// out of the ordinary.
#pragma once

#include "warps/lanes.h"

// Where the bytes of each active lane are, after all checks.
typedef struct lane_hosts {
    uint8_t *host[SIM_WARP_LANES];    // NULL for local memory
    uint64_t address[SIM_WARP_LANES]; // in `space` of the lane
    uint8_t space[SIM_WARP_LANES];    // GLOBAL, SHARED, LOCAL, PARAM
} lane_hosts;

// Finds and checks the addresses of `lanes`, each of `bytes`; counts and notifies. False: the
// kernel has faulted.
bool SIM_VARIANT(sim_memory_resolve)(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                     uint32_t bytes, sim_access_kind kind, lane_hosts *out);

// Its two halves, for instructions that compute addresses: what the address operand says, and the
// rest with out->address filled.
void SIM_VARIANT(sim_memory_addresses)(const sim_warp *warp, const sim_instr *instr,
                                       lane_hosts *out);
bool SIM_VARIANT(sim_memory_resolve_at)(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                        uint32_t bytes, sim_access_kind kind, lane_hosts *out);

// Host place of `bytes` bytes of one allocation of device memory; NULL: there is none. No
// alignment, no counts.
static inline bool sim_writes_global(const sim_instr *instr) {
    return sim_is_write(instr) || (sim_is_bulk(instr) && instr->variant == SIM_BULK_TO_GLOBAL);
}
uint8_t *SIM_VARIANT(sim_find_global)(sim_warp *warp, const sim_instr *instr, uint64_t address,
                                      uint32_t bytes);

// After a volatile load: when it saw what it saw last time (`digest` of addresses and values), it
// is polling.
static inline void sim_note_load(sim_warp *warp, const sim_instr *instr, uint64_t digest) {
    sim_poll *poll = &warp->recent_polls[(uintptr_t)instr / 32 % SIM_POLLS];
    if (poll->instr == instr && poll->digest == digest) {
        sim_note_poll(warp, instr);
        return;
    }
    *poll = (sim_poll){instr, digest};
    warp->far = 0;
    warp->polls &= SIM_POLL_CHANGED;
}

// Of loads and stores that the machine code has in another form: as PTX has them, but counted as
// the machine does (bind.c).
void SIM_VARIANT(sim_exec_as_machine)(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
// The complete handlers.
void SIM_VARIANT(sim_load_any)(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
void SIM_VARIANT(sim_store_any)(sim_warp *warp, const sim_instr *instr, uint32_t lanes);
// Quick handlers for plain global and shared accesses; NULL when there is none for this form.
sim_exec_fn SIM_VARIANT(sim_bind_quick_load)(const sim_instr *instr);
sim_exec_fn SIM_VARIANT(sim_bind_quick_store)(const sim_instr *instr);
// Plain accesses of local memory (local.c).
sim_exec_fn SIM_VARIANT(sim_bind_local)(const sim_instr *instr);
// ld.param, st.param (param.c).
sim_exec_fn SIM_VARIANT(sim_bind_param)(const sim_instr *instr);
