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
