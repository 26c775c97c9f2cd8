// Virtual clock: list scheduling of in-order queues on one compute unit and two copy engines.
// A queue's operation starts when its queue, the host and enough of the unit are ready.
#include "runtime/base/base.h"

#include "base/base.h"

// Share of the unit in use at any instant of [start, end): an upper bound, as shares are summed
// over everything that touches the interval.
static double load_between(const runtime_unit *unit, double start, double end) {
    double load = 0;
    for (size_t i = 0; i < unit->count; i++)
        if (unit->busy[i].start_us < end && unit->busy[i].end_us > start)
            load += unit->busy[i].share;
    return load;
}

// The earliest start not before `earliest` at which `share` of the unit is free for `duration`.
static double find_gap(const runtime_unit *unit, double earliest, double duration, double share) {
    const double full = 1.0 + 1e-9;
    if (load_between(unit, earliest, earliest + duration) + share <= full) return earliest;
    double best = -1;
    for (size_t i = 0; i < unit->count; i++) {
        double start = unit->busy[i].end_us;
        if (start < earliest || (best >= 0 && start >= best)) continue;
        if (load_between(unit, start, start + duration) + share <= full) best = start;
    }
    return best >= 0 ? best : earliest;
}

static void drop(runtime_unit *unit, size_t index) {
    unit->busy[index] = unit->busy[--unit->count];
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
    unit->forgotten_us = sim_larger(unit->forgotten_us, unit->busy[first].end_us);
    drop(unit, first);
}

double runtime_clock_ready(const runtime_clock *clock, const runtime_queue *queue) {
    const runtime_device_clock *own = &clock->devices[queue->device];
    double ready = sim_larger(clock->host_us, queue->ready_us);
    if (queue->legacy) return sim_larger(ready, own->blocking_ready_us);
    return queue->blocking ? sim_larger(ready, own->legacy_ready_us) : ready;
}

static void note_ready(runtime_clock *clock, runtime_queue *queue, double end) {
    runtime_device_clock *own = &clock->devices[queue->device];
    queue->ready_us = sim_larger(queue->ready_us, end);
    own->all_ready_us = sim_larger(own->all_ready_us, end);
    if (queue->legacy) own->legacy_ready_us = sim_larger(own->legacy_ready_us, end);
    if (queue->legacy || queue->blocking)
        own->blocking_ready_us = sim_larger(own->blocking_ready_us, end);
}

static double occupy(runtime_clock *clock, runtime_queue *queue, runtime_unit *unit,
                     double earliest, double duration, double share) {
    make_space(unit, clock->host_us);
    double start = find_gap(unit, sim_larger(earliest, unit->forgotten_us), duration, share);
    size_t slot = unit->count++;
    unit->busy[slot].start_us = start;
    unit->busy[slot].end_us = start + duration;
    unit->busy[slot].share = share;
    note_ready(clock, queue, start + duration);
    return start + duration;
}

// A kernel that follows another in its queue starts at once: of a queue that is kept full
// `kernel_us` has been measured from one kernel to the next. Where times are the analytical model's
// it starts a gap later, such that empty kernels back to back come every `launch_us`, as measured
// on an idle card.
static double run_kernel(runtime_clock *clock, runtime_queue *queue, const sim_device *device,
                         double time_us, double share, double submit_us) {
    double gap = clock->has_sm_times ? 0 : sim_larger(0, device->launch_us - device->kernel_us);
    double ready = runtime_clock_ready(clock, queue);
    double earliest = ready > clock->host_us ? ready + gap : ready;
    clock->host_us += submit_us;
    earliest = sim_larger(earliest, clock->host_us);
    return occupy(clock, queue, &clock->devices[queue->device].compute, earliest, time_us, share);
}

// Submitting costs the host `launch_us`.
double runtime_clock_kernel(runtime_clock *clock, runtime_queue *queue, const sim_device *device,
                            double time_us, double share) {
    return run_kernel(clock, queue, device, time_us, share, device->launch_us);
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
        clock->host_us += timed ? RUNTIME_HOST_EVENT_US : RUNTIME_HOST_ORDER_US;
}

double runtime_clock_event(runtime_clock *clock, runtime_queue *queue, const sim_device *device) {
    double ready = runtime_clock_ready(clock, queue);
    if (!clock->has_sm_times) return ready;
    note_ready(clock, queue, ready + device->event_us);
    return ready + device->event_us;
}

void runtime_clock_graph(runtime_clock *clock, const sim_device *device) {
    clock->host_us += clock->has_sm_times ? RUNTIME_GRAPH_US : device->launch_us;
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

// What a copy by an engine occupies, for how long; NULL: it is work of the multiprocessors.
static runtime_unit *engine_of(runtime_clock *clock, const runtime_queue *queue,
                               const runtime_transfer *transfer, double *out_us) {
    runtime_device_clock *own = &clock->devices[queue->device];
    double host_gbs = transfer->pinned ? RUNTIME_PINNED_GBS : RUNTIME_PAGEABLE_GBS;
    bool reached = transfer->reached;
    *out_us = RUNTIME_COPY_US + rate_us(transfer->bytes, host_gbs);
    switch (transfer->direction) {
    case RUNTIME_COPY_HOST_TO_DEVICE: return &own->to_device;
    case RUNTIME_COPY_DEVICE_TO_HOST: return &own->to_host;
    case RUNTIME_COPY_TO_PEER:
        own = &clock->devices[transfer->source];
        *out_us = (reached ? RUNTIME_COPY_US : RUNTIME_STAGED_US) +
                  rate_us(transfer->bytes, reached ? RUNTIME_PEER_GBS : RUNTIME_STAGED_GBS);
        return reached ? &own->to_peer : &own->to_host;
    default: return NULL;
    }
}

double runtime_clock_transfer(runtime_clock *clock, runtime_queue *queue, const sim_device *device,
                              const runtime_transfer *transfer, bool waiting) {
    if (transfer->direction == RUNTIME_COPY_ON_HOST) {
        clock->host_us = sim_larger(clock->host_us, runtime_clock_ready(clock, queue)) +
                         rate_us(transfer->bytes, RUNTIME_HOST_GBS);
        note_ready(clock, queue, clock->host_us);
        return clock->host_us;
    }
    runtime_device_clock *own = &clock->devices[queue->device];
    uint64_t read = transfer->direction == RUNTIME_FILL ? 0 : transfer->bytes;
    double duration, earliest = runtime_clock_ready(clock, queue);
    runtime_unit *unit = engine_of(clock, queue, transfer, &duration);
    if (!unit) duration = sim_device_moves_us(device, 1, read + transfer->bytes);
    if (transfer->pinned && (unit == &own->to_device || unit == &own->to_host))
        duration += both_ways_us(unit == &own->to_host ? &own->to_device : &own->to_host, earliest,
                                 duration);
    double end = occupy(clock, queue, unit ? unit : &own->compute, earliest, duration, 1.0);
    if (waiting) runtime_clock_host_waits(clock, end);
    return end;
}

// The call itself: a copy on a device is a launch.
void runtime_clock_submit(runtime_clock *clock, const sim_device *device,
                          const runtime_transfer *transfer) {
    bool is_kernel = transfer->direction == RUNTIME_COPY_ON_DEVICE;
    if (clock->has_sm_times && transfer->direction != RUNTIME_COPY_ON_HOST)
        clock->host_us += is_kernel ? device->launch_us : RUNTIME_HOST_COPY_US;
}

void runtime_clock_wait(runtime_clock *clock, runtime_queue *queue, double time_us) {
    note_ready(clock, queue, time_us);
}

void runtime_clock_host_waits(runtime_clock *clock, double time_us) {
    clock->host_us = sim_larger(clock->host_us, time_us);
}

bool runtime_clock_poll(runtime_clock *clock, double time_us) {
    if (time_us <= clock->host_us) return true;
    double half = (time_us - clock->host_us) / 2;
    clock->host_us += half > 1.0 ? half : 1.0;
    return false;
}
