// SPDX-License-Identifier: MIT
// Following warps that go on for long: see tail.h.
#include "warps/tail.h"

#include <stdlib.h>

#include "warps/block.h"

enum {
    FOLLOWED_MOST = 1 << 12,                 // instructions from a mark on
    FOLLOWED_LEAST = SIM_TAIL_FIRST_MARK / 4 // that tell something
};

static void begin(sim_warp *warp, sim_tails *tails) {
    sim_block *block = warp->block;
    bool alone = !warp->path || warp->path->cut; // else all that it does is recorded
    sim_tail tail = {.after = tails->next, .block = block->index};
    if (!alone || !sim_tail_is_farther(&tail, &tails->kept)) return;
    tail.path = tails->begun.path;
    tail.path.count = tail.path.access_count = 0;
    tail.path.cut = false;
    tails->begun = tail;
    tails->own = warp->path;
    warp->path = &tails->begun.path;
    block->trace.watches_all = true;
    block->trace.watched = UINT32_MAX;
}

void sim_tails_end(sim_warp *warp) {
    sim_block *block = warp->block;
    sim_tails *tails = &block->worker->tails;
    if (sim_path_instructions(&tails->begun.path, UINT32_MAX) >= FOLLOWED_LEAST) {
        sim_tail kept = tails->kept;
        tails->kept = tails->begun;
        tails->begun = kept;
    }
    tails->begun.after = 0;
    warp->path = tails->own;
    block->trace.watches_all = tails->own != NULL;
    block->trace.watched = tails->own ? UINT32_MAX : block->trace.bound;
}

uint64_t sim_tails_mark(sim_warp *warp, uint64_t done) {
    sim_tails *tails = &warp->block->worker->tails;
    if (!warp->block->grid->paths) return UINT64_MAX;
    if (tails->begun.after) {
        uint64_t end = tails->begun.after + FOLLOWED_MOST;
        if (end > tails->next) end = tails->next;
        if (done < end) return end;
        sim_tails_end(warp);
    }
    if (done >= tails->next) {
        begin(warp, tails);
        tails->next *= 2;
        if (tails->begun.after) return sim_tails_mark(warp, done);
    }
    return tails->next;
}

void sim_tail_free(sim_tail *tail) {
    free(tail->path.runs);
    free(tail->path.accesses);
    *tail = (sim_tail){.after = 0};
}
