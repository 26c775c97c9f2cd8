// What the checks are told of the order of work: see state.h.
#include "runtime/state/internal.h"

bool runtime_order_is_told(void) { return runtime.faults_are_findings && runtime.engine; }

sim_queue runtime_order_name(sim_queue_kind kind) { return SIM_QUEUE(kind, ++runtime.order.names); }

static void tell(sim_order_step step, sim_queue queue, sim_queue other, const char *text) {
    runtime.order.changed = true;
    sim_check_order(runtime.engine, step, queue, other, text, NULL);
}

static __thread char launch_places[256]; // of a <<<..>>> that is being called; "": none

void runtime_order_launch_here(bool begins) {
    launch_places[0] = '\0';
    if (!begins || (!runtime.order.with_host && !runtime.span_places)) return;
    pthread_mutex_lock(&runtime.lock);
    runtime_caller_places("", launch_places, sizeof launch_places);
    pthread_mutex_unlock(&runtime.lock);
}

void runtime_call_places(char text[512]) {
    const char *name = runtime_call_name();
    size_t length = strlen(name); // of less than 64 bytes; printf would take most of the time
    memcpy(text, name, length);
    text[length++] = '\n';
    if (launch_places[0]) memcpy(text + length, launch_places, sizeof launch_places);
    else runtime_caller_places(name, text + length, sizeof launch_places);
}

static void tell_call(sim_queue queue) {
    char text[512];
    runtime_call_places(text);
    tell(SIM_STEP_WORK, queue, 0, text);
}

// The engine looks at what launches use from here on, also while the default stream is the only
// one.
static void begin_with_host(void) {
    static bool begun;
    if (begun) return;
    begun = true;
    sim_queue start = runtime_order_name(SIM_QUEUE_EVENT);
    tell(SIM_STEP_AFTER, start, SIM_LEGACY_QUEUE, "");
    tell(SIM_STEP_GONE, start, 0, "");
}

static void meet(sim_queue queue) {
    if (runtime.order.with_host) begin_with_host();
    runtime.order.many |= queue != SIM_HOST_QUEUE && queue != SIM_LEGACY_QUEUE;
}

sim_queue runtime_order_launch(const runtime_queue *queue) {
    if (!runtime_order_is_told()) return SIM_HOST_QUEUE;
    meet(queue->order);
    runtime.order.unknown = runtime.order.changed = true;
    if (runtime.order.with_host) tell_call(SIM_HOST_QUEUE);
    return queue->order;
}

// Copies and fills from here on are a piece of work in the queue, made by the call under way.
static void runtime_order_work(const runtime_queue *queue) {
    if (!runtime_order_is_told()) return;
    meet(queue->order);
    runtime.order.unknown = true;
    tell_call(queue->order);
}

void runtime_order_no_work(void) {
    if (runtime_order_is_told()) tell(SIM_STEP_WORK, SIM_HOST_QUEUE, 0, "");
}

void runtime_order_shared(const void *pointer, uint64_t bytes, bool writes) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    const runtime_range *range = runtime_range_find(address);
    if (range && range->kind != RUNTIME_MEMORY_DEVICE)
        sim_check_uses(runtime.engine, address, bytes, writes, NULL);
}

static bool is_alone(const runtime_queue *queue) {
    return !runtime.order.many && queue->order == SIM_LEGACY_QUEUE;
}

void runtime_order_range(const runtime_queue *queue, const void *pointer) {
    const runtime_range *range = runtime_range_find((uint64_t)(uintptr_t)pointer);
    if (!range || is_alone(queue) || !runtime_order_is_told()) return;
    runtime_order_work(queue);
    sim_check_uses(runtime.engine, range->base, range->bytes, 1, NULL);
}

void runtime_order_after(sim_queue queue, sim_queue other) {
    if (!runtime_order_is_told()) return;
    meet(queue);
    meet(other);
    tell(SIM_STEP_AFTER, queue, other, "");
}

void runtime_order_gone(sim_queue queue) {
    if (queue && runtime.order.many && runtime_order_is_told()) tell(SIM_STEP_GONE, queue, 0, "");
}

void runtime_order_host_waits(const runtime_queue *queue) {
    if (!runtime.order.many) runtime_order_host_waits_all();
    else runtime_order_after(SIM_HOST_QUEUE, queue->order);
}

void runtime_order_host_waits_all(void) {
    if (!runtime_order_is_told() || !runtime.order.unknown) return;
    runtime.order.unknown = false;
    tell(SIM_STEP_ALL, 0, 0, "");
}

// ---- copies -------------------------------------------------------------------------------------

// The reference ("Memcpy", synchronous): from pageable memory to the device the call returns when
// the bytes are staged, the transfer may not be done; on the device it does not wait. Streams made
// with cudaStreamNonBlocking do not wait for it either. Fills ("Memset"): the host waits for those
// of page-locked and managed memory, unless the call is asynchronous.
static bool waits_for_end(const runtime_transfer *transfer, runtime_mover mover) {
    bool waiting = mover == RUNTIME_WAITING_CALL;
    if (mover == RUNTIME_NODE) return false;
    switch (transfer->direction) {
    case RUNTIME_COPY_ON_HOST: return true;
    case RUNTIME_COPY_HOST_TO_DEVICE: return waiting && transfer->pinned;
    case RUNTIME_COPY_DEVICE_TO_HOST: return waiting || !transfer->pinned;
    case RUNTIME_FILL: return waiting && transfer->pinned;
    default: return false;
    }
}

runtime_order_move runtime_order_move_begin(const runtime_queue *queue,
                                            const runtime_transfer *transfer, runtime_mover mover) {
    runtime_order_move move = {queue, waits_for_end(transfer, mover), false};
    if (!runtime_order_is_told()) return move;
    // Bytes of pageable memory have been staged when the call returns, no more; before that a call
    // that waits has waited for the stream.
    bool staged = transfer->direction == RUNTIME_COPY_HOST_TO_DEVICE && !transfer->pinned;
    bool alone = is_alone(queue) && move.host_waits;
    if ((mover == RUNTIME_WAITING_CALL && staged) || alone) runtime_order_host_waits(queue);
    move.is_told = !alone;
    if (move.is_told) runtime_order_work(queue);
    return move;
}

void runtime_order_move_end(const runtime_order_move *move) {
    if (move->host_waits && runtime_order_is_told()) runtime_order_host_waits(move->queue);
}
