// Copies in batches and between peers, and batches of prefetches (CUDA Runtime API reference,
// "Memory Management"). A batch is checked as a whole before its first byte moves; its copies are
// then made in order, which is one of the orders that it allows.
#include "runtime/submit/submit.h"

// cudaMemcpyBatchAsync and cudaMemcpy3DBatchAsync of 13; those of 12.8 say in one more parameter
// which copy failed (api/versions.def).
cudaError_t runtime_copy_batch(void *const *dsts, const void *const *srcs, const size_t *sizes,
                               size_t count, const struct cudaMemcpyAttributes *attrs,
                               const size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream);
cudaError_t runtime_copy_boxes(size_t numOps, const struct cudaMemcpy3DBatchOp *opList,
                               unsigned long long flags, cudaStream_t stream);

static cudaError_t check_stream(cudaStream_t stream) {
    const struct CUstream_st *found = runtime_stream_find(stream);
    if (!found) return cudaErrorInvalidResourceHandle;
    return found->queue.legacy ? cudaErrorInvalidValue : cudaSuccess;
}

// Each attribute holds from its index on to the next one's; the first starts at 0.
static cudaError_t check_indices(const size_t *indices, size_t attributes, size_t count) {
    if (!indices || attributes == 0 || attributes > count || indices[0] != 0)
        return cudaErrorInvalidValue;
    for (size_t i = 1; i < attributes; i++)
        if (indices[i] <= indices[i - 1] || indices[i] >= count) return cudaErrorInvalidValue;
    return cudaSuccess;
}

static bool is_order(enum cudaMemcpySrcAccessOrder order) {
    return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}

static cudaError_t check_batch(void *const *to, const void *const *from, const size_t *bytes,
                               size_t count, const struct cudaMemcpyAttributes *attributes,
                               const size_t *indices, size_t attribute_count) {
    if (!to || !from || !bytes || count == 0 || !attributes) return cudaErrorInvalidValue;
    cudaError_t status = check_indices(indices, attribute_count, count);
    for (size_t i = 0; !status && i < attribute_count; i++)
        if (!is_order(attributes[i].srcAccessOrder) ||
            attributes[i].flags & ~(unsigned)cudaMemcpyFlagPreferOverlapWithCompute)
            status = cudaErrorInvalidValue;
    for (size_t i = 0; !status && i < count; i++)
        if (!to[i] || !from[i] || bytes[i] == 0) status = cudaErrorInvalidValue;
    return status;
}

cudaError_t runtime_copy_batch(void *const *dsts, const void *const *srcs, const size_t *sizes,
                               size_t count, const struct cudaMemcpyAttributes *attrs,
                               const size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemcpyBatchAsync(%zu, %p)", count, (void *)stream);
    if (!status) status = check_stream(stream);
    if (!status) status = check_batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs);
    for (size_t i = 0; !status && i < count; i++) {
        runtime_box one = {.to = dsts[i],
                           .from = srcs[i],
                           .width = sizes[i],
                           .height = 1,
                           .depth = 1,
                           .kind = cudaMemcpyDefault};
        status = runtime_submit_copy(one, stream, false);
    }
    return runtime_leave(status);
}

// ---- boxes --------------------------------------------------------------------------------------

// One side of an operation, as cudaMemcpy3D names it. Row length and layer height count elements of
// one byte; 0: as the extent says.
static cudaError_t take_side(const struct cudaMemcpy3DOperand *side, struct cudaExtent extent,
                             cudaArray_t *out_array, struct cudaPos *out_at,
                             struct cudaPitchedPtr *out_memory) {
    if (side->type == cudaMemcpyOperandTypeArray) {
        *out_array = side->op.array.array;
        *out_at = (struct cudaPos){side->op.array.offset.x, side->op.array.offset.y,
                                   side->op.array.offset.z};
        return *out_array ? cudaSuccess : cudaErrorInvalidValue;
    }
    if (side->type != cudaMemcpyOperandTypePointer || !side->op.ptr.ptr)
        return cudaErrorInvalidValue;
    size_t row = side->op.ptr.rowLength ? side->op.ptr.rowLength : extent.width;
    size_t height = side->op.ptr.layerHeight ? side->op.ptr.layerHeight : extent.height;
    if (row < extent.width || height < extent.height) return cudaErrorInvalidValue;
    *out_memory = (struct cudaPitchedPtr){
        .ptr = side->op.ptr.ptr, .pitch = row, .xsize = row, .ysize = height};
    return cudaSuccess;
}

static cudaError_t take_operation(const struct cudaMemcpy3DBatchOp *op,
                                  struct cudaMemcpy3DParms *out) {
    *out = (struct cudaMemcpy3DParms){.extent = op->extent, .kind = cudaMemcpyDefault};
    if (!op->extent.width || !op->extent.height || !op->extent.depth ||
        !is_order(op->srcAccessOrder) ||
        op->flags & ~(unsigned)cudaMemcpyFlagPreferOverlapWithCompute)
        return cudaErrorInvalidValue;
    cudaError_t status =
        take_side(&op->src, op->extent, &out->srcArray, &out->srcPos, &out->srcPtr);
    if (status) return status;
    return take_side(&op->dst, op->extent, &out->dstArray, &out->dstPos, &out->dstPtr);
}

cudaError_t runtime_copy_boxes(size_t numOps, const struct cudaMemcpy3DBatchOp *opList,
                               unsigned long long flags, cudaStream_t stream) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaMemcpy3DBatchAsync(%zu, %p)", numOps, (void *)stream);
    struct cudaMemcpy3DParms one;
    if (!status) status = check_stream(stream);
    if (!status && (numOps == 0 || !opList || flags != 0)) status = cudaErrorInvalidValue;
    for (size_t i = 0; !status && i < numOps; i++) status = take_operation(&opList[i], &one);
    for (size_t i = 0; !status && i < numOps; i++) {
        status = take_operation(&opList[i], &one);
        if (!status) status = runtime_submit_3d(&one, stream, false);
    }
    return runtime_leave(status);
}

// One copy with attributes is a batch of one.
cudaError_t cudaMemcpyWithAttributesAsync(void *dst, const void *src, size_t size,
                                          struct cudaMemcpyAttributes *attr, cudaStream_t stream) {
    return runtime_copy_batch(&dst, &src, &size, 1, attr, &(size_t){0}, 1, stream);
}

cudaError_t cudaMemcpy3DWithAttributesAsync(struct cudaMemcpy3DBatchOp *op,
                                            unsigned long long flags, cudaStream_t stream) {
    return runtime_copy_boxes(1, op, flags, stream);
}

// ---- managed memory -----------------------------------------------------------------------------

static cudaError_t check_ranges(void **pointers, const size_t *bytes, size_t count,
                                unsigned long long flags) {
    if (!pointers || !bytes || count == 0 || flags != 0) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        const runtime_range *range = runtime_range_find((uint64_t)(uintptr_t)pointers[i]);
        if (!range || range->kind != RUNTIME_MEMORY_MANAGED || bytes[i] == 0 ||
            bytes[i] > range->bytes - ((uint64_t)(uintptr_t)pointers[i] - range->base))
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static cudaError_t check_range_batch(const char *call, void **pointers, const size_t *bytes,
                                     size_t count, unsigned long long flags, cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%zu, %p)", call, count, (void *)stream);
    if (!status) status = check_stream(stream);
    if (!status) status = check_ranges(pointers, bytes, count, flags);
    return runtime_leave(status);
}

static cudaError_t prefetch_batch(const char *call, void **pointers, const size_t *bytes,
                                  size_t count, const struct cudaMemLocation *locations,
                                  const size_t *indices, size_t location_count,
                                  unsigned long long flags, cudaStream_t stream) {
    cudaError_t status = check_range_batch(call, pointers, bytes, count, flags, stream);
    if (!status && !locations) status = cudaErrorInvalidValue;
    if (!status) status = check_indices(indices, location_count, count);
    for (size_t i = 0, at = 0; !status && i < count; i++) {
        while (at + 1 < location_count && indices[at + 1] <= i) at++;
        status = cudaMemPrefetchAsync_v2(pointers[i], bytes[i], locations[at], 0, stream);
    }
    return status;
}

cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                      struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                      size_t numPrefetchLocs, unsigned long long flags,
                                      cudaStream_t stream) {
    return prefetch_batch("cudaMemPrefetchBatchAsync", dptrs, sizes, count, prefetchLocs,
                          prefetchLocIdxs, numPrefetchLocs, flags, stream);
}

// What is discarded may be lost: here it stays.
cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                     unsigned long long flags, cudaStream_t stream) {
    return check_range_batch("cudaMemDiscardBatchAsync", dptrs, sizes, count, flags, stream);
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                struct cudaMemLocation *prefetchLocs,
                                                size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                                unsigned long long flags, cudaStream_t stream) {
    return prefetch_batch("cudaMemDiscardAndPrefetchBatchAsync", dptrs, sizes, count, prefetchLocs,
                          prefetchLocIdxs, numPrefetchLocs, flags, stream);
}
