// Chains of blocks that wait for each other: see record.h.
#include "record/record.h"

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

static bool launch_begin(sim_launch_record *launch) {
    sim_block_chain *chain = &launch->chain;
    if (chain->count) memset(chain->places, 0, chain->capacity * sizeof *chain->places);
    chain->count = 0;
    chain->longest = chain->fences = 0;
    return true;
}

static void block_begin(sim_block_record *block) { block->chain = (sim_chain_end){0}; }

static void fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    out_recorded->chain_links = launch->chain.longest;
    out_recorded->chain_fences = launch->chain.fences;
}

const sim_recorder sim_recorder_block_chain = {
    .launch_begin = launch_begin, .block_begin = block_begin, .fold = fold};
