// SPDX-License-Identifier: MIT
// What the checks are told of the order of work on the device: which stream it was put into, and
// what waits for what (CUDA C++ Programming Guide, "Streams", "Default Stream"; CUDA Runtime API,
// "API synchronization behavior").
#ifndef SIM_DEVICE_QUEUES_H
#define SIM_DEVICE_QUEUES_H

#include <stdint.h>

// Where work is done one piece after the other, or a point that others can wait for. A number of
// the program's choice, shifted, with a sim_queue_kind below it; never used again for another one.
typedef uint64_t sim_queue;

// What kind of queue it is: the low bits of a sim_queue.
typedef enum sim_queue_kind {
    SIM_QUEUE_HOST,     // the program; only as SIM_HOST_QUEUE
    SIM_QUEUE_LEGACY,   // the default stream; only as SIM_LEGACY_QUEUE
    SIM_QUEUE_BLOCKING, // a stream that waits for the default stream, and that one for it
    SIM_QUEUE_APART,    // a stream made with cudaStreamNonBlocking
    SIM_QUEUE_NODES,    // nodes of a graph that wait for one another
    SIM_QUEUE_EVENT,    // a point behind what was in a queue then
    SIM_QUEUE_KINDS
} sim_queue_kind;

// The queue of a kind with a number; and its kind.
#define SIM_QUEUE(kind, number) ((sim_queue)(number) << 3 | (kind))
// See SIM_QUEUE.
#define SIM_QUEUE_KIND(queue) ((sim_queue_kind)((queue)&7))
// The host's own queue.
#define SIM_HOST_QUEUE SIM_QUEUE(SIM_QUEUE_HOST, 0)
// The queue of the legacy default stream.
#define SIM_LEGACY_QUEUE SIM_QUEUE(SIM_QUEUE_LEGACY, 0)

// What the checks are told, with the queues that it is about.
typedef enum sim_order_step {
    // Copies and fills from here on are a piece of work in `queue`, made by the call that `text`
    // names: "cudaMemset\nFILE+0xADDRESS 0xADDRESS". SIM_HOST_QUEUE: they are not looked at,
    // and a launch that follows is that call's.
    SIM_STEP_WORK,
    // What is put into `queue` from here on comes after all that is in `other` by now. An event as
    // `queue` is recorded anew; the host as `queue` waits.
    SIM_STEP_AFTER,
    SIM_STEP_GONE, // nothing will name `queue` any more
    SIM_STEP_ALL,  // the host waits for everything
    SIM_STEP_COUNT
} sim_order_step;

// What work that the host has not waited for does with pages of memory that both share.
typedef enum sim_pages_use {
    SIM_PAGES_WRITTEN = 1,
    SIM_PAGES_READ = 2,
    SIM_PAGES_IN_PART = 4 // not with all their bytes
} sim_pages_use;

#endif
