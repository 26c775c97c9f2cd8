// From the run of a launch to its report: the kernel, counts of the launch and of source lines,
// modelled time.
#include "engine/internal.h"
#include "warps/lanes.h"

enum {
    LINE_TABLES = 1024, // of the last launches; those of earlier ones are dropped, totals stay
    SECTOR_BYTES = 32
};

static void free_lines(sim_launch_report *report) {
    for (uint32_t i = 0; i < report->file_count; i++) free(report->files[i]);
    free(report->files);
    free(report->lines);
    report->files = NULL;
    sim_launch_maps_free(report->maps);
    sim_code_free(report->code); // its places are in these files
    report->code = NULL;
    report->lines = NULL;
    report->maps = NULL;
    report->file_count = report->line_count = 0;
}

static int compare_lines(const void *left, const void *right) {
    const sim_line_counters *a = left, *b = right;
    if (a->file != b->file) return a->file < b->file ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static void add_counters(sim_counters *to, const sim_counters *from) {
    for (int c = 0; c < SIM_COUNTER_COUNT; c++) to->value[c] += from->value[c];
}

// Sorts the rows and adds up those of one line.
static uint32_t merge_lines(sim_line_counters *lines, uint32_t count) {
    qsort(lines, count, sizeof *lines, compare_lines);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept && compare_lines(&lines[kept - 1], &lines[i]) == 0)
            add_counters(&lines[kept - 1].counters, &lines[i].counters);
        else lines[kept++] = lines[i];
    return kept;
}

static sim_location location_of(const sim_function *function, const sim_instr *instr) {
    if (instr->location < function->location_count) return function->locations[instr->location];
    return (sim_location){0};
}

static bool same_place(sim_location a, sim_location b) {
    return a.file == b.file && a.line == b.line;
}

// How many rows fold_function makes at most.
static uint32_t rows_of(const sim_function *function, const sim_function_counts *counts) {
    uint32_t rows = 0, end = function->code_count;
    sim_location before = {0};
    SIM_EACH_RAN(pc, counts->ran, end) {
        if (!counts->by_pc[pc].executed) continue;
        sim_location at = location_of(function, &function->code[pc]);
        rows += at.line && !same_place(at, before);
        if (at.line) before = at;
    }
    return rows;
}

// One row for each run of instructions of one location. Totals: what has no location, and the sum
// of the rows.
static uint32_t fold_function(const sim_function *function, const sim_recorded *result,
                              const sim_cache_result *cache, uint32_t function_index,
                              sim_launch_report *report) {
    const sim_raw_counts *counts = result->counts[function_index].by_pc;
    const uint64_t *ran = result->counts[function_index].ran;
    uint32_t end = function->code_count;
    uint32_t rows = report->line_count;
    uint32_t first = rows;
    SIM_EACH_RAN(pc, ran, end) {
        if (!counts[pc].executed) continue;
        const sim_instr *instr = &function->code[pc];
        sim_location at = location_of(function, instr);
        sim_line_counters *row = rows > first ? &report->lines[rows - 1] : NULL;
        if (at.line && (!row || row->file != at.file || row->line != at.line)) {
            row = &report->lines[rows++];
            *row = (sim_line_counters){.file = at.file, .line = at.line};
        }
        sim_counters *out = at.line ? &row->counters : &report->totals;
        sim_counters_fold(instr, &counts[pc], out);
        sim_counters_fold_cache(instr, &counts[pc],
                                sim_cache_find_site(cache, sim_trace_site(function_index, pc)),
                                out);
    }
    for (uint32_t r = first; r < rows; r++)
        add_counters(&report->totals, &report->lines[r].counters);
    return rows;
}

// What every launch costs the L2 and device memory beyond its own accesses: parameters, constants,
// and instructions, which about nine caches fetch each for themselves. Fitted to the 165 counter
// kernels of common/validation with fewer than 3000 sectors of loads, on an H100 with cold caches.
static void add_launch_traffic(const sim_device *device, uint32_t code_bytes,
                               sim_counters *totals) {
    if (!device->l2_bytes) return;
    totals->value[SIM_COUNTER_L2_READS] += 870 + code_bytes * 28 / 100;
    totals->value[SIM_COUNTER_L2_READ_HITS] += 690 + code_bytes * 24 / 100;
    totals->value[SIM_COUNTER_DRAM_READ] += 2432 + code_bytes;
}

static uint64_t machine_instructions(const sim_function *function,
                                     const sim_function_counts *counts) {
    int64_t sum = 0;
    uint32_t end = function->code_count;
    if (!function->machine_weights) return 0;
    SIM_EACH_RAN(pc, counts->ran, end) {
        sum += function->machine_weights[pc].executed * (int64_t)counts->by_pc[pc].executed;
        sum += function->machine_weights[pc].divergent * (int64_t)counts->by_pc[pc].divergent;
    }
    return (uint64_t)sum;
}

static sim_status fold(const sim_program *program, const sim_recorded *result,
                       const sim_cache_result *cache, sim_launch_report *report, kl_error *err) {
    uint64_t most = 1;
    for (uint32_t f = 0; f < result->function_count; f++)
        if (result->counts[f].by_pc) most += rows_of(&program->functions[f], &result->counts[f]);
    report->lines = calloc(most, sizeof *report->lines);
    report->files = calloc(program->file_count + 1, sizeof *report->files);
    if (!report->lines || !report->files)
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a launch report");
    for (uint32_t f = 0; f < result->function_count; f++)
        if (result->counts[f].by_pc)
            report->line_count = fold_function(&program->functions[f], result, cache, f, report);
    for (uint32_t f = 0; f < result->function_count; f++)
        if (result->counts[f].by_pc)
            report->totals.value[SIM_COUNTER_MACHINE_INST] +=
                machine_instructions(&program->functions[f], &result->counts[f]);
    report->line_count = merge_lines(report->lines, report->line_count);
    sim_line_counters *shrunk =
        realloc(report->lines, (report->line_count + 1) * sizeof *report->lines);
    if (shrunk) report->lines = shrunk;
    for (; report->file_count < program->file_count; report->file_count++) {
        report->files[report->file_count] = strdup(program->files[report->file_count]);
        if (!report->files[report->file_count])
            return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a launch report");
    }
    report->totals.value[SIM_COUNTER_FOOTPRINT_READ] = result->footprint_read_bytes;
    report->totals.value[SIM_COUNTER_FOOTPRINT_WRITE] = result->footprint_write_bytes;
    report->totals.value[SIM_COUNTER_PEER_READ] = result->peer_read_bytes;
    report->totals.value[SIM_COUNTER_PEER_WRITE] = result->peer_write_bytes;
    report->totals.value[SIM_COUNTER_CHAIN] = result->chain_links;
    return SIM_OK;
}

static uint32_t features_used(const sim_program *program, const sim_recorded *result) {
    uint32_t features = 0;
    for (uint32_t f = 0; f < result->function_count; f++) {
        const sim_function *function = &program->functions[f];
        const uint64_t *ran = result->counts[f].ran;
        if (!ran) continue;
        uint32_t end = function->code_count;
        SIM_EACH_RAN(pc, ran, end)
            if (result->counts[f].by_pc[pc].executed)
                features |= sim_features_of(&function->code[pc]);
    }
    return features;
}

// How many of the launch's stores to a sector of global memory it takes to fill it; 0: it is never
// filled.
static double stores_to_fill(const sim_program *program, const sim_recorded *result) {
    double bytes = 0, sectors = 0, written = (double)result->footprint_write_bytes / SECTOR_BYTES;
    for (uint32_t f = 0; f < result->function_count; f++) {
        const sim_function *function = &program->functions[f];
        const uint64_t *ran = result->counts[f].ran;
        if (!ran) continue;
        uint32_t end = function->code_count;
        SIM_EACH_RAN(pc, ran, end) {
            const sim_raw_counts *raw = &result->counts[f].by_pc[pc];
            const sim_instr *instr = &function->code[pc];
            bool elsewhere = instr->space == PTX_SPACE_LOCAL || instr->space == PTX_SPACE_SHARED;
            if (!sim_is_st(instr) || elsewhere || raw->remote || !raw->sectors) continue;
            bytes += (double)raw->on * sim_access_bytes(instr);
            sectors += (double)raw->sectors;
        }
    }
    return written > 0 && bytes > 0.9 * SECTOR_BYTES * written ? sectors / written : 0;
}

// ---- what a report says of the kernel -----------------------------------------------------------

static sim_status fill_kernel(const launch_run *run, sim_launch_report *report, kl_error *err) {
    const sim_launch *launch = run->launch;
    const sim_function *kernel = launch->function;
    report->kernel = strdup(kernel->name);
    if (!report->kernel) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a launch report");
    report->config = launch->config;
    report->from_launch = run->from_launch;
    report->host_seconds = run->host_seconds;
    report->static_shared_bytes = launch->static_shared_bytes;
    report->registers = launch->registers;
    report->registers_estimated = launch->registers_estimated;
    report->occupancy = launch->occupancy;
    report->local_bytes = kernel->cubin_registers ? kernel->cubin_local_bytes : kernel->local_bytes;
    report->spill_store_bytes = kernel->cubin_spill_store_bytes;
    report->spill_load_bytes = kernel->cubin_spill_load_bytes;
    report->fault = run->result.fault;
    return SIM_OK;
}

// ---- counts -------------------------------------------------------------------------------------

static sim_status replay_caches(inprocess_engine *engine, launch_run *run,
                                sim_cache_result *out_cache, kl_error *err) {
    sim_recorded *recorded = &run->result.recorded;
    if (!engine->cache_memory) engine->cache_memory = sim_cache_memory_new();
    if (!engine->cache_memory)
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no host memory for the cache model");
    const sim_cache_input input = {.launch = run->launch,
                                   .longest =
                                       recorded->longest.function ? &recorded->longest : NULL,
                                   .stores_to_fill = stores_to_fill(run->launch->program, recorded),
                                   .recent = inprocess_recent(engine)};
    sim_trace none = {0};
    return sim_cache_replay(engine->cache_memory, &input, recorded->trace ? recorded->trace : &none,
                            out_cache, err);
}

static sim_status fill_counts(const launch_run *run, const sim_cache_result *cache,
                              sim_launch_report *report, kl_error *err) {
    const sim_launch *launch = run->launch;
    const sim_recorded *recorded = &run->result.recorded;
    TRY(fold(launch->program, recorded, cache, report, err));
    add_launch_traffic(launch->device, launch->function->cubin_code_bytes, &report->totals);
    report->totals.value[SIM_COUNTER_DRAM_WRITE] =
        launch->device->l2_bytes
            ? (uint64_t)(SECTOR_BYTES * cache->scale * (double)cache->dram_writes)
            : SECTOR_BYTES * report->totals.value[SIM_COUNTER_L1_WRITES];
    report->lacking = sim_device_lacks(launch->device, features_used(launch->program, recorded));
    return SIM_OK;
}

// ---- time ---------------------------------------------------------------------------------------

// Behind sim_active_cycles.
static void add_unit_cycles(const sim_unit_shares *units, sim_counters *totals) {
    double active = (double)totals->value[SIM_COUNTER_SM_CYCLES_ACTIVE];
    totals->value[SIM_COUNTER_TENSOR_AND_XU] = (uint64_t)(units->both * active + 0.5);
    totals->value[SIM_COUNTER_TENSOR_ALONE] = (uint64_t)(units->tensor_alone * active + 0.5);
    totals->value[SIM_COUNTER_XU_ALONE] = (uint64_t)(units->xu_alone * active + 0.5);
}

// The bounds of the analytical model, whose largest is the time until the cycle-level one has run.
static void fill_bounds(inprocess_engine *engine, const launch_run *run,
                        const sim_cache_result *cache, sim_launch_report *report) {
    sim_bounds_unvisited **unvisited = &engine->modules[run->function->module].unvisited;
    if (!*unvisited) *unvisited = sim_bounds_unvisited_new();
    sim_bounds_find(run->launch->device, run->launch->program, &run->result.recorded, cache,
                    *unvisited, report);
    report->estimate = SIM_ESTIMATE_ANALYTICAL;
}

// Each byte of a peer that is used crosses the link at least once.
static void add_peers(const sim_device *device, const sim_recorded *recorded,
                      sim_launch_report *report) {
    double read_us = (double)recorded->peer_read_bytes / (LINK_PEER_READ_GBS * 1e3);
    double write_us = (double)recorded->peer_write_bytes / (LINK_PEER_WRITE_GBS * 1e3);
    double us = device->kernel_us + sim_larger(read_us, write_us);
    if (read_us + write_us == 0) return;
    report->estimates_us[SIM_ESTIMATE_PEERS] = us;
    if (us <= report->time_us) return;
    report->time_us = us;
    report->estimate = SIM_ESTIMATE_PEERS;
}

static void fill_times(inprocess_engine *engine, const launch_run *run,
                       const sim_cache_result *cache, sim_launch_report *report) {
    const sim_device *device = run->launch->device;
    sim_unit_shares units = {0};
    fill_bounds(engine, run, cache, report);
    if (run->traces) {
        const sim_sm_input input = {.launch = run->launch,
                                    .recorded = &run->result.recorded,
                                    .cache = cache,
                                    .totals = &report->totals,
                                    .traces = run->traces,
                                    .codes = &engine->modules[run->function->module].codes,
                                    .wants_timeline =
                                        engine->report_count < engine->options.timelines};
        units = sim_sm_time(&input, report);
    }
    if (report->estimate == SIM_ESTIMATE_ANALYTICAL)
        report->estimates_us[SIM_ESTIMATE_ANALYTICAL] = report->time_us;
    add_peers(device, &run->result.recorded, report);
    sim_bounds_explain(device, report);
    sim_active_cycles(device, &run->result.recorded.residence, report);
    add_unit_cycles(&units, &report->totals);
}

// ---- a report -----------------------------------------------------------------------------------

// The first time that a kernel is counted, which a program may ask for at any time.
static void weigh(inprocess_engine *engine, const launch_run *run) {
    sim_program *program = engine->modules[run->function->module].program;
    const sim_recorded *recorded = &run->result.recorded;
    for (uint32_t f = 0; f < recorded->function_count; f++)
        if (recorded->counts[f].by_pc && program->functions[f].machine_code)
            sim_machine_weigh(program->arena, &program->functions[f]);
}

static sim_status fill(inprocess_engine *engine, launch_run *run, sim_launch_report *report,
                       kl_error *err) {
    const sim_recorded *recorded = &run->result.recorded;
    const sim_device *device = run->launch->device;
    TRY(fill_kernel(run, report, err));
    report->mode = engine->options.mode;
    report->cancelled_blocks = recorded->cancelled_blocks;
    report->time_us = report->bounded_us = device->kernel_us;
    if (report->mode != SIM_MODE_COUNT) {
        report->totals.value[SIM_COUNTER_INST] = recorded->warp_instructions;
        return SIM_OK;
    }
    weigh(engine, run);
    bool models = !engine->options.uncached;
    sim_cache_result cache = {0};
    if (models) TRY(replay_caches(engine, run, &cache, err));
    sim_status status = fill_counts(run, &cache, report, err);
    if (status == SIM_OK && models) fill_times(engine, run, &cache, report);
    else if (status == SIM_OK) sim_active_cycles(device, &recorded->residence, report);
    if (status == SIM_OK && engine->report_count < engine->options.codes)
        report->code = inprocess_code_of(engine, run->function, recorded);
    if (status == SIM_OK && run->probes)
        report->maps = inprocess_maps_make(run->probes, run->launch->program, recorded);
    sim_cache_result_free(&cache);
    return status;
}

sim_status inprocess_report_add(inprocess_engine *engine, launch_run *run, uint32_t *out_index,
                                kl_error *err) {
    sim_launch_report *report = calloc(1, sizeof *report);
    if (!report || !sim_reserve(&engine->reports, &engine->report_capacity, engine->report_count,
                                sizeof report)) {
        free(report);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a launch report");
    }
    sim_status status = fill(engine, run, report, err);
    if (status != SIM_OK) {
        sim_launch_report_free(report);
        return status;
    }
    *out_index = engine->report_count++;
    engine->reports[*out_index] = report;
    if (*out_index >= LINE_TABLES) free_lines(engine->reports[*out_index - LINE_TABLES]);
    return SIM_OK;
}

sim_status inprocess_launch_count(sim_engine *engine, uint32_t *out_count, kl_error *err) {
    (void)err;
    *out_count = ((inprocess_engine *)engine)->report_count;
    return SIM_OK;
}

static sim_status copy_report(const sim_launch_report *from, sim_launch_report *to) {
    *to = *from;
    to->kernel = strdup(from->kernel);
    to->lines = malloc((from->line_count + 1) * sizeof *to->lines);
    to->files = calloc(from->file_count + 1, sizeof *to->files);
    if (!to->files) to->file_count = 0;
    to->timeline = from->timeline ? sim_timeline_copy(from->timeline) : NULL;
    to->code = from->code ? sim_code_copy(from->code) : NULL;
    to->maps = from->maps ? sim_launch_maps_copy(from->maps) : NULL;
    if (!to->kernel || !to->lines || !to->files) return SIM_OUT_OF_MEMORY;
    if (from->timeline && !to->timeline) return SIM_OUT_OF_MEMORY;
    if (from->code && !to->code) return SIM_OUT_OF_MEMORY;
    if (from->maps && !to->maps) return SIM_OUT_OF_MEMORY;
    if (from->line_count) memcpy(to->lines, from->lines, from->line_count * sizeof *to->lines);
    for (uint32_t i = 0; i < from->file_count; i++)
        if (!(to->files[i] = strdup(from->files[i]))) return SIM_OUT_OF_MEMORY;
    return SIM_OK;
}

sim_status inprocess_launch_report_get(sim_engine *engine, uint32_t index,
                                       sim_launch_report **out_report, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    if (index >= self->report_count)
        return sim_fail(err, SIM_INVALID_VALUE, "launch %u asked for, %u happened", index,
                        self->report_count);
    sim_launch_report *copy = calloc(1, sizeof *copy);
    if (!copy || copy_report(self->reports[index], copy) != SIM_OK) {
        sim_launch_report_free(copy);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a launch report");
    }
    *out_report = copy;
    return SIM_OK;
}

void inprocess_reports_free(inprocess_engine *engine) {
    for (uint32_t i = 0; i < engine->report_count; i++) sim_launch_report_free(engine->reports[i]);
    free(engine->reports);
}
