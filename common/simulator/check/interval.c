// Where intervals between barriers begin and end: see race.h.
#include "check/race.h"

// Noting pays only where a barrier comes before what closes the interval: a balance of accesses
// forgotten, and of accesses told after all, each of which costs about as much as four gain.
enum { CREDIT = 4096, TOLD_COST = 4, SKIPPED_GAIN = 8 };

// Loads are noted that lie in the part of shared memory which has been written.
static uint32_t noted_below(const check_block *block) {
    enum { ROW_BYTES = 64 };
    uint32_t written = block->written_below;
    return block->interval.is_open && written >= ROW_BYTES ? written - ROW_BYTES + 1 : 0;
}

void check_interval_begin(sim_checker *checker, check_block *block) {
    check_interval *interval = &block->interval;
    checker->row_notes->count = interval->settled = 0;
    interval->stores = false;
    interval->begin = block->order.base;
    interval->is_open = checker->interval_credit >= 0 && checker->block_count == 1 &&
                        checker->run_count <= 1 && !block->order.strayed && !block->copies &&
                        !checker->async_reads && !block->shared.unknown &&
                        block->shared.shift == 2 && interval->strips;
    checker->row_notes->below = noted_below(block);
    checker->row_notes->symbols = checker->grid->launch->program->symbols;
}

void check_interval_end(sim_checker *checker, check_block *block) {
    const check_interval *interval = &block->interval;
    const sim_row_notes *notes = checker->row_notes;
    if (notes->count) checker->clock.touched = true;
    if (interval->stores) check_interval_settle(checker);
    int32_t credit = checker->interval_credit;
    credit += interval->is_open ? (int32_t)notes->count : SKIPPED_GAIN;
    checker->interval_credit = credit < CREDIT ? credit : CREDIT;
}

bool check_interval_halves(check_interval *interval, const sim_row_note *access) {
    bool is_store = access->is_store;
    enum { WORD_BYTES = 4, HALF = 16 };
    uint32_t a = access->base[0] / WORD_BYTES, b = access->base[1] / WORD_BYTES;
    uint32_t first = 2 * HALF * access->warp, cells = access->stride ? (1u << HALF) - 1 : 1;
    bool shared = access->stride == 0 || a == b; // several lanes access a cell
    if (access->lanes != UINT32_MAX || (is_store && shared)) return false;
    return check_interval_access(interval, a, shared ? CHECK_NO_HOME : first - a, cells,
                                 is_store) &&
           (a == b || check_interval_access(interval, b, shared ? CHECK_NO_HOME : first + HALF - b,
                                            cells, is_store));
}

static const sim_function *function_of(const sim_checker *checker, const sim_instr *instr) {
    const sim_program *program = checker->grid->launch->program;
    for (uint32_t f = 0; f < program->function_count; f++) {
        const sim_function *function = &program->functions[f];
        if (instr >= function->code && instr < function->code + function->code_count)
            return function;
    }
    return NULL;
}

uint32_t check_last_site(const sim_checker *checker, uint32_t warp) {
    const sim_instr *last = checker->row_notes->last[warp];
    if (last) return check_site(checker, function_of(checker, last), last);
    return checker->current->order.warps[warp].last_site;
}

// An access that was noted goes to the cells, as of the time at which it was.
static void tell(sim_checker *checker, const check_block *block, const sim_row_note *access) {
    const sim_function *function = function_of(checker, access->instr);
    const sim_access_event event = {.block = block->order.position,
                                    .owner = block->order.position,
                                    .warp = access->warp,
                                    .function = function,
                                    .instr = access->instr,
                                    .lanes = access->lanes,
                                    .space = PTX_SPACE_SHARED,
                                    .kind = access->is_store ? SIM_ACCESS_WRITE : SIM_ACCESS_READ,
                                    .bytes = 4,
                                    .base = {access->base[0], access->base[1]},
                                    .stride = access->stride,
                                    .memory = checker->row_notes->shared};
    checker->race_access(checker, &event, check_site(checker, function, access->instr));
}

// Since they were noted, times and the bases of warps alone have changed: whatever else changes
// closes the interval before.
static void tell_settled(sim_checker *checker, check_block *block, uint32_t count) {
    uint32_t now = checker->clock.now;
    for (uint32_t i = 0; i < count && !checker->exhausted; i++) {
        const sim_row_note *note = &checker->row_notes->at[i];
        check_warp *warp = &block->order.warps[note->warp];
        uint32_t warp_base = warp->base, warp_met = warp->met;
        warp->base = note->warp_base;
        warp->met = note->warp_met;
        checker->clock.now = note->time;
        tell(checker, block, note);
        warp->base = warp_base;
        warp->met = warp_met;
    }
    checker->clock.now = now;
}

// The cells are told of the first `settled`, then of the rest. A finding among these settles first
// what comes before it: by then nothing is noted any more.
static void close_at(sim_checker *checker, check_block *block, uint32_t settled) {
    sim_row_notes *notes = checker->row_notes;
    uint32_t count = notes->count;
    block->interval.is_open = false;
    block->interval.settled = notes->count = notes->below = 0;
    checker->interval_credit -= TOLD_COST * (int32_t)settled;
    tell_settled(checker, block, settled);
    for (uint32_t i = settled; i < count && !checker->exhausted; i++)
        tell(checker, block, &notes->at[i]);
}

void check_interval_settle_loads(sim_checker *checker, check_block *block) {
    sim_row_notes *notes = checker->row_notes;
    checker->clock.touched = true;
    for (uint32_t i = block->interval.settled; i < notes->count; i++) {
        sim_row_note *note = &notes->at[i];
        if (!check_interval_fits(&block->interval, note)) {
            close_at(checker, block, i);
            return;
        }
        note->time = checker->clock.now;
        note->warp_base = block->order.warps[note->warp].base;
        note->warp_met = block->order.warps[note->warp].met;
    }
    block->interval.settled = notes->count;
}

void check_interval_close_open(sim_checker *checker, check_block *block) {
    check_interval_settle(checker);
    if (block->interval.is_open) close_at(checker, block, block->interval.settled);
}
