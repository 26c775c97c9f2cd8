// SPDX-License-Identifier: MIT
// Streams: in-order queues on the virtual clock.
#ifndef SIM_RUNTIME_STREAM_STREAM_H
#define SIM_RUNTIME_STREAM_STREAM_H

#include <stdbool.h>

#include "runtime/abi/functions.h"
#include "runtime/base/clock.h"
#include "runtime/base/node_set.h"
#include "runtime/state/call.h"
#include "runtime/state/capture.h"

enum { RUNTIME_LEAST_PRIORITY = 0, RUNTIME_GREATEST_PRIORITY = -5 }; // as on Hopper

struct CUstream_st {
    runtime_queue queue;
    unsigned flags;
    int priority;
    unsigned long long id;
    cudaStreamAttrValue access_policy, sync_policy, priority_value;
    runtime_capture *capture; // NULL: work runs
    runtime_node_set tail;    // what the next captured node waits for
};

extern struct CUstream_st runtime_legacy_stream, runtime_per_thread_stream; // the default streams

// The stream behind a handle (0, cudaStreamLegacy and cudaStreamPerThread included); NULL for a
// handle that no live stream has.
struct CUstream_st *runtime_stream_find(cudaStream_t stream);
// Enters a call that names a stream and finds it.
cudaError_t runtime_stream_enter(runtime_need need, const char *call, cudaStream_t handle,
                                 struct CUstream_st **out_stream);
cudaError_t runtime_stream_create(cudaStream_t *out_stream, unsigned flags, int priority);
// No capture knows it any more.
void runtime_stream_free(struct CUstream_st *stream);
// End of all that was put into the stream, and of what it waits for.
double runtime_stream_end_us(const struct CUstream_st *stream);
// Which default stream 0 is in the calling thread: `_ptsz` and `_ptds` entry points set it around
// the plain one.
void runtime_default_stream_set(bool per_thread);
void runtime_streams_reset(void);

#endif
