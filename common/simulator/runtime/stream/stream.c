// Streams. Work is done when it is submitted, so a stream holds only times (CUDA Runtime API
// reference, "Stream Management"; CUDA C++ Programming Guide, "Streams"), and what was captured.
#include "runtime/stream/stream.h"

#include <stdlib.h>

#include "runtime/state/state.h"

struct CUstream_st runtime_legacy_stream = {
    .queue = {.blocking = true, .legacy = true, .order = SIM_LEGACY_QUEUE},
    .id = 7,
    .sync_policy = {.syncPolicy = RUNTIME_SYNC_POLICY_UNSET},
    .sync_domains = {.memSyncDomainMap = {0, 1}}};
struct CUstream_st runtime_per_thread_stream = {
    .queue = {.blocking = true, .order = SIM_QUEUE(SIM_QUEUE_BLOCKING, 0)},
    .sync_policy = {.syncPolicy = RUNTIME_SYNC_POLICY_UNSET},
    .sync_domains = {.memSyncDomainMap = {0, 1}}};

static __thread bool default_is_per_thread;

void runtime_default_stream_set(bool per_thread) { default_is_per_thread = per_thread; }

// One per-thread default stream serves all threads: their work is ordered more strictly than on a
// GPU, which changes modelled times only.
struct CUstream_st *runtime_stream_find(cudaStream_t stream) {
    if (stream == cudaStreamLegacy || (!stream && !default_is_per_thread))
        return &runtime_legacy_stream;
    if (stream && stream != cudaStreamPerThread) return runtime_map_get(&runtime.streams, stream);
    if (!runtime_per_thread_stream.id) runtime_per_thread_stream.id = runtime.next_stream_id++;
    return &runtime_per_thread_stream;
}

void runtime_streams_reset(void) {
    struct CUstream_st *stream;
    for (size_t at = 0; (stream = runtime_map_next(&runtime.streams, &at));) {
        runtime_order_gone(stream->queue.order);
        runtime_set_free(&stream->tail);
        free(stream);
    }
    runtime_map_free(&runtime.streams);
    runtime_legacy_stream.queue.ready_us = runtime_per_thread_stream.queue.ready_us = 0;
}

int runtime_stream_priority(int wanted) {
    if (wanted < RUNTIME_GREATEST_PRIORITY) return RUNTIME_GREATEST_PRIORITY;
    return wanted > RUNTIME_LEAST_PRIORITY ? RUNTIME_LEAST_PRIORITY : wanted;
}

cudaError_t runtime_stream_create(cudaStream_t *out_stream, unsigned flags, int priority) {
    if (!out_stream || (flags & ~(unsigned)cudaStreamNonBlocking)) return cudaErrorInvalidValue;
    struct CUstream_st *stream = calloc(1, sizeof *stream);
    if (!stream) return cudaErrorMemoryAllocation;
    if (!runtime_map_put(&runtime.streams, stream, stream)) {
        free(stream);
        return cudaErrorMemoryAllocation;
    }
    stream->flags = flags;
    stream->priority = runtime_stream_priority(priority);
    stream->sync_policy.syncPolicy = RUNTIME_SYNC_POLICY_UNSET;
    stream->sync_domains.memSyncDomainMap.remote = 1;
    stream->id = runtime.next_stream_id++;
    stream->queue.blocking = !(flags & cudaStreamNonBlocking);
    stream->queue.order =
        runtime_order_name(stream->queue.blocking ? SIM_QUEUE_BLOCKING : SIM_QUEUE_APART);
    *out_stream = stream;
    return cudaSuccess;
}

void runtime_stream_free(struct CUstream_st *stream) {
    runtime_map_remove(&runtime.streams, stream);
    runtime_order_gone(stream->queue.order);
    runtime_set_free(&stream->tail);
    free(stream);
}

cudaError_t runtime_stream_enter(runtime_need need, const char *call, cudaStream_t handle,
                                 struct CUstream_st **out_stream) {
    cudaError_t status = runtime_enter(need, "%s(%p)", call, (void *)handle);
    *out_stream = status ? NULL : runtime_stream_find(handle);
    if (!status && !*out_stream) status = cudaErrorInvalidResourceHandle;
    return status;
}

double runtime_stream_end_us(const struct CUstream_st *stream) {
    const runtime_queue *queue = &stream->queue;
    if (!queue->legacy) return queue->ready_us;
    return queue->ready_us > runtime.clock.blocking_ready_us ? queue->ready_us
                                                             : runtime.clock.blocking_ready_us;
}
