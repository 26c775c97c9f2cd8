// Events. The time between two of them is the modelled time of the device, launch overhead and
// copies included, never the time that the simulator took.
#include "runtime/stream/stream.h"

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
    event->device = runtime.device;
    *out_event = event;
    return cudaSuccess;
}

void runtime_event_free(struct CUevent_st *event) {
    runtime_map_remove(&runtime.events, event);
    runtime_order_gone(event->order);
    runtime_set_free(&event->tail);
    free(event);
}

void runtime_event_record(struct CUevent_st *event, runtime_queue *queue) {
    bool timed = !(event->flags & cudaEventDisableTiming);
    event->end = timed
                     ? runtime_clock_event(&runtime.clock, queue, sim_engine_device(runtime.engine))
                     : runtime_clock_ready(&runtime.clock, queue);
    event->recorded = true;
    event->capture = 0;
    if (!runtime.order.many) return;
    if (!event->order) event->order = runtime_order_name(SIM_QUEUE_EVENT);
    runtime_order_after(event->order, queue->order);
}

// One that was recorded when there was only the default stream stands for all that is in it by now:
// that can hide a mistake, never make one up.
static sim_queue order_of(const struct CUevent_st *event) {
    return event->order ? event->order : SIM_QUEUE_ON(SIM_LEGACY_QUEUE, event->device);
}

void runtime_event_wait(const struct CUevent_st *event, runtime_queue *queue) {
    if (!event->recorded) return;
    runtime_clock_wait(&runtime.clock, queue,
                       (runtime_moment){event->end.us, event->end.span, SIM_CAUSE_EVENT});
    if (queue->order != order_of(event)) runtime_order_after(queue->order, order_of(event));
}

void runtime_event_host_waits(const struct CUevent_st *event) {
    if (!event->recorded) return;
    runtime_clock_host_waits(&runtime.clock, event->end);
    if (runtime.order.many) runtime_order_after(SIM_HOST_QUEUE, order_of(event));
    else runtime_order_host_waits_all();
}

void runtime_events_reset(void) {
    struct CUevent_st *event;
    for (size_t at = 0; (event = runtime_map_next(&runtime.events, &at));)
        if (event->device == runtime.device) runtime_event_free(event);
}
