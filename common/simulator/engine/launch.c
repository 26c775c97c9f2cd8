// The run of one checked launch: what is recorded of it, its grid with or without checks or a
// debugger, its report. Launches, of the host and of kernels, come through children.c.
#include "engine/internal.h"
#include "this_machine.h"

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
    if (!run->waits) run->probes = inprocess_probes_begin(self, run->function);
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

static sim_grid grid_of(inprocess_engine *self, const launch_run *run) {
    const sim_options *options = &self->options;
    return (sim_grid){.launch = run->launch,
                      .memory = self->memory,
                      .textures = &self->textures,
                      .resident = options->resident || run->launch->function->bound->cancels,
                      .has_peers = options->devices > 1,
                      .waits = run->waits,
                      .workspace = run->workspace,
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

static void run_debugged(inprocess_engine *self, launch_run *run) {
    sim_grid *grid = &run->grid;
    sim_debugger *debugger = self->options.debugger;
    const inprocess_module *module = &self->modules[run->function->module];
    if (!debugger) {
        sim_grid_run(self->executor, grid, &run->result);
        return;
    }
    const sim_debug_findings findings = {self->checker, count_findings, get_finding};
    sim_debugger_launch_begin(debugger, grid, self->report_count, module->text, module->text_bytes,
                              &findings);
    sim_grid_run(self->executor, grid, &run->result);
    sim_debugger_launch_end(debugger);
}

static void begin_checks(inprocess_engine *self, launch_run *run) {
    kl_error err;
    sim_status status = sim_checker_launch_begin(self->checker, &run->grid, run->descent, &err);
    run->is_checked = status == SIM_OK;
    if (run->is_checked) return;
    run->result.status = run->result.fault.kind = status;
    memcpy(run->result.fault.text, err.text, sizeof run->result.fault.text);
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

sim_status inprocess_run_begin(inprocess_engine *self, launch_run *run, kl_error *err) {
    run->start = kl_now_s();
    if (run->launch->config.cooperative) TRY(make_workspace(self, &run->workspace, err));
    begin_recording(self, run);
    run->grid = grid_of(self, run);
    run->grid.observer = inprocess_write_observer(self, &run->grid); // a checker's takes its place
    if (run->grid.progress) atomic_fetch_add(&run->grid.progress->launches, 1);
    if (self->checker) begin_checks(self, run);
    return SIM_OK;
}

sim_status inprocess_run_end(inprocess_engine *self, launch_run *run, sim_launch_result *out_result,
                             kl_error *err) {
    const sim_launch *launch = run->launch;
    sim_status status = run->result.status;
    run->host_seconds += kl_now_s() - run->start;
    if (run->is_checked) sim_checker_launch_end(self->checker, &run->result, run->host_seconds);
    if (run->workspace) sim_mem_release(self->memory, run->workspace, NULL);
    self->host_bytes += sim_mem_take_shared_bytes(self->memory);
    count_down(&self->instructions_left, run->result.recorded.warp_instructions);
    count_down(&self->call_left, run->result.recorded.warp_instructions);
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

sim_status inprocess_run_kernel(inprocess_engine *self, launch_run *run,
                                sim_launch_result *out_result, kl_error *err) {
    memset(out_result, 0, sizeof *out_result);
    TRY(inprocess_run_begin(self, run, err));
    if (run->result.status == SIM_OK) run_debugged(self, run);
    return inprocess_run_end(self, run, out_result, err);
}

// Of device printf, once until the host takes the output: on a card lines would be missing.
static void say_ring_is_full(inprocess_engine *self, sim_launch_result *result) {
    sim_output *output = &self->now->output;
    uint64_t ring = output->cap_bytes ? output->cap_bytes : SIM_DEFAULT_OUTPUT_BYTES;
    char text[320];
    if (output->ring_bytes <= ring || self->now->said_ring_is_full) return;
    self->now->said_ring_is_full = true;
    snprintf(text, sizeof text,
             "kernels print about %" PRIu64 " bytes before the program waits for them, into a "
             "buffer of %" PRIu64 " (cudaLimitPrintfFifoSize): on a card the oldest lines are "
             "lost. Print less, wait more often, or make it larger by cudaDeviceSetLimit()",
             output->ring_bytes, ring);
    if (self->checker) sim_checker_host_finding(self->checker, SIM_CHECK_LOST_OUTPUT, text);
    else if (!result->note[0]) snprintf(result->note, sizeof result->note, "%s", text);
}

void inprocess_launch_done(inprocess_engine *engine, const sim_launch *launch,
                           sim_launch_result *result) {
    if (engine->checker) sim_checker_launch_done(engine->checker, launch->config.queue);
    if (result->fault.kind == SIM_OK) say_ring_is_full(engine, result);
}
