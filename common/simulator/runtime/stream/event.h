// SPDX-License-Identifier: MIT
// Events: points on the virtual clock.
#ifndef SIM_RUNTIME_STREAM_EVENT_H
#define SIM_RUNTIME_STREAM_EVENT_H

#include <stdbool.h>

#include <cuda_runtime_api.h>

#include "runtime/base/node_set.h"

struct CUevent_st {
    unsigned flags;
    bool recorded;
    double time_us;             // on the virtual clock
    unsigned long long capture; // id of the capture that it was recorded in; 0: none
    runtime_node_set tail;      // of the stream, when it was recorded in a capture
};

// NULL for a handle that no live event has.
struct CUevent_st *runtime_event_find(cudaEvent_t event);
cudaError_t runtime_event_create(cudaEvent_t *out_event, unsigned flags);
void runtime_event_free(struct CUevent_st *event);
// It was reached, or will be, at `time_us`.
void runtime_event_reached(struct CUevent_st *event, double time_us);
void runtime_events_reset(void);

#endif
