// SPDX-License-Identifier: MIT
// Buffers of a call: see buffers.h.
#include "buffers.h"

#include <stdlib.h>
#include <string.h>

cudaError_t kl_buffer_new(bool host, uint64_t bytes, void **out_buffer) {
    if (!host) return cudaMalloc(out_buffer, bytes);
    *out_buffer = malloc(bytes);
    return *out_buffer ? cudaSuccess : cudaErrorMemoryAllocation;
}

void kl_buffer_free(bool host, void *buffer) {
    if (!buffer) return;
    if (host)
        free(buffer);
    else
        cudaFree(buffer);
}

cudaError_t kl_buffer_poison(bool host, void *buffer, uint64_t bytes) {
    if (!host) return cudaMemset(buffer, KL_POISON, bytes);
    memset(buffer, KL_POISON, bytes);
    return cudaSuccess;
}

cudaError_t kl_buffer_copy(bool host, void *to, const void *from, uint64_t bytes,
                           enum cudaMemcpyKind kind) {
    if (!host) return cudaMemcpy(to, from, bytes, kind);
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t kl_buffer_upload(bool host, const void *data, uint64_t bytes, uint64_t offset_bytes,
                             uint64_t pad_bytes, void **out_base) {
    *out_base = NULL;
    if (bytes == 0) return cudaSuccess;
    cudaError_t code = kl_buffer_new(host, offset_bytes + bytes + pad_bytes, out_base);
    char *base = *out_base;
    if (code == cudaSuccess && offset_bytes > 0) code = kl_buffer_poison(host, base, offset_bytes);
    if (code == cudaSuccess)
        code = kl_buffer_copy(host, base + offset_bytes, data, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess && pad_bytes > 0)
        code = kl_buffer_poison(host, base + offset_bytes + bytes, pad_bytes);
    return code;
}

cudaError_t kl_buffers_new(bool host, const uint64_t *bytes, int count, void **out_buffers) {
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < count && code == cudaSuccess; i++)
        if (bytes[i] > 0) code = kl_buffer_new(host, bytes[i], &out_buffers[i]);
    return code;
}

cudaError_t kl_buffers_poison(bool host, void *const *buffers, const uint64_t *bytes, int count) {
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < count && code == cudaSuccess; i++)
        if (bytes[i] > 0) code = kl_buffer_poison(host, buffers[i], bytes[i]);
    return code;
}

void kl_buffers_free(bool host, void *buffers[KL_MAX_BUFFERS]) {
    for (int i = 0; i < KL_MAX_BUFFERS; i++) {
        kl_buffer_free(host, buffers[i]);
        buffers[i] = NULL;
    }
}
