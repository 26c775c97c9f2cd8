// Beginning and end of a launch. Everything here is independent of which worker ran what: sums of
// counts, a union of footprints, output in block order up to the first fault.
#include "grids/grids.h"

void sim_grid_result_clear(sim_grid_result *result) {
    result->status = SIM_OK;
    result->fault.kind = SIM_OK;
    result->fault.kernel[0] = result->fault.file[0] = result->fault.text[0] = '\0';
    result->fault.line = result->fault.access_bytes = 0;
    result->fault.block = result->fault.thread = (sim_dim3){0, 0, 0};
    result->fault.address = 0;
    result->recorded = (sim_recorded){0};
}

void sim_grid_refuse(const sim_launch *launch, sim_grid_result *result, const kl_error *why) {
    result->status = result->fault.kind = (sim_status)why->status;
    snprintf(result->fault.kernel, sizeof result->fault.kernel, "%s", launch->function->name);
    snprintf(result->fault.text, sizeof result->fault.text, "%s", why->text);
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
        output->ring_bytes += worker->output.ring_bytes;
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
