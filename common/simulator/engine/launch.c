// The run of one checked launch: what is recorded of it, its grid with or without checks or a
// debugger, its report. Launches, of the host and of kernels, come through children.c.
#include "engine/internal.h"

#include <stdatomic.h>

#include "this_machine.h"
#include "timing/sm/sm.h"

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

// ---- what is recorded of a launch ---------------------------------------------------------------

// The allocations that a parameter points into count as touched by a kernel that reads no clock:
// all of each, because nobody watches its accesses. What comes first counts as touched last.
static void touch_arguments(inprocess_engine *self, const sim_launch *launch) {
    for (uint32_t word = launch->param_bytes / sizeof(uint64_t); word-- > 0;) {
        uint64_t address, at = word * sizeof address;
        memcpy(&address, (const uint8_t *)launch->params + at, sizeof address);
        const sim_allocation *found =
            sim_mem_find(self->memory, sim_mem_device(self->memory, address));
        if (found) sim_clocks_touched(self->clocks, found->base, found->bytes);
    }
}

static void begin_recording(inprocess_engine *self, launch_run *run) {
    if (inprocess_is_timed(self)) run->traces = sim_sm_record(run->launch);
    run->probes = inprocess_probes_begin(self, run->function);
    if (!self->clocks) return;
    run->clocks = sim_clocks_begin(self->clocks, run->launch);
    if (!run->clocks) touch_arguments(self, run->launch);
}

static void end_recording(inprocess_engine *self, launch_run *run, double time_us) {
    if (self->clocks) sim_clocks_end(self->clocks, time_us);
    sim_grid_result_free(&run->result);
    sim_warp_traces_free(run->traces);
    sim_probes_free(run->probes, run->launch->program);
}

// ---- its grid -----------------------------------------------------------------------------------

static uint32_t count_findings(void *context) { return sim_checker_count(context); }

static const sim_finding *get_finding(void *context, uint32_t index) {
    return sim_checker_finding(context, index);
}

static sim_grid grid_of(inprocess_engine *self, const launch_run *run, uint64_t workspace) {
    const sim_options *options = &self->options;
    return (sim_grid){.launch = run->launch,
                      .memory = self->memory,
                      .textures = &self->textures,
                      .resident = options->resident,
                      .has_peers = options->devices > 1,
                      .workspace = workspace,
                      .stack_bytes = self->now->stack_bytes,
                      .mode = options->mode,
                      .max_instructions = instruction_limit(self),
                      .max_block_instructions = options->max_block_instructions,
                      .progress = options->progress,
                      .index = self->report_count,
                      .schedule = options->schedule,
                      .output = &self->now->output,
                      .children = run->children,
                      .traces = run->traces,
                      .no_lines = options->uncached,
                      .l2_before = inprocess_recent(self),
                      .probes = run->probes,
                      .clocks = run->clocks};
}

static sim_status run_debugged(inprocess_engine *self, launch_run *run, sim_grid *grid) {
    sim_debugger *debugger = self->options.debugger;
    const inprocess_module *module = &self->modules[run->function->module];
    if (!debugger) return sim_grid_run(self->executor, grid, &run->result);
    const sim_debug_findings findings = {self->checker, count_findings, get_finding};
    sim_debugger_launch_begin(debugger, grid, self->report_count, module->text, module->text_bytes,
                              &findings);
    sim_status status = sim_grid_run(self->executor, grid, &run->result);
    sim_debugger_launch_end(debugger);
    return status;
}

static sim_status run_checked(inprocess_engine *self, launch_run *run, sim_grid *grid) {
    if (!self->checker) return run_debugged(self, run, grid);
    double start = kl_now_s();
    kl_error err;
    sim_status status = sim_checker_launch_begin(self->checker, grid, run->descent, &err);
    if (status == SIM_OK) {
        status = run_debugged(self, run, grid);
        sim_checker_launch_end(self->checker, &run->result, kl_now_s() - start);
        return status;
    }
    run->result.status = run->result.fault.kind = status;
    memcpy(run->result.fault.text, err.text, sizeof run->result.fault.text);
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

static sim_status run_grid(inprocess_engine *self, launch_run *run, uint64_t workspace) {
    double start = kl_now_s();
    sim_grid grid = grid_of(self, run, workspace);
    grid.observer = inprocess_write_observer(self, &grid); // a checker's takes its place
    if (grid.progress) atomic_fetch_add(&grid.progress->launches, 1);
    sim_status status = run_checked(self, run, &grid);
    if (workspace) sim_mem_release(self->memory, workspace, NULL);
    self->host_bytes += sim_mem_take_shared_bytes(self->memory);
    run->host_seconds = kl_now_s() - start;
    count_down(&self->instructions_left, run->result.recorded.warp_instructions);
    count_down(&self->call_left, run->result.recorded.warp_instructions);
    return status;
}

sim_status inprocess_run_kernel(inprocess_engine *self, launch_run *run,
                                sim_launch_result *out_result, kl_error *err) {
    const sim_launch *launch = run->launch;
    uint64_t workspace = 0;
    memset(out_result, 0, sizeof *out_result);
    if (launch->config.cooperative) TRY(make_workspace(self, &workspace, err));
    begin_recording(self, run);
    sim_status status = run_grid(self, run, workspace);
    out_result->share = launch->share;
    out_result->host_seconds = run->host_seconds;
    out_result->warp_instructions = run->result.recorded.warp_instructions;
    out_result->fault = run->result.fault;
    if (status != SIM_OK) sim_fail(err, status, "%s", run->result.fault.text);
    bool ran =
        status != SIM_LAUNCH_CONFIG && status != SIM_LAUNCH_RESOURCES && !launch->function->refusal;
    if (ran) {
        sim_status reported = inprocess_report_add(self, run, &out_result->index, err);
        if (reported == SIM_OK) out_result->time_us = self->reports[out_result->index]->time_us;
        else if (status == SIM_OK) status = reported;
    }
    end_recording(self, run, out_result->time_us);
    return status;
}
