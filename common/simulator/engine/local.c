// SPDX-License-Identifier: MIT
// The in-process engine: device memory and launches behind engine.h. Modules are in modules.c,
// reports in report.c.
#include "engine/local.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/timeline_play.h"
#include "monotonic_clock.h"

// Warp instructions after which a launch counts as endless, unless the options say otherwise: some
// minutes.
#define DEFAULT_MAX_INSTRUCTIONS UINT64_C(20000000000)

static local_engine *local(sim_engine *engine) {
    return (local_engine *)engine;
}

static void local_close(sim_engine *engine) {
    local_engine *self = local(engine);
    local_reports_free(self);
    local_modules_free(self);
    sim_executor_free(self->executor);
    sim_checker_free(self->checker);
    sim_mem_delete(self->memory);
    sim_texture_table_free(&self->textures);
    free(self->output.text);
    sim_engine_base_destroy(&self->base);
    free(self);
}

sim_status local_memory_alloc(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                              kl_error *error) {
    local_engine *self = local(engine);
    TRY(sim_mem_alloc(self->memory, bytes, out_address, error));
    if (!self->checker) return SIM_OK;
    return sim_checker_allocated(self->checker, *out_address, true, error);
}

sim_status local_memory_alloc_at(sim_engine *engine, uint64_t address, uint64_t bytes,
                                 kl_error *error) {
    local_engine *self = local(engine);
    TRY(sim_mem_alloc_at(self->memory, address, bytes, error));
    if (!self->checker) return SIM_OK;
    return sim_checker_allocated(self->checker, address, true, error);
}

sim_status local_memory_alloc_shared(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                                     kl_error *error) {
    local_engine *self = local(engine);
    TRY(sim_mem_alloc_shared(self->memory, bytes, out_address, error));
    if (!self->checker) return SIM_OK;
    TRY(sim_checker_allocated(self->checker, *out_address, true, error));
    sim_checker_written(self->checker, *out_address, bytes); // by the host, for all one can tell
    return SIM_OK;
}

sim_status local_memory_shared_file(sim_engine *engine, uint64_t address, int *out_descriptor,
                                    uint64_t *out_offset, kl_error *error) {
    int file;
    TRY(sim_mem_shared_file(local(engine)->memory, address, &file, out_offset, error));
    *out_descriptor = fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (*out_descriptor >= 0) return SIM_OK;
    return sim_fail(error, SIM_OUT_OF_MEMORY, "no descriptor for shared memory: %s",
                    strerror(errno));
}

// In the caller's own process its pages are at its addresses.
sim_status local_memory_attach(sim_engine *engine, uint64_t address, uint64_t bytes,
                               bool *out_direct, kl_error *error) {
    local_engine *self = local(engine);
    void *pages = self->options.serves_others ? NULL : (void *)(uintptr_t)address;
    *out_direct = pages != NULL;
    TRY(sim_mem_attach(self->memory, address, bytes, pages, error));
    if (!self->checker) return SIM_OK;
    uint64_t device = sim_mem_device(self->memory, address);
    return sim_checker_allocated(self->checker, sim_mem_find(self->memory, device)->base, false,
                                 error);
}

sim_status local_memory_detach(sim_engine *engine, uint64_t address, kl_error *error) {
    return sim_mem_detach(local(engine)->memory, address, error);
}

sim_status local_memory_free(sim_engine *engine, uint64_t address, kl_error *error) {
    local_engine *self = local(engine);
    kl_error reason;
    sim_status status = sim_mem_release(self->memory, address, &reason);
    if (status == SIM_OK) return SIM_OK;
    if (self->checker) sim_checker_bad_free(self->checker, address, reason.text);
    return sim_fail(error, status, "%s", reason.text);
}

sim_status local_memory_write(sim_engine *engine, uint64_t destination, const void *source,
                              uint64_t bytes, kl_error *error) {
    local_engine *self = local(engine);
    TRY(sim_mem_write(self->memory, destination, source, bytes, error));
    if (self->checker)
        sim_checker_written(self->checker, sim_mem_device(self->memory, destination), bytes);
    return SIM_OK;
}

sim_status local_memory_read(sim_engine *engine, void *destination, uint64_t source, uint64_t bytes,
                             kl_error *error) {
    local_engine *self = local(engine);
    TRY(sim_mem_read(self->memory, destination, source, bytes, error));
    if (self->checker) sim_checker_host_read(self->checker, destination, bytes);
    return SIM_OK;
}

sim_status local_memory_copy(sim_engine *engine, uint64_t destination, uint64_t source,
                             uint64_t bytes, kl_error *error) {
    local_engine *self = local(engine);
    TRY(sim_mem_copy(self->memory, destination, source, bytes, error));
    if (self->checker)
        sim_checker_copied(self->checker, sim_mem_device(self->memory, destination),
                           sim_mem_device(self->memory, source), bytes);
    return SIM_OK;
}

sim_status local_memory_fill(sim_engine *engine, uint64_t destination, uint32_t value,
                             uint32_t width, uint64_t count, kl_error *error) {
    local_engine *self = local(engine);
    TRY(sim_mem_fill(self->memory, destination, value, width, count, error));
    if (self->checker)
        sim_checker_written(self->checker, sim_mem_device(self->memory, destination),
                            count * width);
    return SIM_OK;
}

sim_status local_memory_find(sim_engine *engine, uint64_t address, uint64_t *out_base,
                             uint64_t *out_bytes, kl_error *error) {
    const sim_allocation *allocation = sim_mem_find(local(engine)->memory, address);
    if (!allocation)
        return sim_fail(error, SIM_INVALID_VALUE, "0x%llx is not inside any allocation",
                        (unsigned long long)address);
    *out_base = allocation->base;
    *out_bytes = allocation->bytes;
    return SIM_OK;
}

sim_status local_memory_info(sim_engine *engine, uint64_t *out_free, uint64_t *out_total,
                             kl_error *error) {
    (void)error;
    sim_mem_info(local(engine)->memory, out_free, out_total);
    return SIM_OK;
}

sim_status local_texture_create(sim_engine *engine, const sim_texture_desc *texture,
                                uint64_t *out_handle, kl_error *error) {
    local_engine *self = local(engine);
    TRY(sim_texture_check(texture, error));
    return sim_texture_add(&self->textures, texture, out_handle, error);
}

sim_status local_texture_destroy(sim_engine *engine, uint64_t handle, kl_error *error) {
    return sim_texture_remove(&local(engine)->textures, handle, error);
}

// Limits that depend on the kernel's own resources; the executor checks the device's.
static sim_status check_resources(const local_engine *engine, const local_function *function,
                                  const sim_launch_config *config, kl_error *error) {
    const sim_device *device = engine->base.device;
    uint64_t threads = (uint64_t)config->block.x * config->block.y * config->block.z;
    if (config->dynamic_shared_bytes > function->max_dynamic_shared_bytes)
        return sim_fail(error, SIM_INVALID_VALUE,
                        "%u bytes of dynamic shared memory asked for, %u are allowed: raise "
                        "cudaFuncAttributeMaxDynamicSharedMemorySize first",
                        config->dynamic_shared_bytes, function->max_dynamic_shared_bytes);
    bool estimated;
    uint64_t registers = local_registers(function->function, &estimated);
    if (!estimated && registers * threads > device->registers_per_block)
        return sim_fail(error, SIM_LAUNCH_RESOURCES,
                        "%llu threads of %llu registers need more than the %u registers of a block",
                        (unsigned long long)threads, (unsigned long long)registers,
                        device->registers_per_block);
    return SIM_OK;
}

sim_status local_limit_set(sim_engine *engine, sim_limit limit, uint64_t bytes, kl_error *error) {
    enum { MAX_STACK_BYTES = 512 << 10 }; // a device's most
    local_engine *self = local(engine);
    switch (limit) {
    case SIM_LIMIT_STACK:
        self->stack_bytes = bytes < MAX_STACK_BYTES ? (uint32_t)bytes : MAX_STACK_BYTES;
        return SIM_OK;
    case SIM_LIMIT_OUTPUT: self->output.cap_bytes = bytes; return SIM_OK;
    default:
        if (sim_mem_set_heap_bytes(self->memory, bytes)) return SIM_OK;
        return sim_fail(error, SIM_INVALID_VALUE,
                        "the heap of kernels exists already: set its size before the first launch "
                        "that calls malloc");
    }
}

static sim_status run(local_engine *self, const local_function *function,
                      const sim_launch_config *config, const void *params, uint32_t param_bytes,
                      uint64_t workspace, sim_grid_result *out_result) {
    sim_grid grid = {.program = self->modules[function->module].program,
                     .function = function->function,
                     .memory = self->memory,
                     .textures = &self->textures,
                     .params = params,
                     .param_bytes = param_bytes,
                     .grid = config->grid,
                     .block = config->block,
                     .dynamic_shared_bytes = config->dynamic_shared_bytes,
                     .cluster = config->cluster,
                     .cooperative = config->cooperative,
                     .workspace = workspace,
                     .stack_bytes = self->stack_bytes,
                     .device = self->base.device,
                     .mode = self->options.mode,
                     .max_instructions = self->options.max_instructions,
                     .max_block_instructions = self->options.max_block_instructions,
                     .progress = self->options.progress,
                     .index = self->report_count,
                     .schedule = self->options.schedule,
                     .output = &self->output,
                     .paths = self->paths};
    if (grid.progress) atomic_fetch_add(&grid.progress->launches, 1);
    if (!self->checker) return sim_grid_run(self->executor, &grid, out_result);
    double start = kl_now_s();
    kl_error error;
    sim_status status = sim_checker_launch_begin(self->checker, &grid, &error);
    if (status == SIM_OK) {
        status = sim_grid_run(self->executor, &grid, out_result);
        sim_checker_launch_end(self->checker, out_result, kl_now_s() - start);
        return status;
    }
    memset(out_result, 0, sizeof *out_result);
    out_result->status = out_result->fault.kind = status;
    memcpy(out_result->fault.text, error.text, sizeof out_result->fault.text);
    return status;
}

sim_status local_check_unchecked_launch(sim_engine *engine, sim_function_handle handle,
                                        const char *text, kl_error *error) {
    local_engine *self = local(engine);
    const local_function *function = local_function_of(self, handle);
    if (!function) return sim_fail(error, SIM_INVALID_HANDLE, "no such kernel: %u", handle);
    if (self->checker)
        sim_checker_unchecked_launch(self->checker, self->modules[function->module].program,
                                     function->function, text);
    return SIM_OK;
}

sim_status local_check_report_get(sim_engine *engine, sim_check_report **out_report,
                                  kl_error *error) {
    local_engine *self = local(engine);
    if (self->checker) return sim_checker_report(self->checker, out_report, error);
    return sim_fail(error, SIM_INVALID_VALUE, "this engine does not check");
}

// What cooperative_groups finds through %envreg1 and %envreg2: its size and the barrier's counter
// (the toolkit's cooperative_groups/details/driver_abi.h). Lives as long as the launch.
static sim_status make_workspace(local_engine *self, uint64_t *out_address, kl_error *error) {
    const uint32_t fresh[2] = {sizeof fresh, 0};
    TRY(sim_mem_alloc(self->memory, sizeof fresh, out_address, error));
    sim_mem_label(self->memory, *out_address, "grid workspace");
    if (self->checker) TRY(sim_checker_allocated(self->checker, *out_address, false, error));
    return sim_mem_write(self->memory, *out_address, fresh, sizeof fresh, error);
}

sim_status local_launch(sim_engine *engine, sim_function_handle handle,
                        const sim_launch_config *config, const void *params, uint32_t param_bytes,
                        sim_launch_result *out_result, kl_error *error) {
    local_engine *self = local(engine);
    memset(out_result, 0, sizeof *out_result);
    const local_function *function = local_function_of(self, handle);
    if (!function) return sim_fail(error, SIM_INVALID_HANDLE, "no such kernel: %u", handle);
    TRY(check_resources(self, function, config, error));
    uint64_t workspace = 0;
    if (config->cooperative) TRY(make_workspace(self, &workspace, error));

    bool wants_timeline =
        self->options.mode == SIM_MODE_COUNT && self->report_count < self->options.timelines;
    self->paths = wants_timeline ? sim_timeline_paths(self->base.device, config) : NULL;

    double start = kl_now_s();
    sim_grid_result result;
    sim_status status = run(self, function, config, params, param_bytes, workspace, &result);
    if (workspace) sim_mem_release(self->memory, workspace, NULL);
    out_result->host_seconds = kl_now_s() - start;
    out_result->warp_instructions = result.warp_instructions;
    out_result->fault = result.fault;
    bool ran = status != SIM_LAUNCH_CONFIG && status != SIM_LAUNCH_RESOURCES &&
               !function->function->refusal;
    if (status != SIM_OK) sim_fail(error, status, "%s", result.fault.text);
    if (ran) {
        sim_status kept = local_report_add(self, function, config, &result,
                                           out_result->host_seconds, &out_result->index, error);
        if (kept == SIM_OK)
            out_result->time_us = self->reports[out_result->index]->time_us;
        else if (status == SIM_OK)
            status = kept;
    }
    sim_grid_result_free(&result);
    sim_paths_free(self->paths);
    self->paths = NULL;
    return status;
}

sim_status local_take_output(sim_engine *engine, char **out_text, kl_error *error) {
    local_engine *self = local(engine);
    char *text = self->output.text ? self->output.text : calloc(1, 1);
    if (!text) return sim_fail(error, SIM_OUT_OF_MEMORY, "no memory for the kernel's output");
    self->output = (sim_output){.cap_bytes = self->output.cap_bytes};
    *out_text = text;
    return SIM_OK;
}

static const sim_engine_vtable local_vtable = {
    .close = local_close,
#define SIM_CALL(id, call, way, who) .call = local_##call,
#include "engine/calls.def"
#undef SIM_CALL
};

// Three quarters of what is free now, and never more than the device has.
static uint64_t default_memory(const sim_device *device) {
    uint64_t pages = (uint64_t)sysconf(_SC_AVPHYS_PAGES);
    uint64_t bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE) / 4 * 3;
    return bytes < device->memory_bytes ? bytes : device->memory_bytes;
}

sim_status sim_engine_open_local(const sim_options *options, sim_engine **out_engine,
                                 kl_error *error) {
    const sim_device *device = sim_device_find(options->device);
    if (!device)
        return sim_fail(error, SIM_INVALID_VALUE, "there is no device \"%.64s\", only %s",
                        options->device, sim_device_names());
    local_engine *self = calloc(1, sizeof *self);
    if (!self) return sim_fail(error, SIM_OUT_OF_MEMORY, "no memory for the engine");
    self->options = *options;
    self->options.device = device->id;
    if (!self->options.memory_bytes) self->options.memory_bytes = default_memory(device);
    self->stack_bytes = 1024; // cudaLimitStackSize's default
    if (!self->options.max_instructions) self->options.max_instructions = DEFAULT_MAX_INSTRUCTIONS;
    sim_status status = sim_engine_base_init(&self->base, &local_vtable, device, error);
    if (status != SIM_OK) {
        free(self);
        return status;
    }
    status = sim_mem_new(self->options.memory_bytes, &self->memory, error);
    if (status == SIM_OK) status = sim_executor_new(options->threads, &self->executor, error);
    if (status == SIM_OK && options->mode == SIM_MODE_CHECK)
        status = sim_checker_new(self->memory, &self->checker, error);
    if (status != SIM_OK) {
        local_close(&self->base);
        return status;
    }
    *out_engine = &self->base;
    return SIM_OK;
}
