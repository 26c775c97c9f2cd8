// Raw counts of a launch: see record.h.
#include "record/record.h"

// What the launch before touched is 0 again.
static void clear(sim_function_counts *counts) {
    SIM_EACH_RAN(pc, counts->ran, counts->capacity) counts->by_pc[pc] = (sim_raw_counts){0};
    memset(counts->ran, 0, counts->capacity / 64 * sizeof *counts->ran);
    counts->used = false;
}

static bool worker_begin(sim_worker_record *worker) {
    uint32_t count = worker->launch->program->function_count, had = worker->counts_capacity;
    for (uint32_t f = 0; f < had; f++)
        if (worker->counts[f].used) clear(&worker->counts[f]);
    if (had >= count) return true;
    sim_function_counts *grown = realloc(worker->counts, count * sizeof *grown);
    if (!grown) return false;
    memset(grown + had, 0, (count - had) * sizeof *grown);
    worker->counts = grown;
    worker->counts_capacity = count;
    return true;
}

static void grow(sim_function_counts *counts, uint32_t least) {
    uint32_t capacity = (least + 63) / 64 * 64;
    free(counts->by_pc);
    free(counts->ran);
    *counts = (sim_function_counts){.by_pc = calloc(capacity, sizeof *counts->by_pc),
                                    .ran = calloc(capacity / 64, sizeof *counts->ran),
                                    .capacity = capacity};
    if (counts->by_pc && counts->ran) return;
    free(counts->by_pc);
    free(counts->ran);
    *counts = (sim_function_counts){0};
}

const sim_function_counts *sim_counts_of(sim_worker_record *worker, const sim_function *function) {
    sim_function_counts *counts = &worker->counts[function->bound->index];
    if (counts->used) return counts;
    if (counts->capacity < function->code_count + 2) grow(counts, function->code_count + 2);
    counts->used = counts->by_pc != NULL;
    return counts;
}

void sim_expand_runs(const sim_function *function, sim_raw_counts *counts, uint64_t *ran) {
    uint32_t end = function->code_count;
    for (uint32_t pc = sim_next_ran(ran, 0, end); pc < end; pc = sim_next_ran(ran, pc, end)) {
        uint64_t executed = 0, active = 0;
        for (bool last = false; !last; pc++) {
            const sim_run *run = &function->bound->runs[pc];
            executed += counts[pc].executed;
            active += counts[pc].active;
            counts[pc].executed = executed;
            counts[pc].active = active;
            counts[pc].on = active - counts[pc].on;
            ran[pc / 64] |= UINT64_C(1) << pc % 64;
            last = run->plain + run->control == 1 || pc + 1 == end; // of its region
        }
    }
}

// Both are expanded.
static void add(sim_function_counts *sum, const sim_function_counts *counts, uint32_t end) {
    SIM_EACH_RAN(pc, counts->ran, end) {
        sim_raw_counts *to = &sum->by_pc[pc];
        const sim_raw_counts *from = &counts->by_pc[pc];
        to->executed += from->executed;
        to->active += from->active;
        to->on += from->on;
        to->requests += from->requests;
        to->sectors += from->sectors;
        to->wavefronts += from->wavefronts;
        to->conflicts += from->conflicts;
        to->divergent += from->divergent;
        sum->ran[pc / 64] |= UINT64_C(1) << pc % 64;
    }
}

// The counts of one function from all workers, in the place of one of them; NULL: none of them ran
// it.
static const sim_function_counts *sum_up(sim_launch_record *launch, uint32_t f) {
    const sim_function *function = &launch->program->functions[f];
    sim_function_counts *sum = NULL;
    for (uint32_t i = 0; i < launch->worker_count; i++) {
        sim_function_counts *counts = &launch->workers[i]->counts[f];
        if (!counts->used) continue;
        sim_expand_runs(function, counts->by_pc, counts->ran);
        if (sum) add(sum, counts, function->code_count);
        else sum = counts;
    }
    return sum;
}

static void fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    uint32_t count = launch->program->function_count;
    out_recorded->function_count = count;
    out_recorded->counts = calloc(count, sizeof *out_recorded->counts);
    if (!out_recorded->counts) out_recorded->function_count = 0;
    for (uint32_t f = 0; f < out_recorded->function_count; f++) {
        const sim_function_counts *sum = sum_up(launch, f);
        if (sum) out_recorded->counts[f] = *sum;
    }
}

const sim_recorder sim_recorder_instruction_counts = {.worker_begin = worker_begin, .fold = fold};
