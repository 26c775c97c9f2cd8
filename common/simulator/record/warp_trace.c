// Traces of warps: see traces.h.
#include "record/record.h"

enum { ACCESSES_A_RUN = 4 }; // lines of memory that are kept for each run

static bool make_blocks(sim_warp_traces *traces) {
    traces->blocks = calloc(sim_warp_traces_count(traces) + (size_t)1, sizeof *traces->blocks);
    if (!traces->blocks) return false;
    for (uint32_t b = 0; b <= sim_warp_traces_count(traces); b++) {
        traces->blocks[b].warps = calloc(traces->warps_a_block, sizeof *traces->blocks[b].warps);
        if (!traces->blocks[b].warps) return false;
        for (uint32_t w = 0; w < traces->warps_a_block; w++) traces->blocks[b].warps[w].of = traces;
    }
    return true;
}

sim_warp_traces *sim_warp_traces_new(uint64_t stride, const sim_modelled_blocks *modelled,
                                     uint32_t warps_a_block, uint32_t most_runs) {
    sim_warp_traces *traces = calloc(1, sizeof *traces);
    if (!traces) return NULL;
    *traces =
        (sim_warp_traces){.stride = stride, .modelled = *modelled, .warps_a_block = warps_a_block};
    sim_warp_traces_lengthen(traces, most_runs, 0);
    if (make_blocks(traces)) return traces;
    sim_warp_traces_free(traces);
    return NULL;
}

static void raise(uint32_t *number, uint32_t least) {
    if (*number < least) *number = least;
}

void sim_warp_traces_lengthen(sim_warp_traces *traces, uint32_t most_runs, uint32_t most_accesses) {
    raise(&traces->most_runs, most_runs);
    raise(&traces->most_accesses, ACCESSES_A_RUN * traces->most_runs);
    raise(&traces->most_accesses, most_accesses);
}

uint64_t sim_warp_traces_modelled_number(const sim_warp_traces *traces, uint32_t i) {
    const sim_modelled_blocks *modelled = &traces->modelled;
    if (i < modelled->first) return i;
    uint64_t spread = i - modelled->first, over = modelled->all - modelled->first;
    return modelled->first + (2 * spread + 1) * over / (2 * (uint64_t)modelled->spread);
}

// The SM whose block is taken. The last blocks may not be of all SMs.
static uint64_t modelled_sm(const sim_warp_traces *traces, uint32_t i) {
    enum { STEP = 79 };
    const sim_modelled_blocks *modelled = &traces->modelled;
    bool last = sim_warp_traces_modelled_number(traces, i) + 1 >= modelled->all;
    if (last || (i < modelled->first && !modelled->mixed)) return 0;
    return ((uint64_t)i * STEP + STEP / 2) % traces->stride;
}

const sim_traced_block *sim_warp_traces_modelled(const sim_warp_traces *traces, uint32_t i) {
    return &traces->blocks[i];
}

void sim_warp_traces_free(sim_warp_traces *traces) {
    if (!traces) return;
    for (uint32_t b = 0; traces->blocks && b <= sim_warp_traces_count(traces); b++) {
        sim_warp_trace *warps = traces->blocks[b].warps;
        for (uint32_t w = 0; warps && w < traces->warps_a_block; w++) {
            free(warps[w].runs);
            free(warps[w].accesses);
        }
        free(warps);
    }
    free(traces->blocks);
    free(traces);
}

// The one of the modelled blocks that may be number `number` of an SM.
static uint32_t modelled_near(const sim_warp_traces *traces, uint64_t number) {
    const sim_modelled_blocks *modelled = &traces->modelled;
    if (number < modelled->first || modelled->spread == 0) return (uint32_t)number;
    uint64_t share =
        (number - modelled->first) * modelled->spread / (modelled->all - modelled->first);
    return modelled->first + (uint32_t)share;
}

// NULL: not wanted.
static sim_traced_block *slot_of(const sim_warp_traces *traces, uint64_t index) {
    uint64_t number = index / traces->stride, sm = index % traces->stride;
    if (number >= traces->modelled.all) return NULL;
    uint32_t near = modelled_near(traces, number);
    for (uint32_t i = near; i <= near + 1 && i < sim_warp_traces_count(traces); i++)
        if (sim_warp_traces_modelled_number(traces, i) == number && modelled_sm(traces, i) == sm)
            return &traces->blocks[i];
    bool last = index > 0 && index == traces->modelled.last;
    return last ? &traces->blocks[sim_warp_traces_count(traces)] : NULL;
}

const sim_traced_block *sim_warp_traces_last(const sim_warp_traces *traces) {
    return traces->modelled.last ? slot_of(traces, traces->modelled.last) : NULL;
}

sim_traced_block *sim_warp_traces_begin(sim_warp_traces *traces, uint64_t index) {
    sim_traced_block *block = slot_of(traces, index);
    if (!block) return NULL;
    block->ran = true;
    return block;
}

void sim_warp_trace_run(sim_warp_trace *trace, const sim_function *function, uint32_t pc,
                        uint32_t count) {
    if (trace->cut || count == 0) return;
    if (trace->count == trace->capacity) {
        trace->cut =
            trace->count >= trace->of->most_runs ||
            !sim_reserve(&trace->runs, &trace->capacity, trace->count, sizeof *trace->runs);
        if (trace->cut) return;
    }
    trace->runs[trace->count++] = (sim_traced_run){function, pc, count};
}

void sim_warp_trace_line(sim_warp_trace *trace, const sim_traced_line *line) {
    if (trace->cut) return;
    if (trace->access_count == trace->access_capacity) {
        trace->cut = trace->access_count >= trace->of->most_accesses ||
                     !sim_reserve(&trace->accesses, &trace->access_capacity, trace->access_count,
                                  sizeof *trace->accesses);
        if (trace->cut) return;
    }
    trace->accesses[trace->access_count++] = *line;
}

void sim_warp_trace_event(sim_warp_trace *trace, const sim_traced_line *event) {
    sim_traced_line line = *event;
    line.time = trace->count - 1;
    sim_warp_trace_line(trace, &line);
}

void sim_warp_trace_take_back(sim_warp_trace *trace, uint32_t rest) {
    if (trace->cut || trace->count == 0) return;
    sim_traced_run *last = &trace->runs[trace->count - 1];
    if (rest < last->count) last->count -= rest;
    else trace->count--;
}

uint64_t sim_warp_trace_instructions(const sim_warp_trace *trace, uint32_t most_runs) {
    uint64_t sum = 0;
    for (uint32_t r = 0; r < trace->count && r < most_runs; r++) sum += trace->runs[r].count;
    return sum;
}

static void block_begin(sim_block_record *block) {
    sim_warp_traces *traces = block->worker->launch->traces;
    sim_traced_block *traced = traces ? sim_warp_traces_begin(traces, block->index) : NULL;
    for (uint32_t i = 0; i < block->warp_count; i++)
        sim_record_lines_to(block->warps[i], traced ? &traced->warps[i] : NULL);
}

const sim_recorder sim_recorder_warp_trace = {.block_begin = block_begin};
