// What is recorded of a launch for the model of one SM, and the time of the launch: the largest of
// several estimates (device/estimates.def), of which the run of that SM is the first. See
// sm.h.
#include "timing/sm/internal.h"

// ---- what is recorded ---------------------------------------------------------------------------

// Blocks that the busiest SM gets.
static uint64_t blocks_of_sm(const sim_launch *launch) {
    uint64_t sms = sm_count_of(launch);
    return (sim_launch_blocks(launch) + sms - 1) / sms;
}

// The blocks of one SM that are recorded: all that it gets, or three for each one that fits there
// by its threads (its registers and its shared memory may allow fewer).
static sim_modelled_blocks blocks_to_record(const sim_launch *launch) {
    uint64_t all = blocks_of_sm(launch);
    uint64_t fit = sim_blocks_by_threads(launch->device, sim_launch_threads(launch));
    uint64_t most = fit * (uint64_t)machine_constant.recorded_rounds;
    sim_modelled_blocks blocks = {.all = all, .last = sim_launch_blocks(launch) - 1};
    blocks.mixed = all >= (uint64_t)machine_constant.mixed_rounds * fit;
    blocks.first = (uint32_t)(most < all ? fit : all);
    blocks.spread = (uint32_t)(most < all ? most : all) - blocks.first;
    return blocks;
}

sim_warp_traces *sim_sm_record(const sim_launch *launch) {
    uint64_t threads = sim_launch_threads(launch);
    uint64_t warps = (threads + SIM_WARP_LANES - 1) / SIM_WARP_LANES;
    if (!sim_device_has_sm_model(launch->device) || sim_launch_blocks(launch) == 0 || warps == 0 ||
        warps > launch->device->warps_per_sm)
        return NULL; // among them launches that will be refused
    const sim_modelled_blocks blocks = blocks_to_record(launch);
    uint32_t all_warps = (blocks.first + blocks.spread) * (uint32_t)warps;
    uint64_t runs = (uint64_t)machine_constant.launch_runs / all_warps;
    uint64_t least = (uint64_t)machine_constant.warp_runs_least;
    uint64_t most = (uint64_t)machine_constant.warp_runs_most;
    if (runs < least) runs = least;
    if (runs > most) runs = most;
    sim_warp_traces *traces =
        sim_warp_traces_new(sm_count_of(launch), &blocks, (uint32_t)warps, (uint32_t)runs);
    uint32_t lines = (uint32_t)machine_constant.launch_lines;
    if (traces) sim_warp_traces_lengthen(traces, (uint32_t)runs, lines / all_warps);
    return traces;
}

// ---- the run of one SM --------------------------------------------------------------------------

// Instructions per cycle of blocks that replace others: once all that began together have ended,
// else of all that were recorded.
static double rate_of_blocks(const sm_progress *p) {
    if (p->steady > 0 && p->at_started > p->at_steady)
        return (p->at_started - p->at_steady) / (p->started - p->steady);
    return (p->at_started - p->at_refilled) / (p->started - p->refilled);
}

// Whether blocks that replaced others tell a rate.
static bool has_rate(const sm_progress *p) {
    return p->refilled > 0 && p->started - p->refilled > machine_constant.steady_share * p->end;
}

// Cycles of the SM until the end of `all` instructions: what the model ran, and the others at the
// rate at which blocks were replaced; where they were not, at the rate after the beginning. They
// end before the last of the replacing blocks does, while blocks from the beginning may go on.
static double extrapolate(const sm_progress *p, double all) {
    double missing = all - p->instructions;
    if (missing <= 0 || p->end <= 0) return p->end;
    double rate = (p->instructions - p->at_marks[0]) / (p->end - p->marks[0]);
    double from = p->end;
    if (has_rate(p)) {
        rate = rate_of_blocks(p);
        if (p->drained > 0) from = p->drained;
    }
    return rate > 0 ? fmax(p->end, from + missing / rate) : p->end;
}

// ---- the longest warp ---------------------------------------------------------------------------

// Cycles per instruction of a launch that took so many cycles and whose longest warp has `longest`
// instructions; 0: no memory.
static double pace_of(double cycles, uint64_t longest) {
    cycles -= machine_constant.cold_start;
    return cycles > 0 ? cycles / (double)longest : 0;
}

// The pace of a warp that goes on long after most others, by its recorded tail; 0: there is none.
static double pace_of_tail(const sim_sm_input *input) {
    const sim_late_warp *tail = &input->recorded->late_warp;
    uint32_t runs = tail->trace.count;
    uint64_t count = sim_warp_trace_instructions(&tail->trace, runs);
    double all = (double)input->recorded->longest.executed;
    double warps = (double)sim_launch_blocks(input->launch) * input->traces->warps_a_block;
    double mean = (double)input->recorded->warp_instructions / warps;
    if (!(all > machine_constant.warp_longer * mean) ||
        (double)tail->after < machine_constant.tail_begin * all ||
        (double)count < machine_constant.pace_least)
        return 0;
    sim_warp_trace warp = tail->trace;
    sim_traced_block block = {.warps = &warp, .ran = true};
    warp.cut = true; // it went on
    return pace_of(single_block_cycles(input, &block, 1, runs), count);
}

// The instructions of the longest warp of the recorded blocks, and its block.
static uint64_t longest_recorded(const sim_sm_input *input, uint32_t *out_block) {
    const sim_warp_traces *traces = input->traces;
    uint64_t longest = 0;
    *out_block = 0;
    for (uint32_t b = 0; b < sim_warp_traces_count(traces); b++)
        for (uint32_t w = 0; w < traces->warps_a_block; w++) {
            const sim_warp_trace *trace = &sim_warp_traces_modelled(traces, b)->warps[w];
            uint64_t count = sim_warp_trace_instructions(trace, traces->most_runs);
            if (count <= longest) continue;
            longest = count;
            *out_block = b;
        }
    return longest;
}

// Whether a launch has a warp that is long enough for its pace to matter.
static bool has_pace(const sim_sm_input *input) {
    double all = (double)input->recorded->longest.executed;
    return all >= machine_constant.warp_longer * machine_constant.pace_least;
}

// Cycles of the launch's longest warp, whose block need not be recorded: at the pace of its tail,
// else of the longest recorded warp. 0: it is recorded, or nearly so, or there is no pace.
static double longest_warp_cycles(const sim_sm_input *input) {
    double all = (double)input->recorded->longest.executed;
    uint32_t block;
    if (!has_pace(input)) return 0;
    uint64_t longest = longest_recorded(input, &block);
    if (all < machine_constant.part_longer * (double)longest) return 0;
    double pace = pace_of_tail(input);
    if (pace > 0) return pace * all;
    if ((double)longest < machine_constant.pace_least) return 0;
    const sm_extent extent = {.resident = 1,
                              .recorded = block + 1,
                              .runs = input->traces->most_runs,
                              .blocks = block + 1,
                              .first = block,
                              .only_sm = true};
    return pace_of(extent_cycles(input, &extent), longest) * all;
}

// ---- the busiest SM -----------------------------------------------------------------------------

// The work of the busiest SM, and of the mean one, in blocks as long as the longest, where each SM
// has `each` blocks at once. Which blocks share an SM is a matter of chance (on an H200 block
// 132 + b meets block b on a third of the SMs). 0: all SMs have about the same work.
static double busiest_blocks(const sim_residence *stays, double each, double *out_mean) {
    double sum = 0, squares = 0, longest = 0, count = (double)stays->block_count;
    for (uint64_t b = 0; b < stays->block_count; b++) {
        sum += stays->blocks[b];
        squares += (double)stays->blocks[b] * stays->blocks[b];
        longest = fmax(longest, stays->blocks[b]);
    }
    if (longest <= 0) return 0;
    double mean = sum / count, deviation = sqrt(fmax(0, squares / count - mean * mean));
    double more = machine_constant.uneven_deviations * deviation * sqrt(each);
    double busiest = fmin(each * longest, each * mean + more);
    *out_mean = each * mean / longest;
    return busiest < machine_constant.part_longer * each * mean ? 0 : busiest / longest;
}

// Cycles of the busiest SM of a launch whose blocks are all on the card at once and differ in
// length, at the pace of the longest recorded block. 0: they do not, or their lengths are unknown.
static double busiest_sm_cycles(const sim_sm_input *input, uint32_t resident) {
    const sim_residence *stays = &input->recorded->residence;
    double sms = sm_count_of(input->launch), mean = 0;
    uint64_t each = blocks_of_sm(input->launch);
    uint32_t block;
    if (each < 2 || each > resident || !stays->blocks || !has_pace(input)) return 0;
    double busiest = busiest_blocks(stays, (double)each, &mean);
    uint64_t longest = longest_recorded(input, &block);
    if (busiest <= 0 || (double)longest < machine_constant.pace_least) return 0;
    const sm_extent extent = {.resident = (uint32_t)each,
                              .recorded = block + (uint32_t)each,
                              .runs = input->traces->most_runs,
                              .blocks = block + each,
                              .first = block,
                              .same = true,
                              .sms = fmax(1, sms * mean / busiest)};
    double pace = pace_of(extent_cycles(input, &extent), longest);
    return pace * (double)input->recorded->longest.executed * busiest / (double)each;
}

// An SM that its blocks share evenly.
typedef struct shared_sm {
    double now, done; // until when it is followed, and what each of its blocks has done by then
    double ends[SM_WARPS]; // [count]: `done` at which each ends
    uint32_t count;
} shared_sm;

// The time at which its next block ends, and which one.
static double next_end(const shared_sm *sm, uint32_t *out_block) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < sm->count; i++)
        if (sm->ends[i] < sm->ends[first]) first = i;
    *out_block = first;
    return sm->count ? sm->now + (sm->ends[first] - sm->done) * sm->count : INFINITY;
}

// When the last block ends, in the units of their lengths, where each takes the first slot that is
// free. all: [sms], zeros; next: [sms].
static double schedule_end(const sim_residence *stays, uint32_t sms, uint32_t resident,
                           shared_sm *all, double *next) {
    uint64_t b = 0;
    uint32_t block, at;
    for (; b < stays->block_count && b < (uint64_t)sms * resident; b++)
        all[b % sms].ends[all[b % sms].count++] = stays->blocks[b];
    for (uint32_t i = 0; i < sms; i++) next[i] = next_end(&all[i], &block);
    for (double end = 0;; next[at] = next_end(&all[at], &block)) {
        at = 0;
        for (uint32_t i = 1; i < sms; i++)
            if (next[i] < next[at]) at = i;
        if (isinf(next[at])) return end;
        shared_sm *sm = &all[at];
        end = sm->now = next_end(sm, &block);
        sm->done = sm->ends[block];
        if (b < stays->block_count) sm->ends[block] += stays->blocks[b++];
        else sm->ends[block] = sm->ends[--sm->count];
    }
}

// How much longer the launch takes than if all blocks were of the mean length, as a ratio; 0: that
// is not known, or matters little.
static double longer_by_lengths(const sim_sm_input *input, uint32_t resident) {
    const sim_residence *stays = &input->recorded->residence;
    uint32_t sms = sm_count_of(input->launch);
    double sum = 0, longest = 0, longer = 0;
    for (uint64_t b = 0; stays->blocks && b < stays->block_count; b++) {
        sum += stays->blocks[b];
        longest = fmax(longest, stays->blocks[b]);
    }
    double each = (double)blocks_of_sm(input->launch) / (double)stays->block_count;
    if (sum <= 0 || longest * resident < machine_constant.tail_least * sum * each) return 0;
    if (longest * (double)stays->block_count < machine_constant.part_longer * sum) return 0;
    shared_sm *all = calloc(sms, sizeof *all);
    double *next = calloc(sms, sizeof *next);
    if (all && next) longer = schedule_end(stays, sms, resident, all, next) / (sum * each);
    free(all);
    free(next);
    return longer;
}

// Cycles of a launch whose blocks come one after the other and differ in length: at the rate at
// which they were replaced, until the last SM has done its own. 0: they do not.
static double uneven_cycles(const sim_sm_input *input, const sm_extent *extent,
                            const sm_progress *p, double all) {
    if (!has_rate(p)) return 0;
    return p->refilled +
           (all - p->at_refilled) / rate_of_blocks(p) * longer_by_lengths(input, extent->resident);
}

// ---- blocks that wait for each other ------------------------------------------------------------

// Cycles that the longest chain of blocks takes. The two words that a fence keeps in order are two
// requests to the L2, one after the other.
static double chain_cycles(const sim_sm_input *input) {
    const sim_instr of_card = {.op = SIM_OP_FENCE, .scope = SIM_FENCE_GPU};
    double fence = issue_fence_cycles(input->launch->device, &of_card);
    return machine_constant.block_link * input->recorded->chain_links +
           fence * input->recorded->chain_fences;
}

// ---- the time of a launch -----------------------------------------------------------------------

static sim_estimate largest(const double cycles[SIM_ESTIMATE_COUNT], sim_estimate first) {
    for (int e = 0; e < SIM_ESTIMATE_COUNT; e++)
        if (cycles[e] > cycles[first]) first = (sim_estimate)e;
    return first;
}

// Fills the estimates, in cycles; 0: does not apply. Returns the largest. `whole`: the SM ran all
// of its blocks to their ends.
static sim_estimate find_estimates(const sim_sm_input *input, const sm_extent *extent,
                                   const sm_progress *progress, const sm_memory *memory, bool whole,
                                   double cycles[SIM_ESTIMATE_COUNT]) {
    double of_sm = (double)input->recorded->warp_instructions * (double)extent->blocks /
                   (double)sim_launch_blocks(input->launch);
    sim_estimate first = whole ? SIM_ESTIMATE_SM : SIM_ESTIMATE_SM_RATE;
    cycles[first] = whole ? progress->end : extrapolate(progress, of_sm);
    if (!whole) cycles[SIM_ESTIMATE_TRAFFIC] = sm_memory_least(memory, input);
    first = largest(cycles, first);
    double last_block = last_block_cycles(input, extent->recorded, extent->runs);
    if (last_block > 0) cycles[SIM_ESTIMATE_LAST_BLOCK] = cycles[first] + last_block;
    cycles[SIM_ESTIMATE_LONGEST_WARP] = longest_warp_cycles(input);
    cycles[SIM_ESTIMATE_BUSIEST_SM] = fmax(busiest_sm_cycles(input, extent->resident),
                                           uneven_cycles(input, extent, progress, of_sm));
    cycles[SIM_ESTIMATE_BLOCK_CHAIN] = chain_cycles(input);
    return largest(cycles, first);
}

static void report_time(const sim_device *device, const double cycles[SIM_ESTIMATE_COUNT],
                        sim_estimate decides, sim_launch_report *report) {
    for (int e = 0; e < SIM_ESTIMATE_COUNT; e++)
        report->estimates_us[e] =
            cycles[e] > 0 ? device->kernel_us + cycles[e] / device->clock_mhz : 0;
    report->estimate = decides;
    report->time_us = device->kernel_us + cycles[decides] / device->clock_mhz;
}

static void report_run(const sim_sm_input *input, const sm_extent *extent, sm_progress *progress,
                       const sm_memory *memory, sim_launch_report *report,
                       sim_unit_shares *out_units) {
    const sim_device *device = input->launch->device;
    double cycles[SIM_ESTIMATE_COUNT] = {0}, quiet = sm_memory_quiet(memory);
    if (progress->complete && quiet > progress->end) progress->end = quiet;
    bool whole = progress->complete && extent->recorded >= extent->blocks;
    sim_estimate decides = find_estimates(input, extent, progress, memory, whole, cycles);
    report_time(device, cycles, decides, report);
    double all = fmax(1, progress->end * device->schedulers_per_sm);
    *out_units = (sim_unit_shares){progress->units.both / all, progress->units.tensor_alone / all,
                                   progress->units.xu_alone / all};
    double shown = whole ? cycles[decides] : progress->end;
    report->timeline = timeline_finish(extent->timeline, shown, whole);
}

sim_unit_shares sim_sm_time(const sim_sm_input *input, sim_launch_report *report) {
    const sim_launch *launch = input->launch;
    const sim_warp_traces *traces = input->traces;
    uint64_t blocks = blocks_of_sm(launch), resident = launch->occupancy.blocks_per_sm;
    uint32_t recorded = sim_warp_traces_count(traces);
    sim_unit_shares units = {0};
    if (resident > blocks) resident = blocks;
    if (resident > recorded) resident = recorded;
    if (resident == 0 || !sim_warp_traces_modelled(traces, 0)->ran) return units;
    sm_extent extent = {.resident = (uint32_t)resident,
                        .recorded = recorded,
                        .runs = traces->most_runs,
                        .blocks = blocks};
    if (input->wants_timeline)
        extent.timeline = timeline_new((uint32_t)resident * traces->warps_a_block,
                                       launch->device->schedulers_per_sm);
    sm_memory memory = {0};
    sm_progress progress;
    if (sm_memory_begin(&memory, input) && sm_run(input, &memory, &extent, &progress))
        report_run(input, &extent, &progress, &memory, report, &units);
    else timeline_free(extent.timeline);
    sm_memory_end(&memory);
    return units;
}
