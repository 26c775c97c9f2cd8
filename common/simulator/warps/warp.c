// SPDX-License-Identifier: MIT
// Setting a warp up for a launch and for a block. Running it is ops/run.c.
#include <stdlib.h>
#include <string.h>

#include "warps/block.h"
#include "warps/split.h"

void sim_warp_destroy(sim_warp *warp) {
    sim_frames_free(warp);
    sim_async_free_warp(warp);
    free(warp->points);
    free(warp->local);
    warp->points = NULL;
    warp->local = NULL;
    warp->point_capacity = warp->local_capacity = 0;
}

void sim_warp_prepare(sim_warp *warp, sim_block *block, uint32_t index) {
    const sim_grid *grid = block->grid;
    warp->block = block;
    warp->index = index;
    warp->origin = sim_mem_origin(grid->memory);
    warp->shared = block->shared;
    warp->shared_bytes = block->shared_bytes;
    warp->params = grid->launch->params;
    warp->param_bytes = grid->launch->function->entry_param_bytes;
    warp->counting = grid->mode == SIM_MODE_COUNT;
    warp->observing = grid->observer;
    warp->notes = grid->observer ? grid->observer->notes : NULL;
    warp->record = (sim_warp_record){.block = &block->record,
                                     .index = index,
                                     .footprint = &block->record.worker->launch->footprint};
    block->record.warps[index] = &warp->record;
    warp->legacy =
        warp->counting && sim_device_is_older(grid->launch->device) ? grid->launch->device : NULL;
    uint64_t version = sim_mem_version(grid->memory);
    if (warp->sites_version != version) memset(warp->sites, 0, sizeof warp->sites);
    warp->sites_version = version;
    uint32_t first = index * SIM_WARP_LANES;
    uint32_t threads = block->thread_count - first;
    warp->existing = threads >= SIM_WARP_LANES ? SIM_ALL_LANES : (1u << threads) - 1;
}

bool sim_warp_start(sim_warp *warp) {
    const sim_function *function = warp->block->grid->launch->function;
    warp->alive = warp->existing;
    warp->carry = 0;
    warp->interrupt = SIM_INTERRUPT_NONE;
    const sim_grid *grid = warp->block->grid;
    warp->watched = grid->stepper ? SIM_WATCHED_BY_STEPPER : 0;
    if (grid->observer && grid->observer->watches_all) warp->watched |= SIM_WATCHED_BY_OBSERVER;
    warp->polls = 0;
    warp->polled_mbarrier = 0;
    warp->settled_at = 0;
    warp->cycle = 0;
    warp->spun = warp->moved = warp->moved_since = warp->repeats = false;
    warp->turned = 0;
    warp->changes_seen = warp->clocks_read = 0;
    warp->repetition = (sim_repetition){.steps = 0};
    warp->apart = 0;
    bool yields = sim_block_keeps_time(warp->block) || sim_block_alternates(warp->block);
    warp->poll_limit = yields ? 0 : SIM_POLL_LIMIT;
    warp->last_run = NULL;
    memset(warp->recent_polls, 0, sizeof warp->recent_polls);
    sim_frames_reset(warp);
    if (function->local_bytes &&
        !sim_warp_reserve_local(warp, warp->existing, 0, function->local_bytes))
        return false;
    sim_frame *frame = sim_frame_take(warp, function);
    return frame && sim_split_reset(warp, frame);
}
