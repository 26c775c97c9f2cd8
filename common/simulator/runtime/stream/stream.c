// Streams. Work is done when it is submitted, so a stream holds only times (CUDA Runtime API
// reference, "Stream Management"; CUDA C++ Programming Guide, "Streams"), and what was captured;
// but for work that waits for other work (graph/task.c).
#include "runtime/stream/stream.h"

static const struct CUstream_st fresh_stream = {
    .sync_policy = {.syncPolicy = RUNTIME_SYNC_POLICY_UNSET},
    .sync_domains = {.memSyncDomainMap = {0, 1}}};
// The default streams, by device.
static struct CUstream_st legacy_streams[SIM_MOST_DEVICES], per_thread_streams[SIM_MOST_DEVICES];

struct CUstream_st *runtime_legacy_stream(int device) {
    struct CUstream_st *stream = &legacy_streams[device];
    if (stream->id) return stream;
    *stream = fresh_stream;
    stream->id = 7 + 8 * (unsigned)device;
    stream->queue = (runtime_queue){.blocking = true,
                                    .legacy = true,
                                    .device = (uint8_t)device,
                                    .stream = SIM_LEGACY_STREAM(device),
                                    .order = SIM_QUEUE_ON(SIM_LEGACY_QUEUE, device)};
    return stream;
}

// Its number is given when it is first named.
static struct CUstream_st *runtime_per_thread_stream(int device) {
    struct CUstream_st *stream = &per_thread_streams[device];
    if (stream->queue.blocking) return stream;
    *stream = fresh_stream;
    stream->queue =
        (runtime_queue){.blocking = true,
                        .device = (uint8_t)device,
                        .order = SIM_QUEUE_ON(SIM_QUEUE(SIM_QUEUE_BLOCKING, 0), device)};
    return stream;
}

static __thread bool default_is_per_thread;

void runtime_default_stream_set(bool per_thread) { default_is_per_thread = per_thread; }

// One per-thread default stream serves all threads: their work is ordered more strictly than on a
// GPU, which changes modelled times only.
struct CUstream_st *runtime_stream_find(cudaStream_t stream) {
    if (stream == cudaStreamLegacy || (!stream && !default_is_per_thread))
        return runtime_legacy_stream(runtime.device);
    if (stream && stream != cudaStreamPerThread) return runtime_map_get(&runtime.streams, stream);
    struct CUstream_st *own = runtime_per_thread_stream(runtime.device);
    if (!own->id) own->queue.stream = (uint32_t)(own->id = runtime.next_stream_id++);
    return own;
}

struct CUstream_st *runtime_stream_next(size_t *at) {
    size_t defaults = 2 * (size_t)runtime.device_count, position = *at - defaults;
    if (*at < defaults) {
        int device = (int)(*at)++ / 2;
        return *at % 2 ? runtime_per_thread_stream(device) : runtime_legacy_stream(device);
    }
    struct CUstream_st *stream = runtime_map_next(&runtime.streams, &position);
    *at = position + defaults;
    return stream;
}

void runtime_device_host_waits(void) {
    const struct CUstream_st *stream;
    runtime_clock_host_waits(&runtime.clock, runtime.clock.devices[runtime.device].all_ready);
    if (runtime.device_count == 1) runtime_order_host_waits_all();
    else
        for (size_t at = 0; (stream = runtime_stream_next(&at));)
            if (stream->queue.device == runtime.device) runtime_order_host_waits(&stream->queue);
}

void runtime_streams_reset(void) {
    struct CUstream_st *stream;
    for (size_t at = 0; (stream = runtime_map_next(&runtime.streams, &at));)
        if (stream->queue.device == runtime.device) runtime_stream_free(stream);
    runtime_legacy_stream(runtime.device)->queue.ready = (runtime_moment){0};
    runtime_per_thread_stream(runtime.device)->queue.ready = (runtime_moment){0};
}

int8_t runtime_stream_priority(int wanted) {
    if (wanted < RUNTIME_GREATEST_PRIORITY) return RUNTIME_GREATEST_PRIORITY;
    return wanted > RUNTIME_LEAST_PRIORITY ? RUNTIME_LEAST_PRIORITY : (int8_t)wanted;
}

cudaError_t runtime_stream_create(cudaStream_t *out_stream, unsigned flags, int priority) {
    if (!out_stream || (flags & ~(unsigned)cudaStreamNonBlocking)) return cudaErrorInvalidValue;
    struct CUstream_st *stream = calloc(1, sizeof *stream);
    if (!stream) return cudaErrorMemoryAllocation;
    if (!runtime_map_put(&runtime.streams, stream, stream)) {
        free(stream);
        return cudaErrorMemoryAllocation;
    }
    *stream = fresh_stream;
    stream->flags = flags;
    stream->id = runtime.next_stream_id++;
    stream->queue.blocking = !(flags & cudaStreamNonBlocking);
    stream->queue.device = (uint8_t)runtime.device;
    stream->queue.priority = runtime_stream_priority(priority);
    stream->queue.stream = (uint32_t)stream->id;
    sim_queue order =
        runtime_order_name(stream->queue.blocking ? SIM_QUEUE_BLOCKING : SIM_QUEUE_APART);
    stream->queue.order = SIM_QUEUE_ON(order, runtime.device);
    *out_stream = stream;
    return cudaSuccess;
}

void runtime_stream_free(struct CUstream_st *stream) {
    runtime_map_remove(&runtime.streams, stream);
    stream->is_doomed = stream->last;
    if (stream->is_doomed) return;
    runtime_order_gone(stream->queue.order);
    runtime_set_free(&stream->tail);
    free(stream);
}

cudaError_t runtime_stream_enter(runtime_need need, const char *call, cudaStream_t handle,
                                 struct CUstream_st **out_stream) {
    cudaError_t status = runtime_enter(need, "%s(%p)", call, (void *)handle);
    *out_stream = status ? NULL : runtime_stream_find(handle);
    if (!status && !*out_stream) status = cudaErrorInvalidResourceHandle;
    if (status || (*out_stream)->queue.device == runtime.device || need != RUNTIME_SYNC)
        return status;
    runtime_use((*out_stream)->queue.device); // it is waited for, whichever device is current
    runtime_output_flush();
    runtime_fault_surface();
    return runtime.sticky;
}

runtime_moment runtime_stream_end(const struct CUstream_st *stream) {
    const runtime_queue *queue = &stream->queue;
    runtime_moment blocking = runtime.clock.devices[queue->device].blocking_ready;
    return queue->legacy && blocking.us > queue->ready.us ? blocking : queue->ready;
}

// ---- event --------------------------------------------------------------------------------------
// Events. The time between two of them is the modelled time of the device, launch overhead and
// copies included, never the time that the simulator took.

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
