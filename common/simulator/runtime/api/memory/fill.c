// SPDX-License-Identifier: MIT
// cudaMemset and its relatives.
#include "runtime/submit/submit.h"
#include "runtime/state/state.h"

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
