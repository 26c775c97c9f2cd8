// Runs with the card to themselves, and the last block of a launch, which may work on when all
// others have ended: in a reduction of one launch each block asks by an atomic whether it is the
// last one.
#include "timing/sm/internal.h"

double extent_cycles(const sim_sm_input *input, const sm_extent *extent) {
    sm_memory memory = {0};
    sm_progress progress = {0};
    double cycles = 0;
    if (sm_memory_begin(&memory, input) && sm_run(input, &memory, extent, &progress))
        cycles = progress.end;
    sm_memory_end(&memory);
    return cycles;
}

double single_block_cycles(const sim_sm_input *input, const sim_traced_block *block, uint32_t warps,
                           uint32_t runs) {
    sim_traced_block only = *block;
    const sim_warp_traces traces = {.stride = input->traces->stride,
                                    .warps_a_block = warps,
                                    .most_runs = runs,
                                    .blocks = &only,
                                    .modelled = {.first = 1, .all = 1}};
    sim_sm_input followed = *input;
    followed.traces = &traces;
    const sm_extent extent = {
        .resident = 1, .recorded = 1, .runs = runs, .blocks = 1, .only_sm = true, .any_time = true};
    return extent_cycles(&followed, &extent);
}

// How often the warps of a block executed each instruction of one function.
typedef struct tally {
    const sim_function *function;
    uint64_t *times; // [function->code_count]
} tally;

static bool is_whole(const sim_traced_block *block, uint32_t warps, uint32_t runs) {
    for (uint32_t w = 0; w < warps; w++)
        if (block->warps[w].cut || block->warps[w].count > runs) return false;
    return block->ran;
}

static void count_runs(const sim_traced_block *block, uint32_t warps, const tally *own) {
    for (uint32_t w = 0; w < warps; w++) {
        const sim_warp_trace *path = &block->warps[w];
        for (uint32_t r = 0; r < path->count; r++) {
            const sim_traced_run *run = &path->runs[r];
            for (uint32_t i = 0; run->function == own->function && i < run->count; i++)
                own->times[run->pc + i]++;
        }
    }
}

// Whether the block did what no other one did, after an atomic of global memory that others did,
// too.
static bool does_more(const tally *own, const sim_function_counts *counts) {
    bool own_code = false, asks = false;
    uint32_t end = own->function->code_count;
    SIM_EACH_RAN(pc, counts->ran, end) {
        const sim_instr *instr = &own->function->code[pc];
        bool shared = counts->by_pc[pc].executed > own->times[pc];
        own_code = own_code || (own->times[pc] && !shared);
        asks = asks ||
               (own->times[pc] && shared && sim_is_atom(instr) && instr->space != PTX_SPACE_SHARED);
    }
    return own_code && asks;
}

double last_block_cycles(const sim_sm_input *input, uint32_t recorded, uint32_t runs) {
    const sim_warp_traces *paths = input->traces;
    const sim_traced_block *last = sim_warp_traces_last(paths);
    const sim_traced_block *usual = sim_warp_traces_modelled(paths, recorded - 1);
    uint32_t warps = paths->warps_a_block;
    for (uint32_t i = 0; i < recorded; i++)
        if (sim_warp_traces_modelled(paths, i) == last) return 0; // the model ran it
    if (!last || !is_whole(last, warps, runs) || !is_whole(usual, warps, runs) ||
        last->warps[0].count == 0)
        return 0;
    const sim_function *function = last->warps[0].runs[0].function; // the kernel
    size_t f = (size_t)(function - input->launch->program->functions);
    const sim_function_counts *counts = &input->recorded->counts[f];
    tally own = {function, calloc(function->code_count + 1, sizeof *own.times)};
    double more = 0;
    if (own.times && counts->by_pc) {
        count_runs(last, warps, &own);
        if (does_more(&own, counts))
            more = single_block_cycles(input, last, warps, runs) -
                   single_block_cycles(input, usual, warps, runs);
    }
    free(own.times);
    return more > 0 ? more : 0;
}
