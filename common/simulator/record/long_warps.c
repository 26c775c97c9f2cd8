// Warps that go on for long: see record.h.
#include "record/record.h"

enum {
    FIRST_MARK = 1 << 10,           // instructions of a time slice
    FOLLOWED_MOST = 1 << 12,        // instructions from a mark on
    FOLLOWED_LEAST = FIRST_MARK / 4 // that tell something
};

static bool worker_begin(sim_worker_record *worker) {
    worker->late_warps.kept.after = worker->late_warps.begun.after = 0;
    return true;
}

// Whether `a` is kept rather than `b`.
static bool is_later(const sim_late_warp *a, const sim_late_warp *b) {
    return a->after > b->after || (a->after == b->after && a->block < b->block);
}

static void follow(sim_warp_record *warp, sim_late_warps *late) {
    bool alone = !warp->trace || warp->trace->cut; // else all that it does is recorded
    sim_late_warp begun = {.after = late->next, .block = warp->block->index};
    if (!alone || !is_later(&begun, &late->kept)) return;
    begun.trace = late->begun.trace;
    begun.trace.count = begun.trace.access_count = 0;
    begun.trace.cut = false;
    begun.trace.of = warp->block->worker->launch->traces;
    late->begun = begun;
    late->own = warp->trace;
    sim_record_lines_to(warp, &late->begun.trace);
}

static void slice_end(sim_warp_record *warp, uint64_t done) {
    (void)done;
    sim_late_warps *late = &warp->block->worker->late_warps;
    if (!late->begun.after) return;
    if (sim_warp_trace_instructions(&late->begun.trace, UINT32_MAX) >= FOLLOWED_LEAST) {
        sim_late_warp kept = late->kept;
        late->kept = late->begun;
        late->begun = kept;
    }
    late->begun.after = 0;
    sim_record_lines_to(warp, late->own);
}

static uint64_t mark(sim_warp_record *warp, uint64_t done) {
    sim_worker_record *worker = warp->block->worker;
    sim_late_warps *late = &worker->late_warps;
    if (!worker->launch->traces) return UINT64_MAX;
    if (!worker->marked) late->next = FIRST_MARK;
    for (;;) {
        if (late->begun.after) {
            uint64_t end = late->begun.after + FOLLOWED_MOST;
            if (end > late->next) end = late->next;
            if (done < end) return end;
            slice_end(warp, done);
        }
        if (done < late->next) return late->next;
        follow(warp, late);
        late->next *= 2;
        if (!late->begun.after) return late->next;
    }
}

// The latest one of all workers now belongs to the result.
static void fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    sim_late_warp *latest = &launch->workers[0]->late_warps.kept;
    for (uint32_t i = 1; i < launch->worker_count; i++) {
        sim_late_warp *other = &launch->workers[i]->late_warps.kept;
        if (is_later(other, latest)) latest = other;
    }
    if (!latest->after) return;
    out_recorded->late_warp = *latest;
    *latest = (sim_late_warp){.after = 0};
}

const sim_recorder sim_recorder_late_warp = {
    .worker_begin = worker_begin, .mark = mark, .slice_end = slice_end, .fold = fold};

// ---- the longest warp of a launch, and a sample of what it executes -----------------------------

enum {
    AFTER_A_PLACE = 4,   // instructions before a sample, for each of the kernel, whose counts are
                         // read twice
    SAMPLED_LEAST = 256, // instructions that stand for all of a warp's
};

static bool longest_worker_begin(sim_worker_record *worker) {
    sim_longest *longest = &worker->longest;
    longest->executed = longest->held = 0;
    longest->block = UINT64_MAX;
    longest->sample.function = NULL;
    return true;
}

static void block_begin(sim_block_record *block) { block->sample.function = NULL; }

// So many instructions that a sample costs next to nothing, and as many as the longest slice had
// that the block has sampled, so that warps of one length give one sample.
static uint64_t sample_after(const sim_block_record *block) {
    uint64_t after = (uint64_t)AFTER_A_PLACE * block->worker->launch->function->code_count;
    if (after < SIM_SAMPLE_LEAST) after = SIM_SAMPLE_LEAST;
    return block->sample.function ? after + block->sample.instructions : after;
}

static bool reserve(sim_sample *sample, uint32_t count) {
    if (sample->capacity >= count) return true;
    uint64_t *grown = realloc(sample->runs, count * sizeof *grown);
    if (!grown) return false;
    sample->runs = grown;
    sample->capacity = count;
    return true;
}

static uint64_t longest_mark(sim_warp_record *warp, uint64_t done) {
    uint64_t after = sample_after(warp->block);
    sim_sample *begun = &warp->block->worker->longest.begun;
    const sim_function *function = warp->function;
    if (begun->function) return UINT64_MAX;
    if (done < after) return after;
    if (!warp->counts || !reserve(begun, function->code_count)) return UINT64_MAX;
    begun->function = function;
    begun->instructions = done;
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        begun->runs[pc] = warp->counts[pc].executed;
    return UINT64_MAX;
}

// The block keeps the sample if it has no longer one.
static void longest_slice_end(sim_warp_record *warp, uint64_t done) {
    sim_block_record *block = warp->block;
    sim_sample *begun = &block->worker->longest.begun, *kept = &block->sample;
    const sim_function *function = begun->function;
    if (!function) return;
    begun->function = NULL;
    uint64_t instructions = done - begun->instructions;
    if (instructions < SAMPLED_LEAST || (kept->function && instructions <= kept->instructions))
        return;
    const sim_raw_counts *counts = block->worker->counts[function->bound->index].by_pc;
    if (!counts || !reserve(kept, function->code_count)) return;
    kept->function = function;
    kept->warp = warp->index;
    kept->instructions = instructions;
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        kept->runs[pc] = counts[pc].executed - begun->runs[pc];
}

static void block_end(sim_block_record *block) {
    sim_longest *longest = &block->worker->longest;
    uint64_t executed = 0;
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i]->executed > executed) executed = block->warps[i]->executed;
    longest->held += executed * block->warp_count;
    if (executed < longest->executed ||
        (executed == longest->executed && block->index >= longest->block))
        return;
    longest->executed = executed;
    longest->block = block->index;
    sim_sample kept = longest->sample;
    longest->sample = block->sample;
    block->sample = kept;
}

// `counts`: of all functions, where the launch's warps were.
static void expand_sample(const sim_sample *sample, const sim_function_counts *counts,
                          sim_longest_warp *out_warp) {
    const sim_function *function = sample->function;
    uint64_t *here = function && counts ? counts[function->bound->index].ran : NULL;
    if (!here) return;
    uint32_t end = function->code_count;
    out_warp->counts = calloc((size_t)function->code_count + 1, sizeof *out_warp->counts);
    if (!out_warp->counts) return;
    out_warp->function = function;
    SIM_EACH_RAN(pc, here, end) out_warp->counts[pc].executed = sample->runs[pc];
    sim_expand_runs(function, out_warp->counts, here);
    SIM_EACH_RAN(pc, here, end) out_warp->sampled += out_warp->counts[pc].executed;
    if (!out_warp->sampled) out_warp->function = NULL; // the warp had left the function
}

static void longest_fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    sim_longest_warp *warp = &out_recorded->longest;
    const sim_longest *longest = &launch->workers[0]->longest;
    for (uint32_t i = 0; i < launch->worker_count; i++) {
        const sim_longest *other = &launch->workers[i]->longest;
        warp->held += other->held;
        if (other->executed > longest->executed ||
            (other->executed == longest->executed && other->block < longest->block))
            longest = other;
    }
    warp->executed = longest->executed;
    warp->block = longest->block;
    warp->warp = longest->sample.warp;
    expand_sample(&longest->sample, out_recorded->counts, warp);
}

const sim_recorder sim_recorder_longest_warp = {.worker_begin = longest_worker_begin,
                                                .block_begin = block_begin,
                                                .mark = longest_mark,
                                                .slice_end = longest_slice_end,
                                                .block_end = block_end,
                                                .fold = longest_fold};
