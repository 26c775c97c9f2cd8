// Variables of device code: where they are, and copies to and from them (CUDA Runtime API
// reference, "Memory Management").
#include "runtime/submit/submit.h"

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaGetSymbolAddress(%p)", symbol);
    uint64_t address = 0;
    size_t bytes;
    if (!status) status = runtime_symbol_find(symbol, &address, &bytes);
    if (!status && !devPtr) status = cudaErrorInvalidValue;
    if (!status) *devPtr = (void *)(uintptr_t)address;
    return runtime_leave(status);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaGetSymbolSize(%p)", symbol);
    uint64_t address;
    size_t bytes = 0;
    if (!status) status = runtime_symbol_find(symbol, &address, &bytes);
    if (!status && !size) status = cudaErrorInvalidValue;
    if (!status) *size = bytes;
    return runtime_leave(status);
}

static cudaError_t to_symbol(const void *symbol, const void *source, size_t bytes, size_t offset,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool waiting) {
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    void *part;
    cudaError_t status = runtime_symbol_part(symbol, bytes, offset, &part);
    return status ? status
                  : runtime_submit_copy(runtime_box_linear(part, source, bytes, kind), stream,
                                        waiting);
}

static cudaError_t from_symbol(void *destination, const void *symbol, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool waiting) {
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    void *part;
    cudaError_t status = runtime_symbol_part(symbol, bytes, offset, &part);
    return status ? status
                  : runtime_submit_copy(runtime_box_linear(destination, part, bytes, kind), stream,
                                        waiting);
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
