// SPDX-License-Identifier: MIT
// What the checks are told of the order of work (device/queues.h): which stream it is put into, and
// what waits for what (CUDA Runtime API reference, "API synchronization behavior"). Nothing where
// the engine does not check; and while the default stream is the only one, no more than which
// copies the program did not wait for.
#ifndef SIM_RUNTIME_STATE_ORDER_H
#define SIM_RUNTIME_STATE_ORDER_H

#include <stdbool.h>

#include "device/queues.h"
#include "runtime/base/clock.h"

// A queue's name that no other one has had.
sim_queue runtime_order_name(sim_queue_kind kind);

// A <<<..>>> of the program begins, which calls nvcc's stub to launch: the stub's lines tell
// nothing. false: it has launched.
void runtime_order_launch_here(bool begins);
// What a launch is put into, for sim_launch_config.
sim_queue runtime_order_launch(const runtime_queue *queue);
// Copies and fills from here on are a piece of work in the queue, made by the call under way.
void runtime_order_work(const runtime_queue *queue);
// What the engine is asked for from here on is no work of the program.
void runtime_order_no_work(void);
// The work begun last uses memory that the engine does not move itself. Device memory is left out.
void runtime_order_shared(const void *pointer, uint64_t bytes, bool writes);
// In the queue's order all of the live range that starts at `pointer` comes or goes.
void runtime_order_range(const runtime_queue *queue, const void *pointer);

void runtime_order_after(sim_queue queue, sim_queue other);
void runtime_order_gone(sim_queue queue); // 0: there was none
void runtime_order_host_waits(const runtime_queue *queue);
void runtime_order_host_waits_all(void);

// Who makes a copy or a fill: a call without "Async" in its name, one with it, a node of a graph.
typedef enum runtime_mover { RUNTIME_WAITING_CALL, RUNTIME_ASYNC_CALL, RUNTIME_NODE } runtime_mover;

// A copy in `queue` begins and ends.
typedef struct runtime_order_move {
    const runtime_queue *queue;
    bool host_waits; // for its end
    bool is_told;    // as a piece of work
} runtime_order_move;
runtime_order_move runtime_order_move_begin(const runtime_queue *queue,
                                            const runtime_transfer *transfer, runtime_mover mover);
void runtime_order_move_end(const runtime_order_move *move);
// Whether moves of the program are to be described to the checks now.
bool runtime_order_is_told(void);

#endif
