// SPDX-License-Identifier: MIT
// Work for a stream: run now, on the stream's queue, or a node of the graph that the stream is
// captured into.
#ifndef SIM_RUNTIME_SUBMIT_SUBMIT_H
#define SIM_RUNTIME_SUBMIT_SUBMIT_H

#include "runtime/code/launch.h"
#include "runtime/memory/memory.h"

// `waiting`: the call returns when the bytes have arrived.
cudaError_t runtime_submit_copy(runtime_box box, cudaStream_t stream, bool waiting);
cudaError_t runtime_submit_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool waiting);
// Fills a box with bytes.
cudaError_t runtime_submit_fill(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
                                cudaStream_t stream, bool waiting);
cudaError_t runtime_submit_launch(const runtime_launch *launch);
cudaError_t runtime_submit_allocation(runtime_pool *from, size_t bytes, cudaStream_t stream,
                                      void **out_pointer);
cudaError_t runtime_submit_release(void *pointer, cudaStream_t stream);

#endif
