// SPDX-License-Identifier: MIT
// Events: points on the virtual clock.
#ifndef SIM_RUNTIME_STREAM_EVENT_H
#define SIM_RUNTIME_STREAM_EVENT_H

#include <stdbool.h>

#include "runtime/abi/functions.h"
#include "runtime/base/clock.h"
#include "runtime/base/node_set.h"
#include "runtime/state/order.h"

struct CUevent_st {
    unsigned flags;
    bool recorded;
    double time_us;             // on the virtual clock
    sim_queue order;            // its name for the checks; 0: only the default stream was there
    unsigned long long capture; // id of the capture that it was recorded in; 0: none
    runtime_node_set tail;      // of the stream, when it was recorded in a capture
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
void runtime_events_reset(void);

#endif
