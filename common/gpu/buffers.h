// SPDX-License-Identifier: MIT
// The buffers of a step's call: made, poisoned, filled and freed. `host`: memory of this process,
// for a step that is a function of host memory; otherwise of the device. Shared by the lab programs
// and the graded runner, so nothing here may know the problem, its reference or its seeds.
#ifndef KL_BUFFERS_H
#define KL_BUFFERS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "call.h"

// cudaErrorMemoryAllocation also when this process has no memory.
cudaError_t kl_buffer_new(bool host, uint64_t bytes, void **out_buffer);
void kl_buffer_free(bool host, void *buffer); // NULL is allowed
cudaError_t kl_buffer_poison(bool host, void *buffer, uint64_t bytes);
cudaError_t kl_buffer_copy(bool host, void *to, const void *from, uint64_t bytes,
                           enum cudaMemcpyKind kind);

// A new buffer with `bytes` bytes of data behind `offset_bytes` of poison and before `pad_bytes` of
// it, so that reading outside the data shows. Nothing is made for no data. *out_base is the
// caller's, also after a failure.
cudaError_t kl_buffer_upload(bool host, const void *data, uint64_t bytes, uint64_t offset_bytes,
                             uint64_t pad_bytes, void **out_base);

// buffers, bytes: [count]; buffers of no bytes are NULL.
cudaError_t kl_buffers_new(bool host, const uint64_t *bytes, int count, void **out_buffers);
cudaError_t kl_buffers_poison(bool host, void *const *buffers, const uint64_t *bytes, int count);
void kl_buffers_free(bool host, void *buffers[KL_MAX_BUFFERS]); // leaves NULLs

#endif
