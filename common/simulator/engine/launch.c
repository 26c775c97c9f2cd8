// SPDX-License-Identifier: MIT
// One kernel's run in the in-process engine: what its own resources allow, the run with or without
// checks, its report. Launches, of the host and of kernels, come through children.c.
#include "engine/internal.h"

#include <stdatomic.h>
#include <string.h>

#include "device/device.h"
#include "timing/sm/launch_time.h"
#include "this_machine.h"

// Limits that depend on the kernel's own resources; the executor checks the device's.
sim_status inprocess_check_resources(const inprocess_engine *engine,
                                     const inprocess_function *function,
                                     const sim_launch_config *config, kl_error *err) {
    const sim_device *device = engine->base.device;
    uint64_t threads = (uint64_t)config->block.x * config->block.y * config->block.z;
    if (config->dynamic_shared_bytes > function->max_dynamic_shared_bytes)
        return sim_fail(err, SIM_INVALID_VALUE,
                        "%u bytes of dynamic shared memory asked for, %u are allowed: raise "
                        "cudaFuncAttributeMaxDynamicSharedMemorySize first",
                        config->dynamic_shared_bytes, function->max_dynamic_shared_bytes);
    bool estimated;
    uint64_t registers = inprocess_registers(device, function->function, &estimated);
    if (!estimated && registers * threads > device->registers_per_block)
        return sim_fail(
            err, SIM_LAUNCH_RESOURCES,
            "%llu threads of %llu registers need more than the %u registers of a block%s",
            (unsigned long long)threads, (unsigned long long)registers, device->registers_per_block,
            sim_device_registers_origin(device));
    if (!estimated && registers > device->registers_per_thread)
        return sim_fail(err, SIM_LAUNCH_RESOURCES,
                        "%llu registers per thread: the device allows %u%s",
                        (unsigned long long)registers, device->registers_per_thread,
                        sim_device_registers_origin(device));
    return SIM_OK;
}

// The limit of a launch: its own, or what is left of that of several.
static uint64_t instruction_limit(const inprocess_engine *self) {
    uint64_t left = self->instructions_left, limit = self->options.max_instructions;
    if (left > 0 && left < limit) limit = left;
    left = self->call_left;
    return left > 0 && left < limit ? left : limit;
}

static void count_down(uint64_t *left, uint64_t executed) {
    if (*left > 0) *left = executed < *left ? *left - executed : 1; // 0 would be no limit
}

static uint32_t count_findings(void *context) {
    return sim_checker_count(context);
}

static const sim_finding *get_finding(void *context, uint32_t index) {
    return sim_checker_finding(context, index);
}

static sim_status run_grid(inprocess_engine *self, const inprocess_order *order, sim_grid *grid,
                           sim_grid_result *out_result) {
    sim_debugger *debugger = self->options.debugger;
    const inprocess_module *module = &self->modules[order->function->module];
    if (!debugger) return sim_grid_run(self->executor, grid, out_result);
    const sim_debug_findings findings = {self->checker, count_findings, get_finding};
    sim_debugger_launch_begin(debugger, grid, self->report_count, module->text, module->text_bytes,
                              &findings);
    sim_status status = sim_grid_run(self->executor, grid, out_result);
    sim_debugger_launch_end(debugger);
    return status;
}

// Blocks of a launch that the device holds at a time.
static uint64_t fitting_blocks(const inprocess_engine *self, const inprocess_order *order) {
    const sim_device *device = self->base.device;
    bool estimated;
    sim_occupancy occupancy;
    inprocess_occupancy(device, order->function->function, order->config,
                        inprocess_registers(device, order->function->function, &estimated),
                        &occupancy);
    return (uint64_t)occupancy.blocks_per_sm * device->sm_count;
}

static sim_status run(inprocess_engine *self, const inprocess_order *order, uint64_t workspace,
                      sim_grid_result *out_result) {
    const inprocess_function *function = order->function;
    const sim_launch_config *config = order->config;
    sim_grid grid = {.program = self->modules[function->module].program,
                     .function = function->function,
                     .memory = self->memory,
                     .textures = &self->textures,
                     .params = order->params,
                     .param_bytes = order->param_bytes,
                     .grid = config->grid,
                     .block = config->block,
                     .dynamic_shared_bytes = config->dynamic_shared_bytes,
                     .cluster = config->cluster,
                     .cooperative = config->cooperative,
                     .resident = self->options.resident,
                     .streams = config->streams,
                     .fitting_blocks = fitting_blocks(self, order),
                     .workspace = workspace,
                     .stack_bytes = self->stack_bytes,
                     .device = self->base.device,
                     .mode = self->options.mode,
                     .max_instructions = instruction_limit(self),
                     .max_block_instructions = self->options.max_block_instructions,
                     .progress = self->options.progress,
                     .index = self->report_count,
                     .schedule = self->options.schedule,
                     .output = &self->output,
                     .children = order->children,
                     .traces = self->paths,
                     .no_lines = self->options.uncached,
                     .l2_before = inprocess_recent(self),
                     .probes = self->probes,
                     .clocks = inprocess_clocks_begin(self, order)};
    if (grid.progress) atomic_fetch_add(&grid.progress->launches, 1);
    if (!self->checker) return run_grid(self, order, &grid, out_result);
    double start = kl_now_s();
    kl_error err;
    sim_status status = sim_checker_launch_begin(self->checker, &grid, order->descent, &err);
    if (status == SIM_OK) {
        status = run_grid(self, order, &grid, out_result);
        sim_checker_launch_end(self->checker, out_result, kl_now_s() - start);
        return status;
    }
    memset(out_result, 0, sizeof *out_result);
    out_result->status = out_result->fault.kind = status;
    memcpy(out_result->fault.text, err.text, sizeof out_result->fault.text);
    return status;
}

// What cooperative_groups finds through %envreg1 and %envreg2: its size and the barrier's counter
// (the toolkit's cooperative_groups/details/driver_abi.h). Lives as long as the launch.
static sim_status make_workspace(inprocess_engine *self, uint64_t *out_address, kl_error *err) {
    const uint32_t fresh[2] = {sizeof fresh, 0};
    TRY(sim_mem_alloc(self->memory, sizeof fresh, out_address, err));
    sim_mem_label(self->memory, *out_address, "grid workspace");
    if (self->checker) TRY(sim_checker_allocated(self->checker, *out_address, false, err));
    return sim_mem_write(self->memory, *out_address, fresh, sizeof fresh, err);
}

sim_status inprocess_run_kernel(inprocess_engine *self, const inprocess_order *order,
                                sim_launch_result *out_result, kl_error *err) {
    uint64_t workspace = 0;
    memset(out_result, 0, sizeof *out_result);
    if (order->config->cooperative) TRY(make_workspace(self, &workspace, err));

    if (self->options.mode == SIM_MODE_COUNT && !self->options.bounded_times &&
        !self->options.uncached)
        self->paths = sim_sm_record(self->base.device, order->config,
                                    inprocess_shared_bytes(order->function->function) +
                                        order->config->dynamic_shared_bytes);
    self->probes = inprocess_probes_begin(self, order);

    double start = kl_now_s();
    sim_grid_result result;
    sim_status status = run(self, order, workspace, &result);
    if (workspace) sim_mem_release(self->memory, workspace, NULL);
    self->host_bytes += sim_mem_take_shared_bytes(self->memory);
    out_result->host_seconds = kl_now_s() - start;
    out_result->warp_instructions = result.recorded.warp_instructions;
    count_down(&self->instructions_left, result.recorded.warp_instructions);
    count_down(&self->call_left, result.recorded.warp_instructions);
    out_result->fault = result.fault;
    bool ran = status != SIM_LAUNCH_CONFIG && status != SIM_LAUNCH_RESOURCES &&
               !order->function->function->refusal;
    if (status != SIM_OK) sim_fail(err, status, "%s", result.fault.text);
    if (ran) {
        sim_status kept = inprocess_report_add(self, order, &result, out_result->host_seconds,
                                               &out_result->index, err);
        if (kept == SIM_OK)
            out_result->time_us = self->reports[out_result->index]->time_us;
        else if (status == SIM_OK)
            status = kept;
    }
    if (self->clocks) sim_clocks_end(self->clocks, out_result->time_us);
    sim_grid_result_free(&result);
    sim_warp_traces_free(self->paths);
    self->paths = NULL;
    sim_probes_free(self->probes, self->modules[order->function->module].program);
    self->probes = NULL;
    return status;
}
