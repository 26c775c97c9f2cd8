// SPDX-License-Identifier: MIT
// The longest warp of a launch and a sample of what it executes: see longest.h.
#include "warps/longest.h"

#include <stdlib.h>

#include "warps/block.h"

enum {
    AFTER_A_PLACE = 4,   // instructions before a sample, for each of the kernel, whose counts are
                         // read twice
    SAMPLED_LEAST = 256, // instructions that stand for all of a warp's
};

static uint64_t sample_after(const sim_block *block) {
    uint64_t after = (uint64_t)AFTER_A_PLACE * block->grid->function->code_count;
    if (after < SIM_SAMPLE_LEAST) after = SIM_SAMPLE_LEAST;
    return block->sample.function ? after + block->sample.instructions : after;
}

static bool reserve(sim_sample *sample, uint32_t count) {
    if (sample->capacity >= count) return true;
    uint64_t *grown = realloc(sample->runs, count * sizeof *grown);
    if (!grown) return false;
    sample->runs = grown;
    sample->capacity = count;
    return true;
}

static void begin_sample(sim_warp *warp) {
    sim_sample *begun = &warp->block->worker->begun;
    const sim_function *function = warp->frame->function;
    if (!warp->counts || !reserve(begun, function->code_count)) return;
    begun->function = function;
    begun->instructions = warp->block->executed;
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        begun->runs[pc] = warp->counts[pc].executed;
}

uint64_t sim_sample_mark(sim_warp *warp, uint64_t done) {
    uint64_t after = sample_after(warp->block);
    if (warp->block->worker->begun.function) return UINT64_MAX;
    if (done < after) return after;
    begin_sample(warp);
    return UINT64_MAX;
}

void sim_sample_end(sim_warp *warp) {
    sim_block *block = warp->block;
    sim_sample *begun = &block->worker->begun, *kept = &block->sample;
    const sim_function *function = begun->function;
    begun->function = NULL;
    uint64_t instructions = block->executed - begun->instructions;
    if (instructions < SAMPLED_LEAST || (kept->function && instructions <= kept->instructions))
        return;
    const sim_raw_counts *counts = block->worker->counts[function->bound->index];
    if (!counts || !reserve(kept, function->code_count)) return;
    kept->function = function;
    kept->warp = warp->index;
    kept->instructions = instructions;
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        kept->runs[pc] = counts[pc].executed - begun->runs[pc];
}

void sim_sample_free(sim_sample *sample) {
    free(sample->runs);
    *sample = (sim_sample){0};
}

void sim_longest_note(sim_longest *longest, sim_block *block) {
    uint64_t executed = 0;
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i].executed > executed) executed = block->warps[i].executed;
    longest->held += executed * block->warp_count;
    if (executed < longest->executed ||
        (executed == longest->executed && block->index >= longest->block))
        return;
    longest->executed = executed;
    longest->block = block->index;
    sim_sample kept = longest->sample;
    longest->sample = block->sample;
    block->sample = kept;
}
