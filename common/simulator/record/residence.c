// Stays of blocks and warps, and chains of blocks: see record.h.
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

// ---- chains of blocks that wait for each other --------------------------------------------------

enum { LEAST_PLACES = 1 << 10 };

// The place of this address, or the free one where it belongs.
static sim_chain_place *find(const sim_block_chain *chain, uint64_t address) {
    uint64_t at = address * UINT64_C(0x9E3779B97F4A7C15) >> 20;
    for (;; at++) {
        sim_chain_place *place = &chain->places[at & (chain->capacity - 1)];
        if (place->address == address || place->address == 0) return place;
    }
}

static bool grow(sim_block_chain *chain) {
    sim_block_chain grown = {.capacity = chain->capacity ? 2 * chain->capacity : LEAST_PLACES,
                             .count = chain->count,
                             .longest = chain->longest,
                             .fences = chain->fences};
    grown.places = calloc(grown.capacity, sizeof *grown.places);
    if (!grown.places) return false;
    for (uint64_t i = 0; i < chain->capacity; i++)
        if (chain->places[i].address) *find(&grown, chain->places[i].address) = chain->places[i];
    free(chain->places);
    *chain = grown;
    return true;
}

void sim_block_chain_note(sim_block_chain *chain, uint64_t block, sim_chain_end *end, uint32_t warp,
                          uint32_t fences, uint64_t address, bool is_store) {
    if (is_store && 2 * chain->count >= chain->capacity && !grow(chain)) return;
    if (!is_store && chain->count == 0) return;
    if (chain->capacity == 0) return;
    sim_chain_place *place = find(chain, address);
    if (is_store) {
        if (place->address) return; // not the first
        uint32_t within = end->links && end->warp == warp ? fences - end->warp_fences : 0;
        *place = (sim_chain_place){address, block, end->links, end->fences + within};
        chain->count++;
    } else if (place->address && place->block != block && place->links + 1 > end->links) {
        *end = (sim_chain_end){place->links + 1, place->fences, warp, fences};
        if (end->links <= chain->longest) return;
        chain->longest = end->links;
        chain->fences = end->fences;
    }
}

void sim_block_chain_free(sim_block_chain *chain) {
    free(chain->places);
    *chain = (sim_block_chain){0};
}

static bool chain_launch_begin(sim_launch_record *launch) {
    sim_block_chain *chain = &launch->chain;
    if (chain->count) memset(chain->places, 0, chain->capacity * sizeof *chain->places);
    chain->count = 0;
    chain->longest = chain->fences = 0;
    return true;
}

static void block_begin(sim_block_record *block) { block->chain = (sim_chain_end){0}; }

static void chain_fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    out_recorded->chain_links = launch->chain.longest;
    out_recorded->chain_fences = launch->chain.fences;
}

const sim_recorder sim_recorder_block_chain = {
    .launch_begin = chain_launch_begin, .block_begin = block_begin, .fold = chain_fold};
