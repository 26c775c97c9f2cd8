// The thread pool. The caller is worker 0; other threads start when a grid first has work for them,
// sleep between grids, and are not waited for when the caller has finished before they woke.
#include "grids/grids.h"
#include "this_machine.h"
#include "warps/split.h"

enum { MAX_THREADS = 256 };

sim_status sim_executor_new(uint32_t threads, sim_executor **out_executor, kl_error *err) {
    *out_executor = NULL;
    if (threads == 0) threads = (uint32_t)kl_processors();
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    sim_executor *executor = calloc(1, sizeof *executor);
    if (!executor) return sim_fail(err, SIM_OUT_OF_MEMORY, "no host memory for the executor");
    executor->workers = calloc(threads, sizeof *executor->workers);
    executor->threads = calloc(threads, sizeof *executor->threads);
    executor->job.record.workers = calloc(threads, sizeof *executor->job.record.workers);
    if (!executor->workers || !executor->threads || !executor->job.record.workers) {
        free(executor->job.record.workers);
        free(executor->workers);
        free(executor->threads);
        free(executor);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no host memory for %u workers", threads);
    }
    executor->thread_count = threads;
    for (uint32_t i = 0; i < threads; i++) {
        executor->workers[i].executor = executor;
        executor->workers[i].index = i;
        executor->workers[i].block.worker = &executor->workers[i];
        executor->workers[i].record.launch = &executor->job.record;
        executor->job.record.workers[i] = &executor->workers[i].record;
    }
    // Stamps start at a time, so that two executors do not give the same one to different programs.
    executor->stamp = kl_now_ns();
    pthread_mutex_init(&executor->lock, NULL);
    pthread_cond_init(&executor->wake, NULL);
    pthread_cond_init(&executor->idle, NULL);
    pthread_mutex_init(&executor->job.lock, NULL);
    pthread_cond_init(&executor->job.progressed, NULL);
    *out_executor = executor;
    return SIM_OK;
}

void sim_worker_free_mates(sim_worker *worker) {
    for (uint32_t i = 0; i < worker->mate_count; i++) sim_block_destroy(&worker->mates[i]);
    free(worker->mates);
    worker->mates = NULL;
    worker->mate_count = 0;
}

static void destroy_worker(sim_worker *worker) {
    sim_block_destroy(&worker->block);
    sim_worker_free_mates(worker);
    free(worker->output.text);
    free(worker->segments);
    free(worker->tiles);
    sim_exits_table_free(worker->exits);
    sim_record_worker_free(&worker->record);
}

void sim_executor_trim(sim_executor *executor, uint64_t kept) {
    while (executor->resident_count > kept)
        sim_block_destroy(&executor->resident[--executor->resident_count]);
}

void sim_executor_free(sim_executor *executor) {
    if (!executor) return;
    pthread_mutex_lock(&executor->lock);
    executor->shutdown = true;
    pthread_cond_broadcast(&executor->wake);
    pthread_mutex_unlock(&executor->lock);
    for (uint32_t i = 0; i < executor->started; i++) pthread_join(executor->threads[i], NULL);
    for (uint32_t i = 0; i < executor->thread_count; i++) destroy_worker(&executor->workers[i]);
    sim_executor_trim(executor, 0);
    free(executor->resident);
    free(executor->together);
    sim_record_launch_free(&executor->job.record);
    free(executor->job.record.workers);
    pthread_cond_destroy(&executor->job.progressed);
    pthread_mutex_destroy(&executor->job.lock);
    pthread_cond_destroy(&executor->idle);
    pthread_cond_destroy(&executor->wake);
    pthread_mutex_destroy(&executor->lock);
    free(executor->threads);
    free(executor->workers);
    free(executor);
}

static void *thread_main(void *argument) {
    sim_worker *worker = argument;
    sim_executor *executor = worker->executor;
    uint64_t seen = 0;
    pthread_mutex_lock(&executor->lock);
    while (!executor->shutdown) {
        bool fresh = executor->offered && executor->generation != seen;
        if (!fresh) {
            pthread_cond_wait(&executor->wake, &executor->lock);
            continue;
        }
        seen = executor->generation;
        if (worker->index > executor->wanted) continue;
        executor->active++;
        pthread_mutex_unlock(&executor->lock);
        executor->share(worker);
        pthread_mutex_lock(&executor->lock);
        if (--executor->active == 0) pthread_cond_signal(&executor->idle);
    }
    pthread_mutex_unlock(&executor->lock);
    return NULL;
}

// Threads that cannot be started are done without: fewer workers, same results.
static uint32_t start_threads(sim_executor *executor, uint32_t wanted) {
    while (executor->started < wanted) {
        sim_worker *worker = &executor->workers[executor->started + 1];
        if (pthread_create(&executor->threads[executor->started], NULL, thread_main, worker)) break;
        executor->started++;
    }
    return wanted < executor->started ? wanted : executor->started;
}

void sim_executor_run(sim_executor *executor, void (*share)(sim_worker *worker)) {
    uint32_t wanted = executor->job.worker_count - 1;
    if (wanted == 0) {
        share(&executor->workers[0]);
        return;
    }
    pthread_mutex_lock(&executor->lock);
    executor->wanted = start_threads(executor, wanted);
    executor->offered = &executor->job;
    executor->share = share;
    executor->generation++;
    pthread_cond_broadcast(&executor->wake);
    pthread_mutex_unlock(&executor->lock);
    share(&executor->workers[0]);
    pthread_mutex_lock(&executor->lock);
    executor->offered = NULL;
    while (executor->active) pthread_cond_wait(&executor->idle, &executor->lock);
    pthread_mutex_unlock(&executor->lock);
}

uint32_t sim_executor_workers(const sim_executor *executor) { return executor->thread_count; }

// ---- beginning and end of a launch --------------------------------------------------------------
// Everything here is independent of which worker ran what: sums of counts, a union of footprints,
// output in block order up to the first fault.

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
    result->recorded.cancelled_blocks = job->cancelled;
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
