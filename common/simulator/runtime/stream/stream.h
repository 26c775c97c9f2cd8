// Streams: in-order queues on the virtual clock.
#pragma once

#include "runtime/state/state.h"

// ---- stream.c -----------------------------------------------------------------------------------

enum { RUNTIME_LEAST_PRIORITY = 0, RUNTIME_GREATEST_PRIORITY = -5 }; // as on Hopper
enum { RUNTIME_SYNC_POLICY_UNSET = -1 }; // what an H200's driver gives back

struct CUstream_st {
    runtime_queue queue;
    unsigned flags;
    unsigned long long id;
    unsigned long long context; // id of the green context that it was made in; 0: the device's
    cudaStreamAttrValue access_policy, sync_policy, priority_value, sync_domains, sync_domain;
    runtime_capture *capture;  // NULL: work runs
    runtime_node_set tail;     // what the next captured node waits for
    struct runtime_task *last; // its last work that is not done yet; NULL: all is
    bool is_doomed;            // destroyed by the program: it goes with that work
};

// The default streams of a device.
struct CUstream_st *runtime_legacy_stream(int device);
// The next of all streams, the default ones first: *at starts at 0. NULL: there are no more.
struct CUstream_st *runtime_stream_next(size_t *at);
// The host waits for all that the device in use does.
void runtime_device_host_waits(void);

// The stream behind a handle (0, cudaStreamLegacy and cudaStreamPerThread included); NULL for a
// handle that no live stream has.
struct CUstream_st *runtime_stream_find(cudaStream_t stream);
// Enters a call that names a stream and finds it.
cudaError_t runtime_stream_enter(runtime_need need, const char *call, cudaStream_t handle,
                                 struct CUstream_st **out_stream);
int8_t runtime_stream_priority(int wanted); // the nearest one that there is
cudaError_t runtime_stream_create(cudaStream_t *out_stream, unsigned flags, int priority);
// No capture knows it any more.
void runtime_stream_free(struct CUstream_st *stream);
// End of all that was put into the stream, and of what it waits for.
runtime_moment runtime_stream_end(const struct CUstream_st *stream);
// Which default stream 0 is in the calling thread: `_ptsz` and `_ptds` entry points set it around
// the plain one.
void runtime_default_stream_set(bool per_thread);
void runtime_streams_reset(void); // of the device in use

// ---- stream.c: events ---------------------------------------------------------------------------
// Events: points on the virtual clock.

struct CUevent_st {
    unsigned flags;
    bool recorded;
    int device;                 // that was current when it was made
    runtime_moment end;         // of what was before it
    sim_queue order;            // its name for the checks; 0: only the default stream was there
    unsigned long long capture; // id of the capture that it was recorded in; 0: none
    runtime_node_set tail;      // of the stream, when it was recorded in a capture
    struct runtime_task *task;  // that will record it; NULL: none
};

// NULL for a handle that no live event has.
struct CUevent_st *runtime_event_find(cudaEvent_t event);
cudaError_t runtime_event_create(cudaEvent_t *out_event, unsigned flags);
void runtime_event_free(struct CUevent_st *event);
// It is the last in `queue` now. One with a time keeps the queue busy for a while.
void runtime_event_record(struct CUevent_st *event, runtime_queue *queue);
// What is put into `queue` from here on waits for it, if it has been recorded.
void runtime_event_wait(const struct CUevent_st *event, runtime_queue *queue);
// The host waits for it, likewise.
void runtime_event_host_waits(const struct CUevent_st *event);
void runtime_events_reset(void); // of the device in use
