// SPDX-License-Identifier: MIT
// Stays of blocks and warps: see residence.h.
#include "warps/residence.h"

#include "warps/job.h"

// What a request to global or local memory counts as, in instructions of a warp, when a barrier
// follows: what was loaded is needed there. Behind the last barrier mostly stores are left, for
// which no warp waits. Fitted to the shuffle reduction of lab 02 on an H200.
enum { REQUEST = 32 };

// Instructions since the block's beginning, waiting included. Those of the running turn are in the
// block's count alone.
static uint64_t clock_of(const sim_block *block, const sim_warp *warp) {
    uint64_t now = warp->executed + warp->waited;
    return warp == block->running ? now + block->executed - block->turn_begun : now;
}

void sim_residence_meet(sim_block *block, const uint32_t *arrived) {
    uint64_t latest = 0, stays[SIM_MAX_WARPS];
    for (uint32_t i = 0; i < block->warp_count; i++) {
        sim_warp *warp = &block->warps[i];
        if (!arrived[i]) continue;
        warp->waited += (uint64_t)REQUEST * (warp->requests - warp->asked);
        warp->asked = warp->requests;
        stays[i] = clock_of(block, warp);
        if (stays[i] > latest) latest = stays[i];
    }
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (arrived[i]) block->warps[i].waited += latest - stays[i];
}

void sim_residence_note(sim_worker *worker, const sim_block *block) {
    uint64_t longest = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        uint64_t stay = clock_of(block, &block->warps[i]);
        worker->resident += stay;
        if (stay > longest) longest = stay;
    }
    if (worker->job->stays)
        worker->job->stays[block->index] = longest < UINT32_MAX ? (uint32_t)longest : UINT32_MAX;
}
