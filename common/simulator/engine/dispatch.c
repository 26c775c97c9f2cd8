// SPDX-License-Identifier: MIT
// The public functions of engine.h: check arguments, take the engine's lock, call the
// implementation. The same whether the device is in this process or behind a socket; it must hold
// no policy of its own.
#include <stdlib.h>
#include "engine/vtable.h"

#include <string.h>

sim_status sim_engine_base_init(sim_engine *engine, const sim_engine_vtable *vtable,
                                const sim_device *device, sim_error *error) {
    engine->vtable = vtable;
    engine->device = device;
    if (pthread_mutex_init(&engine->lock, NULL) != 0)
        return sim_fail(error, SIM_INTERNAL, "no lock for the engine");
    return SIM_OK;
}

void sim_engine_base_destroy(sim_engine *engine) {
    pthread_mutex_destroy(&engine->lock);
}

void sim_engine_close(sim_engine *engine) {
    if (engine) engine->vtable->close(engine);
}

const sim_device *sim_engine_device(sim_engine *engine) {
    return engine->device;
}

static sim_status bad_argument(sim_error *error, const char *what) {
    return sim_fail(error, SIM_INVALID_VALUE, "%s", what);
}

static sim_status bad_handle(sim_error *error, const char *what) {
    return sim_fail(error, SIM_INVALID_HANDLE, "%s", what);
}

#define NEED(condition, what)                                                                      \
    do {                                                                                           \
        if (!(condition)) return bad_argument(error, what);                                        \
    } while (0)
#define NEED_HANDLE(handle, what)                                                                  \
    do {                                                                                           \
        if ((handle) == 0) return bad_handle(error, what);                                         \
    } while (0)
// Calls entry `member` of the table under the lock and returns its status.
#define DISPATCH(member, ...)                                                                      \
    do {                                                                                           \
        pthread_mutex_lock(&engine->lock);                                                         \
        sim_status dispatched_ = engine->vtable->member(engine, __VA_ARGS__);                      \
        pthread_mutex_unlock(&engine->lock);                                                       \
        return dispatched_;                                                                        \
    } while (0)

sim_status sim_module_load(sim_engine *engine, const void *image, size_t bytes,
                           sim_module_handle *out_module, sim_error *error) {
    NEED(engine && image && bytes && out_module, "module load needs an engine and an image");
    *out_module = 0;
    DISPATCH(module_load, image, bytes, out_module, error);
}

sim_status sim_module_unload(sim_engine *engine, sim_module_handle module, sim_error *error) {
    NEED(engine, "no engine");
    NEED_HANDLE(module, "module handle 0");
    DISPATCH(module_unload, module, error);
}

sim_status sim_function_find(sim_engine *engine, sim_module_handle module, const char *name,
                             sim_function_handle *out_function, sim_error *error) {
    NEED(engine && name && out_function, "function search needs a name");
    NEED_HANDLE(module, "module handle 0");
    *out_function = 0;
    DISPATCH(function_find, module, name, out_function, error);
}

sim_status sim_module_kernel(sim_engine *engine, sim_module_handle module, uint32_t index,
                             sim_function_handle *out_function, sim_error *error) {
    NEED(engine && out_function, "a kernel search needs somewhere to answer");
    NEED_HANDLE(module, "module handle 0");
    *out_function = 0;
    DISPATCH(module_kernel, module, index, out_function, error);
}

sim_status sim_function_query(sim_engine *engine, sim_function_handle function,
                              sim_function_info *out_info, sim_error *error) {
    NEED(engine && out_info, "function query needs somewhere to answer");
    NEED_HANDLE(function, "function handle 0");
    memset(out_info, 0, sizeof *out_info);
    DISPATCH(function_query, function, out_info, error);
}

sim_status sim_function_set_max_dynamic_shared(sim_engine *engine, sim_function_handle function,
                                               uint32_t bytes, sim_error *error) {
    NEED(engine, "no engine");
    NEED_HANDLE(function, "function handle 0");
    DISPATCH(function_set_max_dynamic_shared, function, bytes, error);
}

sim_status sim_symbol_find(sim_engine *engine, sim_module_handle module, const char *name,
                           uint64_t *out_address, uint64_t *out_bytes, sim_error *error) {
    NEED(engine && name && out_address && out_bytes, "symbol search needs a name");
    NEED_HANDLE(module, "module handle 0");
    *out_address = *out_bytes = 0;
    DISPATCH(symbol_find, module, name, out_address, out_bytes, error);
}

sim_status sim_memory_alloc(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                            sim_error *error) {
    NEED(engine && out_address, "allocation needs somewhere to answer");
    *out_address = 0;
    NEED(bytes > 0, "an allocation of 0 bytes");
    DISPATCH(memory_alloc, bytes, out_address, error);
}

sim_status sim_memory_alloc_at(sim_engine *engine, uint64_t address, uint64_t bytes,
                               sim_error *error) {
    NEED(engine && bytes > 0, "an allocation of 0 bytes");
    DISPATCH(memory_alloc_at, address, bytes, error);
}

sim_status sim_memory_free(sim_engine *engine, uint64_t address, sim_error *error) {
    NEED(engine, "no engine");
    DISPATCH(memory_free, address, error);
}

// Copies of 0 bytes succeed whatever the addresses, as cudaMemcpy does.
sim_status sim_memory_write(sim_engine *engine, uint64_t destination, const void *source,
                            uint64_t bytes, sim_error *error) {
    NEED(engine, "no engine");
    if (bytes == 0) return SIM_OK;
    NEED(source, "a copy from NULL");
    DISPATCH(memory_write, destination, source, bytes, error);
}

sim_status sim_memory_read(sim_engine *engine, void *destination, uint64_t source, uint64_t bytes,
                           sim_error *error) {
    NEED(engine, "no engine");
    if (bytes == 0) return SIM_OK;
    NEED(destination, "a copy to NULL");
    DISPATCH(memory_read, destination, source, bytes, error);
}

sim_status sim_memory_copy(sim_engine *engine, uint64_t destination, uint64_t source,
                           uint64_t bytes, sim_error *error) {
    NEED(engine, "no engine");
    if (bytes == 0) return SIM_OK;
    DISPATCH(memory_copy, destination, source, bytes, error);
}

sim_status sim_memory_fill(sim_engine *engine, uint64_t destination, uint32_t value, uint32_t width,
                           uint64_t count, sim_error *error) {
    NEED(engine, "no engine");
    NEED(width == 1 || width == 2 || width == 4, "elements of a fill are 1, 2 or 4 bytes wide");
    if (count == 0) return SIM_OK;
    NEED(count <= UINT64_MAX / width, "a fill larger than memory");
    DISPATCH(memory_fill, destination, value, width, count, error);
}

sim_status sim_memory_find(sim_engine *engine, uint64_t address, uint64_t *out_base,
                           uint64_t *out_bytes, sim_error *error) {
    NEED(engine && out_base && out_bytes, "memory search needs somewhere to answer");
    *out_base = *out_bytes = 0;
    DISPATCH(memory_find, address, out_base, out_bytes, error);
}

sim_status sim_memory_info(sim_engine *engine, uint64_t *out_free, uint64_t *out_total,
                           sim_error *error) {
    NEED(engine && out_free && out_total, "memory info needs somewhere to answer");
    *out_free = *out_total = 0;
    DISPATCH(memory_info, out_free, out_total, error);
}

sim_status sim_memory_alloc_shared(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                                   sim_error *error) {
    NEED(engine && out_address, "an allocation needs an engine and somewhere to answer");
    NEED(bytes > 0, "an allocation of 0 bytes");
    *out_address = 0;
    DISPATCH(memory_alloc_shared, bytes, out_address, error);
}

sim_status sim_memory_shared_file(sim_engine *engine, uint64_t address, int *out_descriptor,
                                  uint64_t *out_offset, sim_error *error) {
    NEED(engine && out_descriptor && out_offset,
         "the file of shared memory needs somewhere to answer");
    *out_descriptor = -1;
    *out_offset = 0;
    DISPATCH(memory_shared_file, address, out_descriptor, out_offset, error);
}

sim_status sim_memory_attach(sim_engine *engine, uint64_t address, uint64_t bytes, bool *out_direct,
                             sim_error *error) {
    NEED(engine && out_direct, "attaching memory needs an engine and somewhere to answer");
    NEED(address && bytes, "no memory to attach");
    *out_direct = false;
    DISPATCH(memory_attach, address, bytes, out_direct, error);
}

sim_status sim_memory_detach(sim_engine *engine, uint64_t address, sim_error *error) {
    NEED(engine, "no engine");
    DISPATCH(memory_detach, address, error);
}

sim_status sim_limit_set(sim_engine *engine, sim_limit limit, uint64_t bytes, sim_error *error) {
    NEED(engine, "no engine");
    NEED((unsigned)limit < SIM_LIMIT_COUNT, "a limit that there is not");
    DISPATCH(limit_set, limit, bytes, error);
}

sim_status sim_texture_create(sim_engine *engine, const sim_texture_desc *texture,
                              uint64_t *out_handle, sim_error *error) {
    NEED(engine && texture && out_handle, "a texture object needs a description");
    *out_handle = 0;
    DISPATCH(texture_create, texture, out_handle, error);
}

sim_status sim_texture_destroy(sim_engine *engine, uint64_t handle, sim_error *error) {
    NEED(engine, "no engine");
    NEED_HANDLE(handle, "texture handle 0");
    DISPATCH(texture_destroy, handle, error);
}

sim_status sim_launch(sim_engine *engine, sim_function_handle function,
                      const sim_launch_config *config, const void *params, uint32_t param_bytes,
                      sim_launch_result *out_result, sim_error *error) {
    NEED(engine && config && out_result, "a launch needs a configuration");
    NEED(params || param_bytes == 0, "a launch without its parameters");
    NEED_HANDLE(function, "function handle 0");
    memset(out_result, 0, sizeof *out_result);
    DISPATCH(launch, function, config, params, param_bytes, out_result, error);
}

sim_status sim_take_output(sim_engine *engine, char **out_text, sim_error *error) {
    NEED(engine && out_text, "no place for the output");
    *out_text = NULL;
    DISPATCH(take_output, out_text, error);
}

sim_status sim_launch_count(sim_engine *engine, uint32_t *out_count, sim_error *error) {
    NEED(engine && out_count, "no place for the count");
    *out_count = 0;
    DISPATCH(launch_count, out_count, error);
}

sim_status sim_launch_report_get(sim_engine *engine, uint32_t index, sim_launch_report **out_report,
                                 sim_error *error) {
    NEED(engine && out_report, "no place for the report");
    *out_report = NULL;
    DISPATCH(launch_report_get, index, out_report, error);
}

sim_status sim_check_unchecked_launch(sim_engine *engine, sim_function_handle function,
                                      const char *text, sim_error *error) {
    NEED(engine && text, "a note without text");
    NEED_HANDLE(function, "function handle 0");
    if (!engine->vtable->unchecked_launch) return SIM_OK;
    DISPATCH(unchecked_launch, function, text, error);
}

sim_status sim_check_report_get(sim_engine *engine, sim_check_report **out_report,
                                sim_error *error) {
    NEED(engine && out_report, "no place for the report");
    *out_report = NULL;
    NEED(engine->vtable->check_report_get, "this engine does not check");
    DISPATCH(check_report_get, out_report, error);
}

void sim_launch_report_free(sim_launch_report *report) {
    if (!report) return;
    for (uint32_t i = 0; i < report->file_count; i++) free(report->files[i]);
    free(report->files);
    free(report->lines);
    free(report->kernel);
    sim_timeline_free(report->timeline);
    free(report);
}
