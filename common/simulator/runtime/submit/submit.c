// Work for a stream, run or captured. After a fault that nobody has seen yet the device does no
// more work, but says so only when asked.
#include "runtime/submit/submit.h"

typedef runtime_box box;
typedef runtime_launch launch;

// ---- copies and fills ---------------------------------------------------------------------------

// Charges the clock of a stream. `waiting`: the call returns when the bytes have arrived, as it
// does with pageable memory, which the driver stages: it has been read, or written, by then.
static void charge(struct CUstream_st *stream, const runtime_transfer *transfer, bool waiting) {
    bool wait =
        (waiting || !transfer->pinned) && (transfer->direction == RUNTIME_COPY_HOST_TO_DEVICE ||
                                           transfer->direction == RUNTIME_COPY_DEVICE_TO_HOST);
    const sim_device *device = sim_engine_device(runtime.engine);
    runtime_clock_submit(&runtime.clock, device, transfer);
    runtime_clock_transfer(&runtime.clock, &stream->queue, device, transfer, wait);
}

// In one of several streams a copy is meant to run beside other work.
static void tell_pageable(const runtime_transfer *total) {
    const uint64_t small = 64 << 10; // which the driver stages while the call goes on
    bool crosses = total->direction == RUNTIME_COPY_HOST_TO_DEVICE ||
                   total->direction == RUNTIME_COPY_DEVICE_TO_HOST;
    if (!crosses || total->pinned || total->bytes <= small || runtime.streams.live < 2) return;
    runtime_tell(SIM_CHECK_PAGEABLE_COPY,
                 "the driver copies pageable memory by way of a buffer of its own, and the call "
                 "waits for that: nothing runs beside it. Memory from cudaMallocHost() (or "
                 "cudaHostRegister()) is copied while the program goes on");
}

// What comes behind a kernel that waits is done later. Of pageable memory the bytes are read, or
// there, when the call returns.
static cudaError_t put(struct CUstream_st *stream, cudaError_t status, runtime_work *work) {
    return status ? status : runtime_stream_put(stream, work);
}

static bool waits_for_copy(const box *b, bool waiting) {
    runtime_transfer ahead;
    runtime_copy_look(b->to, b->from, &ahead);
    bool crosses = ahead.direction == RUNTIME_COPY_HOST_TO_DEVICE ||
                   ahead.direction == RUNTIME_COPY_DEVICE_TO_HOST;
    return (waiting && crosses) || (!ahead.pinned && crosses) ||
           ahead.direction == RUNTIME_COPY_ON_HOST;
}

cudaError_t runtime_submit_copy(box b, cudaStream_t handle, bool waiting) {
    runtime_work work;
    struct CUstream_st *stream = runtime_stream_find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    runtime_use(stream->queue.device);
    bool captured;
    cudaError_t status = runtime_capturing(stream, &captured);
    if (!status && captured) return runtime_capture_copy(stream, &b);
    if (!status) status = runtime_box_check_pitches(&b);
    if (status || runtime_box_is_empty(&b)) return status;
    if (runtime_stream_is_held(stream)) {
        if (!waits_for_copy(&b, waiting)) return put(stream, runtime_work_box(&b, &work), &work);
        status = runtime_stream_wait(stream);
        if (status) return status;
    }
    if (runtime.now->pending) return cudaSuccess;
    if (b.depth == 1 && b.to_pitch == b.width && b.from_pitch == b.width && b.height > 1) {
        if (b.height > SIZE_MAX / b.width) return cudaErrorInvalidValue;
        b = runtime_box_linear(b.to, b.from, b.width * b.height, b.kind);
    }
    runtime_transfer total;
    status = runtime_box_move(&b, &stream->queue,
                              waiting ? RUNTIME_WAITING_CALL : RUNTIME_ASYNC_CALL, &total);
    if (!status) charge(stream, &total, waiting);
    if (!status && !waiting && handle) tell_pageable(&total);
    runtime_tasks_go_on(SIM_WAIT_NOT);
    return status;
}

cudaError_t runtime_submit_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream,
                              bool waiting) {
    runtime_box box;
    if (!p) return cudaErrorInvalidValue;
    cudaError_t status = runtime_box_of(p, &box);
    if (status || box.width == 0) return status;
    return runtime_submit_copy(box, stream, waiting);
}

cudaError_t runtime_submit_fill(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
                                cudaStream_t handle, bool waiting) {
    struct CUstream_st *stream = runtime_stream_find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    runtime_use(stream->queue.device);
    runtime_filling filling = {.start = memory.ptr,
                               .pitch = memory.pitch,
                               .slice = memory.pitch * memory.ysize,
                               .value = (uint8_t)value,
                               .element_bytes = 1,
                               .width = extent.width,
                               .height = extent.height,
                               .depth = extent.depth};
    bool captured;
    cudaError_t status = runtime_capturing(stream, &captured);
    if (!status && captured) return runtime_capture_fill(stream, &filling);
    if (status) return status;
    bool one_row = extent.height <= 1 && extent.depth <= 1;
    if (!one_row && extent.width > memory.pitch) return cudaErrorInvalidValue;
    if (runtime.now->pending) return cudaSuccess;
    if (extent.height > 1 && extent.depth == 1 && extent.width == memory.pitch) {
        filling.width *= extent.height;
        filling.height = 1;
    }
    if (runtime_stream_is_held(stream)) {
        runtime_work work = {.type = cudaGraphNodeTypeMemset, .fill = filling};
        return runtime_stream_put(stream, &work);
    }
    runtime_transfer total;
    status = runtime_filling_do(&filling, &stream->queue,
                                waiting ? RUNTIME_WAITING_CALL : RUNTIME_ASYNC_CALL, &total);
    if (!status) charge(stream, &total, false);
    runtime_tasks_go_on(SIM_WAIT_NOT);
    return status;
}

// ---- launches -----------------------------------------------------------------------------------

cudaError_t runtime_submit_launch(const launch *l) {
    struct CUkern_st *kernel;
    struct CUstream_st *stream = runtime_stream_find(l->stream);
    bool captured;
    if (stream) runtime_use(stream->queue.device); // whichever is current (H200 with CUDA 13.0)
    cudaError_t status = runtime_kernel_find(l->function, &kernel);
    if (status) return status;
    if (!stream) return cudaErrorInvalidResourceHandle;
    status = runtime_capturing(stream, &captured);
    if (status) return status;
    if (captured) return runtime_capture_launch(stream, l);
    status = runtime_launch_check(l, &kernel);
    if (status || runtime.now->pending) return status;
    if (runtime_stream_is_held(stream)) {
        runtime_work work;
        return put(stream, runtime_work_launch(l, &work), &work);
    }
    uint64_t block[(RUNTIME_PARAM_BYTES + 7) / 8];
    runtime_held held;
    status = runtime_launch_gather(kernel, l->arguments, (uint8_t *)block);
    if (!status)
        status = runtime_launch_run(l, kernel, (const uint8_t *)block, &stream->queue, RUNTIME_NOW,
                                    &held);
    if (status) return status;
    if (held.number) status = runtime_stream_put_held(stream, &held);
    if (held.number && runtime.launch_blocking) return runtime_stream_wait(stream);
    runtime_tasks_go_on(SIM_WAIT_NOT);
    return status;
}

// ---- memory -------------------------------------------------------------------------------------

// *out_captured: the stream whose graph gets a node instead; NULL: none, it is done now.
static cudaError_t find_captured(cudaStream_t handle, struct CUstream_st **out_captured) {
    struct CUstream_st *stream = runtime_stream_find(handle);
    bool captured;
    *out_captured = NULL;
    if (!stream) return cudaErrorInvalidResourceHandle;
    cudaError_t status = runtime_capturing(stream, &captured);
    if (!status && captured) *out_captured = stream;
    return status || captured ? status : runtime_capture_no_unsafe();
}

cudaError_t runtime_submit_allocation(runtime_pool *from, size_t bytes, cudaStream_t stream,
                                      void **out_pointer) {
    struct CUstream_st *captured;
    if (!out_pointer) return cudaErrorInvalidValue;
    cudaError_t status = find_captured(stream, &captured);
    if (status) return status;
    if (captured && from->kind != RUNTIME_MEMORY_DEVICE) return cudaErrorNotSupported;
    if (captured && bytes > 0) return runtime_capture_allocation(captured, bytes, out_pointer);
    status = runtime_pool_alloc(from, bytes, out_pointer);
    if (!status) runtime_order_range(&runtime_stream_find(stream)->queue, *out_pointer);
    return status;
}

cudaError_t runtime_submit_release(void *pointer, cudaStream_t stream) {
    struct CUstream_st *captured;
    cudaError_t status = find_captured(stream, &captured);
    if (status) return status;
    if (captured) return runtime_capture_release(captured, pointer);
    status = runtime_stream_wait(runtime_stream_find(stream));
    if (status) return status;
    const runtime_queue *queue = &runtime_stream_find(stream)->queue;
    runtime_order_range(queue, pointer);
    const runtime_range *range = runtime_range_find((uint64_t)(uintptr_t)pointer);
    if (range && range->pool) range->pool->freed_in = queue;
    return runtime_free(pointer);
}
