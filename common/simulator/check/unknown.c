// SPDX-License-Identifier: MIT
// Values that nobody has stored: what a load brings of shared memory that nothing has written, or
// for which two writes have raced. Such a load is no fault as long as its value is dropped: a merge
// reads one key past its last. So it is a doubt (find.c) at first. While a warp holds such values
// it is watched: what it computes from them is unknown, too. The doubt is told where an unknown
// value decides a branch, is an address, or leaves the thread by a way other than shared memory.
// A load that may have come before the test that asks for its value is compared with the writes
// before it and, as long as its value may be used, with those that follow. These races are doubts,
// too, told by any use; the shadow cells get to know of the load only then.
#include "check/race.h"

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "warps/block.h"

enum { PLACES = 1024 };

// What makes a value unknown: doubts, and loads that count only once their value is used, as bits
// of check_values.reads. Each with its lanes: of a load whose value may be unused, only some lanes
// may have read what nobody has stored.
typedef struct marks {
    uint64_t doubts, reads;
    uint32_t doubtful, unused; // lanes
} marks;

// A register whose value is unknown in some lanes.
typedef struct value {
    const uint8_t *at;
    marks marks;
} value;

// A load that a compiler may have moved before the test that asks for its value. The cells get to
// know of it when that is used; until then writes are compared with it here.
typedef struct unused_read {
    uint64_t address[SIM_WARP_LANES]; // from the origin of the cells on
    uint64_t low, end;                // of all of them
    check_record record;              // of lane 0
    uint32_t bytes, lanes;            // of each; those that have not used it yet
    uint32_t raced;                   // of them: what they read has been overwritten
    uint64_t doubts;                  // by that
    bool shared;
} unused_read;

struct check_values { // of a warp
    uint32_t count, capacity;
    value *at;              // [capacity]
    uint16_t where[PLACES]; // by place_of(at): index + 1 of one of those with this place; 0: none
    unused_read reads[64];
};

static check_values *values_of(const sim_checker *checker, const sim_warp *warp) {
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
    return (uint32_t)((uintptr_t)at / (sizeof(uint32_t) * SIM_WARP_LANES) % PLACES);
}

static value *find(check_values *values, const uint8_t *at) {
    uint32_t one = values->where[place_of(at)];
    if (!one) return NULL;
    if (values->at[one - 1].at == at) return &values->at[one - 1];
    for (uint32_t i = 0; i < values->count; i++)
        if (values->at[i].at == at) return &values->at[i];
    return NULL;
}

// The last one takes its place.
static void drop(check_values *values, value *found) {
    uint32_t gone = place_of(found->at);
    *found = values->at[--values->count];
    values->where[gone] = 0;
    for (uint32_t i = 0; i < values->count; i++)
        if (place_of(values->at[i].at) == gone) values->where[gone] = (uint16_t)(i + 1);
    if (found < &values->at[values->count])
        values->where[place_of(found->at)] = (uint16_t)(found - values->at + 1);
}

// NULL: no memory, or as many as one warp may have.
static value *add_value(check_values *values, const uint8_t *at) {
    enum { MOST = 1 << 15 };
    if (values->count == MOST ||
        !check_reserve(&values->at, &values->capacity, values->count, sizeof *values->at))
        return NULL;
    value *added = &values->at[values->count++];
    *added = (value){.at = at};
    values->where[place_of(at)] = (uint16_t)values->count;
    return added;
}

static uint32_t lanes_of(marks of) {
    return of.doubtful | of.unused;
}

static void join(marks *into, marks of) {
    into->doubts |= of.doubts;
    into->reads |= of.reads;
    into->doubtful |= of.doubtful;
    into->unused |= of.unused;
}

// What remains of them in some lanes.
static marks limit(marks of, uint32_t lanes) {
    of.doubtful &= lanes;
    of.unused &= lanes;
    if (!of.doubtful) of.doubts = 0;
    if (!of.unused) of.reads = 0;
    return of;
}

// The cells of a read get to know of it, unless they know of one that counts as much.
static void record(sim_checker *checker, check_block *block, const unused_read *read,
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
        value *v = &values->at[i];
        v->marks.reads &= ~reads;
        if (!v->marks.reads) v->marks.unused = 0;
        if (!lanes_of(v->marks)) drop(values, v);
    }
}

// Lanes of the running block use a value.
static void use_marks(sim_checker *checker, check_values *values, marks of, uint32_t lanes) {
    uint64_t ended = 0;
    of = limit(of, lanes);
    lanes = of.unused;
    tell(checker, of.doubts);
    for (; of.reads; of.reads &= of.reads - 1) {
        unused_read *read = &values->reads[__builtin_ctzll(of.reads)];
        uint32_t used = read->lanes & lanes;
        read->lanes &= ~used;
        if (!read->lanes) ended |= of.reads & -of.reads;
        if (used & read->raced) tell(checker, read->doubts);
        for (; used; used &= used - 1)
            record(checker, checker->current, read, (uint32_t)__builtin_ctz(used));
    }
    if (ended) forget_reads(values, ended);
}

// Lanes write to a register a value that is unknown as in `of`.
static void set(sim_checker *checker, check_values *values, const uint8_t *at, uint32_t written,
                marks of) {
    value *found = find(values, at);
    if (found) found->marks = limit(found->marks, ~written);
    if (!found && lanes_of(of)) {
        found = add_value(values, at);
        if (!found) use_marks(checker, values, of, UINT32_MAX);
    }
    if (!found) return;
    join(&found->marks, of);
    if (!lanes_of(found->marks)) drop(values, found);
}

// ---- loads and stores ---------------------------------------------------------------------------

// The register of the part of a load or store that is at `offset` from its address.
static const uint8_t *part_at(const sim_access_event *event, uint64_t offset) {
    const sim_warp *warp = event->state;
    const sim_instr *instr = event->instr;
    uint32_t slot = instr->op == SIM_OP_ST ? instr->src[1] : instr->dst;
    uint32_t part = (uint32_t)(offset / ptx_type_bytes((ptx_type)instr->type));
    if (instr->vector > 1) slot = warp->frame->function->slots[instr->list + part];
    return slot == SIM_NO_SLOT ? NULL : warp->registers + slot;
}

bool check_unknown_may_load(const sim_access_event *event) {
    return event->space == PTX_SPACE_SHARED && check_unknown_follows(event);
}

static check_values *make_values(check_block *block, uint32_t warp) {
    if (!block->values) block->values = calloc(CHECK_WARPS, sizeof *block->values);
    return block->values ? &block->values[warp] : NULL;
}

// The bytes at `offset` of what lanes load are unknown.
static void load(sim_checker *checker, check_values *values, const sim_access_event *event,
                 uint64_t offset, uint64_t bytes, marks of) {
    uint32_t each = ptx_type_bytes((ptx_type)event->instr->type);
    for (uint64_t i = offset / each * each; i < offset + bytes && i < event->bytes; i += each) {
        const uint8_t *at = part_at(event, i);
        if (at) set(checker, values, at, 0, of);
    }
    sim_observe_watch(event->state, event->instr, !of.doubts);
}

void check_unknown_load(sim_checker *checker, const sim_access_event *event, uint32_t lane,
                        uint64_t offset, uint64_t bytes, uint64_t doubts) {
    check_values *values = NULL;
    if (check_unknown_follows(event))
        values = make_values(check_block_at(checker, event->block), event->warp);
    if (!values) {
        tell(checker, doubts);
        return;
    }
    load(checker, values, event, offset, bytes,
         (marks){.doubts = doubts, .doubtful = UINT32_C(1) << lane});
}

uint64_t check_unknown_stored(const sim_checker *checker, const sim_access_event *event,
                              uint32_t lane, uint64_t offset) {
    check_values *values = values_of(checker, event->state);
    const uint8_t *at = event->instr->op == SIM_OP_ST ? part_at(event, offset) : NULL;
    const value *found = values && at ? find(values, at) : NULL;
    return found && found->marks.doubtful >> lane & 1 ? found->marks.doubts : 0;
}

void check_unknown_leaves(sim_checker *checker, const sim_access_event *event) {
    if (event->instr->op != SIM_OP_ST) return;
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
        use_marks(pass->checker, values, (marks){.reads = 1, .unused = UINT32_MAX}, UINT32_MAX);
    unused_read *read = &values->reads[bit];
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
         (marks){.reads = UINT64_C(1) << bit, .unused = event->lanes});
}

void check_unknown_defer(const check_pass *pass) {
    const sim_access_event *event = pass->event;
    uint32_t each = ptx_type_bytes((ptx_type)event->instr->type);
    check_values *values = make_values(pass->checker->current, event->warp);
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
            const unused_read *read = &values->reads[__builtin_ctzll(reads)];
            if (read->shared != shared) continue;
            if (read->low < *from) *from = read->low;
            if (read->end > *to) *to = read->end;
        }
    }
    return low < *to && end > *from;
}

// A write by a lane, at `address`, against a read.
static void overwrite(const check_pass *pass, unused_read *read, uint64_t address, uint32_t lane) {
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
            unused_read *read = &values->reads[__builtin_ctzll(reads)];
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

// ---- a watched warp -----------------------------------------------------------------------------

typedef struct step {
    sim_checker *checker;
    check_values *values;
    const sim_warp *warp;
    const sim_instr *instr;
    marks marks; // of the unknown operands met so far
} step;

// Those of `lanes` in which a register's value is unknown.
static uint32_t unknown_among(step *s, uint32_t slot, uint32_t lanes) {
    const value *found = slot == SIM_NO_SLOT ? NULL : find(s->values, s->warp->registers + slot);
    if (!found) return 0;
    marks of = limit(found->marks, lanes);
    join(&s->marks, of);
    return lanes_of(of);
}

static uint32_t unknown_in(step *s, uint32_t slot) {
    return unknown_among(s, slot, UINT32_MAX);
}

static uint32_t predicate(const step *s, uint32_t slot, bool negated) {
    uint32_t bits;
    memcpy(&bits, s->warp->registers + slot, sizeof bits);
    return negated ? ~bits : bits;
}

// Lanes in which a known operand decides the result.
static uint32_t decided(const step *s, uint32_t slot, uint32_t unknown) {
    if (s->instr->mods & SIM_MOD_PRED_OPERANDS || s->instr->type == PTX_PRED)
        return predicate(s, slot, s->instr->op != SIM_OP_OR) & ~unknown;
    uint32_t lanes = 0, bytes = ptx_type_bytes((ptx_type)s->instr->type);
    for (uint32_t rest = ~unknown; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), each = bytes < 4 ? 4 : bytes;
        uint64_t bits = 0;
        memcpy(&bits, s->warp->registers + slot + (size_t)lane * each, bytes < 8 ? bytes : 8);
        lanes |= (uint32_t)sim_absorbs(s->instr, bits) << lane;
    }
    return lanes;
}

// Lanes in which the result is unknown.
static uint32_t result_of(step *s) {
    const sim_instr *instr = s->instr;
    uint32_t slots[SIM_OPERAND_SLOTS], unknown = 0;
    if (instr->op == SIM_OP_SELP) {
        uint32_t first = predicate(s, instr->src[2], instr->mods & SIM_MOD_PRED_NEG_C);
        return unknown_among(s, instr->src[0], first) | unknown_among(s, instr->src[1], ~first) |
               unknown_in(s, instr->src[2]);
    }
    uint32_t a = unknown_in(s, instr->src[0]), b = unknown_in(s, instr->src[1]);
    switch (instr->op) {
    case SIM_OP_AND:
    case SIM_OP_OR:
    case SIM_OP_MUL:
    case SIM_OP_MIN:
    case SIM_OP_MAX:
        if (!(a | b)) return 0;
        return (a | b) & ~decided(s, instr->src[0], a) & ~decided(s, instr->src[1], b);
    case SIM_OP_SETP:
        if (instr->boolean == SIM_BOOL_AND || instr->boolean == SIM_BOOL_OR) {
            uint32_t c = predicate(s, instr->src[2], instr->mods & SIM_MOD_PRED_NEG_C);
            uint32_t unknown_c = unknown_in(s, instr->src[2]);
            return unknown_c | ((a | b) & (instr->boolean == SIM_BOOL_AND ? c : ~c));
        }
        break;
    default: break;
    }
    uint32_t count = sim_operand_sources(s->warp->frame->function, instr, slots);
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] != instr->guard) unknown |= unknown_in(s, slots[i]);
    return unknown;
}

static void compute(step *s, uint32_t lanes, uint32_t on) {
    uint32_t slots[SIM_OPERAND_SLOTS];
    uint32_t unknown = (result_of(s) & on) | (unknown_in(s, s->instr->guard) & lanes);
    s->marks = limit(s->marks, unknown);
    if (s->instr->touches == SIM_TOUCHES_USES && s->marks.reads) {
        use_marks(s->checker, s->values,
                  (marks){.reads = s->marks.reads, .unused = s->marks.unused}, unknown);
        s->marks.reads = s->marks.unused = 0;
    }
    uint32_t count = sim_operand_results(s->warp->frame->function, s->instr, slots);
    if (s->instr->mods & SIM_MOD_CC) use_marks(s->checker, s->values, s->marks, unknown);
    for (uint32_t i = 0; i < count; i++)
        set(s->checker, s->values, s->warp->registers + slots[i], on, s->marks);
}

// The registers of a frame are those of another call next.
static void leave_frame(step *s, uint32_t lanes) {
    const sim_frame *frame = s->warp->frame;
    for (uint32_t i = s->values->count; i-- > 0;) {
        value *v = &s->values->at[i];
        if ((size_t)(v->at - frame->registers) >= frame->function->frame_bytes) continue;
        v->marks = limit(v->marks, ~lanes);
        if (!lanes_of(v->marks)) drop(s->values, v);
    }
}

// A store uses what has been read; what nobody has stored may be moved.
static void use_stored(step *s, uint32_t on) {
    uint32_t slots[SIM_OPERAND_SLOTS];
    uint32_t count = sim_operand_sources(s->warp->frame->function, s->instr, slots);
    for (uint32_t i = 0; i < count; i++) {
        const value *found = find(s->values, s->warp->registers + slots[i]);
        if (!found) continue;
        marks of = found->marks;
        of.doubts &= s->checker->read_doubts;
        use_marks(s->checker, s->values, of, on);
    }
}

static void use(step *s, uint32_t lanes, uint32_t on) {
    const sim_function *function = s->warp->frame->function;
    const sim_instr *instr = s->instr;
    uint32_t slots[SIM_OPERAND_SLOTS];
    bool moves = instr->op == SIM_OP_LD || instr->op == SIM_OP_ST;
    uint32_t used = unknown_in(s, instr->guard) & lanes;
    if (moves && !(instr->mods & SIM_MOD_FRAME)) { // the value: when the access is told
        used |= unknown_in(s, instr->src[0]) & on;
    } else {
        uint32_t count = sim_operand_sources(function, instr, slots);
        for (uint32_t i = 0; i < count; i++) used |= unknown_in(s, slots[i]) & on;
        const sim_call *call = instr->op == SIM_OP_CALL ? instr->extra : NULL;
        for (uint32_t i = 0; call && i < call->argument_count; i++)
            used |= unknown_in(s, call->arguments[i].slot) & on;
    }
    if (used) use_marks(s->checker, s->values, s->marks, used);
    if (instr->op == SIM_OP_ST) use_stored(s, on);
    uint32_t count = sim_operand_results(function, instr, slots);
    for (uint32_t i = 0; i < count; i++)
        set(s->checker, s->values, s->warp->registers + slots[i], on, (marks){0});
    if (instr->op == SIM_OP_RET || instr->op == SIM_OP_EXIT) leave_frame(s, on);
}

bool check_unknown_step(sim_checker *checker, const sim_warp *warp, const sim_instr *instr,
                        uint32_t lanes, uint32_t on) {
    step s = {.checker = checker, .values = values_of(checker, warp), .warp = warp, .instr = instr};
    if (!s.values || !s.values->count) return false;
    check_switch_to(checker, warp->block->index);
    if (instr->op < SIM_OP_LD)
        compute(&s, lanes, on);
    else
        use(&s, lanes, on);
    return s.values->count > 0;
}
