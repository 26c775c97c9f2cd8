// Boxes of rows, for cudaMemcpy2D and 3D, cudaMemset2D and 3D and the nodes of graphs that do the
// same.
#include "runtime/memory/memory.h"
#include <limits.h>

typedef runtime_box box;

box runtime_box_linear(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    return (box){.to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind};
}

static void *row_to(const box *b, size_t row, size_t slice) {
    return (char *)b->to + slice * b->to_slice + row * b->to_pitch;
}

static const void *row_from(const box *b, size_t row, size_t slice) {
    return (const char *)b->from + slice * b->from_slice + row * b->from_pitch;
}

static cudaError_t move_rows(const box *b, runtime_transfer *out_transfer) {
    *out_transfer = (runtime_transfer){.direction = RUNTIME_COPY_ON_HOST};
    for (size_t slice = 0; slice < b->depth; slice++) {
        runtime_transfer part;
        runtime_rows rows = {row_to(b, 0, slice),
                             row_from(b, 0, slice),
                             b->to_pitch,
                             b->from_pitch,
                             b->width,
                             b->height};
        cudaError_t status = runtime_copy_rows(&rows, b->kind, &part);
        if (status) return status;
        part.bytes += out_transfer->bytes;
        *out_transfer = part;
    }
    return cudaSuccess;
}

// Memory that the host shares is not the engine's to look at: each row of it is told.
static void tell_shared(const box *b) {
    for (size_t slice = 0; slice < b->depth; slice++)
        for (size_t row = 0; row < b->height; row++) {
            runtime_order_shared(row_to(b, row, slice), b->width, true);
            runtime_order_shared(row_from(b, row, slice), b->width, false);
        }
}

cudaError_t runtime_box_move(const box *b, const runtime_queue *queue, runtime_mover mover,
                             runtime_transfer *out_transfer) {
    if (!runtime_order_is_told()) return move_rows(b, out_transfer);
    runtime_transfer ahead;
    runtime_copy_look(b->to, b->from, &ahead);
    runtime_order_move order = runtime_order_move_begin(queue, &ahead, mover);
    cudaError_t status = move_rows(b, out_transfer);
    if (!status && order.is_told) tell_shared(b);
    runtime_order_move_end(&order);
    return status;
}

cudaError_t runtime_box_check_pitches(const box *b) {
    if (b->height > 1 || b->depth > 1) {
        if (b->width > b->to_pitch || b->width > b->from_pitch) return cudaErrorInvalidPitchValue;
        if (b->to_pitch > INT_MAX || b->from_pitch > INT_MAX) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

bool runtime_box_is_empty(const box *b) { return b->width == 0 || b->height == 0 || b->depth == 0; }

// The first and the last row stand for all.
cudaError_t runtime_box_check(const box *b) {
    cudaError_t status = runtime_box_check_pitches(b);
    if (status || runtime_box_is_empty(b)) return status;
    status = runtime_copy_check(b->to, b->from, b->width, b->kind);
    if (status) return status;
    return runtime_copy_check(row_to(b, b->height - 1, b->depth - 1),
                              row_from(b, b->height - 1, b->depth - 1), b->width, b->kind);
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

static cudaError_t fill_rows(const runtime_filling *f, runtime_transfer *out_transfer) {
    *out_transfer = (runtime_transfer){.direction = RUNTIME_FILL};
    if (f->width > SIZE_MAX / f->element_bytes) return cudaErrorInvalidValue;
    for (size_t slice = 0; slice < f->depth; slice++) {
        runtime_rows rows = {.to = row_start(f, 0, slice),
                             .to_pitch = f->pitch,
                             .bytes = f->width * f->element_bytes,
                             .count = f->height};
        cudaError_t status = runtime_fill_rows(&rows, f->value, f->element_bytes);
        if (status) return status;
        out_transfer->bytes += rows.bytes * rows.count;
    }
    return cudaSuccess;
}

cudaError_t runtime_filling_do(const runtime_filling *f, const runtime_queue *queue,
                               runtime_mover mover, runtime_transfer *out_transfer) {
    if (!runtime_order_is_told()) return fill_rows(f, out_transfer);
    const runtime_range *range = runtime_range_find((uint64_t)(uintptr_t)f->start);
    const runtime_transfer ahead = {.direction = RUNTIME_FILL,
                                    .pinned = range && range->kind != RUNTIME_MEMORY_DEVICE};
    runtime_order_move order = runtime_order_move_begin(queue, &ahead, mover);
    cudaError_t status = fill_rows(f, out_transfer);
    for (size_t slice = 0; !status && order.is_told && slice < f->depth; slice++)
        for (size_t row = 0; row < f->height; row++)
            runtime_order_shared(row_start(f, row, slice), f->width * f->element_bytes, true);
    runtime_order_move_end(&order);
    return status;
}

// ---- the boxes of cudaMemcpy3D ------------------------------------------------------------------

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
        if (size.depth > 1 && size.height > memory->ysize) return cudaErrorInvalidPitchValue;
        out->pitch = memory->pitch;
        out->slice = memory->pitch * memory->ysize;
        out->start = (char *)memory->ptr + at.z * out->slice + at.y * out->pitch + at.x;
        return cudaSuccess;
    }
    const struct cudaArray *array = runtime_array_find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (memory->ptr || at.x > array->extent.width) return cudaErrorInvalidValue;
    if (!runtime_is_inside(at.x, size.width, array->extent.width) ||
        !runtime_is_inside(at.y, size.height, array->rows) ||
        !runtime_is_inside(at.z, size.depth, array->slices))
        return cudaErrorInvalidValue;
    out->pitch = array->row_bytes;
    out->slice = array->slice_bytes;
    out->start = runtime_array_corner(array, at.x * array->texel_bytes, at.y, at.z);
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
