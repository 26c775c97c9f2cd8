// SPDX-License-Identifier: MIT
// Beginning and end of a launch. Everything here is independent of which worker ran what: sums of
// counts, a union of footprints, output in block order up to the first fault.
#include "device/features.h"
#include "grids/result.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sim_grid_result_clear(sim_grid_result *result) {
    result->status = SIM_OK;
    result->fault.kind = SIM_OK;
    result->fault.kernel[0] = result->fault.file[0] = result->fault.text[0] = '\0';
    result->fault.line = result->fault.access_bytes = 0;
    result->fault.block = result->fault.thread = (sim_dim3){0, 0, 0};
    result->fault.address = 0;
    result->warp_instructions = 0;
    result->counts = NULL;
    result->function_count = 0;
    result->footprint_read_bytes = result->footprint_write_bytes = 0;
    result->trace = NULL;
    memset(&result->longest, 0, sizeof result->longest);
    result->tail = (sim_tail){.after = 0};
    memset(&result->residence, 0, sizeof result->residence);
}

void sim_grid_refuse(const sim_grid *grid, sim_grid_result *result, sim_status status,
                     const char *format, ...) {
    result->status = result->fault.kind = status;
    snprintf(result->fault.kernel, sizeof result->fault.kernel, "%s", grid->function->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->fault.text, sizeof result->fault.text, format, arguments);
    va_end(arguments);
}

static bool is_cluster(const sim_grid *grid) {
    sim_dim3 g = grid->grid, c = grid->cluster;
    uint64_t most = SIM_CLUSTER_BLOCKS;
    if (!c.y || !c.z || c.x > most || c.y > most || c.z > most) return false;
    return (uint64_t)c.x * c.y * c.z <= most && !(g.x % c.x || g.y % c.y || g.z % c.z);
}

sim_status sim_grid_check(const sim_grid *grid, sim_grid_result *result) {
    const sim_device *device = grid->device;
    const sim_function *function = grid->function;
    sim_dim3 g = grid->grid, b = grid->block;
    uint64_t threads = (uint64_t)b.x * b.y * b.z;
    uint64_t statics =
        grid->dynamic_shared_bytes ? function->dynamic_shared_offset : function->shared_bytes;
    uint64_t shared = statics + grid->dynamic_shared_bytes;
    if (!function->bound || !function->is_entry)
        sim_grid_refuse(grid, result, SIM_INTERNAL, "%s is not a bound kernel", function->name);
    else if (function->refusal)
        sim_grid_refuse(grid, result, SIM_UNSUPPORTED, "%s cannot run here: %s", function->name,
                        function->refusal);
    else if (!g.x || !g.y || !g.z || g.x > INT32_MAX || g.y > 65535 || g.z > 65535)
        sim_grid_refuse(grid, result, SIM_LAUNCH_CONFIG, "a grid of %u x %u x %u blocks", g.x, g.y,
                        g.z);
    else if (grid->cluster.x && !sim_device_has_clusters(device))
        sim_grid_refuse(grid, result, SIM_LAUNCH_CONFIG,
                        "clusters of %u x %u x %u blocks: %s, compute capability %u.%u, has no "
                        "thread block clusters; they came with 9.0",
                        grid->cluster.x, grid->cluster.y, grid->cluster.z, device->name,
                        device->compute_major, device->compute_minor);
    else if (grid->cluster.x && !is_cluster(grid))
        sim_grid_refuse(grid, result, SIM_LAUNCH_CONFIG,
                        "clusters of %u x %u x %u blocks: a cluster has up to %d and divides the "
                        "grid of %u x %u x %u",
                        grid->cluster.x, grid->cluster.y, grid->cluster.z, SIM_CLUSTER_BLOCKS, g.x,
                        g.y, g.z);
    else if (!b.x || !b.y || !b.z || b.x > 1024 || b.y > 1024 || b.z > 64 ||
             threads > device->threads_per_block || threads > SIM_MAX_WARPS * SIM_WARP_LANES)
        sim_grid_refuse(grid, result, SIM_LAUNCH_CONFIG,
                        "a block of %u x %u x %u threads: the device allows %u", b.x, b.y, b.z,
                        device->threads_per_block);
    else if (shared > device->shared_bytes_per_block_optin)
        sim_grid_refuse(grid, result, SIM_LAUNCH_RESOURCES,
                        "%" PRIu64 " bytes of shared memory per block: the device allows %u",
                        shared, device->shared_bytes_per_block_optin);
    else if (grid->param_bytes < function->entry_param_bytes)
        sim_grid_refuse(grid, result, SIM_INVALID_VALUE, "%u bytes of parameters: %s takes %u",
                        grid->param_bytes, function->name, function->entry_param_bytes);
    return result->status;
}

// Runs were accounted at their first instruction (see sim_count_run): lets them flow down to their
// end, and turns lanes switched off into lanes on.
static void expand(const sim_function *function, sim_raw_counts *counts) {
    uint64_t executed = 0, active = 0;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_run *run = &function->bound->runs[pc];
        executed += counts[pc].executed;
        active += counts[pc].active;
        counts[pc].executed = executed;
        counts[pc].active = active;
        counts[pc].on = active - counts[pc].on;
        if (run->plain + run->control == 1) executed = active = 0; // last of its stretch
    }
}

static void add(sim_raw_counts *to, const sim_raw_counts *from, uint32_t count) {
    for (uint32_t pc = 0; pc < count; pc++) {
        to[pc].executed += from[pc].executed;
        to[pc].active += from[pc].active;
        to[pc].on += from[pc].on;
        to[pc].requests += from[pc].requests;
        to[pc].sectors += from[pc].sectors;
        to[pc].wavefronts += from[pc].wavefronts;
        to[pc].conflicts += from[pc].conflicts;
        to[pc].divergent += from[pc].divergent;
    }
}

static void collect_counts(sim_executor *executor, sim_grid_result *result) {
    const sim_program *program = executor->job.grid->program;
    result->counts = calloc(program->function_count, sizeof *result->counts);
    result->function_count = program->function_count;
    for (uint32_t f = 0; f < program->function_count; f++) {
        const sim_function *function = &program->functions[f];
        sim_raw_counts *sum = NULL;
        for (uint32_t i = 0; i < executor->job.worker_count; i++) {
            sim_raw_counts *counts = executor->workers[i].counts[f];
            executor->workers[i].counts[f] = NULL;
            if (!counts) continue;
            if (sum) {
                add(sum, counts, function->code_count);
                free(counts);
            } else {
                sum = counts;
            }
        }
        if (sum) expand(function, sum);
        if (result->counts)
            result->counts[f] = sum;
        else
            free(sum);
    }
}

static void expand_sample(const sim_sample *sample, sim_longest_warp *out_warp) {
    const sim_function *function = sample->function;
    if (!function) return;
    out_warp->counts = calloc((size_t)function->code_count + 1, sizeof *out_warp->counts);
    if (!out_warp->counts) return;
    out_warp->function = function;
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        out_warp->counts[pc].executed = sample->runs[pc];
    expand(function, out_warp->counts);
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        out_warp->sampled += out_warp->counts[pc].executed;
    if (!out_warp->sampled) out_warp->function = NULL; // the warp had left the function
}

static void collect_longest(const sim_executor *executor, sim_longest_warp *out_warp) {
    const sim_longest *longest = &executor->workers[0].longest;
    for (uint32_t i = 0; i < executor->job.worker_count; i++) {
        const sim_longest *other = &executor->workers[i].longest;
        out_warp->held += other->held;
        if (other->executed > longest->executed ||
            (other->executed == longest->executed && other->block < longest->block))
            longest = other;
    }
    out_warp->executed = longest->executed;
    out_warp->block = longest->block;
    out_warp->warp = longest->sample.warp;
    expand_sample(&longest->sample, out_warp);
}

// The farthest one of all workers now belongs to the result.
static void collect_tail(sim_executor *executor, sim_tail *out_tail) {
    sim_tail *farthest = &executor->workers[0].tails.kept;
    for (uint32_t i = 1; i < executor->job.worker_count; i++) {
        sim_tail *other = &executor->workers[i].tails.kept;
        if (sim_tail_is_farther(other, farthest)) farthest = other;
    }
    if (!farthest->after) return;
    *out_tail = *farthest;
    *farthest = (sim_tail){.after = 0};
}

// The stays now belong to the result.
static void collect_residence(sim_executor *executor, sim_residence *out_residence) {
    sim_job *job = &executor->job;
    out_residence->block_count = job->block_count;
    out_residence->blocks = job->stays;
    job->stays = NULL;
    for (uint32_t i = 0; i < job->worker_count; i++)
        out_residence->warps += executor->workers[i].resident;
}

typedef struct placed_segment {
    sim_segment segment;
    const char *text;
} placed_segment;

static int by_block(const void *a, const void *b) {
    uint64_t x = ((const placed_segment *)a)->segment.block;
    uint64_t y = ((const placed_segment *)b)->segment.block;
    return (x > y) - (x < y);
}

static void collect_output(sim_executor *executor, sim_output *output) {
    size_t count = 0;
    for (uint32_t i = 0; i < executor->job.worker_count; i++)
        count += executor->workers[i].segment_count;
    if (!output || count == 0) return;
    placed_segment *segments = malloc(count * sizeof *segments);
    if (!segments) return;
    size_t used = 0;
    for (uint32_t i = 0; i < executor->job.worker_count; i++) {
        const sim_worker *worker = &executor->workers[i];
        for (size_t k = 0; k < worker->segment_count; k++)
            segments[used++] = (placed_segment){worker->segments[k],
                                                worker->output.text + worker->segments[k].offset};
    }
    qsort(segments, count, sizeof *segments, by_block);
    uint64_t failed = executor->job.failed_block;
    for (size_t i = 0; i < count && segments[i].segment.block <= failed; i++) {
        sim_output_append(output, segments[i].text, segments[i].segment.bytes);
        if (segments[i].segment.truncated) output->truncated = true;
    }
    free(segments);
}

static sim_hottest collect_hottest(sim_executor *executor) {
    sim_hot *all = &executor->workers[0].hot;
    for (uint32_t i = 1; i < executor->job.worker_count; i++)
        sim_hot_add(all, &executor->workers[i].hot);
    return sim_hot_hottest(all);
}

void sim_grid_collect(sim_executor *executor, sim_grid_result *result) {
    const sim_job *job = &executor->job;
    for (uint32_t i = 0; i < job->worker_count; i++)
        result->warp_instructions += executor->workers[i].executed;
    collect_output(executor, job->grid->output);
    if (job->grid->mode == SIM_MODE_COUNT) {
        uint64_t read, written;
        collect_counts(executor, result);
        collect_longest(executor, &result->longest);
        collect_tail(executor, &result->tail);
        result->hottest = collect_hottest(executor);
        collect_residence(executor, &result->residence);
        result->trace = &executor->workers[0].trace;
        for (uint32_t i = 1; i < job->worker_count; i++)
            sim_trace_append(result->trace, &executor->workers[i].trace);
        sim_footprint_take(&executor->footprint, job->grid->recent, &read, &written);
        result->footprint_read_bytes = read * 32;
        result->footprint_write_bytes = written * 32;
    }
    if (job->fault.kind == SIM_OK) return;
    result->fault = job->fault;
    result->status = job->fault.kind;
}

void sim_grid_result_free(sim_grid_result *result) {
    if (!result) return;
    for (uint32_t f = 0; result->counts && f < result->function_count; f++) free(result->counts[f]);
    free(result->counts);
    free(result->longest.counts);
    sim_tail_free(&result->tail);
    free(result->residence.blocks);
    result->residence.blocks = NULL;
    result->longest.counts = NULL;
    result->counts = NULL;
    result->function_count = 0;
}
