// Copies from, to and between arrays (CUDA Runtime API, "Memory Management").
#include "runtime/submit/submit.h"

// An array is the device's side; where the memory lies, its address says.
static bool names_direction(bool to_array, enum cudaMemcpyKind kind) {
    return kind == cudaMemcpyDefault || kind == cudaMemcpyDeviceToDevice ||
           kind == (to_array ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

// Rows between an array and memory; `to_array` says which way.
static cudaError_t copy_rows(cudaArray_const_t handle, size_t x, size_t y, void *memory,
                             size_t pitch, size_t width, size_t height, bool to_array,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool waiting) {
    const struct cudaArray *array = runtime_array_find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (!names_direction(to_array, kind)) return cudaErrorInvalidMemcpyDirection;
    if (!runtime_array_holds(array, x, y, width, height) || (height == 1 && width > pitch))
        return cudaErrorInvalidValue;
    runtime_box box = {.to = to_array ? runtime_array_corner(array, x, y, 0) : memory,
                       .from = to_array ? memory : runtime_array_corner(array, x, y, 0),
                       .width = width,
                       .height = height,
                       .depth = 1,
                       .to_pitch = to_array ? array->row_bytes : pitch,
                       .from_pitch = to_array ? pitch : array->row_bytes,
                       .kind = cudaMemcpyDefault};
    return runtime_submit_copy(box, stream, waiting);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                size_t spitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaMemcpy2DToArray(%p, %zu, %zu)",
                                       (void *)dst, width, height);
    if (!status)
        status = copy_rows(dst, wOffset, hOffset, (void *)(uintptr_t)src, spitch, width, height,
                           true, kind, NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void *src, size_t spitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemcpy2DToArrayAsync(%p, %zu, %zu)",
                                       (void *)dst, width, height);
    if (!status)
        status = copy_rows(dst, wOffset, hOffset, (void *)(uintptr_t)src, spitch, width, height,
                           true, kind, stream, false);
    return runtime_leave(status);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  enum cudaMemcpyKind kind) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaMemcpy2DFromArray(%p, %zu, %zu)",
                                       (void *)src, width, height);
    if (!status)
        status =
            copy_rows(src, wOffset, hOffset, dst, dpitch, width, height, false, kind, NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemcpy2DFromArrayAsync(%p, %zu, %zu)",
                                       (void *)src, width, height);
    if (!status)
        status = copy_rows(src, wOffset, hOffset, dst, dpitch, width, height, false, kind, stream,
                           false);
    return runtime_leave(status);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemcpy2DArrayToArray(%p, %p)", (void *)dst, (void *)src);
    const struct cudaArray *to = status ? NULL : runtime_array_find(dst);
    if (!status && !to) status = cudaErrorInvalidResourceHandle;
    if (!status && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        status = cudaErrorInvalidMemcpyDirection;
    if (!status && !runtime_array_holds(to, wOffsetDst, hOffsetDst, width, height))
        status = cudaErrorInvalidValue;
    if (!status)
        status = copy_rows(src, wOffsetSrc, hOffsetSrc,
                           runtime_array_corner(to, wOffsetDst, hOffsetDst, 0), to->row_bytes,
                           width, height, false, kind, NULL, true);
    return runtime_leave(status);
}

// ---- bytes in a row, from row to row ------------------------------------------------------------

static cudaError_t copy_run(cudaArray_const_t handle, size_t x, size_t y, void *memory,
                            size_t bytes, bool to_array, enum cudaMemcpyKind kind,
                            cudaStream_t stream, bool waiting) {
    const struct cudaArray *array = runtime_array_find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (!names_direction(to_array, kind)) return cudaErrorInvalidMemcpyDirection;
    if (x >= array->row_bytes || y >= array->rows) return cudaErrorInvalidValue;
    if (!runtime_is_inside(y * array->row_bytes + x, bytes, array->slice_bytes))
        return cudaErrorInvalidValue;
    runtime_box box = {.to = to_array ? runtime_array_corner(array, x, y, 0) : memory,
                       .from = to_array ? memory : runtime_array_corner(array, x, y, 0),
                       .width = bytes,
                       .height = 1,
                       .depth = 1,
                       .kind = cudaMemcpyDefault};
    return runtime_submit_copy(box, stream, waiting);
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                              size_t count, enum cudaMemcpyKind kind) {
    cudaError_t status =
        runtime_enter(RUNTIME_SYNC, "cudaMemcpyToArray(%p, %zu)", (void *)dst, count);
    if (!status)
        status =
            copy_run(dst, wOffset, hOffset, (void *)(uintptr_t)src, count, true, kind, NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemcpyToArrayAsync(%p, %zu)", (void *)dst, count);
    if (!status)
        status = copy_run(dst, wOffset, hOffset, (void *)(uintptr_t)src, count, true, kind, stream,
                          false);
    return runtime_leave(status);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, enum cudaMemcpyKind kind) {
    cudaError_t status =
        runtime_enter(RUNTIME_SYNC, "cudaMemcpyFromArray(%p, %zu)", (void *)src, count);
    if (!status) status = copy_run(src, wOffset, hOffset, dst, count, false, kind, NULL, true);
    return runtime_leave(status);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t count, enum cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemcpyFromArrayAsync(%p, %zu)", (void *)src, count);
    if (!status) status = copy_run(src, wOffset, hOffset, dst, count, false, kind, stream, false);
    return runtime_leave(status);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t count, enum cudaMemcpyKind kind) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemcpyArrayToArray(%p, %p, %zu)",
                                       (void *)dst, (void *)src, count);
    const struct cudaArray *to = status ? NULL : runtime_array_find(dst);
    if (!status && !to) status = cudaErrorInvalidResourceHandle;
    if (!status &&
        (wOffsetDst >= to->row_bytes || hOffsetDst >= to->rows ||
         !runtime_is_inside(hOffsetDst * to->row_bytes + wOffsetDst, count, to->slice_bytes)))
        status = cudaErrorInvalidValue;
    if (!status)
        status = copy_run(src, wOffsetSrc, hOffsetSrc,
                          runtime_array_corner(to, wOffsetDst, hOffsetDst, 0), count, false, kind,
                          NULL, true);
    return runtime_leave(status);
}
