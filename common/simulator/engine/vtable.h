// What an engine implementation provides: one function pointer for each call of engine.h (calls.def
// lists them), and the base that every implementation starts with. Only implementations
// (inprocess.c, remote/client.c), dispatch.c and fake engines of tests include this; users of an
// engine include engine.h.
#pragma once

#include "engine/engine.h"
#include <pthread.h>

// Contracts and types are those of the rows of calls.def.
// dispatch.c holds the engine's lock around every call but `close`, so an implementation needs no
// lock against its own callers. It has checked `engine` and the out_ pointers, cleared what these
// point to, and checked what the call's row in calls.def names. `error` may be NULL.
typedef struct sim_engine_vtable {
    void (*close)(sim_engine *engine); // frees the implementation, the base included
#define SIM_CALL(id, call, way, who) __typeof__(sim_##call) *call;
#include "engine/calls.def"
#undef SIM_CALL
} sim_engine_vtable;

// First member of every implementation's own structure.
struct sim_engine {
    const sim_engine_vtable *vtable; // of the implementation
    const sim_device *device;        // simulated; a row of devices.def
    uint32_t device_count;           // of them
    pthread_mutex_t lock;            // held by dispatch.c around every call of the table
};

// Fills the base. Returns SIM_INTERNAL when the system gives no lock.
sim_status sim_engine_base_init(sim_engine *engine, const sim_engine_vtable *vtable,
                                const sim_device *device, kl_error *err);
// For the implementation's `close`, before it frees itself.
void sim_engine_base_destroy(sim_engine *engine);
