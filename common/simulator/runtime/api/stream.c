// Streams (CUDA Runtime API reference, "Stream Management"). Host functions run at once, in the
// thread that submits them.
#include "runtime/submit/submit.h"

cudaError_t cudaStreamCreate(cudaStream_t *pStream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaStreamCreate()");
    if (!status) status = runtime_stream_create(pStream, cudaStreamDefault, 0);
    return runtime_leave(status);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaStreamCreateWithFlags(%u)", flags);
    if (!status) status = runtime_stream_create(pStream, flags, 0);
    return runtime_leave(status);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaStreamCreateWithPriority(%u, %d)", flags, priority);
    if (!status) status = runtime_stream_create(pStream, flags, priority);
    return runtime_leave(status);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaStreamDestroy(%p)", (void *)stream);
    struct CUstream_st *live = status ? NULL : runtime_map_get(&runtime.streams, stream);
    if (!status && !live) status = cudaErrorInvalidResourceHandle;
    if (live) {
        runtime_capture_stream_ends(live);
        runtime_stream_free(live);
    }
    return runtime_leave(status);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    struct CUstream_st *found;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_SYNC, "cudaStreamSynchronize", stream, &found);
    if (!status) status = runtime_capture_no_stream(found);
    if (!status) status = runtime_stream_wait(found);
    if (!status) {
        runtime_clock_host_waits(&runtime.clock, runtime_stream_end(found));
        runtime_order_host_waits(&found->queue);
        runtime_pools_trim(&found->queue);
    }
    return runtime_leave(status);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    struct CUstream_st *found;
    cudaError_t status = runtime_stream_enter(RUNTIME_SYNC, "cudaStreamQuery", stream, &found);
    if (!status) status = runtime_capture_no_stream(found);
    if (!status) runtime_tasks_poll();
    if (!status && (runtime_stream_is_held(found) ||
                    !runtime_clock_poll(&runtime.clock, runtime_stream_end(found).us)))
        status = cudaErrorNotReady;
    if (!status) runtime_order_host_waits(&found->queue);
    return runtime_leave(status);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    struct CUstream_st *found;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamWaitEvent", stream, &found);
    struct CUevent_st *live = status ? NULL : runtime_event_find(event);
    bool done = false;
    if (!status && (flags & ~(unsigned)cudaEventWaitExternal)) status = cudaErrorInvalidValue;
    if (!status) status = runtime_capture_wait(found, live, flags != 0, &done);
    if (!status && !done) {
        runtime_clock_order(&runtime.clock, false);
        status = runtime_stream_put_wait(found, live);
    }
    return runtime_leave(status);
}

// What a stream that captures answers is what an H100 and an H200 answer.

// ---- questions ----------------------------------------------------------------------------------

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags) {
    struct CUstream_st *found;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamGetFlags", hStream, &found);
    if (!status && found->capture) status = runtime_capture_no_stream(found);
    if (!status && !flags) status = cudaErrorInvalidValue;
    if (!status) *flags = found->flags;
    return runtime_leave(status);
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority) {
    struct CUstream_st *found;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamGetPriority", hStream, &found);
    if (!status && found->capture && !runtime_capture_is_valid(found->capture))
        status = cudaErrorStreamCaptureInvalidated;
    if (!status && !priority) status = cudaErrorInvalidValue;
    if (!status) *priority = found->queue.priority;
    return runtime_leave(status);
}

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId) {
    struct CUstream_st *found;
    cudaError_t status = runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamGetId", hStream, &found);
    if (!status && found->capture) status = runtime_capture_no_stream(found);
    if (!status && !streamId) status = cudaErrorInvalidValue;
    if (!status) *streamId = found->id;
    return runtime_leave(status);
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device) {
    struct CUstream_st *found;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamGetDevice", hStream, &found);
    if (!status && found->capture) status = runtime_capture_no_stream(found);
    if (!status && !device) status = cudaErrorInvalidValue;
    if (!status) *device = found->queue.device;
    return runtime_leave(status);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaDeviceGetStreamPriorityRange()");
    if (!status) {
        if (leastPriority) *leastPriority = RUNTIME_LEAST_PRIORITY;
        if (greatestPriority) *greatestPriority = RUNTIME_GREATEST_PRIORITY;
    }
    return runtime_leave(status);
}

// ---- functions of the host ----------------------------------------------------------------------

// Everything before it in the stream has been done. The lock is free while the program's function
// runs; that function must not call CUDA (runtime_host_function), but may take its own locks.
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData) {
    struct CUstream_st *found;
    cudaError_t status = runtime_stream_enter(RUNTIME_DEVICE, "cudaLaunchHostFunc", stream, &found);
    if (!status && !fn) status = cudaErrorInvalidValue;
    bool captured = false;
    if (!status) status = runtime_capturing(found, &captured);
    if (!status && captured) status = runtime_capture_host(found, fn, userData);
    bool run = !status && !captured && !runtime.now->pending;
    if (run && runtime_stream_is_held(found)) {
        runtime_work work = {.type = cudaGraphNodeTypeHost, .host = {fn, userData}};
        return runtime_leave(runtime_stream_put(found, &work));
    }
    // It may tell the host that all before it has been done.
    if (run) runtime_order_host_waits(&found->queue);
    status = runtime_leave(status);
    if (!run) return status;
    runtime_host_function("cudaLaunchHostFunc");
    fn(userData);
    runtime_host_function(NULL);
    return status;
}

// How the stream waits for the function does not matter where it runs at once.
cudaError_t cudaLaunchHostFunc_v2(cudaStream_t stream, cudaHostFn_t fn, void *userData,
                                  unsigned int syncMode) {
    return cudaLaunchHostFunc(stream, syncMode > 1 ? NULL : fn, userData);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags) {
    struct CUstream_st *found;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamAddCallback", stream, &found);
    if (!status && (!callback || flags != 0)) status = cudaErrorInvalidValue;
    if (!status && found->capture) status = runtime_capture_no_stream(found);
    if (!status) status = runtime_stream_wait(found);
    bool run = !status;
    if (run) runtime_order_host_waits(&found->queue);
    cudaError_t seen = runtime.now->pending;
    status = runtime_leave(status);
    if (!run) return status;
    runtime_host_function("cudaStreamAddCallback");
    callback(stream, seen, userData);
    runtime_host_function(NULL);
    return status;
}

// ---- attributes ---------------------------------------------------------------------------------

// Attributes tune real hardware; here they are kept and given back.
static cudaError_t attribute_slot(struct CUstream_st *stream, cudaStreamAttrID attribute,
                                  cudaStreamAttrValue **out_value) {
    switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow: *out_value = &stream->access_policy; break;
    case cudaLaunchAttributeSynchronizationPolicy: *out_value = &stream->sync_policy; break;
    case cudaLaunchAttributeMemSyncDomainMap: *out_value = &stream->sync_domains; break;
    case cudaLaunchAttributeMemSyncDomain: *out_value = &stream->sync_domain; break;
    case cudaLaunchAttributePriority:
        stream->priority_value.priority = stream->queue.priority;
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
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamGetAttribute", stream, &found);
    if (!status && found->capture && !runtime_capture_is_valid(found->capture))
        status = cudaErrorStreamCaptureInvalidated;
    if (!status && !value) status = cudaErrorInvalidValue;
    if (!status) status = attribute_slot(found, attr, &slot);
    if (!status) *value = *slot;
    return runtime_leave(status);
}

static cudaError_t check_window(const cudaStreamAttrValue *value) {
    int most = 0;
    sim_attribute(sim_engine_device(runtime.engine), cudaDevAttrMaxAccessPolicyWindowSize, &most);
    enum { PERSISTING = 2 }; // enum cudaAccessProperty
    float ratio = value->accessPolicyWindow.hitRatio;
    bool is_wrong = ratio < 0 || ratio > 1 || value->accessPolicyWindow.missProp == PERSISTING ||
                    value->accessPolicyWindow.num_bytes > (size_t)most;
    return is_wrong ? cudaErrorInvalidValue : cudaSuccess;
}

// As an H200's driver does.
static cudaError_t check_attribute(cudaStreamAttrID attr, const cudaStreamAttrValue *value) {
    enum { FIRST_POLICY = 1, LAST_POLICY = 4 }; // enum cudaSynchronizationPolicy
    if (attr == cudaLaunchAttributeAccessPolicyWindow) return check_window(value);
    bool is_policy = value->syncPolicy >= FIRST_POLICY && value->syncPolicy <= LAST_POLICY;
    return attr == cudaLaunchAttributeSynchronizationPolicy && !is_policy ? cudaErrorInvalidValue
                                                                          : cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
                                   const cudaStreamAttrValue *value) {
    struct CUstream_st *found;
    cudaStreamAttrValue *slot = NULL;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamSetAttribute", stream, &found);
    if (!status && !value) status = cudaErrorInvalidValue;
    if (!status) status = attribute_slot(found, attr, &slot);
    if (!status) status = check_attribute(attr, value);
    if (!status) *slot = *value;
    if (!status && attr == cudaLaunchAttributePriority)
        found->queue.priority = runtime_stream_priority(value->priority);
    return runtime_leave(status);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
    struct CUstream_st *from, *to = NULL;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamCopyAttributes", src, &from);
    if (!status && !(to = runtime_stream_find(dst))) status = cudaErrorInvalidResourceHandle;
    if (!status) {
        to->access_policy = from->access_policy;
        to->sync_policy = from->sync_policy;
        to->sync_domains = from->sync_domains;
        to->sync_domain = from->sync_domain;
        to->queue.priority = from->queue.priority;
    }
    return runtime_leave(status);
}
