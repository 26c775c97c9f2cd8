// What the drop-in runtime needs that knows no state: clock, containers, errors.
#pragma once

#include "device/device.h"
#include "runtime/abi/functions.h"
#include "device/spans.h"

// ---- clock.c ------------------------------------------------------------------------------------
// Virtual clock of the drop-in runtime: when each operation would start and end on the device.
// Work is executed at once, in the order of the calls; only its times are modelled. In-order queues
// (streams) compete for their device's compute unit and its copy engine a direction. Knows nothing
// of CUDA.

// How host and devices are joined: device/links.def.
#define SIM_LINK(name, value, unit, source) static const double RUNTIME_##name = value;
#include "device/links.def"
#undef SIM_LINK

typedef enum runtime_direction {
    RUNTIME_COPY_HOST_TO_DEVICE,
    RUNTIME_COPY_DEVICE_TO_HOST,
    RUNTIME_COPY_ON_DEVICE,
    RUNTIME_COPY_TO_PEER, // between two devices
    RUNTIME_COPY_ON_HOST,
    RUNTIME_FILL
} runtime_direction;

typedef struct runtime_transfer {
    runtime_direction direction;
    uint64_t bytes;
    bool pinned;    // the host side is page-locked
    bool reached;   // between two devices: one of them has access to the other's memory
    uint8_t source; // likewise: which one it comes from
} runtime_transfer;

// A point on the clock.
typedef struct runtime_moment {
    double us;
    uint32_t span;        // at whose end it lies; 0: at none's, or none are recorded
    sim_span_cause cause; // of what waits for it
} runtime_moment;

// An in-order queue of device work.
typedef struct runtime_queue {
    runtime_moment ready; // end of its last work
    bool blocking;        // alternates with the legacy queue, as CUDA's default stream demands
    bool legacy;
    bool in_graph;   // what is put into it is work of a graph's nodes
    int8_t priority; // of its kernels: the smaller, the sooner
    uint8_t device;  // whose work it is
    uint32_t stream; // its number, of a graph's that of the stream it is launched into
    uint64_t order;  // its name for the checks (device/device.h)
} runtime_queue;

enum { RUNTIME_BUSY_SLOTS = 64 };

// What occupies one unit of the device, and how much of it.
typedef struct runtime_unit {
    struct {
        double start_us, end_us, share;
        uint32_t span;
        int priority;
    } busy[RUNTIME_BUSY_SLOTS];
    size_t count;
    runtime_moment forgotten; // nothing starts before the end of an entry that had to make room
} runtime_unit;

// The time of one device.
typedef struct runtime_device_clock {
    runtime_moment all_ready;      // end of all work
    runtime_moment blocking_ready; // end of all work in blocking queues
    runtime_moment legacy_ready;   // end of the legacy queue's work
    runtime_unit compute, to_device, to_host, to_peer;
} runtime_device_clock;

typedef struct runtime_clock {
    // Kernels take the times of the cycle-level model, and so do queues: what is in one follows at
    // once, and an event takes its time. Else, as the analytical model was made for, each kernel
    // comes after a gap.
    bool has_sm_times;
    runtime_moment host; // the host's time: it advances by launching and by waiting
    // What each piece of work, call and wait is told to; it adds whose they are. NULL: to nobody.
    void (*record)(const sim_span *span);
    uint32_t spans; // recorded so far
    uint32_t call;  // of them, the host's last call
    runtime_device_clock devices[SIM_MOST_DEVICES];
} runtime_clock;

// A kernel of `time_us` that fills `share` (0..1) of the device. Returns the end of its run.
double runtime_clock_kernel(runtime_clock *clock, runtime_queue *queue, const sim_device *device,
                            double time_us, double share);
// When a kernel would start that is put into the queue now, by a call of the host if `is_called`.
double runtime_clock_start(const runtime_clock *clock, const runtime_queue *queue,
                           const sim_device *device, bool is_called);
// The same in two steps, of a kernel that runs later: the host's call, and its run.
void runtime_clock_launch(runtime_clock *clock, const sim_device *device);
double runtime_clock_launched_kernel(runtime_clock *clock, runtime_queue *queue,
                                     const sim_device *device, double time_us, double share);
// Likewise, as a part of a graph: submitting it costs the host nothing of its own.
double runtime_clock_graph_kernel(runtime_clock *clock, runtime_queue *queue,
                                  const sim_device *device, double time_us, double share);
// The host submits a graph.
void runtime_clock_graph(runtime_clock *clock, const sim_device *device);
// The host calls for a copy or fill that is no part of a graph.
void runtime_clock_submit(runtime_clock *clock, const sim_device *device,
                          const runtime_transfer *transfer);
// A copy or fill; a `waiting` one moves the host to its end.
double runtime_clock_transfer(runtime_clock *clock, runtime_queue *queue, const sim_device *device,
                              const runtime_transfer *transfer, bool waiting);
// A call of the host that records an event, `timed`, or makes a stream wait for one.
void runtime_clock_order(runtime_clock *clock, bool timed);
// An event whose time is wanted: returns it.
runtime_moment runtime_clock_event(runtime_clock *clock, runtime_queue *queue,
                                   const sim_device *device);
// When work put into `queue` now could start.
runtime_moment runtime_clock_ready(const runtime_clock *clock, const runtime_queue *queue);
// Makes `queue` wait for the moment.
void runtime_clock_wait(runtime_clock *clock, runtime_queue *queue, runtime_moment moment);
// The host waits for it, in a call that does so whether or not it lies ahead.
void runtime_clock_host_waits(runtime_clock *clock, runtime_moment moment);
// The host asks whether `time_us` has come. Each no moves it half the way there, so that a polling
// loop ends after a few rounds whatever the time: a poll costs at least 1 us.
bool runtime_clock_poll(runtime_clock *clock, double time_us);

// ---- map.c --------------------------------------------------------------------------------------
// Hash table from pointer to pointer: open addressing, linear probing, grows at half load.
// Used for live handles and for registered host functions; keys are never NULL.

typedef struct runtime_map_entry {
    const void *key; // NULL: free; RUNTIME_MAP_REMOVED: was used
    void *value;
} runtime_map_entry;

typedef struct runtime_map { // all zero: empty
    runtime_map_entry *entries;
    size_t capacity, used, live; // used counts removed entries too
} runtime_map;

// false when memory is short; an existing key gets the new value.
bool runtime_map_put(runtime_map *map, const void *key, void *value);
// NULL when there is no such key.
void *runtime_map_get(const runtime_map *map, const void *key);
void runtime_map_remove(runtime_map *map, const void *key);
// The value at or after position *position, which moves past it; NULL at the end. For walking.
void *runtime_map_next(const runtime_map *map, size_t *position);
void runtime_map_free(runtime_map *map);

// A list of nodes of a graph, in the order in which they came: what a node, a captured stream or an
// event in a capture comes after. Does not look into the nodes.

struct CUgraphNode_st;

typedef struct runtime_node_set { // all zero: empty
    struct CUgraphNode_st **nodes;
    size_t count;
    uint32_t capacity;
} runtime_node_set;

bool runtime_set_add(runtime_node_set *set, struct CUgraphNode_st *node); // false: out of memory
bool runtime_set_has(const runtime_node_set *set, const struct CUgraphNode_st *node);
bool runtime_set_copy(const runtime_node_set *from, runtime_node_set *out_set);
bool runtime_set_remove(runtime_node_set *set, const struct CUgraphNode_st *node);
void runtime_set_free(runtime_node_set *set);

// ---- log.c --------------------------------------------------------------------------------------
// The error log (CUDA Runtime API reference, "Error Log Management Functions"): a line for each
// call that failed, with the reason where one is known. Has a lock of its own, which is held during
// no call of the program's functions.

enum { RUNTIME_LOG_BYTES = 100 * 512 }; // of all lines that are kept

// A line about a call that has failed, which the registered functions are given too.
void runtime_log(const char *call, const char *error, const char *reason);
// cudaErrorMemoryAllocation when there is no room for it.
cudaError_t runtime_log_register(cudaLogsCallback_t function, void *data,
                                 cudaLogsCallbackHandle *out_handle);
// From its return on no call of the function begins; one that another thread has begun may still
// run. cudaErrorInvalidValue for a handle that nothing registered has.
cudaError_t runtime_log_unregister(cudaLogsCallbackHandle handle);
// Number of the next line.
cudaLogIterator runtime_log_next(void);
// Whole lines from *iterator (NULL: from the oldest that is kept), as many as fit into *bytes with
// a final zero; *bytes gets what they take, *iterator the number of the next line.
cudaError_t runtime_log_dump(cudaLogIterator *iterator, char *buffer, size_t *bytes);
