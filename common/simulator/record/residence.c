// Stays of blocks and warps: see record.h.
#include "record/record.h"

// What a request to global or local memory counts as, in instructions of a warp, when a barrier
// follows: what was loaded is needed there. After the last barrier mostly stores are left, for
// which no warp waits. Fitted to the shuffle reduction of lab 02 on an H200.
enum { REQUEST = 32 };

static bool launch_begin(sim_launch_record *launch) {
    free(launch->stays); // of a launch that failed
    launch->stays = calloc(launch->block_count, sizeof *launch->stays);
    return true; // without: no achieved occupancy
}

static bool worker_begin(sim_worker_record *worker) {
    worker->resident = 0;
    return true;
}

static void barrier(sim_block_record *block, const uint32_t *arrived,
                    const sim_warp_record *running, uint64_t done) {
    uint64_t latest = 0, stays[SIM_MAX_WARPS];
    for (uint32_t i = 0; i < block->warp_count; i++) {
        sim_warp_record *warp = block->warps[i];
        if (!arrived[i]) continue;
        warp->waited += (uint64_t)REQUEST * (warp->requests - warp->asked);
        warp->asked = warp->requests;
        stays[i] = warp->executed + warp->waited + (warp == running ? done : 0);
        if (stays[i] > latest) latest = stays[i];
    }
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (arrived[i]) block->warps[i]->waited += latest - stays[i];
}

static void block_end(sim_block_record *block) {
    uint64_t longest = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        uint64_t stay = block->warps[i]->executed + block->warps[i]->waited;
        block->worker->resident += stay;
        if (stay > longest) longest = stay;
    }
    uint32_t *stays = block->worker->launch->stays;
    if (stays) stays[block->index] = longest < UINT32_MAX ? (uint32_t)longest : UINT32_MAX;
}

// The stays now belong to the result.
static void fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    sim_residence *residence = &out_recorded->residence;
    *residence = (sim_residence){.blocks = launch->stays, .block_count = launch->block_count};
    launch->stays = NULL;
    for (uint32_t i = 0; i < launch->worker_count; i++)
        residence->warps += launch->workers[i]->resident;
}

const sim_recorder sim_recorder_residence = {.launch_begin = launch_begin,
                                             .worker_begin = worker_begin,
                                             .barrier = barrier,
                                             .block_end = block_end,
                                             .fold = fold};
