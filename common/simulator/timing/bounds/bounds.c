// The analytical model's bounds, one function a resource. Rates and bandwidths are those of the
// device's row (device/device_fields.def); a rate of 0 is a resource that the card does not have.
#include "timing/bounds/bounds.h"
#include "machine/machine.h"

enum { SECTOR_BYTES = 32 };

typedef struct model {
    const sim_device *device;
    const sim_launch_report *report;
    double blocks, warps_per_block;
    double sms;   // SMs' worth of work going on at once, the tail included
    double clock; // cycles per microsecond
} model;

static double count(const model *m, sim_counter counter) {
    return (double)m->report->totals.value[counter];
}

// Blocks are dealt out evenly: 133 blocks on 132 SMs keep one SM busy twice as long as the rest.
static double busy_sms(const sim_device *device, double blocks) {
    double sms = device->sm_count;
    if (blocks < 1) return 1;
    double per_sm = (double)(uint64_t)((blocks + sms - 1) / sms);
    return blocks / per_sm;
}

static double sm_time(const model *m, double work, double rate) {
    return rate > 0 ? work / (rate * m->sms * m->clock) : 0;
}

static double pipe_time(const model *m, sim_counter counter, double rate) {
    return sm_time(m, count(m, counter),
                   rate * m->device->schedulers_per_sm * machine_constant.issue_efficiency);
}

// Instructions of the load/store pipe; the texture pipe beside it is taken to accept a request, of
// a few lanes, a cycle.
static double lsu_work(const model *m) {
    return count(m, SIM_COUNTER_PIPE_LSU) + count(m, SIM_COUNTER_TEXTURE_REQUESTS) +
           count(m, SIM_COUNTER_SURFACE_LD_REQUESTS) + count(m, SIM_COUNTER_SURFACE_ST_REQUESTS) +
           count(m, SIM_COUNTER_SURFACE_RED_REQUESTS);
}

static double dram_time(const model *m) {
    // What is written leaves the L2 some time, perhaps during a later launch.
    double written = m->device->l2_bytes ? count(m, SIM_COUNTER_FOOTPRINT_WRITE)
                                         : count(m, SIM_COUNTER_DRAM_WRITE);
    double bytes = count(m, SIM_COUNTER_DRAM_READ) + written;
    bool writes = written > 0.1 * bytes;
    return bytes / ((writes ? m->device->copy_gbs : m->device->read_gbs) * 1e3);
}

static double global_sectors(const model *m) {
    return count(m, SIM_COUNTER_GLOBAL_LD_SECTORS) + count(m, SIM_COUNTER_GLOBAL_ST_SECTORS) +
           count(m, SIM_COUNTER_GLOBAL_ATOM_SECTORS) + count(m, SIM_COUNTER_GLOBAL_RED_SECTORS);
}

// What of the sectors reaches the L2 is assumed here, not taken from the cache model: all that are
// new to the launch, and of the repeated ones every other, for the L1 has the rest.
static double l2_time(const model *m) {
    double fresh = (count(m, SIM_COUNTER_FOOTPRINT_READ) + count(m, SIM_COUNTER_FOOTPRINT_WRITE)) /
                   SECTOR_BYTES;
    double all = global_sectors(m);
    if (m->device->l2_gbs <= 0) return 0;
    double sectors = all > fresh ? fresh + 0.5 * (all - fresh) : all;
    return sectors * SECTOR_BYTES / (m->device->l2_gbs * 1e3);
}

// What stores send to the L2 costs by the line and by the sector: a column of words is a line a
// lane, a row of words 4 sectors to a line. Measured on an H100 with all data in the L2: 15.8 to
// 19.3 ps a line with one sector, 23.7 with two, 34.5 to 40.9 with four; how many bytes of a sector
// are stored (4, 8 or 16) does not matter.
static double store_time(const model *m) {
    return (count(m, SIM_COUNTER_L1_WRITE_LINES) * m->device->store_line_ns +
            count(m, SIM_COUNTER_L1_WRITES) * m->device->store_sector_ns) *
           1e-3;
}

// Sectors that cross to another SM of the cluster.
static double remote_wavefronts(const model *m) {
    return machine_constant.remote_sector *
           (count(m, SIM_COUNTER_REMOTE_LD_SECTORS) + count(m, SIM_COUNTER_REMOTE_ST_SECTORS) +
            count(m, SIM_COUNTER_REMOTE_ATOM_SECTORS));
}

static double shared_time(const model *m) {
    double passes = remote_wavefronts(m) + count(m, SIM_COUNTER_SHARED_LD_WAVEFRONTS) +
                    count(m, SIM_COUNTER_SHARED_ST_WAVEFRONTS) +
                    count(m, SIM_COUNTER_SHARED_ATOM_WAVEFRONTS);
    return sm_time(m, passes, m->device->wavefront_rate);
}

// What warps wait, apart from their starts.
typedef struct waiting {
    double warps, instructions;
    double cycles;            // of all warps, each alone
    double held;              // the same, if each warp went on as long as the longest of its block
    double longest;           // instructions of the longest warp
    double cycles_of_longest; // for one of its instructions
} waiting;

// All warps' waiting, spread over the warps that a SM holds at once (Little's law). A warp's slot
// is free for another one when its whole block has ended. Extra passes of a conflicted access come
// on top, one after the other: the other warps of the block wait at the barrier behind them.
static double latency_time(const model *m, const waiting *waits) {
    double resident = m->report->occupancy.blocks_per_sm;
    double per_sm = (double)(uint64_t)((m->blocks + m->device->sm_count - 1) / m->device->sm_count);
    if (resident > per_sm) resident = per_sm;
    if (resident < 1) resident = 1;
    double cycles = waits->warps * sim_bounds_start_cycles + waits->held;
    double conflicts =
        count(m, SIM_COUNTER_SHARED_LD_CONFLICTS) + count(m, SIM_COUNTER_SHARED_ST_CONFLICTS);
    return cycles / (resident * m->warps_per_block * m->sms * m->clock) +
           sm_time(m, conflicts, m->device->wavefront_rate);
}

// A launch lasts at least as long as its longest warp, which is alone with its latencies when the
// others have ended.
static double longest_time(const model *m, const waiting *waits) {
    bool alone = waits->longest * waits->warps > machine_constant.warp_longer * waits->instructions;
    return alone ? (sim_bounds_start_cycles + waits->longest * waits->cycles_of_longest) / m->clock
                 : 0;
}

static double bound_time(const model *m, const waiting *waits, sim_bound_kind bound) {
    switch (bound) {
    case SIM_BOUND_DRAM: return dram_time(m);
    case SIM_BOUND_L2: return l2_time(m);
    case SIM_BOUND_STORES: return store_time(m);
    case SIM_BOUND_L1: return sm_time(m, global_sectors(m), m->device->l1_sector_rate);
    case SIM_BOUND_SHARED: return shared_time(m);
    case SIM_BOUND_CONSTANT:
        return sm_time(m, count(m, SIM_COUNTER_CONSTANT_LD_TURNS), m->device->constant_rate);
    case SIM_BOUND_ISSUE: return pipe_time(m, SIM_COUNTER_INST, m->device->issue_rate);
    case SIM_BOUND_FMA: return pipe_time(m, SIM_COUNTER_PIPE_FMA, m->device->fma_rate);
    case SIM_BOUND_ALU: return pipe_time(m, SIM_COUNTER_PIPE_ALU, m->device->alu_rate);
    case SIM_BOUND_XU: return pipe_time(m, SIM_COUNTER_PIPE_XU, m->device->xu_rate);
    case SIM_BOUND_FP64: return pipe_time(m, SIM_COUNTER_PIPE_FP64, m->device->fp64_rate);
    case SIM_BOUND_LSU: return sm_time(m, lsu_work(m), m->device->lsu_rate);
    case SIM_BOUND_TENSOR:
        return sm_time(m, count(m, SIM_COUNTER_TENSOR_CYCLES), m->device->tensor_rate);
    case SIM_BOUND_LATENCY: return latency_time(m, waits);
    case SIM_BOUND_LONGEST: return longest_time(m, waits);
    case SIM_BOUND_NONE:
    case SIM_BOUND_COUNT: break;
    }
    return 0;
}

// Every bound, the largest first. bounds[] has an entry for each row of bounds.def.
static void all_bounds(const model *m, const waiting *waits, sim_launch_report *report) {
    for (uint32_t used = 0; used < SIM_TIME_BOUNDS; used++) {
        sim_bound_kind kind = (sim_bound_kind)(SIM_BOUND_NONE + 1 + used);
        double time_us = bound_time(m, waits, kind);
        uint32_t at = used;
        for (; at > 0 && report->bounds[at - 1].time_us < time_us; at--)
            report->bounds[at] = report->bounds[at - 1];
        report->bounds[at] = (sim_time_bound){kind, time_us};
    }
}

// Waiting and the busiest resource: where one is much longer, the other hides behind it. Where they
// are of a size, requests wait in queues as well, and the launch takes up to 1.4 times as long.
// Fitted, with the latency of memory, to the steps of labs 00 to 03 and 07 on an H100: 14 % off on
// average, 27 % with the larger of the two alone.
static double together(const sim_time_bound *first, const sim_time_bound *second) {
    return sqrt(first->time_us * first->time_us + second->time_us * second->time_us);
}

// The largest bound of a resource, and the latency. The longest warp is no resource: it goes on
// beside all of them.
static void find_work_and_waiting(const sim_launch_report *report, const sim_time_bound **out_work,
                                  const sim_time_bound **out_waits) {
    *out_work = *out_waits = NULL;
    for (uint32_t i = 0; i < SIM_TIME_BOUNDS; i++) {
        const sim_time_bound *bound = &report->bounds[i];
        if (bound->kind == SIM_BOUND_LATENCY) *out_waits = bound;
        else if (!*out_work && bound->kind != SIM_BOUND_LONGEST) *out_work = bound;
    }
}

void sim_bounds_explain(const sim_device *device, sim_launch_report *report) {
    const sim_time_bound *first = &report->bounds[0], *work, *latency;
    find_work_and_waiting(report, &work, &latency);
    const sim_time_bound *second = first == work ? latency : first == latency ? work : first + 1;
    bool close = second->time_us > 0.5 * first->time_us;
    if (sim_report_launch_bound(report, device))
        snprintf(report->explanation, sizeof report->explanation,
                 "launch bound: starting a kernel costs %.1f us, its work only %.1f us",
                 device->kernel_us, report->time_us - device->kernel_us);
    else
        snprintf(report->explanation, sizeof report->explanation, "%.20s bound%s%.20s: %.200s",
                 sim_bound_name(first->kind), close ? ", then " : "",
                 close ? sim_bound_name(second->kind) : "", sim_bound_advice(first->kind));
}

static waiting find_waiting(const model *m, const sim_program *program, const sim_recorded *result,
                            const sim_cache_result *cache, sim_bounds_unvisited *unvisited) {
    const sim_longest_warp *longest = &result->longest;
    uint32_t block_warps = (uint32_t)m->warps_per_block;
    waiting waits = {.warps = m->blocks * m->warps_per_block,
                     .instructions = (double)result->warp_instructions,
                     .longest = (double)longest->executed};
    for (uint32_t f = 0; f < result->function_count; f++) {
        sim_bounds_code code = {&program->functions[f],  f,        cache,
                                result->counts[f].by_pc, NULL,     block_warps,
                                result->counts[f].ran,   unvisited};
        if (code.counts) waits.cycles += sim_bounds_serial_cycles(m->device, &code);
    }
    if (waits.instructions > 0) waits.cycles_of_longest = waits.cycles / waits.instructions;
    waits.held = waits.cycles;
    if (!longest->function) return waits;
    uint32_t f = (uint32_t)(longest->function - program->functions);
    sim_bounds_code code = {longest->function,
                            f,
                            cache,
                            longest->counts,
                            result->counts[f].by_pc,
                            block_warps,
                            result->counts[f].ran,
                            unvisited};
    waits.cycles_of_longest = sim_bounds_serial_cycles(m->device, &code) / (double)longest->sampled;
    waits.held += ((double)longest->held - waits.instructions) * waits.cycles_of_longest;
    return waits;
}

static model make_model(const sim_device *device, const sim_launch_report *report) {
    const sim_launch_config *config = &report->config;
    double threads = (double)config->block.x * config->block.y * config->block.z;
    double blocks = (double)config->grid.x * config->grid.y * config->grid.z;
    return (model){.device = device,
                   .report = report,
                   .blocks = blocks,
                   .warps_per_block =
                       (double)(uint64_t)((threads + SIM_WARP_LANES - 1) / SIM_WARP_LANES),
                   .sms = busy_sms(device, blocks),
                   .clock = device->clock_mhz};
}

void sim_bounds_find(const sim_device *device, const sim_program *program,
                     const sim_recorded *result, const sim_cache_result *cache,
                     sim_bounds_unvisited *unvisited, sim_launch_report *report) {
    model m = make_model(device, report);
    waiting waits = find_waiting(&m, program, result, cache, unvisited);
    all_bounds(&m, &waits, report);
    const sim_time_bound *first = &report->bounds[0], *work, *latency;
    find_work_and_waiting(report, &work, &latency);
    double both_us = together(work, latency);
    report->bounded_us = device->kernel_us + (first->time_us > both_us ? first->time_us : both_us);
    report->time_us = report->bounded_us;
}
