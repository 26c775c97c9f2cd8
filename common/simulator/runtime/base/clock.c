// Virtual clock: list scheduling of in-order queues on one compute unit and two copy engines.
// A queue's operation starts when its queue, the host and enough of the unit are ready.
#include "runtime/base/base.h"

// Share of the unit in use at any instant of [start, end): an upper bound, as shares are summed
// over everything that touches the interval. Blocks of a queue of greater priority are next
// wherever one ends, so that what has less is not in their way.
static double load_between(const runtime_unit *unit, double start, double end, int priority) {
    double load = 0;
    for (size_t i = 0; i < unit->count; i++)
        if (unit->busy[i].start_us < end && unit->busy[i].end_us > start &&
            unit->busy[i].priority <= priority)
            load += unit->busy[i].share;
    return load;
}

// The earliest start not before `earliest` at which `share` of the unit is free for `duration`.
static double find_gap(const runtime_unit *unit, double earliest, double duration, double share,
                       int priority) {
    const double full = 1.0 + 1e-9;
    if (load_between(unit, earliest, earliest + duration, priority) + share <= full)
        return earliest;
    double best = -1;
    for (size_t i = 0; i < unit->count; i++) {
        double start = unit->busy[i].end_us;
        if (start < earliest || (best >= 0 && start >= best)) continue;
        if (load_between(unit, start, start + duration, priority) + share <= full) best = start;
    }
    return best >= 0 ? best : earliest;
}

static void drop(runtime_unit *unit, size_t index) {
    unit->busy[index] = unit->busy[--unit->count];
}

static runtime_moment later(runtime_moment first, runtime_moment second) {
    return second.us > first.us ? second : first;
}

// The same moment, waited for with another reason.
static runtime_moment because(runtime_moment moment, sim_span_cause cause) {
    moment.cause = cause;
    return moment;
}

// Nothing can start before the host's now, so what ended before is of no further interest. A full
// list forgets what ends first.
static void make_space(runtime_unit *unit, double now_us) {
    for (size_t i = unit->count; i-- > 0;)
        if (unit->busy[i].end_us <= now_us) drop(unit, i);
    if (unit->count < RUNTIME_BUSY_SLOTS) return;
    size_t first = 0;
    for (size_t i = 1; i < unit->count; i++)
        if (unit->busy[i].end_us < unit->busy[first].end_us) first = i;
    runtime_moment end = {.us = unit->busy[first].end_us, .span = unit->busy[first].span};
    unit->forgotten = later(unit->forgotten, end);
    drop(unit, first);
}

runtime_moment runtime_clock_ready(const runtime_clock *clock, const runtime_queue *queue) {
    const runtime_device_clock *own = &clock->devices[queue->device];
    runtime_moment ready = later(queue->ready, clock->host);
    if (queue->legacy) return later(ready, because(own->blocking_ready, SIM_CAUSE_LEGACY));
    return queue->blocking ? later(ready, because(own->legacy_ready, SIM_CAUSE_LEGACY)) : ready;
}

static void note_ready(runtime_clock *clock, runtime_queue *queue, runtime_moment end) {
    runtime_device_clock *own = &clock->devices[queue->device];
    queue->ready = later(queue->ready, end);
    own->all_ready = later(own->all_ready, end);
    if (queue->legacy) own->legacy_ready = later(own->legacy_ready, end);
    if (queue->legacy || queue->blocking) own->blocking_ready = later(own->blocking_ready, end);
}

// ---- spans --------------------------------------------------------------------------------------

// Records a span that begins at `begin`, or a wait that ends there; its number, 0 where nobody
// listens.
static uint32_t record(runtime_clock *clock, runtime_moment begin, sim_span span) {
    if (!clock->record) return 0;
    span.waits_for = begin.span;
    span.cause = begin.span ? (uint8_t)begin.cause : SIM_CAUSE_NOTHING;
    clock->record(&span);
    return ++clock->spans;
}

// A call of the host, of one kind or another, takes so long.
static void call(runtime_clock *clock, sim_span_kind kind, double us, uint64_t bytes) {
    sim_span span = {.kind = (uint8_t)kind,
                     .unit = SIM_UNIT_HOST,
                     .begin_us = clock->host.us,
                     .end_us = clock->host.us + us,
                     .bytes = bytes};
    clock->call = record(clock, clock->host, span);
    clock->host = (runtime_moment){clock->host.us + us, clock->call, SIM_CAUSE_HOST};
}

// The host waits in a call, for `cause`; the call returns a while after the end of what it waits
// for.
static void wait_for(runtime_clock *clock, runtime_moment moment, sim_span_cause cause) {
    bool waits = moment.us > clock->host.us;
    runtime_moment end = waits ? because(moment, cause) : clock->host;
    sim_span span = {
        .kind = SIM_SPAN_WAIT, .unit = SIM_UNIT_HOST, .begin_us = clock->host.us, .end_us = end.us};
    if (waits && clock->has_sm_times) span.end_us += RUNTIME_HOST_WAKE_US;
    uint32_t number = record(clock, end, span);
    clock->host = (runtime_moment){span.end_us, number, SIM_CAUSE_HOST};
}

// ---- work ---------------------------------------------------------------------------------------

// What ends when the unit has room from `start` on.
static uint32_t span_before(const runtime_unit *unit, double start) {
    for (size_t i = 0; i < unit->count; i++)
        if (unit->busy[i].end_us == start) return unit->busy[i].span;
    return unit->forgotten.us == start ? unit->forgotten.span : 0;
}

// work: what the span says beside its times and its queue. Returns its end.
static double occupy(runtime_clock *clock, runtime_queue *queue, runtime_unit *unit,
                     runtime_moment earliest, double duration, double share, sim_span work) {
    make_space(unit, clock->host.us);
    double start = find_gap(unit, sim_larger(earliest.us, unit->forgotten.us), duration, share,
                            queue->priority);
    if (start > earliest.us)
        earliest = (runtime_moment){.us = start,
                                    .span = clock->record ? span_before(unit, start) : 0,
                                    .cause = work.unit == SIM_UNIT_SMS ? SIM_CAUSE_FULL
                                                                       : SIM_CAUSE_ENGINE};
    work.begin_us = start;
    work.end_us = start + duration;
    work.call = clock->call;
    work.stream = queue->stream;
    work.in_graph = queue->in_graph;
    size_t slot = unit->count++;
    unit->busy[slot].start_us = start;
    unit->busy[slot].end_us = start + duration;
    unit->busy[slot].share = share;
    unit->busy[slot].priority = queue->priority;
    unit->busy[slot].span = record(clock, earliest, work);
    note_ready(clock, queue,
               (runtime_moment){start + duration, unit->busy[slot].span, SIM_CAUSE_STREAM});
    return start + duration;
}

static runtime_moment kernel_ready(const runtime_clock *clock, const runtime_queue *queue,
                                   const sim_device *device) {
    double gap = clock->has_sm_times ? 0 : sim_larger(0, device->launch_us - device->kernel_us);
    runtime_moment earliest = runtime_clock_ready(clock, queue);
    if (earliest.us > clock->host.us) earliest.us += gap;
    return earliest;
}

double runtime_clock_start(const runtime_clock *clock, const runtime_queue *queue,
                           const sim_device *device, bool is_called) {
    return sim_larger(kernel_ready(clock, queue, device).us,
                      clock->host.us + (is_called ? device->launch_us : 0));
}

// A kernel that follows another in its queue starts at once: of a queue that is kept full
// `kernel_us` has been measured from one kernel to the next. Where times are the analytical model's
// it starts a gap later, such that empty kernels back to back come every `launch_us`, as measured
// on an idle card.
static double run_kernel(runtime_clock *clock, runtime_queue *queue, const sim_device *device,
                         double time_us, double share, double submit_us) {
    runtime_moment earliest = kernel_ready(clock, queue, device);
    if (submit_us > 0) call(clock, SIM_SPAN_CALL, submit_us, 0);
    earliest = later(earliest, clock->host);
    sim_span work = {.kind = SIM_SPAN_KERNEL, .unit = SIM_UNIT_SMS, .device = queue->device};
    return occupy(clock, queue, &clock->devices[queue->device].compute, earliest, time_us, share,
                  work);
}

// Submitting costs the host `launch_us`.
double runtime_clock_kernel(runtime_clock *clock, runtime_queue *queue, const sim_device *device,
                            double time_us, double share) {
    return run_kernel(clock, queue, device, time_us, share, device->launch_us);
}

void runtime_clock_launch(runtime_clock *clock, const sim_device *device) {
    call(clock, SIM_SPAN_CALL, device->launch_us, 0);
}

double runtime_clock_launched_kernel(runtime_clock *clock, runtime_queue *queue,
                                     const sim_device *device, double time_us, double share) {
    return run_kernel(clock, queue, device, time_us, share, 0);
}

// Nodes of a graph follow each other sooner than kernels of a stream: what the shortest kernel
// takes beyond that, none does. Of the analytical model's times the gap is that of a stream.
double runtime_clock_graph_kernel(runtime_clock *clock, runtime_queue *queue,
                                  const sim_device *device, double time_us, double share) {
    if (clock->has_sm_times)
        time_us = sim_larger(RUNTIME_NODE_US, time_us - (device->kernel_us - RUNTIME_NODE_US));
    return run_kernel(clock, queue, device, time_us, share, 0);
}

void runtime_clock_order(runtime_clock *clock, bool timed) {
    if (clock->has_sm_times)
        call(clock, SIM_SPAN_CALL, timed ? RUNTIME_HOST_EVENT_US : RUNTIME_HOST_ORDER_US, 0);
}

runtime_moment runtime_clock_event(runtime_clock *clock, runtime_queue *queue,
                                   const sim_device *device) {
    runtime_moment ready = runtime_clock_ready(clock, queue);
    if (!clock->has_sm_times) return ready;
    sim_span span = {.kind = SIM_SPAN_EVENT,
                     .unit = SIM_UNIT_NONE,
                     .device = queue->device,
                     .begin_us = ready.us,
                     .end_us = ready.us + device->event_us,
                     .call = clock->call,
                     .stream = queue->stream,
                     .in_graph = queue->in_graph};
    runtime_moment end = {span.end_us, record(clock, ready, span), SIM_CAUSE_STREAM};
    note_ready(clock, queue, end);
    return end;
}

void runtime_clock_graph(runtime_clock *clock, const sim_device *device) {
    call(clock, SIM_SPAN_GRAPH, clock->has_sm_times ? RUNTIME_GRAPH_US : device->launch_us, 0);
}

// Bytes over 10^9 bytes per second, in microseconds.
static double rate_us(uint64_t bytes, double gbs) { return (double)bytes / (gbs * 1e3); }

// How much longer than at the full rate a copy takes because the other way is busy meanwhile.
static double both_ways_us(const runtime_unit *other, double start, double duration) {
    double both = 0, end = start + duration;
    for (size_t i = 0; i < other->count; i++) {
        double from = sim_larger(other->busy[i].start_us, start), until = other->busy[i].end_us;
        both += sim_larger(0, (until < end ? until : end) - from);
    }
    return both * (1 - RUNTIME_BOTH_WAYS_GBS / RUNTIME_PINNED_GBS);
}

// What a copy by an engine occupies, for how long, and whose engine it is; NULL: it is work of the
// multiprocessors.
static runtime_unit *engine_of(runtime_clock *clock, const runtime_queue *queue,
                               const runtime_transfer *transfer, double *out_us, sim_span *work) {
    runtime_device_clock *own = &clock->devices[queue->device];
    double host_gbs = transfer->pinned ? RUNTIME_PINNED_GBS : RUNTIME_PAGEABLE_GBS;
    bool reached = transfer->reached;
    *out_us = RUNTIME_COPY_US + rate_us(transfer->bytes, host_gbs);
    switch (transfer->direction) {
    case RUNTIME_COPY_HOST_TO_DEVICE: work->unit = SIM_UNIT_TO_DEVICE; return &own->to_device;
    case RUNTIME_COPY_DEVICE_TO_HOST: work->unit = SIM_UNIT_TO_HOST; return &own->to_host;
    case RUNTIME_COPY_TO_PEER:
        own = &clock->devices[transfer->source];
        work->device = transfer->source;
        work->unit = SIM_UNIT_TO_PEER;
        *out_us = (reached ? RUNTIME_COPY_US : RUNTIME_STAGED_US) +
                  rate_us(transfer->bytes, reached ? RUNTIME_PEER_GBS : RUNTIME_STAGED_GBS);
        return reached ? &own->to_peer : &own->to_host;
    default: work->unit = SIM_UNIT_SMS; return NULL;
    }
}

double runtime_clock_transfer(runtime_clock *clock, runtime_queue *queue, const sim_device *device,
                              const runtime_transfer *transfer, bool waiting) {
    if (transfer->direction == RUNTIME_COPY_ON_HOST) {
        runtime_moment ready = runtime_clock_ready(clock, queue);
        if (ready.us > clock->host.us) wait_for(clock, ready, SIM_CAUSE_SYNC);
        call(clock, SIM_SPAN_CALL, rate_us(transfer->bytes, RUNTIME_HOST_GBS), transfer->bytes);
        note_ready(clock, queue, clock->host);
        return clock->host.us;
    }
    runtime_device_clock *own = &clock->devices[queue->device];
    uint64_t read = transfer->direction == RUNTIME_FILL ? 0 : transfer->bytes;
    double duration;
    runtime_moment earliest = runtime_clock_ready(clock, queue);
    sim_span work = {.kind = transfer->direction == RUNTIME_FILL ? SIM_SPAN_FILL : SIM_SPAN_COPY,
                     .device = queue->device,
                     .bytes = transfer->bytes,
                     .waited = waiting};
    runtime_unit *unit = engine_of(clock, queue, transfer, &duration, &work);
    if (!unit) duration = sim_device_moves_us(device, 1, read + transfer->bytes);
    bool crosses = unit == &own->to_device || unit == &own->to_host;
    work.pageable = crosses && work.unit != SIM_UNIT_TO_PEER && !transfer->pinned;
    if (transfer->pinned && crosses)
        duration += both_ways_us(unit == &own->to_host ? &own->to_device : &own->to_host,
                                 earliest.us, duration);
    double end = occupy(clock, queue, unit ? unit : &own->compute, earliest, duration, 1.0, work);
    if (waiting)
        wait_for(clock, (runtime_moment){.us = end, .span = clock->spans},
                 work.pageable ? SIM_CAUSE_PAGEABLE : SIM_CAUSE_SYNC);
    return end;
}

// The call itself: a copy on a device is a launch.
void runtime_clock_submit(runtime_clock *clock, const sim_device *device,
                          const runtime_transfer *transfer) {
    bool is_kernel = transfer->direction == RUNTIME_COPY_ON_DEVICE;
    double us = is_kernel ? device->launch_us : RUNTIME_HOST_COPY_US;
    if (transfer->direction != RUNTIME_COPY_ON_HOST)
        call(clock, SIM_SPAN_CALL, clock->has_sm_times ? us : 0, transfer->bytes);
}

void runtime_clock_wait(runtime_clock *clock, runtime_queue *queue, runtime_moment moment) {
    note_ready(clock, queue, moment);
}

void runtime_clock_host_waits(runtime_clock *clock, runtime_moment moment) {
    wait_for(clock, moment, SIM_CAUSE_SYNC);
}

bool runtime_clock_poll(runtime_clock *clock, double time_us) {
    if (time_us <= clock->host.us) return true;
    double half = (time_us - clock->host.us) / 2;
    call(clock, SIM_SPAN_CALL, half > 1.0 ? half : 1.0, 0);
    return false;
}
