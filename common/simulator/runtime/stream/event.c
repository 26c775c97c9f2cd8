// SPDX-License-Identifier: MIT
// Events. The time between two of them is the modelled time of the device, launch overhead and
// copies included, never the time that the simulator took.
#include "runtime/stream/event.h"

#include <stdlib.h>

#include "runtime/state/state.h"

struct CUevent_st *runtime_event_find(cudaEvent_t event) {
    return runtime_map_get(&runtime.events, event);
}

cudaError_t runtime_event_create(cudaEvent_t *out_event, unsigned flags) {
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!out_event || (flags & ~known)) return cudaErrorInvalidValue;
    if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming))
        return cudaErrorInvalidValue;
    struct CUevent_st *event = calloc(1, sizeof *event);
    if (!event) return cudaErrorMemoryAllocation;
    if (!runtime_map_put(&runtime.events, event, event)) {
        free(event);
        return cudaErrorMemoryAllocation;
    }
    event->flags = flags;
    *out_event = event;
    return cudaSuccess;
}

void runtime_event_free(struct CUevent_st *event) {
    runtime_map_remove(&runtime.events, event);
    runtime_set_free(&event->tail);
    free(event);
}

void runtime_event_record(struct CUevent_st *event, runtime_queue *queue) {
    bool timed = !(event->flags & cudaEventDisableTiming);
    event->time_us =
        timed ? runtime_clock_event(&runtime.clock, queue, sim_engine_device(runtime.engine))
              : runtime_clock_ready(&runtime.clock, queue);
    event->recorded = true;
    event->capture = 0;
}

void runtime_events_reset(void) {
    struct CUevent_st *event;
    for (size_t at = 0; (event = runtime_map_next(&runtime.events, &at));) {
        runtime_set_free(&event->tail);
        free(event);
    }
    runtime_map_free(&runtime.events);
}
