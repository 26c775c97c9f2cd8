// SPDX-License-Identifier: MIT
// Copies from, to and between arrays, and the boxes of cudaMemcpy3D (CUDA Runtime API, "Memory
// Management"). Array texels lie row by row without gaps, so that an array is a box of memory.
#include "runtime/memory/array.h"

// A corner of an array, `x` in bytes.
static void *corner(const struct cudaArray *array, size_t x, size_t y, size_t z) {
    return (void *)(uintptr_t)(array->address + z * array->slice_bytes + y * array->row_bytes + x);
}

// Whether [at, at + count) lies in [0, size).
static bool inside(size_t at, size_t count, size_t size) {
    return at <= size && count <= size - at;
}

static bool holds(const struct cudaArray *array, size_t x, size_t y, size_t width, size_t height) {
    return inside(x, width, array->row_bytes) && inside(y, height, array->rows);
}

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
    if (!holds(array, x, y, width, height)) return cudaErrorInvalidValue;
    runtime_box box = {.to = to_array ? corner(array, x, y, 0) : memory,
                       .from = to_array ? memory : corner(array, x, y, 0),
                       .width = width,
                       .height = height,
                       .depth = 1,
                       .to_pitch = to_array ? array->row_bytes : pitch,
                       .from_pitch = to_array ? pitch : array->row_bytes,
                       .kind = cudaMemcpyDefault};
    return runtime_copy_box(box, stream, waiting);
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
    if (!status && !holds(to, wOffsetDst, hOffsetDst, width, height))
        status = cudaErrorInvalidValue;
    if (!status)
        status = copy_rows(src, wOffsetSrc, hOffsetSrc, corner(to, wOffsetDst, hOffsetDst, 0),
                           to->row_bytes, width, height, false, kind, NULL, true);
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
    if (!inside(y * array->row_bytes + x, bytes, array->slice_bytes)) return cudaErrorInvalidValue;
    runtime_box box = {.to = to_array ? corner(array, x, y, 0) : memory,
                       .from = to_array ? memory : corner(array, x, y, 0),
                       .width = bytes,
                       .height = 1,
                       .depth = 1,
                       .kind = cudaMemcpyDefault};
    return runtime_copy_box(box, stream, waiting);
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
    if (!status && (wOffsetDst >= to->row_bytes || hOffsetDst >= to->rows ||
                    !inside(hOffsetDst * to->row_bytes + wOffsetDst, count, to->slice_bytes)))
        status = cudaErrorInvalidValue;
    if (!status)
        status = copy_run(src, wOffsetSrc, hOffsetSrc, corner(to, wOffsetDst, hOffsetDst, 0), count,
                          false, kind, NULL, true);
    return runtime_leave(status);
}

// ---- boxes --------------------------------------------------------------------------------------

// One side of cudaMemcpy3D.
typedef struct side {
    char *start;
    size_t pitch, slice;
} side;

// Places and sizes count texels as soon as an array takes part, and bytes else; the place in linear
// memory counts bytes.
static cudaError_t find_side(cudaArray_t handle, const struct cudaPitchedPtr *memory,
                             struct cudaPos at, struct cudaExtent size, side *out) {
    if (!handle) {
        if (!memory->ptr) return cudaErrorInvalidValue;
        out->pitch = memory->pitch;
        out->slice = memory->pitch * memory->ysize;
        out->start = (char *)memory->ptr + at.z * out->slice + at.y * out->pitch + at.x;
        return cudaSuccess;
    }
    const struct cudaArray *array = runtime_array_find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (memory->ptr || at.x > array->extent.width) return cudaErrorInvalidValue;
    if (!inside(at.x, size.width, array->extent.width) || !inside(at.y, size.height, array->rows) ||
        !inside(at.z, size.depth, array->slices))
        return cudaErrorInvalidValue;
    out->pitch = array->row_bytes;
    out->slice = array->slice_bytes;
    out->start = corner(array, at.x * array->texel_bytes, at.y, at.z);
    return cudaSuccess;
}

cudaError_t runtime_box_of(const struct cudaMemcpy3DParms *p, runtime_box *out_box) {
    side to, from;
    *out_box = (runtime_box){.kind = p->kind};
    if (!p->extent.width || !p->extent.height || !p->extent.depth) return cudaSuccess;
    cudaError_t status = find_side(p->dstArray, &p->dstPtr, p->dstPos, p->extent, &to);
    if (!status) status = find_side(p->srcArray, &p->srcPtr, p->srcPos, p->extent, &from);
    if (status) return status;
    const struct cudaArray *array = runtime_array_find(p->dstArray ? p->dstArray : p->srcArray);
    const struct cudaArray *other = p->dstArray ? runtime_array_find(p->srcArray) : NULL;
    if (array && other && array->texel_bytes != other->texel_bytes) return cudaErrorInvalidValue;
    *out_box = (runtime_box){.to = to.start,
                             .from = from.start,
                             .width = p->extent.width * (array ? array->texel_bytes : 1),
                             .height = p->extent.height,
                             .depth = p->extent.depth,
                             .to_pitch = to.pitch,
                             .from_pitch = from.pitch,
                             .to_slice = to.slice,
                             .from_slice = from.slice,
                             .kind = p->kind};
    return cudaSuccess;
}

cudaError_t runtime_copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool waiting) {
    runtime_box box;
    if (!p) return cudaErrorInvalidValue;
    cudaError_t status = runtime_box_of(p, &box);
    if (status || box.width == 0) return status;
    return runtime_copy_box(box, stream, waiting);
}
