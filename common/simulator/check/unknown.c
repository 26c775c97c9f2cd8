// Values that nobody has stored: what a load brings of shared memory that nothing has written, or
// for which two writes have raced. Such a load is no fault as long as its value is dropped: a merge
// reads one key past its last. So it is a doubt (find.c) at first. While a warp holds such values
// it is watched: what it computes from them is unknown, too. The doubt is told where an unknown
// value decides a branch, is an address, or leaves the thread by a way other than shared memory.
// A load that may have come before the test that asks for its value is compared with the writes
// before it and, as long as its value may be used, with those that follow. These races are doubts,
// too, told by any use; the shadow cells get to know of the load only then.
#include "check/race.h"
#include "warps/block.h"

check_values *check_values_of(const sim_checker *checker, const sim_warp *warp) {
    const check_block *block = check_block_at(checker, warp->block->index);
    return block->values ? &block->values[warp->index] : NULL;
}

void check_unknown_free(check_block *block) {
    for (uint32_t warp = 0; block->values && warp < CHECK_WARPS; warp++)
        free(block->values[warp].at);
    free(block->values);
    block->values = NULL;
}

void check_unknown_forget(check_block *block) {
    for (uint32_t warp = 0; block->values && warp < CHECK_WARPS; warp++) {
        check_values *values = &block->values[warp];
        if (values->count) memset(values->where, 0, sizeof values->where);
        values->count = 0;
    }
    memset(block->defers, 0, sizeof block->defers);
}

static void tell(sim_checker *checker, uint64_t doubts) {
    for (; doubts; doubts &= doubts - 1)
        check_find_report(checker, (uint32_t)__builtin_ctzll(doubts) + 1);
}

static uint32_t place_of(const uint8_t *at) {
    return (uint32_t)((uintptr_t)at / (sizeof(uint32_t) * SIM_WARP_LANES) % CHECK_PLACES);
}

check_value *check_values_find(check_values *values, const uint8_t *at) {
    uint32_t one = values->where[place_of(at)];
    if (!one) return NULL;
    if (values->at[one - 1].at == at) return &values->at[one - 1];
    for (uint32_t i = 0; i < values->count; i++)
        if (values->at[i].at == at) return &values->at[i];
    return NULL;
}

// The last one takes its place.
static void drop(check_values *values, check_value *found) {
    uint32_t gone = place_of(found->at);
    *found = values->at[--values->count];
    values->where[gone] = 0;
    for (uint32_t i = 0; i < values->count; i++)
        if (place_of(values->at[i].at) == gone) values->where[gone] = (uint16_t)(i + 1);
    if (found < &values->at[values->count])
        values->where[place_of(found->at)] = (uint16_t)(found - values->at + 1);
}

// NULL: no memory, or as many as one warp may have.
static check_value *add_value(check_values *values, const uint8_t *at) {
    enum { MOST = 1 << 15 };
    if (values->count == MOST ||
        !sim_reserve(&values->at, &values->capacity, values->count, sizeof *values->at))
        return NULL;
    check_value *added = &values->at[values->count++];
    *added = (check_value){.at = at};
    values->where[place_of(at)] = (uint16_t)values->count;
    return added;
}

// The cells of a read get to know of it, unless they know of one that counts as much.
static void record(sim_checker *checker, check_block *block, const check_unused_read *read,
                   uint32_t lane) {
    const check_cells *cells = read->shared ? &block->shared : &checker->global;
    check_record record = read->record | (check_record)lane << CHECK_THREAD_SHIFT;
    uint32_t begin = read->shared ? block->order.begin : checker->launch_begin;
    check_record floor = (check_record)begin << CHECK_TIME_SHIFT;
    check_record since = (check_record)checker->current_since << CHECK_TIME_SHIFT;
    uint64_t address = read->address[lane], end = (address + read->bytes - 1) >> cells->shift;
    for (uint64_t cell = address >> cells->shift; cell <= end; cell++)
        for (int slot = 0; slot < 2; slot++) {
            check_record *old = &cells->reads[slot][cell];
            if (*old >= floor && (*old < since || *old >= record)) continue;
            check_cells_change(cells, cell, cell);
            *old = record;
            break;
        }
}

// No value is of these reads any more.
static void forget_reads(check_values *values, uint64_t reads) {
    for (uint32_t i = values->count; i-- > 0 && reads;) {
        check_value *v = &values->at[i];
        v->marks.reads &= ~reads;
        if (!v->marks.reads) v->marks.unused = 0;
        if (!check_marks_lanes(v->marks)) drop(values, v);
    }
}

void check_values_use(sim_checker *checker, check_values *values, check_marks of, uint32_t lanes) {
    uint64_t ended = 0;
    of = check_marks_limit(of, lanes);
    lanes = of.unused;
    tell(checker, of.doubts);
    for (; of.reads; of.reads &= of.reads - 1) {
        check_unused_read *read = &values->reads[__builtin_ctzll(of.reads)];
        uint32_t used = read->lanes & lanes;
        read->lanes &= ~used;
        if (!read->lanes) ended |= of.reads & -of.reads;
        if (used & read->raced) tell(checker, read->doubts);
        for (; used; used &= used - 1)
            record(checker, checker->current, read, (uint32_t)__builtin_ctz(used));
    }
    if (ended) forget_reads(values, ended);
}

void check_values_set(sim_checker *checker, check_values *values, const uint8_t *at,
                      uint32_t written, check_marks of) {
    check_value *found = check_values_find(values, at);
    if (found) found->marks = check_marks_limit(found->marks, ~written);
    if (!found && check_marks_lanes(of)) {
        found = add_value(values, at);
        if (!found) check_values_use(checker, values, of, UINT32_MAX);
    }
    if (!found) return;
    check_marks_join(&found->marks, of);
    if (!check_marks_lanes(found->marks)) drop(values, found);
}

void check_values_forget(check_values *values, const uint8_t *first, size_t bytes, uint32_t lanes) {
    for (uint32_t i = values->count; i-- > 0;) {
        check_value *v = &values->at[i];
        if ((size_t)(v->at - first) >= bytes) continue;
        v->marks = check_marks_limit(v->marks, ~lanes);
        if (!check_marks_lanes(v->marks)) drop(values, v);
    }
}

// ---- loads and stores ---------------------------------------------------------------------------

// The register of the part of a load or store that is at `offset` from its address.
static const uint8_t *part_at(const sim_access_event *event, uint64_t offset) {
    const sim_warp *warp = event->state;
    const sim_instr *instr = event->instr;
    uint32_t slot = sim_is_st(instr) ? instr->src[1] : instr->dst;
    uint32_t part = (uint32_t)(offset / ptx_type_bytes((ptx_type)instr->type));
    if (instr->vector > 1) slot = warp->frame->function->slots[instr->list + part];
    return slot == SIM_NO_SLOT ? NULL : warp->registers + slot;
}

bool check_unknown_may_load(const sim_access_event *event) {
    return event->space != PTX_SPACE_GLOBAL && check_unknown_follows(event);
}

check_values *check_values_make(check_block *block, uint32_t warp) {
    if (!block->values) block->values = calloc(CHECK_WARPS, sizeof *block->values);
    return block->values ? &block->values[warp] : NULL;
}

// The bytes at `offset` of what lanes load are unknown.
static void load(sim_checker *checker, check_values *values, const sim_access_event *event,
                 uint64_t offset, uint64_t bytes, check_marks of) {
    uint32_t each = ptx_type_bytes((ptx_type)event->instr->type);
    for (uint64_t i = offset / each * each; i < offset + bytes && i < event->bytes; i += each) {
        const uint8_t *at = part_at(event, i);
        if (at) check_values_set(checker, values, at, 0, of);
    }
    sim_observe_watch(event->state, event->instr, !of.doubts);
}

void check_unknown_load(sim_checker *checker, const sim_access_event *event, uint32_t lane,
                        uint64_t offset, uint64_t bytes, uint64_t doubts) {
    check_values *values = NULL;
    if (check_unknown_follows(event))
        values = check_values_make(check_block_at(checker, event->block), event->warp);
    if (!values) {
        tell(checker, doubts);
        return;
    }
    load(checker, values, event, offset, bytes,
         (check_marks){.doubts = doubts, .doubtful = UINT32_C(1) << lane});
}

// The doubts of what a lane stores at `offset` from its address.
static uint64_t check_unknown_stored(const sim_checker *checker, const sim_access_event *event,
                                     uint32_t lane, uint64_t offset) {
    check_values *values = check_values_of(checker, event->state);
    const uint8_t *at = sim_is_st(event->instr) ? part_at(event, offset) : NULL;
    const check_value *found = values && at ? check_values_find(values, at) : NULL;
    return found && found->marks.doubtful >> lane & 1 ? found->marks.doubts : 0;
}

// A lane stores a part of a register to local memory, or loads it from there.
static void move_local(sim_checker *checker, check_values *values, const sim_access_event *event,
                       uint32_t lane, uint32_t part) {
    uint32_t bit = UINT32_C(1) << lane, bytes = ptx_type_bytes((ptx_type)event->instr->type);
    uint64_t first = sim_access_address(event, lane) + part;
    const uint8_t *at = part_at(event, part);
    bool stores = event->kind == SIM_ACCESS_WRITE;
    const check_value *found = stores && at ? check_values_find(values, at) : NULL;
    check_marks of = found ? check_marks_limit(found->marks, bit) : (check_marks){0};
    of.reads = of.unused = 0;
    for (uint64_t word = first / 4 * 4; word < first + bytes; word += 4) {
        found = check_values_find(values, check_local_word(word));
        if (!stores && found) check_marks_join(&of, check_marks_limit(found->marks, bit));
        if (stores && (bytes >= 4 || check_marks_lanes(of)))
            check_values_set(checker, values, check_local_word(word), bit, of);
    }
    if (!at || !check_marks_lanes(of)) return;
    if (!stores) check_values_set(checker, values, at, 0, of);
    sim_observe_watch(event->state, event->instr, false);
}

void check_unknown_local(sim_checker *checker, const sim_access_event *event) {
    check_values *values = event->state ? check_values_of(checker, event->state) : NULL;
    bool moves = sim_is_ld(event->instr) || sim_is_st(event->instr);
    if (!values || !values->count || !moves) return;
    uint32_t each = ptx_type_bytes((ptx_type)event->instr->type);
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1)
        for (uint32_t part = 0; part < event->bytes; part += each)
            move_local(checker, values, event, (uint32_t)__builtin_ctz(rest), part);
}

void check_unknown_fresh(check_block *block, uint32_t warp, uint32_t base, uint32_t bytes,
                         uint32_t lanes) {
    check_values *values = block->values ? &block->values[warp] : NULL;
    const uint8_t *first = check_local_word(base), *end = check_local_word(base + bytes + 3);
    if (values && values->count) check_values_forget(values, first, (size_t)(end - first), lanes);
}

void check_unknown_leaves(sim_checker *checker, const sim_access_event *event) {
    if (!sim_is_st(event->instr)) return;
    uint32_t each = ptx_type_bytes((ptx_type)event->instr->type);
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1)
        for (uint32_t i = 0; i < event->bytes; i += each)
            tell(checker, check_unknown_stored(checker, event, (uint32_t)__builtin_ctz(rest), i));
}

// ---- cells --------------------------------------------------------------------------------------

bool check_unknown_reserve(check_cells *cells) {
    if (!cells->unknown) cells->unknown = calloc(cells->count, sizeof *cells->unknown);
    return cells->unknown;
}

// Offset of a cell in what a lane accesses, and how many bytes of it.
static uint64_t span_of(const check_pass *pass, uint64_t cell, uint32_t lane, uint64_t *out_bytes) {
    uint64_t address = sim_access_address(pass->event, lane) - pass->origin;
    uint64_t first = cell << pass->cells->shift, end = (cell + 1) << pass->cells->shift;
    if (first < address) first = address;
    if (end > address + pass->event->bytes) end = address + pass->event->bytes;
    *out_bytes = end - first;
    return first - address;
}

check_record check_unknown_read(const check_pass *pass, uint64_t cell, uint32_t lane) {
    const check_unknown *unknown = &pass->cells->unknown[cell];
    uint64_t bytes, offset = span_of(pass, cell, lane, &bytes);
    check_unknown_load(pass->checker, pass->event, lane, offset, bytes, unknown->doubts);
    return unknown->last;
}

void check_unknown_raced(const check_pass *pass, uint64_t cell, uint32_t lane, uint32_t doubt) {
    uint64_t bytes, offset = span_of(pass, cell, lane, &bytes);
    check_unknown_load(pass->checker, pass->event, lane, offset, bytes, UINT64_C(1) << (doubt - 1));
}

void check_unknown_overwrite(const check_pass *pass, uint64_t cell, uint32_t lane) {
    check_unknown *unknown = &pass->cells->unknown[cell];
    uint32_t thread = 32 * pass->event->warp + lane;
    bool plain = !(pass->record & (CHECK_STRONG | CHECK_ATOMIC));
    bool ordered = !check_pass_collides(pass, unknown->last, thread) &&
                   !check_pass_collides(pass, unknown->other, thread);
    pass->cells->write[cell] = unknown->last;
    if (plain && !ordered) return;
    if (!ordered || pass->event->kind == SIM_ACCESS_ATOMIC) tell(pass->checker, unknown->doubts);
    unknown->doubts = 0;
}

void check_unknown_written(const check_pass *pass, uint64_t cell, uint32_t lane) {
    check_cells *cells = pass->cells;
    uint64_t bytes, doubts = 0;
    if (pass->unknown)
        doubts = check_unknown_stored(pass->checker, pass->event, lane,
                                      span_of(pass, cell, lane, &bytes));
    if (pass->record & CHECK_STRONG || (doubts && !check_unknown_reserve(cells))) {
        tell(pass->checker, doubts);
        return;
    }
    if (!cells->unknown) return;
    check_unknown *unknown = &cells->unknown[cell];
    if (!unknown->doubts) unknown->other = 0;
    unknown->doubts |= doubts;
    if (!unknown->doubts) return;
    unknown->last = cells->write[cell];
    cells->write[cell] = CHECK_UNKNOWN;
}

void check_unknown_race(const check_pass *pass, uint64_t cell, check_record old, uint32_t doubt) {
    check_unknown *unknown = &pass->cells->unknown[cell];
    unknown->other = old;
    unknown->doubts |= UINT64_C(1) << (doubt - 1);
}

// ---- loads that wait for a use -----------------------------------------------------------------

// Which of its reads a value may still be of.
static uint64_t reads_of(const check_values *values) {
    uint64_t reads = 0;
    for (uint32_t i = 0; i < values->count; i++) reads |= values->at[i].marks.reads;
    return reads;
}

bool check_unknown_defers(const sim_access_event *event) {
    bool own = event->space != PTX_SPACE_SHARED || event->owner == event->block;
    return event->instr->dropped && check_unknown_follows(event) && own;
}

// The register at `offset` of what the lanes load.
static void defer_part(const check_pass *pass, check_values *values, uint32_t offset,
                       uint32_t bytes) {
    const sim_access_event *event = pass->event;
    uint64_t taken = reads_of(values);
    uint32_t bit = ~taken ? (uint32_t)__builtin_ctzll(~taken) : 0;
    if (!~taken)
        check_values_use(pass->checker, values, (check_marks){.reads = 1, .unused = UINT32_MAX},
                         UINT32_MAX);
    check_unused_read *read = &values->reads[bit];
    read->record = pass->record;
    read->bytes = bytes;
    read->lanes = event->lanes;
    read->shared = event->space == PTX_SPACE_SHARED;
    read->low = read->end = read->doubts = read->raced = 0;
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t address = sim_access_address(event, lane) - pass->origin + offset;
        read->address[lane] = address;
        if (!read->end || address < read->low) read->low = address;
        if (address + bytes > read->end) read->end = address + bytes;
    }
    check_block *block = pass->checker->current;
    uint64_t *low = &block->defers[!read->shared].low, *end = &block->defers[!read->shared].end;
    if (!*end || read->low < *low) *low = read->low;
    if (read->end > *end) *end = read->end;
    load(pass->checker, values, event, offset, bytes,
         (check_marks){.reads = UINT64_C(1) << bit, .unused = event->lanes});
}

void check_unknown_defer(const check_pass *pass) {
    const sim_access_event *event = pass->event;
    uint32_t each = ptx_type_bytes((ptx_type)event->instr->type);
    check_values *values = check_values_make(pass->checker->current, event->warp);
    for (uint32_t offset = 0; values && offset < event->bytes; offset += each)
        defer_part(pass, values, offset, each);
}

bool check_unknown_waits(check_block *block, uint64_t low, uint64_t end, bool shared) {
    uint64_t *from = &block->defers[!shared].low, *to = &block->defers[!shared].end;
    if (low >= *to || end <= *from) return false;
    *from = UINT64_MAX;
    *to = 0;
    for (uint32_t warp = 0; warp < block->order.warp_count; warp++) {
        const check_values *values = &block->values[warp];
        for (uint64_t reads = reads_of(values); reads; reads &= reads - 1) {
            const check_unused_read *read = &values->reads[__builtin_ctzll(reads)];
            if (read->shared != shared) continue;
            if (read->low < *from) *from = read->low;
            if (read->end > *to) *to = read->end;
        }
    }
    return low < *to && end > *from;
}

// A write by a lane, at `address`, against a read.
static void overwrite(const check_pass *pass, check_unused_read *read, uint64_t address,
                      uint32_t lane) {
    uint32_t shift = pass->cells->shift, thread = 32 * pass->event->warp + lane;
    for (uint32_t rest = read->lanes; rest; rest &= rest - 1) {
        uint32_t reader = (uint32_t)__builtin_ctz(rest);
        uint64_t first = read->address[reader], end = first + read->bytes;
        check_record old = read->record | (check_record)reader << CHECK_THREAD_SHIFT;
        if (address >= end || first >= address + pass->event->bytes) continue;
        if (check_record_thread(old) == thread && old >= pass->since) continue;
        if (!check_pass_collides(pass, old, thread)) continue;
        check_pass of_read = *pass;
        of_read.overwritten = &read->doubts;
        check_pass_conflict(&of_read, (address > first ? address : first) >> shift, old, false,
                            lane);
        read->raced |= UINT32_C(1) << reader;
    }
}

void check_unknown_overwrites(const check_pass *pass, check_block *block, uint64_t low,
                              uint64_t end) {
    const sim_access_event *event = pass->event;
    bool shared = event->space == PTX_SPACE_SHARED;
    check_record base = block == pass->checker->current ? pass->base : 0; // before it: ordered
    for (uint32_t warp = 0; warp < block->order.warp_count; warp++) {
        check_values *values = &block->values[warp];
        for (uint64_t reads = reads_of(values); reads; reads &= reads - 1) {
            check_unused_read *read = &values->reads[__builtin_ctzll(reads)];
            if (read->shared != shared || read->record < base || low >= read->end ||
                end <= read->low)
                continue;
            for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
                uint32_t lane = (uint32_t)__builtin_ctz(rest);
                uint64_t address = sim_access_address(event, lane) - pass->origin;
                if (address < read->end && address + event->bytes > read->low)
                    overwrite(pass, read, address, lane);
            }
        }
    }
}
