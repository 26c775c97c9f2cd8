// SPDX-License-Identifier: MIT
// The copy and fill functions of the runtime API ("Memory Management"), all shapes: linear, rows
// with a pitch, boxes, symbols; each with and without a stream. Arrays are in
// runtime_array_copy.c.
#include "runtime/runtime.h"

#include <limits.h>

typedef runtime_box box;

static box linear(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    return (box){.to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind};
}

// Charges the clock of a stream. `waiting`: the call returns when the bytes have arrived.
static void charge(struct CUstream_st *stream, const runtime_transfer *transfer, bool waiting) {
    bool wait = waiting && transfer->direction != RUNTIME_COPY_ON_DEVICE &&
                transfer->direction != RUNTIME_FILL;
    // The driver stages pageable memory before an asynchronous copy to the device returns.
    wait |= transfer->direction == RUNTIME_COPY_HOST_TO_DEVICE && !transfer->pinned;
    runtime_clock_transfer(&runtime.clock, &stream->queue, sim_engine_device(runtime.engine),
                           transfer, wait);
}

static void *row_to(const box *b, size_t row, size_t slice) {
    return (char *)b->to + slice * b->to_slice + row * b->to_pitch;
}
static const void *row_from(const box *b, size_t row, size_t slice) {
    return (const char *)b->from + slice * b->from_slice + row * b->from_pitch;
}

cudaError_t runtime_box_move(const box *b, runtime_transfer *out_transfer) {
    *out_transfer = (runtime_transfer){.direction = RUNTIME_COPY_ON_HOST};
    for (size_t slice = 0; slice < b->depth; slice++) {
        for (size_t row = 0; row < b->height; row++) {
            runtime_transfer part;
            cudaError_t status = runtime_copy(row_to(b, row, slice), row_from(b, row, slice),
                                              b->width, b->kind, &part);
            if (status) return status;
            out_transfer->direction = part.direction;
            out_transfer->pinned = part.pinned;
            out_transfer->bytes += part.bytes;
        }
    }
    return cudaSuccess;
}

static cudaError_t check_pitches(const box *b) {
    if (b->height > 1 || b->depth > 1) {
        if (b->width > b->to_pitch || b->width > b->from_pitch) return cudaErrorInvalidPitchValue;
        if (b->to_pitch > INT_MAX || b->from_pitch > INT_MAX) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static bool is_empty(const box *b) {
    return b->width == 0 || b->height == 0 || b->depth == 0;
}

// The first and the last row stand for all.
cudaError_t runtime_box_check(const box *b) {
    cudaError_t status = check_pitches(b);
    if (status || is_empty(b)) return status;
    status = runtime_copy_check(b->to, b->from, b->width, b->kind);
    if (status) return status;
    return runtime_copy_check(row_to(b, b->height - 1, b->depth - 1),
                              row_from(b, b->height - 1, b->depth - 1), b->width, b->kind);
}

// After a fault that nobody has seen yet the device does no more work, but says so only when asked.
cudaError_t runtime_copy_box(box b, cudaStream_t handle, bool waiting) {
    struct CUstream_st *stream = runtime_stream_find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    bool captured;
    cudaError_t status = runtime_capturing(stream, &captured);
    if (!status && captured) return runtime_capture_copy(stream, &b);
    if (!status) status = check_pitches(&b);
    if (status || is_empty(&b)) return status;
    if (runtime.pending) return cudaSuccess;
    if (b.depth == 1 && b.to_pitch == b.width && b.from_pitch == b.width && b.height > 1) {
        if (b.height > SIZE_MAX / b.width) return cudaErrorInvalidValue;
        b = linear(b.to, b.from, b.width * b.height, b.kind);
    }
    runtime_transfer total;
    status = runtime_box_move(&b, &total);
    if (!status) charge(stream, &total, waiting);
    return status;
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
    cudaError_t status =
        runtime_enter(RUNTIME_SYNC, "cudaMemcpy(%p, %p, %zu, %d)", dst, src, count, (int)kind);
    if (!status) status = runtime_copy_box(linear(dst, src, count, kind), NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemcpyAsync(%p, %p, %zu, %d, %p)", dst,
                                       src, count, (int)kind, (void *)stream);
    if (!status) status = runtime_copy_box(linear(dst, src, count, kind), stream, false);
    return runtime_leave(status);
}

static box rows_of(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                   size_t height, enum cudaMemcpyKind kind) {
    box b = linear(to, from, width, kind);
    b.height = height;
    b.to_pitch = to_pitch;
    b.from_pitch = from_pitch;
    return b;
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaMemcpy2D(%p, %zu, %p, %zu, %zu, %zu, %d)",
                                       dst, dpitch, src, spitch, width, height, (int)kind);
    if (!status)
        status =
            runtime_copy_box(rows_of(dst, dpitch, src, spitch, width, height, kind), NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemcpy2DAsync(%p, %zu, %p, %zu, %zu, %zu, %d, %p)", dst,
                      dpitch, src, spitch, width, height, (int)kind, (void *)stream);
    if (!status)
        status =
            runtime_copy_box(rows_of(dst, dpitch, src, spitch, width, height, kind), stream, false);
    return runtime_leave(status);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaMemcpy3D(%p)", (const void *)p);
    if (!status) status = runtime_copy_3d(p, NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemcpy3DAsync(%p, %p)", (const void *)p, (void *)stream);
    if (!status) status = runtime_copy_3d(p, stream, false);
    return runtime_leave(status);
}

// There is one device: a peer copy stays on it.
static cudaError_t copy_peer(void *to, int to_device, const void *from, int from_device,
                             size_t bytes, cudaStream_t stream) {
    if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
    return runtime_copy_box(linear(to, from, bytes, cudaMemcpyDeviceToDevice), stream, false);
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaMemcpyPeer(%p, %d, %p, %d, %zu)", dst,
                                       dstDevice, src, srcDevice, count);
    if (!status) status = copy_peer(dst, dstDevice, src, srcDevice, count, NULL);
    return runtime_leave(status);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count, cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemcpyPeerAsync(%p, %d, %p, %d, %zu)",
                                       dst, dstDevice, src, srcDevice, count);
    if (!status) status = copy_peer(dst, dstDevice, src, srcDevice, count, stream);
    return runtime_leave(status);
}

// ---- symbols ------------------------------------------------------------------------------------

// The address of byte `offset` of a symbol with room for `bytes` after it.
static cudaError_t symbol_part(const void *symbol, size_t bytes, size_t offset,
                               void **out_pointer) {
    uint64_t address;
    size_t size;
    cudaError_t status = runtime_symbol_find(symbol, &address, &size);
    if (status) return status;
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    *out_pointer = (void *)(uintptr_t)(address + offset);
    return cudaSuccess;
}

static cudaError_t to_symbol(const void *symbol, const void *source, size_t bytes, size_t offset,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool waiting) {
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    void *part;
    cudaError_t status = symbol_part(symbol, bytes, offset, &part);
    return status ? status : runtime_copy_box(linear(part, source, bytes, kind), stream, waiting);
}

static cudaError_t from_symbol(void *destination, const void *symbol, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool waiting) {
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    void *part;
    cudaError_t status = symbol_part(symbol, bytes, offset, &part);
    return status ? status
                  : runtime_copy_box(linear(destination, part, bytes, kind), stream, waiting);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaMemcpyToSymbol(%p, %p, %zu, %zu, %d)",
                                       symbol, src, count, offset, (int)kind);
    if (!status) status = to_symbol(symbol, src, count, offset, kind, NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemcpyToSymbolAsync(%p, %p, %zu, %zu, %d, %p)", symbol,
                      src, count, offset, (int)kind, (void *)stream);
    if (!status) status = to_symbol(symbol, src, count, offset, kind, stream, false);
    return runtime_leave(status);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaMemcpyFromSymbol(%p, %p, %zu, %zu, %d)",
                                       dst, symbol, count, offset, (int)kind);
    if (!status) status = from_symbol(dst, symbol, count, offset, kind, NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemcpyFromSymbolAsync(%p, %p, %zu, %zu, %d, %p)", dst,
                      symbol, count, offset, (int)kind, (void *)stream);
    if (!status) status = from_symbol(dst, symbol, count, offset, kind, stream, false);
    return runtime_leave(status);
}

// ---- fills --------------------------------------------------------------------------------------

static void *row_start(const runtime_filling *f, size_t row, size_t slice) {
    return (char *)f->start + slice * f->slice + row * f->pitch;
}

cudaError_t runtime_filling_check(const runtime_filling *f) {
    size_t bytes = f->width * f->element_bytes;
    if (f->width > SIZE_MAX / f->element_bytes) return cudaErrorInvalidValue;
    if ((f->height > 1 || f->depth > 1) && bytes > f->pitch) return cudaErrorInvalidValue;
    if (f->width == 0 || f->height == 0 || f->depth == 0) return cudaSuccess;
    cudaError_t status = runtime_fill_check(f->start, bytes);
    if (status) return status;
    return runtime_fill_check(row_start(f, f->height - 1, f->depth - 1), bytes);
}

cudaError_t runtime_filling_do(const runtime_filling *f, runtime_transfer *out_transfer) {
    *out_transfer = (runtime_transfer){.direction = RUNTIME_FILL};
    for (size_t slice = 0; slice < f->depth; slice++) {
        for (size_t row = 0; row < f->height; row++) {
            cudaError_t status =
                runtime_fill(row_start(f, row, slice), f->value, f->element_bytes, f->width);
            if (status) return status;
            out_transfer->bytes += f->width * f->element_bytes;
        }
    }
    return cudaSuccess;
}

static cudaError_t fill_box(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
                            cudaStream_t handle) {
    struct CUstream_st *stream = runtime_stream_find(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
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
    if (runtime.pending) return cudaSuccess;
    if (extent.height > 1 && extent.depth == 1 && extent.width == memory.pitch) {
        filling.width *= extent.height;
        filling.height = 1;
    }
    runtime_transfer total;
    status = runtime_filling_do(&filling, &total);
    if (!status) charge(stream, &total, false);
    return status;
}

static cudaError_t fill_rows(void *pointer, size_t pitch, int value, size_t width, size_t height,
                             cudaStream_t stream) {
    struct cudaPitchedPtr memory = {.ptr = pointer, .pitch = pitch, .ysize = height};
    return fill_box(memory, value, (struct cudaExtent){width, height, 1}, stream);
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemset(%p, %d, %zu)", devPtr, value, count);
    if (!status) status = fill_rows(devPtr, 0, value, count, 1, NULL);
    return runtime_leave(status);
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemsetAsync(%p, %d, %zu, %p)", devPtr,
                                       value, count, (void *)stream);
    if (!status) status = fill_rows(devPtr, 0, value, count, 1, stream);
    return runtime_leave(status);
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemset2D(%p, %zu, %d, %zu, %zu)",
                                       devPtr, pitch, value, width, height);
    if (!status) status = fill_rows(devPtr, pitch, value, width, height, NULL);
    return runtime_leave(status);
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemset2DAsync(%p, %zu, %d, %zu, %zu, %p)", devPtr, pitch,
                      value, width, height, (void *)stream);
    if (!status) status = fill_rows(devPtr, pitch, value, width, height, stream);
    return runtime_leave(status);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemset3D(%p, %d)", pitchedDevPtr.ptr, value);
    if (!status) status = fill_box(pitchedDevPtr, value, extent, NULL);
    return runtime_leave(status);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                              struct cudaExtent extent, cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemset3DAsync(%p, %d, %p)",
                                       pitchedDevPtr.ptr, value, (void *)stream);
    if (!status) status = fill_box(pitchedDevPtr, value, extent, stream);
    return runtime_leave(status);
}
