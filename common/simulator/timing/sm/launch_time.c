// SPDX-License-Identifier: MIT
// A launch around the run of one SM: what is recorded of it, and its time. See launch_time.h.
#include "timing/sm/launch_time.h"

#include <math.h>
#include <stdlib.h>

#include "device/device.h"
#include "machine/cost.h"
#include "timing/sm/last_block.h"
#include "timing/sm/single_block.h"

enum {
    RUNS_OF_LAUNCH = 1 << 16,  // recorded at most, of all warps
    LINES_OF_LAUNCH = 1 << 21, // likewise, of memory that they ask for
    RUNS_LEAST = 1 << 9,       // of a warp
    RUNS_MOST = 1 << 13,
    PACE_LEAST = 100, // instructions of a warp that tell how fast it goes on
    TIMES_LONGER = 2, // a warp than the mean, to be looked at by itself
    LONGER_BY = 4,    // likewise than all that are recorded, by one of so many parts
    TAIL_SHARE = 8,   // of the longest warp's instructions before the mark, to tell its pace: one
    MIXED_FROM = 4,   // times that an SM is filled with blocks: who came first matters little
    ROUNDS = 3        // blocks that are recorded for each one that is on the SM at a time
};

static uint64_t count_of(const sim_dim3 *size) {
    return (uint64_t)size->x * size->y * size->z;
}

// What is recorded of a launch: blocks of an SM, and runs of each of their warps.
typedef struct recording {
    uint32_t blocks, warps, runs, first; // first: blocks that an SM may hold at once
    uint64_t all;                        // that it gets
    bool mixed;                          // the first ones are not of one SM alone
} recording;

static recording recording_of(const sim_device *device, const sim_launch_config *config,
                              uint32_t shared_bytes) {
    uint64_t threads = count_of(&config->block), blocks = count_of(&config->grid);
    uint64_t warps = (threads + SIM_WARP_LANES - 1) / SIM_WARP_LANES;
    if (!sim_device_has_sm_model(device) || blocks == 0 || warps == 0 ||
        warps > device->warps_per_sm)
        return (recording){0}; // among them launches that will be refused
    uint64_t sms = sm_count_of(device, config, shared_bytes), all = (blocks + sms - 1) / sms,
             of_sm = all;
    uint64_t most = sim_blocks_by_threads(device, threads);
    if (most * ROUNDS < of_sm) of_sm = most * ROUNDS;
    uint64_t runs = RUNS_OF_LAUNCH / (of_sm * warps);
    if (runs < RUNS_LEAST) runs = RUNS_LEAST;
    if (runs > RUNS_MOST) runs = RUNS_MOST;
    bool mixed = all >= MIXED_FROM * most;
    return (recording){
        (uint32_t)of_sm, (uint32_t)warps, (uint32_t)runs, (uint32_t)most, all, mixed};
}

sim_warp_traces *sim_sm_record(const sim_device *device, const sim_launch_config *config,
                               uint32_t shared_bytes) {
    recording r = recording_of(device, config, shared_bytes);
    if (!r.blocks) return NULL;
    sim_modelled_blocks modelled = {.first = r.blocks < r.all ? r.first : r.blocks,
                                    .all = r.all,
                                    .mixed = r.mixed,
                                    .last = count_of(&config->grid) - 1};
    modelled.spread = r.blocks - modelled.first;
    sim_warp_traces *paths =
        sim_warp_traces_new(sm_count_of(device, config, shared_bytes), &modelled, r.warps, r.runs);
    if (paths) sim_warp_traces_lengthen(paths, r.runs, LINES_OF_LAUNCH / (r.blocks * r.warps));
    return paths;
}

// Blocks that the busiest SM gets, and those that it holds at once.
static uint64_t blocks_of_sm(const sim_sm_launch *launch) {
    uint64_t sms = sm_count_of(launch->device, &launch->report->config,
                               sim_block_shared_bytes(launch->report));
    return (count_of(&launch->report->config.grid) + sms - 1) / sms;
}

// Cycles of the whole SM: what the model ran, and the rest of its instructions at the rate at which
// blocks were replaced; without such, at the rate of what it ran after the beginning. The rest
// is done before the last of these blocks ends, while blocks from the beginning may last.
static double extrapolate(const sm_progress *p, double all) {
    double rest = all - p->instructions;
    if (rest <= 0 || p->end <= 0) return p->end;
    double rate = (p->instructions - p->at_marks[0]) / (p->end - p->marks[0]);
    double steady = p->at_started - p->at_refilled, cycles = p->started - p->refilled;
    double from = p->end;
    if (p->refilled > 0 && cycles > 0.2 * p->end) {
        rate = steady / cycles;
        if (p->drained > 0) from = p->drained;
    }
    return rate > 0 ? fmax(p->end, from + rest / rate) : p->end;
}

// Cycles per instruction of warps that took so many cycles alone, by the longest of them, which has
// `longest` instructions; 0: no memory.
static double pace_of(double cycles, uint64_t longest) {
    cycles -= machine_constant.cold_start;
    return cycles > 0 ? cycles / (double)longest : 0;
}

// Of a warp that goes on for long after most others, by what was recorded of it behind a mark; 0:
// there is none.
static double pace_of_tail(const sim_sm_launch *launch, const recording *recorded) {
    const sim_late_warp *tail = &launch->result->late_warp;
    uint32_t runs = tail->trace.count;
    uint64_t count = sim_warp_trace_instructions(&tail->trace, runs),
             all = launch->result->longest.executed;
    double warps = (double)count_of(&launch->report->config.grid) * recorded->warps;
    double mean = (double)launch->result->warp_instructions / warps;
    bool alone = (double)all > TIMES_LONGER * mean && tail->after * TAIL_SHARE >= all;
    if (!alone || count < PACE_LEAST) return 0;
    sim_warp_trace warp = tail->trace;
    sim_traced_block block = {.warps = &warp, .ran = true};
    warp.cut = true; // it went on
    return pace_of(single_block_cycles(launch, &block, 1, runs), count);
}

// The longest warp of the recorded blocks: its instructions, and its block in *out_block.
static uint64_t longest_recorded(const sim_sm_launch *launch, const recording *recorded,
                                 uint32_t *out_block) {
    const sim_warp_traces *paths = launch->paths;
    uint64_t longest = 0;
    *out_block = 0;
    for (uint32_t b = 0; b < recorded->blocks; b++)
        for (uint32_t w = 0; w < paths->warps_a_block; w++) {
            uint64_t count = sim_warp_trace_instructions(
                &sim_warp_traces_modelled(paths, b)->warps[w], recorded->runs);
            if (count <= longest) continue;
            longest = count;
            *out_block = b;
        }
    return longest;
}

// Cycles of the launch's longest warp, which may be of a block that is not recorded: at the pace of
// one that was followed, else of the longest recorded one. 0: it is recorded, or nearly so, or all
// that are recorded are too short to tell a pace.
static double longest_cycles(const sim_sm_launch *launch, const recording *recorded) {
    uint64_t all = launch->result->longest.executed;
    uint32_t block;
    if (all < TIMES_LONGER * PACE_LEAST) return 0;
    uint64_t longest = longest_recorded(launch, recorded, &block);
    if (LONGER_BY * all < (LONGER_BY + 1) * longest) return 0;
    double pace = pace_of_tail(launch, recorded);
    if (pace > 0) return pace * (double)all;
    if (longest < PACE_LEAST) return 0;
    const sm_extent extent = {.resident = 1,
                              .recorded = block + 1,
                              .runs = recorded->runs,
                              .blocks = block + 1,
                              .first = block,
                              .only_sm = true};
    return pace_of(extent_cycles(launch, &extent), longest) * (double)all;
}

// What the blocks of the busiest SM do, and those of a mean one, in blocks as long as the longest,
// where all are on the card at once, `each` on an SM: which ones share an SM is a matter of chance
// (on an H200 block 132 + b meets block b on a third of the SMs), and of so many SMs one is worse
// off by so many standard deviations. 0: the blocks are alike.
static double busiest_blocks(const sim_residence *stays, double each, double *out_mean) {
    const double deviations = 2.6; // of the largest of 132 normal numbers
    double sum = 0, squares = 0, longest = 0, count = (double)stays->block_count;
    for (uint64_t b = 0; b < stays->block_count; b++) {
        sum += stays->blocks[b];
        squares += (double)stays->blocks[b] * stays->blocks[b];
        longest = fmax(longest, stays->blocks[b]);
    }
    if (longest <= 0) return 0;
    double mean = sum / count, deviation = sqrt(fmax(0, squares / count - mean * mean));
    double busiest = fmin(each * longest, each * mean + deviations * deviation * sqrt(each));
    *out_mean = each * mean / longest;
    return LONGER_BY * busiest < (LONGER_BY + 1) * each * mean ? 0 : busiest / longest;
}

// Cycles of the busiest SM of a launch whose blocks are all on the card at once and differ in
// length: so many of the longest recorded one, by what the launch's longest warp does more. 0: they
// do not differ, or are not known.
static double busiest_cycles(const sim_sm_launch *launch, const recording *recorded,
                             uint32_t resident) {
    const sim_residence *stays = &launch->result->residence;
    const sim_launch_config *config = &launch->report->config;
    double sms = sm_count_of(launch->device, config, sim_block_shared_bytes(launch->report));
    uint64_t each = blocks_of_sm(launch), all = launch->result->longest.executed;
    double mean = 0;
    uint32_t block;
    if (each < 2 || each > resident || !stays->blocks || all < TIMES_LONGER * PACE_LEAST) return 0;
    double busiest = busiest_blocks(stays, (double)each, &mean);
    uint64_t longest = longest_recorded(launch, recorded, &block);
    if (busiest <= 0 || longest < PACE_LEAST) return 0;
    const sm_extent extent = {.resident = (uint32_t)each,
                              .recorded = block + (uint32_t)each,
                              .runs = recorded->runs,
                              .blocks = block + each,
                              .first = block,
                              .same = true,
                              .sms = fmax(1, sms * mean / busiest)};
    double pace = pace_of(extent_cycles(launch, &extent), longest);
    return pace * (double)all * busiest / (double)each;
}

// Cycles that the longest chain of blocks takes. The two words that a fence keeps in order are two
// trips to the L2, one after the other.
static double chain_cycles(const sim_sm_launch *launch) {
    const sim_instr of_card = {.op = SIM_OP_FENCE, .scope = SIM_FENCE_GPU};
    double fence = issue_fence_cycles(launch->device, &of_card);
    return machine_constant.block_link * launch->result->chain_links +
           fence * launch->result->chain_fences;
}

sim_sm_result sim_sm_time(const sim_sm_launch *launch) {
    sim_sm_result result = {0};
    const sim_launch_report *report = launch->report;
    uint64_t blocks = blocks_of_sm(launch), all = count_of(&report->config.grid);
    uint64_t resident = report->occupancy.blocks_per_sm;
    sm_memory memory = {0};
    sm_progress progress;
    if (resident > blocks) resident = blocks;
    recording recorded =
        recording_of(launch->device, &report->config, sim_block_shared_bytes(report));
    if (resident == 0 || recorded.blocks == 0 || !sim_warp_traces_modelled(launch->paths, 0)->ran)
        return result;
    if (resident > recorded.blocks) resident = recorded.blocks;
    sm_extent extent = {.resident = (uint32_t)resident,
                        .recorded = recorded.blocks,
                        .runs = recorded.runs,
                        .blocks = blocks};
    if (launch->wants_timeline)
        extent.timeline = timeline_new((uint32_t)resident * launch->paths->warps_a_block,
                                       launch->device->schedulers_per_sm);
    if (sm_memory_begin(&memory, launch, &result) && sm_run(launch, &memory, &extent, &progress)) {
        double quiet = sm_memory_quiet(&memory);
        if (progress.complete && quiet > progress.end) progress.end = quiet;
        double of_sm = (double)launch->result->warp_instructions * (double)blocks / (double)all;
        bool whole = progress.complete && recorded.blocks >= blocks;
        result.instructions = (uint64_t)progress.instructions;
        result.share = whole || of_sm <= 0 ? 1 : progress.instructions / of_sm;
        result.cycles = whole ? progress.end : extrapolate(&progress, of_sm);
        if (!whole) result.cycles = fmax(result.cycles, sm_memory_least(&memory, launch));
        result.cycles += last_block_cycles(launch, recorded.blocks, recorded.runs);
        result.cycles = fmax(result.cycles, longest_cycles(launch, &recorded));
        result.cycles = fmax(result.cycles, busiest_cycles(launch, &recorded, (uint32_t)resident));
        result.cycles = fmax(result.cycles, chain_cycles(launch));
        double all_units = fmax(1, progress.end * launch->device->schedulers_per_sm);
        result.both_units = progress.units.both / all_units;
        result.tensor_alone = progress.units.tensor_alone / all_units;
        result.xu_alone = progress.units.xu_alone / all_units;
        result.time_us = launch->device->kernel_us + result.cycles / launch->device->clock_mhz;
        result.timeline =
            timeline_finish(extent.timeline, whole ? result.cycles : progress.end, whole);
    } else {
        timeline_free(extent.timeline);
    }
    sm_memory_end(&memory);
    return result;
}
