// SPDX-License-Identifier: MIT
// Streams: in-order queues on the virtual clock. Work is done when it is submitted, so a stream
// holds only times (CUDA Runtime API reference, "Stream Management"; CUDA C++ Programming Guide,
// "Streams"). Host functions run at once, in the thread that submits them.
#include "runtime/runtime.h"

#include <stdlib.h>

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 }; // as on Hopper

static __thread bool default_is_per_thread;

void runtime_default_stream_set(bool per_thread) {
    default_is_per_thread = per_thread;
}

// One per-thread default stream serves all threads: their work is ordered more strictly than on a
// GPU, which changes modelled times only.
struct CUstream_st *runtime_stream_find(cudaStream_t stream) {
    if (!stream) return default_is_per_thread ? &runtime.per_thread : &runtime.legacy;
    if (stream == cudaStreamLegacy) return &runtime.legacy;
    if (stream == cudaStreamPerThread) return &runtime.per_thread;
    return runtime_map_get(&runtime.streams, stream);
}

void runtime_streams_reset(void) {
    struct CUstream_st *stream;
    for (size_t at = 0; (stream = runtime_map_next(&runtime.streams, &at));) {
        free(stream->tail.nodes);
        free(stream);
    }
    runtime_map_free(&runtime.streams);
    runtime.legacy.queue.ready_us = runtime.per_thread.queue.ready_us = 0;
}

static cudaError_t create(cudaStream_t *out_stream, unsigned flags, int priority) {
    if (!out_stream || (flags & ~(unsigned)cudaStreamNonBlocking)) return cudaErrorInvalidValue;
    struct CUstream_st *stream = calloc(1, sizeof *stream);
    if (!stream) return cudaErrorMemoryAllocation;
    if (!runtime_map_put(&runtime.streams, stream, stream)) {
        free(stream);
        return cudaErrorMemoryAllocation;
    }
    stream->flags = flags;
    stream->priority = priority > LEAST_PRIORITY ? LEAST_PRIORITY : priority;
    if (stream->priority < GREATEST_PRIORITY) stream->priority = GREATEST_PRIORITY;
    stream->id = runtime.next_stream_id++;
    stream->queue.blocking = !(flags & cudaStreamNonBlocking);
    *out_stream = stream;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaStreamCreate()");
    if (!status) status = create(pStream, cudaStreamDefault, 0);
    return runtime_leave(status);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaStreamCreateWithFlags(%u)", flags);
    if (!status) status = create(pStream, flags, 0);
    return runtime_leave(status);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaStreamCreateWithPriority(%u, %d)", flags, priority);
    if (!status) status = create(pStream, flags, priority);
    return runtime_leave(status);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaStreamDestroy(%p)", (void *)stream);
    if (!status) {
        struct CUstream_st *live = runtime_map_get(&runtime.streams, stream);
        if (!live) status = cudaErrorInvalidResourceHandle;
        if (live) runtime_capture_stream_ends(live);
        runtime_map_remove(&runtime.streams, stream);
        free(live);
    }
    return runtime_leave(status);
}

// Enters a call that names a stream and finds it.
static cudaError_t enter_stream(runtime_need need, const char *call, cudaStream_t handle,
                                struct CUstream_st **out_stream) {
    cudaError_t status = runtime_enter(need, "%s(%p)", call, (void *)handle);
    *out_stream = status ? NULL : runtime_stream_find(handle);
    if (!status && !*out_stream) status = cudaErrorInvalidResourceHandle;
    return status;
}

// End of all that was put into the stream, and of what it waits for.
static double end_of(const struct CUstream_st *stream) {
    const runtime_queue *queue = &stream->queue;
    if (!queue->legacy) return queue->ready_us;
    return queue->ready_us > runtime.clock.blocking_ready_us ? queue->ready_us
                                                             : runtime.clock.blocking_ready_us;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    struct CUstream_st *found;
    cudaError_t status = enter_stream(RUNTIME_SYNC, "cudaStreamSynchronize", stream, &found);
    if (!status) status = runtime_capture_no_stream(found);
    if (!status) runtime_clock_host_waits(&runtime.clock, end_of(found));
    return runtime_leave(status);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    struct CUstream_st *found;
    cudaError_t status = enter_stream(RUNTIME_SYNC, "cudaStreamQuery", stream, &found);
    if (!status) status = runtime_capture_no_stream(found);
    if (!status && !runtime_clock_poll(&runtime.clock, end_of(found))) status = cudaErrorNotReady;
    return runtime_leave(status);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    struct CUstream_st *found;
    cudaError_t status = enter_stream(RUNTIME_DEVICE, "cudaStreamWaitEvent", stream, &found);
    struct CUevent_st *live = status ? NULL : runtime_map_get(&runtime.events, event);
    bool done = false;
    if (!status && (flags & ~(unsigned)cudaEventWaitExternal)) status = cudaErrorInvalidValue;
    if (!status) status = runtime_capture_wait(found, live, flags != 0, &done);
    if (!status && !done && live->recorded)
        runtime_clock_wait(&runtime.clock, &found->queue, live->time_us);
    return runtime_leave(status);
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags) {
    struct CUstream_st *found;
    cudaError_t status = enter_stream(RUNTIME_DEVICE, "cudaStreamGetFlags", hStream, &found);
    if (!status && found->capture) status = runtime_capture_no_stream(found); // as an H100's driver
    if (!status && !flags) status = cudaErrorInvalidValue;
    if (!status) *flags = found->flags;
    return runtime_leave(status);
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority) {
    struct CUstream_st *found;
    cudaError_t status = enter_stream(RUNTIME_DEVICE, "cudaStreamGetPriority", hStream, &found);
    if (!status && !priority) status = cudaErrorInvalidValue;
    if (!status) *priority = found->priority;
    return runtime_leave(status);
}

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId) {
    struct CUstream_st *found;
    cudaError_t status = enter_stream(RUNTIME_DEVICE, "cudaStreamGetId", hStream, &found);
    if (!status && !streamId) status = cudaErrorInvalidValue;
    if (!status) *streamId = found->id;
    return runtime_leave(status);
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device) {
    struct CUstream_st *found;
    cudaError_t status = enter_stream(RUNTIME_DEVICE, "cudaStreamGetDevice", hStream, &found);
    if (!status && !device) status = cudaErrorInvalidValue;
    if (!status) *device = 0;
    return runtime_leave(status);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaDeviceGetStreamPriorityRange()");
    if (!status) {
        if (leastPriority) *leastPriority = LEAST_PRIORITY;
        if (greatestPriority) *greatestPriority = GREATEST_PRIORITY;
    }
    return runtime_leave(status);
}

// Everything before it in the stream has been done. The lock is free while the program's function
// runs; that function must not call CUDA, by CUDA's own rule, but may take its own locks.
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData) {
    struct CUstream_st *found;
    cudaError_t status = enter_stream(RUNTIME_DEVICE, "cudaLaunchHostFunc", stream, &found);
    if (!status && !fn) status = cudaErrorInvalidValue;
    bool captured = false;
    if (!status) status = runtime_capturing(found, &captured);
    if (!status && captured) status = runtime_capture_host(found, fn, userData);
    bool run = !status && !captured && !runtime.pending;
    status = runtime_leave(status);
    if (run) fn(userData);
    return status;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags) {
    struct CUstream_st *found;
    cudaError_t status = enter_stream(RUNTIME_DEVICE, "cudaStreamAddCallback", stream, &found);
    if (!status && (!callback || flags != 0)) status = cudaErrorInvalidValue;
    if (!status && found->capture) status = runtime_capture_no_stream(found);
    bool run = !status;
    cudaError_t seen = runtime.pending;
    status = runtime_leave(status);
    if (run) callback(stream, seen, userData);
    return status;
}

// Attributes tune real hardware; here they are kept and given back.
static cudaError_t attribute_slot(struct CUstream_st *stream, cudaStreamAttrID attribute,
                                  cudaStreamAttrValue **out_value) {
    switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow: *out_value = &stream->access_policy; break;
    case cudaLaunchAttributeSynchronizationPolicy: *out_value = &stream->sync_policy; break;
    case cudaLaunchAttributePriority:
        stream->priority_value.priority = stream->priority;
        *out_value = &stream->priority_value;
        break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
                                   cudaStreamAttrValue *value) {
    struct CUstream_st *found;
    cudaStreamAttrValue *slot = NULL;
    cudaError_t status = enter_stream(RUNTIME_DEVICE, "cudaStreamGetAttribute", stream, &found);
    if (!status && !value) status = cudaErrorInvalidValue;
    if (!status) status = attribute_slot(found, attr, &slot);
    if (!status) *value = *slot;
    return runtime_leave(status);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
                                   const cudaStreamAttrValue *value) {
    struct CUstream_st *found;
    cudaStreamAttrValue *slot = NULL;
    cudaError_t status = enter_stream(RUNTIME_DEVICE, "cudaStreamSetAttribute", stream, &found);
    if (!status && !value) status = cudaErrorInvalidValue;
    if (!status) status = attribute_slot(found, attr, &slot);
    if (!status) *slot = *value;
    if (!status && attr == cudaLaunchAttributePriority) found->priority = value->priority;
    return runtime_leave(status);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
    struct CUstream_st *from, *to = NULL;
    cudaError_t status = enter_stream(RUNTIME_DEVICE, "cudaStreamCopyAttributes", src, &from);
    if (!status && !(to = runtime_stream_find(dst))) status = cudaErrorInvalidResourceHandle;
    if (!status) {
        to->access_policy = from->access_policy;
        to->sync_policy = from->sync_policy;
    }
    return runtime_leave(status);
}
