// SPDX-License-Identifier: MIT
// Raw counts of a launch: see instruction_counts.h.
#include "record/instruction_counts.h"

#include <stdlib.h>
#include <string.h>

static bool worker_begin(sim_worker_record *worker) {
    uint32_t count = worker->launch->program->function_count, had = worker->counts_capacity;
    if (had >= count) return true;
    sim_raw_counts **grown = realloc(worker->counts, count * sizeof *grown);
    if (!grown) return false;
    memset(grown + had, 0, (count - had) * sizeof *grown);
    worker->counts = grown;
    worker->counts_capacity = count;
    return true;
}

sim_raw_counts *sim_counts_of(sim_worker_record *worker, const sim_function *function) {
    sim_raw_counts **counts = &worker->counts[function->bound->index];
    if (!*counts) *counts = calloc((size_t)function->code_count + 2, sizeof **counts);
    return *counts;
}

void sim_expand_runs(const sim_function *function, sim_raw_counts *counts) {
    uint64_t executed = 0, active = 0;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_run *run = &function->bound->runs[pc];
        executed += counts[pc].executed;
        active += counts[pc].active;
        counts[pc].executed = executed;
        counts[pc].active = active;
        counts[pc].on = active - counts[pc].on;
        if (run->plain + run->control == 1) executed = active = 0; // last of its region
    }
}

static void add(sim_raw_counts *to, const sim_raw_counts *from, uint32_t count) {
    for (uint32_t pc = 0; pc < count; pc++) {
        to[pc].executed += from[pc].executed;
        to[pc].active += from[pc].active;
        to[pc].on += from[pc].on;
        to[pc].requests += from[pc].requests;
        to[pc].sectors += from[pc].sectors;
        to[pc].wavefronts += from[pc].wavefronts;
        to[pc].conflicts += from[pc].conflicts;
        to[pc].divergent += from[pc].divergent;
    }
}

// Takes the counts of one function from all workers; NULL: none of them ran it.
static sim_raw_counts *take_sum(sim_launch_record *launch, uint32_t f) {
    const sim_function *function = &launch->program->functions[f];
    sim_raw_counts *sum = NULL;
    for (uint32_t i = 0; i < launch->worker_count; i++) {
        sim_raw_counts *counts = launch->workers[i]->counts[f];
        launch->workers[i]->counts[f] = NULL;
        if (sum && counts) add(sum, counts, function->code_count);
        if (sum)
            free(counts);
        else
            sum = counts;
    }
    if (sum) sim_expand_runs(function, sum);
    return sum;
}

static void fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    out_recorded->function_count = launch->program->function_count;
    out_recorded->counts = calloc(out_recorded->function_count, sizeof *out_recorded->counts);
    for (uint32_t f = 0; f < out_recorded->function_count; f++) {
        sim_raw_counts *sum = take_sum(launch, f);
        if (out_recorded->counts)
            out_recorded->counts[f] = sum;
        else
            free(sum);
    }
}

const sim_recorder sim_recorder_instruction_counts = {.worker_begin = worker_begin, .fold = fold};
