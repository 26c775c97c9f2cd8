// SPDX-License-Identifier: MIT
// Beginning and end of a launch. Everything here is independent of which worker ran what: sums of
// counts, a union of footprints, output in block order up to the first fault.
#include "device/device.h"
#include "grids/internal.h"

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
    result->recorded = (sim_recorded){0};
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

void sim_grid_collect(sim_executor *executor, sim_grid_result *result) {
    const sim_job *job = &executor->job;
    for (uint32_t i = 0; i < job->worker_count; i++) {
        result->recorded.warp_instructions += executor->workers[i].executed;
        result->recorded.general += executor->workers[i].general;
    }
    collect_output(executor, job->grid->output);
    if (job->grid->mode == SIM_MODE_COUNT)
        sim_record_fold(&executor->job.record, &result->recorded);
    if (job->fault.kind == SIM_OK) return;
    result->fault = job->fault;
    result->status = job->fault.kind;
}

void sim_grid_result_free(sim_grid_result *result) {
    if (result) sim_recorded_free(&result->recorded);
}
