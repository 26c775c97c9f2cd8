// SPDX-License-Identifier: MIT
// One SM's warps played through cycle by cycle: see timeline_play.h. What is not modelled: the
// instruction cache, register banks, what divergent lanes of one warp could do at once (they take
// their turns as the simulator ran them), barriers of a part of a block (they open when no warp of
// the block can go on otherwise).
#include "timing/bounds/timeline_play.h"

#include <stdlib.h>
#include <string.h>

#include "machine/operands.h"
#include "timing/bounds/bounds.h"

enum {
    BOARD_SLOTS = 1 << 12,  // registers of a warp; two that share an entry only make it cautious
    BLOCKS_A_PLACE = 8,     // recorded for each block that fits by its warps
    RUNS_A_WARP = 1 << 12,  // recorded
    SCHEDULERS_MAX = 8,     //
    PLACES_MAX = 2 * 64,    // warps of an SM
    RESTRICTED_PIPES = 2,   // XU, FP64
    L1_SECTORS_A_CYCLE = 4, // of local memory
};

// A function as the schedulers see it: its instructions in the order in which ptxas would place
// them.
typedef struct code {
    sim_bounds_step *steps;
    uint32_t *order; // [code_count]: pcs; a stretch takes the places of its own pcs
} code;

typedef struct board {
    uint32_t ready[BOARD_SLOTS];
    bool memory[BOARD_SLOTS]; // written by a load from memory
} board;

// A warp's place on the SM.
typedef struct place {
    const sim_warp_path *path; // NULL: empty
    uint32_t run;              // of the path
    uint32_t first, last;      // the part of this run inside one stretch
    uint32_t at;               // in code.order
    uint32_t free;             // cycle after its last instruction
    uint32_t ready;            // cycle at which its next one can start
    sim_warp_phase why;        // it cannot before
    bool at_barrier;
    board *board;
} place;

typedef struct player {
    const sim_device *device;
    const sim_program *program;
    const sim_grid_result *result;
    const sim_cache_result *cache;
    const sim_paths *paths;
    sim_timeline *timeline;
    code *codes; // by function of the program
    place places[PLACES_MAX];
    uint32_t place_count, warps_a_block;
    uint32_t next_block, blocks_of_sm;
    uint32_t live[PLACES_MAX],
        arrived[PLACES_MAX];       // warps of the block at places b * warps_a_block ..
    uint32_t turn[SCHEDULERS_MAX]; // of the place that issued last
    uint32_t pipe_free[SCHEDULERS_MAX][RESTRICTED_PIPES];
    double memory_free, shared_free; // when the queue is empty
    double cycles_a_sector;
    double waited; // cycles of all loads from memory
    bool failed;   // no memory
} player;

sim_paths *sim_timeline_paths(const sim_device *device, const sim_launch_config *config) {
    uint64_t threads = (uint64_t)config->block.x * config->block.y * config->block.z;
    uint64_t blocks = (uint64_t)config->grid.x * config->grid.y * config->grid.z;
    uint64_t warps = (threads + SIM_WARP_LANES - 1) / SIM_WARP_LANES;
    if (warps == 0 || warps > device->warps_per_sm || blocks == 0) return NULL;
    uint64_t of_sm = (blocks + device->sm_count - 1) / device->sm_count;
    uint64_t most = BLOCKS_A_PLACE * (device->warps_per_sm / warps);
    return sim_paths_new(device->sm_count, (uint32_t)(of_sm < most ? of_sm : most), (uint32_t)warps,
                         RUNS_A_WARP);
}

// ---- The order of instructions ----

typedef struct keyed_pc {
    double start;
    uint32_t pc;
} keyed_pc;

static int by_start(const void *left, const void *right) {
    const keyed_pc *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static bool make_code(player *p, uint32_t index) {
    const sim_function *function = &p->program->functions[index];
    code *c = &p->codes[index];
    if (c->order) return true;
    keyed_pc *keys = calloc(function->code_count + 1, sizeof *keys);
    sim_bounds_code walked = {function, index, p->cache, p->result->counts[index], NULL};
    c->steps = sim_bounds_walk(p->device, &walked);
    c->order = calloc(function->code_count + 1, sizeof *c->order);
    bool complete = keys && c->steps && c->order;
    for (uint32_t first = 0; complete && first < function->code_count;) {
        uint32_t last = c->steps[first].last;
        for (uint32_t pc = first; pc <= last; pc++) keys[pc] = (keyed_pc){c->steps[pc].start, pc};
        qsort(keys + first, last - first, sizeof *keys, by_start); // what ends a stretch stays last
        for (uint32_t pc = first; pc <= last; pc++) c->order[pc] = keys[pc].pc;
        first = last + 1;
    }
    free(keys);
    return complete;
}

static const code *code_of(player *p, const sim_function *function) {
    uint32_t index = (uint32_t)(function - p->program->functions);
    if (!make_code(p, index)) p->failed = true;
    return p->failed ? NULL : &p->codes[index];
}

// ---- A warp's next instruction ----

static const sim_path_run *run_of(const place *w) {
    return &w->path->runs[w->run];
}

// Enters the part of the present run that begins at `pc`.
static void enter(player *p, place *w, uint32_t pc) {
    const sim_path_run *run = run_of(w);
    const code *c = code_of(p, run->function);
    if (!c) return;
    uint32_t end = run->pc + run->count - 1;
    w->first = pc;
    w->last = c->steps[pc].last < end ? c->steps[pc].last : end;
    w->at = c->steps[pc].first;
}

// The place in the order of the next instruction of the path; false: it has ended.
static bool find_next(player *p, place *w) {
    while (!p->failed && w->run < w->path->count) {
        const sim_path_run *run = run_of(w);
        const code *c = code_of(p, run->function);
        if (!c) return false;
        uint32_t last = c->steps[w->first].last;
        for (; w->at <= last; w->at++)
            if (c->order[w->at] >= w->first && c->order[w->at] <= w->last) return true;
        if (w->last + 1 < run->pc + run->count)
            enter(p, w, w->last + 1);
        else if (++w->run < w->path->count)
            enter(p, w, run_of(w)->pc);
    }
    return false;
}

static const sim_instr *next_instr(player *p, const place *w) {
    const sim_function *function = run_of(w)->function;
    return &function->code[code_of(p, function)->order[w->at]];
}

static uint32_t entry_of(uint32_t slot) {
    return (slot >> 2) & (BOARD_SLOTS - 1);
}

// When the next instruction's operands are there, and what it waits for until then.
static void wait_for_operands(player *p, place *w) {
    uint32_t slots[SIM_OPERAND_SLOTS];
    uint32_t count = sim_operand_sources(run_of(w)->function, next_instr(p, w), slots);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = entry_of(slots[i]);
        if (w->board->ready[at] <= w->ready) continue;
        w->ready = w->board->ready[at];
        w->why = w->board->memory[at] ? SIM_PHASE_MEMORY : SIM_PHASE_OPERAND;
    }
}

static int restricted_pipe(const sim_instr *instr) {
    sim_pipe pipe = sim_pipe_of(instr);
    return pipe == SIM_PIPE_XU ? 0 : pipe == SIM_PIPE_FP64 ? 1 : -1;
}

// The cycle in which the pipe of the place's next instruction is free; 0: it always is.
static uint32_t pipe_free_for(player *p, uint32_t index) {
    int pipe = restricted_pipe(next_instr(p, &p->places[index]));
    return pipe < 0 ? 0 : p->pipe_free[index % p->device->schedulers_per_sm][pipe];
}

// ---- What is written down ----

static void emit(player *p, uint32_t row_index, sim_warp_phase phase, uint32_t cycles) {
    sim_timeline_row *row = &p->timeline->rows[row_index];
    if (cycles == 0) return;
    if (row->count && row->spans[row->count - 1].phase == phase) {
        row->spans[row->count - 1].cycles += cycles;
        return;
    }
    if (row->count == row->capacity) {
        uint32_t capacity = row->capacity ? row->capacity * 2 : 256;
        sim_timeline_span *grown = realloc(row->spans, capacity * sizeof *grown);
        if (!grown) {
            p->failed = true;
            return;
        }
        row->spans = grown;
        row->capacity = capacity;
    }
    row->spans[row->count++] = (sim_timeline_span){cycles, phase};
}

// Cycles up to `until`, from where the place was written down.
static void emit_until(player *p, uint32_t index, sim_warp_phase phase, uint32_t until) {
    place *w = &p->places[index];
    if (until <= w->free) return;
    emit(p, index, phase, until - w->free);
    w->free = until;
}

static uint32_t least_of(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

// A place's time from what was written down last to `now`.
static void emit_waiting(player *p, uint32_t index, uint32_t now) {
    place *w = &p->places[index];
    if (!w->path) {
        emit_until(p, index, SIM_PHASE_ABSENT, now);
    } else if (w->at_barrier) {
        emit_until(p, index, SIM_PHASE_BARRIER, now);
    } else {
        emit_until(p, index, w->why, least_of(w->ready, now));
        emit_until(p, index, SIM_PHASE_PIPE, least_of(pipe_free_for(p, index), now));
        emit_until(p, index, SIM_PHASE_READY, now);
    }
}

// ---- Blocks and barriers ----

static void start_block(player *p, uint32_t group, uint32_t now) {
    const sim_block_path *block = &p->paths->blocks[p->next_block++];
    uint32_t first = group * p->warps_a_block;
    uint32_t start = (uint32_t)sim_bounds_start_cycles;
    p->timeline->blocks++;
    p->arrived[group] = p->live[group] = 0;
    for (uint32_t i = 0; i < p->warps_a_block; i++) {
        place *w = &p->places[first + i];
        const sim_warp_path *path = &block->warps[i];
        if (path->count == 0) continue;
        emit_waiting(p, first + i, now);
        memset(w->board, 0, sizeof *w->board);
        w->path = path;
        w->run = 0;
        w->at_barrier = false;
        w->ready = now + start;
        w->why = SIM_PHASE_START;
        enter(p, w, path->runs[0].pc);
        p->live[group]++;
    }
}

static void open_barrier(player *p, uint32_t group, uint32_t now) {
    const sim_instr barrier = {.op = SIM_OP_BAR};
    uint32_t first = group * p->warps_a_block;
    p->arrived[group] = 0;
    for (uint32_t i = first; i < first + p->warps_a_block; i++) {
        place *w = &p->places[i];
        if (!w->at_barrier) continue;
        emit_waiting(p, i, now);
        w->at_barrier = false;
        w->ready = now + (uint32_t)sim_bounds_wait_after(&barrier);
        w->why = SIM_PHASE_BARRIER;
        if (find_next(p, w)) wait_for_operands(p, w);
    }
}

static void open_when_all_came(player *p, uint32_t group, uint32_t now) {
    if (p->live[group] && p->arrived[group] == p->live[group]) open_barrier(p, group, now);
}

// The end of a path. False: the timeline must end here, for what follows was not recorded.
static bool end_warp(player *p, uint32_t index, uint32_t now) {
    uint32_t group = index / p->warps_a_block;
    place *w = &p->places[index];
    bool known = !w->path->cut;
    w->path = NULL;
    w->free = now;
    if (--p->live[group]) {
        open_when_all_came(p, group, now);
        return known;
    }
    if (p->next_block >= p->blocks_of_sm) return known;
    if (p->next_block >= p->paths->block_count) return false;
    start_block(p, group, now);
    return known;
}

// ---- Issuing ----

static const sim_raw_counts *counts_of(const player *p, const sim_function *function,
                                       const sim_instr *instr) {
    const sim_raw_counts *counts = p->result->counts[function - p->program->functions];
    return counts ? &counts[instr - function->code] : NULL;
}

// Takes `service` cycles of a queue; returns when they end.
static double serve(double *queue_free, uint32_t now, double service) {
    double start = *queue_free > now ? *queue_free : now;
    *queue_free = start + service;
    return *queue_free;
}

// When the instruction's result is there. Its traffic is what its executions needed on average.
static double finish_of(player *p, const sim_function *function, const sim_instr *instr,
                        double latency, uint32_t now) {
    const sim_raw_counts *counts = counts_of(p, function, instr);
    if (!counts || counts->executed == 0) return now + latency;
    double sectors = (double)counts->sectors / (double)counts->executed;
    double passes = (double)counts->wavefronts / (double)counts->executed;
    if (instr->space == PTX_SPACE_LOCAL)
        return serve(&p->shared_free, now, sectors / L1_SECTORS_A_CYCLE) + latency;
    if (sectors > 0) return serve(&p->memory_free, now, sectors * p->cycles_a_sector) + latency;
    if (passes > 0) return serve(&p->shared_free, now, passes) + latency;
    return now + latency;
}

static void write_results(player *p, place *w, const sim_instr *instr, uint32_t now) {
    const sim_function *function = run_of(w)->function;
    const sim_bounds_step *step = &code_of(p, function)->steps[instr - function->code];
    double finish = finish_of(p, function, instr, step->latency, now);
    bool memory = sim_is_load(instr) && instr->space != PTX_SPACE_SHARED &&
                  instr->space != PTX_SPACE_PARAM && instr->space != PTX_SPACE_CONST;
    if (finish > now + 1) finish = now + 1 + (finish - now - 1) * step->share;
    if (memory) p->waited += finish - now;
    uint32_t slots[SIM_OPERAND_SLOTS];
    uint32_t count = sim_operand_results(function, instr, slots);
    for (uint32_t i = 0; i < count; i++) {
        w->board->ready[entry_of(slots[i])] = (uint32_t)(finish + 0.5);
        w->board->memory[entry_of(slots[i])] = memory;
    }
}

// Cycles of a scheduler for one warp instruction of a pipe; a card without it does not play any.
static uint32_t cycles_of(double rate) {
    return rate > 0 ? (uint32_t)(1 / rate + 0.5) : 1;
}

// Takes a restricted pipe from `now` on. Warps that wait for it are written down first: until now
// the pipe was free for them, or busy with what it was given before.
static void take_pipe(player *p, uint32_t scheduler, int pipe, uint32_t now) {
    uint32_t step = p->device->schedulers_per_sm;
    for (uint32_t i = scheduler; i < p->place_count; i += step) {
        const place *w = &p->places[i];
        if (w->path && !w->at_barrier && w->ready <= now &&
            restricted_pipe(next_instr(p, w)) == pipe)
            emit_waiting(p, i, now + 1);
    }
    p->pipe_free[scheduler][pipe] =
        now + cycles_of(pipe == 0 ? p->device->xu_rate : p->device->fp64_rate);
}

// Starts the next instruction of a place. False: the timeline ends.
static bool issue(player *p, uint32_t index, uint32_t now) {
    place *w = &p->places[index];
    const sim_instr *instr = next_instr(p, w);
    int pipe = restricted_pipe(instr);
    emit_waiting(p, index, now);
    emit(p, index, SIM_PHASE_ISSUE, 1);
    w->free = now + 1;
    if (pipe >= 0) take_pipe(p, index % p->device->schedulers_per_sm, pipe, now);
    write_results(p, w, instr, now);
    w->ready = now + 1;
    w->why = SIM_PHASE_OPERAND;
    w->at++;
    bool waits = instr->op == SIM_OP_BAR && instr->variant != SIM_BAR_ARRIVE;
    bool goes_on = find_next(p, w);
    if (!goes_on) return end_warp(p, index, now + 1);
    if (waits) {
        w->at_barrier = true;
        p->arrived[index / p->warps_a_block]++;
        open_when_all_came(p, index / p->warps_a_block, now + 1);
        return true;
    }
    w->ready += (uint32_t)sim_bounds_wait_after(instr);
    wait_for_operands(p, w);
    return true;
}

// The cycle from which a place could issue; UINT32_MAX: not before something else happens.
static uint32_t earliest(player *p, uint32_t index) {
    const place *w = &p->places[index];
    if (!w->path || w->at_barrier) return UINT32_MAX;
    uint32_t free = pipe_free_for(p, index);
    return w->ready > free ? w->ready : free;
}

// One cycle of one scheduler: the first warp in turn that is ready. Returns the next cycle in which
// it has something to do, UINT32_MAX for none.
static uint32_t schedule(player *p, uint32_t scheduler, uint32_t now, bool *out_goes_on) {
    uint32_t step = p->device->schedulers_per_sm, next = UINT32_MAX;
    uint32_t places = (p->place_count + step - 1 - scheduler) / step;
    for (uint32_t i = 1; i <= places; i++) {
        uint32_t index = (p->turn[scheduler] + i) % places * step + scheduler;
        uint32_t from = earliest(p, index);
        if (from <= now) {
            p->turn[scheduler] = index / step;
            if (!issue(p, index, now)) *out_goes_on = false;
            return now + 1;
        }
        next = from < next ? from : next;
    }
    return next;
}

static bool any_waits(const player *p) {
    for (uint32_t i = 0; i < p->place_count; i++)
        if (p->places[i].at_barrier) return true;
    return false;
}

static uint32_t play(player *p) {
    uint32_t now = 0;
    bool goes_on = true;
    while (goes_on && !p->failed && now < SIM_TIMELINE_CYCLES) {
        uint32_t next = UINT32_MAX;
        for (uint32_t s = 0; goes_on && s < p->device->schedulers_per_sm; s++) {
            uint32_t from = schedule(p, s, now, &goes_on);
            next = from < next ? from : next;
        }
        if (!goes_on) return now + 1;
        if (next != UINT32_MAX) {
            now = next;
        } else if (any_waits(p)) { // barriers of a part of a block
            for (uint32_t g = 0; g * p->warps_a_block < p->place_count; g++)
                open_barrier(p, g, now);
        } else {
            p->timeline->cut = false; // all is done
            return now;
        }
    }
    return now < SIM_TIMELINE_CYCLES ? now : SIM_TIMELINE_CYCLES;
}

// Cycles of this SM's share of memory for a sector, so that the launch's traffic takes as long as
// the largest bound that memory sets to it.
static double sector_cycles(const sim_device *device, const sim_launch_report *report) {
    static const sim_bound_kind memory[] = {SIM_BOUND_DRAM, SIM_BOUND_L2, SIM_BOUND_STORES,
                                            SIM_BOUND_L1};
    const uint64_t *totals = report->totals.value;
    double sectors =
        (double)(totals[SIM_COUNTER_GLOBAL_LD_SECTORS] + totals[SIM_COUNTER_GLOBAL_ST_SECTORS] +
                 totals[SIM_COUNTER_GLOBAL_ATOM_SECTORS] + totals[SIM_COUNTER_GLOBAL_RED_SECTORS]);
    double longest_us = 0;
    for (int i = 0; i < SIM_TIME_BOUNDS; i++)
        for (size_t n = 0; n < sizeof memory / sizeof memory[0]; n++)
            if (report->bounds[i].kind == memory[n] && report->bounds[i].time_us > longest_us)
                longest_us = report->bounds[i].time_us;
    double blocks = (double)report->config.grid.x * report->config.grid.y * report->config.grid.z;
    double sms = blocks < device->sm_count ? blocks : device->sm_count;
    return sectors > 0 ? longest_us * device->clock_mhz * sms / sectors : 0;
}

static bool prepare(player *p, const sim_launch_report *report) {
    const sim_launch_config *config = &report->config;
    uint64_t blocks = (uint64_t)config->grid.x * config->grid.y * config->grid.z;
    uint32_t groups = report->occupancy.blocks_per_sm;
    p->warps_a_block = p->paths->warps_a_block;
    p->blocks_of_sm = (uint32_t)((blocks + p->device->sm_count - 1) / p->device->sm_count);
    if (groups > p->blocks_of_sm) groups = p->blocks_of_sm;
    while (groups * p->warps_a_block > PLACES_MAX) groups--;
    p->place_count = groups * p->warps_a_block;
    if (groups == 0 || groups > p->paths->block_count || !p->paths->blocks[0].ran) return false;
    p->cycles_a_sector = sector_cycles(p->device, report);
    p->codes = calloc(p->program->function_count, sizeof *p->codes);
    p->timeline = calloc(1, sizeof *p->timeline);
    if (!p->codes || !p->timeline) return false;
    p->timeline->rows = calloc(p->place_count, sizeof *p->timeline->rows);
    if (!p->timeline->rows) return false;
    p->timeline->row_count = p->place_count;
    p->timeline->schedulers = p->device->schedulers_per_sm;
    p->timeline->cut = true;
    for (uint32_t i = 0; i < p->place_count; i++)
        if (!(p->places[i].board = calloc(1, sizeof(board)))) return false;
    return true;
}

static void release(player *p) {
    for (uint32_t i = 0; i < p->place_count; i++) free(p->places[i].board);
    for (uint32_t f = 0; p->codes && f < p->program->function_count; f++) {
        free(p->codes[f].steps);
        free(p->codes[f].order);
    }
    free(p->codes);
}

sim_timeline *sim_timeline_play(const sim_device *device, const sim_program *program,
                                const sim_grid_result *result, const sim_cache_result *cache,
                                const sim_launch_report *report, const sim_paths *paths) {
    player *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    *p = (player){
        .device = device, .program = program, .result = result, .cache = cache, .paths = paths};
    bool complete = prepare(p, report);
    for (uint32_t g = 0; complete && g * p->warps_a_block < p->place_count; g++)
        start_block(p, g, 0);
    if (complete) {
        sim_timeline *t = p->timeline;
        t->cycles = play(p);
        for (uint32_t i = 0; i < p->place_count; i++) emit_waiting(p, i, t->cycles);
        t->in_flight = t->cycles ? p->waited / t->cycles : 0;
        complete = !p->failed && t->cycles > 0;
    }
    sim_timeline *timeline = p->timeline;
    release(p);
    free(p);
    if (complete) return timeline;
    sim_timeline_free(timeline);
    return NULL;
}
