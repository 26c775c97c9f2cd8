// Events (CUDA Runtime API reference, "Event Management").
#include "runtime/submit/submit.h"

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaEventCreate()");
    if (!status) status = runtime_event_create(event, cudaEventDefault);
    return runtime_leave(status);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaEventCreateWithFlags(%u)", flags);
    if (!status) status = runtime_event_create(event, flags);
    return runtime_leave(status);
}

// Enters a call that names an event and finds it.
static cudaError_t enter_event(runtime_need need, const char *call, cudaEvent_t handle,
                               struct CUevent_st **out_event) {
    cudaError_t status = runtime_enter(need, "%s(%p)", call, (void *)handle);
    *out_event = status ? NULL : runtime_event_find(handle);
    if (!status && !*out_event) status = cudaErrorInvalidResourceHandle;
    return status;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    struct CUevent_st *live;
    cudaError_t status = enter_event(RUNTIME_DEVICE, "cudaEventDestroy", event, &live);
    if (!status) runtime_event_free(live);
    return runtime_leave(status);
}

static cudaError_t record(cudaEvent_t event, cudaStream_t handle, unsigned flags) {
    struct CUevent_st *live;
    cudaError_t status = enter_event(RUNTIME_DEVICE, "cudaEventRecord", event, &live);
    struct CUstream_st *stream = status ? NULL : runtime_stream_find(handle);
    if (!status && !stream) status = cudaErrorInvalidResourceHandle;
    if (!status && live->device != stream->queue.device)
        status = runtime_refuse(cudaErrorInvalidResourceHandle,
                                "the event was made on device %d, the stream on device %d: each "
                                "device records its own events",
                                live->device, stream->queue.device);
    if (!status && (flags & ~(unsigned)cudaEventRecordExternal)) status = cudaErrorInvalidValue;
    bool captured = false;
    if (!status) status = runtime_capturing(stream, &captured);
    if (!status && !captured && flags) status = cudaErrorIllegalState; // external to no graph
    if (!status && captured)
        status = runtime_capture_record(stream, live, flags == cudaEventRecordExternal);
    else if (!status) {
        runtime_clock_order(&runtime.clock, !(live->flags & cudaEventDisableTiming));
        status = runtime_stream_put_record(stream, live);
    }
    return runtime_leave(status);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return record(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    return record(event, stream, flags);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    struct CUevent_st *live;
    cudaError_t status = enter_event(RUNTIME_SYNC, "cudaEventSynchronize", event, &live);
    if (!status) status = runtime_capture_no_event(live);
    if (!status) status = runtime_event_task_wait(live);
    if (!status) runtime_event_host_waits(live);
    if (!status) runtime_pools_trim(NULL);
    return runtime_leave(status);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    struct CUevent_st *live;
    cudaError_t status = enter_event(RUNTIME_SYNC, "cudaEventQuery", event, &live);
    if (!status) status = runtime_capture_no_event(live);
    if (!status) runtime_tasks_poll();
    if (!status &&
        (live->task || (live->recorded && !runtime_clock_poll(&runtime.clock, live->end.us))))
        status = cudaErrorNotReady;
    if (!status) runtime_event_host_waits(live);
    return runtime_leave(status);
}

// Asking before the host has waited for both events gives cudaErrorNotReady, as on a GPU.
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    struct CUevent_st *first;
    cudaError_t status = enter_event(RUNTIME_SYNC, "cudaEventElapsedTime", start, &first);
    const struct CUevent_st *second = status ? NULL : runtime_event_find(end);
    if (!status && !second) status = cudaErrorInvalidResourceHandle;
    if (!status && !ms) status = cudaErrorInvalidValue;
    if (!status && first->device != second->device)
        status = runtime_refuse(cudaErrorInvalidResourceHandle,
                                "the events were made on devices %d and %d: times of two devices "
                                "cannot be compared",
                                first->device, second->device);
    if (!status) status = first->capture ? runtime_capture_no_event(first) : cudaSuccess;
    if (!status && second->capture) status = cudaErrorInvalidValue; // as an H200 has it
    if (!status) runtime_tasks_poll();
    if (!status && (first->task || second->task)) status = cudaErrorNotReady;
    if (!status && (!first->recorded || !second->recorded ||
                    ((first->flags | second->flags) & cudaEventDisableTiming)))
        status = cudaErrorInvalidResourceHandle;
    if (!status &&
        (first->end.us > runtime.clock.host.us || second->end.us > runtime.clock.host.us))
        status = cudaErrorNotReady;
    if (!status) *ms = (float)((second->end.us - first->end.us) / 1e3);
    return runtime_leave(status);
}
