// SPDX-License-Identifier: MIT
// The one state of the process, as the runtime's ABI forces. Its lock is held from runtime_enter to
// runtime_leave. What hangs from it belongs to the modules above: here they are only pointers.
#ifndef SIM_RUNTIME_STATE_STATE_H
#define SIM_RUNTIME_STATE_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/abi/functions.h"
#include "engine/engine.h"
#include "runtime/base/clock.h"
#include "runtime/base/map.h"
#include "runtime/state/capture.h"
#include "runtime/state/ranges.h"

// Something of the program's that is to be destroyed, by its own function. The first member of what
// is to be freed with free() after that.
typedef struct runtime_destructor {
    cudaHostFn_t destroy;
    void *data;
    struct runtime_destructor *next;
} runtime_destructor;

enum { RUNTIME_LAUNCH_VALUES = 6 }; // api/query.c names them

typedef struct runtime_state {
    pthread_mutex_t lock;
    bool started, trace, launch_blocking, unloading;
    bool forked;      // a child of the process that opened the device: it cannot use it
    bool has_context; // a call has made one, as the driver's functions want
    sim_engine *engine;
    cudaError_t open_error; // sticks
    cudaError_t pending;    // of a kernel that nobody has waited for yet
    double pending_since;   // seconds on the host's clock
    cudaError_t sticky;     // after it surfaced; cudaDeviceReset clears it
    // A <<<..>>> that failed and whose error nobody has asked for yet; "": none.
    char unchecked[512];
    char unchecked_name[256];   // its kernel
    uint64_t unchecked_count;   // of those before, on an engine that does not check
    char unchecked_first[1024]; // the first of them
    sim_function_handle unchecked_kernel;
    bool says_findings;       // an engine in this process checks
    bool faults_are_findings; // the engine checks: it tells of faults, too
    bool ends_at_fault;       // the program, because nobody wants what it does after the first one
    bool output_due;          // launches since device printf was last flushed
    uint64_t launches, warp_instructions;
    sim_counters counted; // totals of the first counted_launches reports: sim_runtime_counter
    uint32_t counted_launches;
    double launch_values[RUNTIME_LAUNCH_VALUES]; // of these: sums of what launches asked for
    runtime_clock clock;
    runtime_map streams, events;  // live handles
    runtime_map arrays, textures; // likewise; textures and surfaces share their handles
    runtime_map graphs, nodes, execs, user_objects;
    runtime_destructor *destructors; // to be called when the call under way ends
    runtime_capture *captures;       // list
    unsigned long long next_capture_id, next_graph_id, next_node_serial;
    unsigned long long next_stream_id;
    struct {
        unsigned long long names; // given to queues
        bool many;                // there has been more than the default stream
        bool with_host;           // the host's own accesses are looked at
        bool unknown;             // there is work that the host may not have waited for
        bool changed;             // what it may not have waited for, since host_watch.c asked
    } order;                      // order.h
    runtime_range *ranges;
    size_t range_count, range_capacity;
    size_t copied_count; // of the ranges: is_copied
    struct runtime_module *modules;
    runtime_map kernels;   // host function, CUkern_st -> CUkern_st
    runtime_map variables; // host variable -> runtime_variable
    sim_mode mode;         // that the environment asks for
    size_t limits[8];      // cudaDeviceGetLimit, by enum cudaLimit
    enum cudaFuncCache cache;
    unsigned device_flags;
    struct CUmemPoolHandle_st *pools; // list; without the default ones
    struct CUmemPoolHandle_st *current_pool;
} runtime_state;

extern runtime_state runtime;

// Sets limits and preferences to those of a device that nobody has used.
void runtime_limits_reset(void);

#endif
