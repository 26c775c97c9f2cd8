// The copy functions of the runtime API ("Memory Management"): linear, rows with a pitch, boxes;
// each with and without a stream; then cudaMemset and its relatives. Symbols are in symbol.c,
// arrays in array_copy.c.
#include "runtime/submit/submit.h"

typedef runtime_box box;

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
    cudaError_t status =
        runtime_enter(RUNTIME_SYNC, "cudaMemcpy(%p, %p, %zu, %d)", dst, src, count, (int)kind);
    if (!status)
        status = runtime_submit_copy(runtime_box_linear(dst, src, count, kind), NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemcpyAsync(%p, %p, %zu, %d, %p)", dst,
                                       src, count, (int)kind, (void *)stream);
    if (!status)
        status = runtime_submit_copy(runtime_box_linear(dst, src, count, kind), stream, false);
    return runtime_leave(status);
}

static box rows_of(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                   size_t height, enum cudaMemcpyKind kind) {
    box b = runtime_box_linear(to, from, width, kind);
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
            runtime_submit_copy(rows_of(dst, dpitch, src, spitch, width, height, kind), NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemcpy2DAsync(%p, %zu, %p, %zu, %zu, %zu, %d, %p)", dst,
                      dpitch, src, spitch, width, height, (int)kind, (void *)stream);
    if (!status)
        status = runtime_submit_copy(rows_of(dst, dpitch, src, spitch, width, height, kind), stream,
                                     false);
    return runtime_leave(status);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaMemcpy3D(%p)", (const void *)p);
    if (!status) status = runtime_submit_3d(p, NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemcpy3DAsync(%p, %p)", (const void *)p, (void *)stream);
    if (!status) status = runtime_submit_3d(p, stream, false);
    return runtime_leave(status);
}

// ---- cudaMemset and its relatives ---------------------------------------------------------------

static cudaError_t fill_rows(void *pointer, size_t pitch, int value, size_t width, size_t height,
                             cudaStream_t stream, bool waiting) {
    struct cudaPitchedPtr memory = {.ptr = pointer, .pitch = pitch, .ysize = height};
    return runtime_submit_fill(memory, value, (struct cudaExtent){width, height, 1}, stream,
                               waiting);
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemset(%p, %d, %zu)", devPtr, value, count);
    if (!status) status = fill_rows(devPtr, 0, value, count, 1, NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemsetAsync(%p, %d, %zu, %p)", devPtr,
                                       value, count, (void *)stream);
    if (!status) status = fill_rows(devPtr, 0, value, count, 1, stream, false);
    return runtime_leave(status);
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemset2D(%p, %zu, %d, %zu, %zu)",
                                       devPtr, pitch, value, width, height);
    if (!status) status = fill_rows(devPtr, pitch, value, width, height, NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemset2DAsync(%p, %zu, %d, %zu, %zu, %p)", devPtr, pitch,
                      value, width, height, (void *)stream);
    if (!status) status = fill_rows(devPtr, pitch, value, width, height, stream, false);
    return runtime_leave(status);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemset3D(%p, %d)", pitchedDevPtr.ptr, value);
    if (!status) status = runtime_submit_fill(pitchedDevPtr, value, extent, NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                              struct cudaExtent extent, cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemset3DAsync(%p, %d, %p)",
                                       pitchedDevPtr.ptr, value, (void *)stream);
    if (!status) status = runtime_submit_fill(pitchedDevPtr, value, extent, stream, false);
    return runtime_leave(status);
}
