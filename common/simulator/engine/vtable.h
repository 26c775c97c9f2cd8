// SPDX-License-Identifier: MIT
// What an engine implementation provides: one function pointer for each function of engine.h, and
// the base that every implementation starts with. Only implementations (local.c,
// remote/client.c), dispatch.c and fake engines of tests include this; users of an engine
// include engine.h.
#ifndef SIM_ENGINE_VTABLE_H
#define SIM_ENGINE_VTABLE_H

#include <pthread.h>

#include "engine/engine.h"

// Contracts are those of the functions of the same name in engine.h. dispatch.c holds the
// engine's lock around every call but `close`, so an implementation needs no lock against its own
// callers. It has checked the arguments that need no state: `engine`, names and out_ pointers are
// not NULL, no handle is 0, no copy, fill or allocation has 0 bytes. `error` may be NULL.
typedef struct sim_engine_vtable {
    void (*close)(sim_engine *engine); // frees the implementation, the base included
    sim_status (*module_load)(sim_engine *engine, const void *image, size_t bytes,
                              sim_module_handle *out_module, sim_error *error);
    sim_status (*module_unload)(sim_engine *engine, sim_module_handle module, sim_error *error);
    sim_status (*function_find)(sim_engine *engine, sim_module_handle module, const char *name,
                                sim_function_handle *out_function, sim_error *error);
    sim_status (*module_kernel)(sim_engine *engine, sim_module_handle module, uint32_t index,
                                sim_function_handle *out_function, sim_error *error);
    sim_status (*function_query)(sim_engine *engine, sim_function_handle function,
                                 sim_function_info *out_info, sim_error *error);
    sim_status (*function_set_max_dynamic_shared)(sim_engine *engine, sim_function_handle function,
                                                  uint32_t bytes, sim_error *error);
    sim_status (*symbol_find)(sim_engine *engine, sim_module_handle module, const char *name,
                              uint64_t *out_address, uint64_t *out_bytes, sim_error *error);
    sim_status (*memory_alloc)(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                               sim_error *error);
    sim_status (*memory_alloc_at)(sim_engine *engine, uint64_t address, uint64_t bytes,
                                  sim_error *error);
    sim_status (*memory_free)(sim_engine *engine, uint64_t address, sim_error *error);
    sim_status (*memory_write)(sim_engine *engine, uint64_t destination, const void *source,
                               uint64_t bytes, sim_error *error);
    sim_status (*memory_read)(sim_engine *engine, void *destination, uint64_t source,
                              uint64_t bytes, sim_error *error);
    sim_status (*memory_copy)(sim_engine *engine, uint64_t destination, uint64_t source,
                              uint64_t bytes, sim_error *error);
    sim_status (*memory_fill)(sim_engine *engine, uint64_t destination, uint32_t value,
                              uint32_t width, uint64_t count, sim_error *error);
    sim_status (*memory_find)(sim_engine *engine, uint64_t address, uint64_t *out_base,
                              uint64_t *out_bytes, sim_error *error);
    sim_status (*memory_info)(sim_engine *engine, uint64_t *out_free, uint64_t *out_total,
                              sim_error *error);
    sim_status (*memory_alloc_shared)(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                                      sim_error *error);
    sim_status (*memory_shared_file)(sim_engine *engine, uint64_t address, int *out_descriptor,
                                     uint64_t *out_offset, sim_error *error);
    sim_status (*memory_attach)(sim_engine *engine, uint64_t address, uint64_t bytes,
                                bool *out_direct, sim_error *error);
    sim_status (*memory_detach)(sim_engine *engine, uint64_t address, sim_error *error);
    sim_status (*limit_set)(sim_engine *engine, sim_limit limit, uint64_t bytes, sim_error *error);
    sim_status (*texture_create)(sim_engine *engine, const sim_texture_desc *texture,
                                 uint64_t *out_handle, sim_error *error);
    sim_status (*texture_destroy)(sim_engine *engine, uint64_t handle, sim_error *error);
    sim_status (*launch)(sim_engine *engine, sim_function_handle function,
                         const sim_launch_config *config, const void *params, uint32_t param_bytes,
                         sim_launch_result *out_result, sim_error *error);
    sim_status (*take_output)(sim_engine *engine, char **out_text, sim_error *error);
    sim_status (*launch_count)(sim_engine *engine, uint32_t *out_count, sim_error *error);
    sim_status (*launch_report_get)(sim_engine *engine, uint32_t index,
                                    sim_launch_report **out_report, sim_error *error);
    // Both may be NULL: an engine that does not check.
    sim_status (*unchecked_launch)(sim_engine *engine, sim_function_handle function,
                                   const char *text, sim_error *error);
    sim_status (*check_report_get)(sim_engine *engine, sim_check_report **out_report,
                                   sim_error *error);
} sim_engine_vtable;

// First member of every implementation's own structure.
struct sim_engine {
    const sim_engine_vtable *vtable;
    const sim_device *device;
    pthread_mutex_t lock; // held by dispatch.c around every call of the table
};

// Fills the base. Returns SIM_INTERNAL when the system gives no lock.
sim_status sim_engine_base_init(sim_engine *engine, const sim_engine_vtable *vtable,
                                const sim_device *device, sim_error *error);
// For the implementation's `close`, before it frees itself.
void sim_engine_base_destroy(sim_engine *engine);

#endif
