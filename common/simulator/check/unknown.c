// SPDX-License-Identifier: MIT
// Values that nobody has stored: what a load brings of shared memory that nothing has written, or
// for which two writes have raced. Such a load is no fault as long as its value is dropped: a merge
// reads one key past its last. So it is a doubt (find.c) at first. While a warp holds such values
// it is watched: what it computes from them is unknown, too. The doubt is told where an unknown
// value decides a branch, is an address, or leaves the thread by a way other than shared memory.
#include "check/unknown.h"

#include <stdlib.h>
#include <string.h>

#include "machine/operands.h"
#include "warps/observe.h"

enum { VALUES = 96 }; // unknown ones that are kept of a warp; more: told at once

// A register whose value is unknown in some lanes.
typedef struct value {
    const uint8_t *at;
    uint32_t lanes;
    uint64_t doubts;
} value;

struct check_values { // of a warp
    uint32_t count;
    value at[VALUES];
};

static check_values *values_of(const sim_checker *checker, const sim_warp *warp) {
    const check_block *block = check_block_at(checker, warp->block->index);
    return block->values ? &block->values[warp->index] : NULL;
}

void check_unknown_forget(check_block *block) {
    free(block->values);
    block->values = NULL;
}

static void tell(sim_checker *checker, uint64_t doubts) {
    for (; doubts; doubts &= doubts - 1)
        check_find_tell(checker, (uint32_t)__builtin_ctzll(doubts) + 1);
}

static value *find(check_values *values, const uint8_t *at) {
    for (uint32_t i = 0; i < values->count; i++)
        if (values->at[i].at == at) return &values->at[i];
    return NULL;
}

static void set(sim_checker *checker, check_values *values, const uint8_t *at, uint32_t written,
                uint32_t unknown, uint64_t doubts) {
    value *found = find(values, at);
    if (found) {
        found->lanes &= ~written;
        if (!found->lanes) found->doubts = 0;
    } else if (unknown && values->count == VALUES) {
        tell(checker, doubts);
        return;
    } else if (unknown) {
        found = &values->at[values->count++];
        *found = (value){.at = at};
    }
    if (unknown) {
        found->lanes |= unknown;
        found->doubts |= doubts;
    } else if (found && !found->lanes) {
        *found = values->at[--values->count];
    }
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
    return event->kind == SIM_ACCESS_READ && event->space == PTX_SPACE_SHARED &&
           event->instr->op == SIM_OP_LD;
}

static check_values *make_values(check_block *block, uint32_t warp) {
    if (!block->values) block->values = calloc(CHECK_WARPS, sizeof *block->values);
    return block->values ? &block->values[warp] : NULL;
}

void check_unknown_load(sim_checker *checker, const sim_access_event *event, uint32_t lane,
                        uint64_t offset, uint64_t bytes, uint64_t doubts) {
    check_values *values = NULL;
    if (check_unknown_may_load(event))
        values = make_values(check_block_at(checker, event->block), event->warp);
    if (!values) {
        tell(checker, doubts);
        return;
    }
    uint32_t each = ptx_type_bytes((ptx_type)event->instr->type);
    for (uint64_t i = offset / each * each; i < offset + bytes && i < event->bytes; i += each) {
        const uint8_t *at = part_at(event, i);
        if (at) set(checker, values, at, 0, UINT32_C(1) << lane, doubts);
    }
    sim_observe_watch(event->state, event->instr);
}

uint64_t check_unknown_stored(const sim_checker *checker, const sim_access_event *event,
                              uint32_t lane, uint64_t offset) {
    check_values *values = values_of(checker, event->state);
    const uint8_t *at = event->instr->op == SIM_OP_ST ? part_at(event, offset) : NULL;
    const value *found = values && at ? find(values, at) : NULL;
    return found && found->lanes >> lane & 1 ? found->doubts : 0;
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

// ---- a watched warp -----------------------------------------------------------------------------

typedef struct step {
    sim_checker *checker;
    check_values *values;
    const sim_warp *warp;
    const sim_instr *instr;
    uint64_t doubts; // of the unknown operands met so far
} step;

// The lanes in which a register's value is unknown.
static uint32_t unknown_in(step *s, uint32_t slot) {
    const value *found = slot == SIM_NO_SLOT ? NULL : find(s->values, s->warp->registers + slot);
    if (found) s->doubts |= found->doubts;
    return found ? found->lanes : 0;
}

static uint32_t predicate(const step *s, uint32_t slot, bool negated) {
    uint32_t bits;
    memcpy(&bits, s->warp->registers + slot, sizeof bits);
    return negated ? ~bits : bits;
}

// Lanes in which a known operand of `and` or `or` decides the result.
static uint32_t decided(const step *s, uint32_t slot, uint32_t unknown) {
    bool is_or = s->instr->op == SIM_OP_OR;
    if (s->instr->mods & SIM_MOD_PRED_OPERANDS || s->instr->type == PTX_PRED)
        return predicate(s, slot, !is_or) & ~unknown;
    uint32_t lanes = 0, bytes = ptx_type_bytes((ptx_type)s->instr->type);
    for (uint32_t rest = ~unknown; rest && !is_or; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), each = bytes < 4 ? 4 : bytes;
        uint64_t bits = 0;
        memcpy(&bits, s->warp->registers + slot + (size_t)lane * each, bytes < 8 ? bytes : 8);
        lanes |= (uint32_t)(bits == 0) << lane;
    }
    return lanes;
}

// Lanes in which the result is unknown.
static uint32_t result_of(step *s) {
    const sim_instr *instr = s->instr;
    uint32_t slots[SIM_OPERAND_SLOTS], unknown = 0;
    uint32_t a = unknown_in(s, instr->src[0]), b = unknown_in(s, instr->src[1]);
    switch (instr->op) {
    case SIM_OP_AND:
    case SIM_OP_OR: return (a | b) & ~decided(s, instr->src[0], a) & ~decided(s, instr->src[1], b);
    case SIM_OP_SELP: {
        uint32_t first = predicate(s, instr->src[2], instr->mods & SIM_MOD_PRED_NEG_C);
        return (a & first) | (b & ~first) | unknown_in(s, instr->src[2]);
    }
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
    uint32_t count = sim_operand_results(s->warp->frame->function, s->instr, slots);
    if (unknown && s->instr->mods & SIM_MOD_CC) tell(s->checker, s->doubts);
    for (uint32_t i = 0; i < count; i++)
        set(s->checker, s->values, s->warp->registers + slots[i], on, unknown, s->doubts);
}

// The registers of a frame are those of another call next.
static void leave_frame(step *s, uint32_t lanes) {
    const sim_frame *frame = s->warp->frame;
    for (uint32_t i = s->values->count; i-- > 0;) {
        value *v = &s->values->at[i];
        if ((size_t)(v->at - frame->registers) >= frame->function->frame_bytes) continue;
        v->lanes &= ~lanes;
        if (!v->lanes) *v = s->values->at[--s->values->count];
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
    if (used) tell(s->checker, s->doubts);
    uint32_t count = sim_operand_results(function, instr, slots);
    for (uint32_t i = 0; i < count; i++)
        set(s->checker, s->values, s->warp->registers + slots[i], on, 0, 0);
    if (instr->op == SIM_OP_RET || instr->op == SIM_OP_EXIT) leave_frame(s, on);
}

bool check_unknown_step(sim_checker *checker, const sim_warp *warp, const sim_instr *instr,
                        uint32_t lanes, uint32_t on) {
    step s = {.checker = checker, .values = values_of(checker, warp), .warp = warp, .instr = instr};
    if (!s.values || !s.values->count) return false;
    if (instr->op < SIM_OP_LD)
        compute(&s, lanes, on);
    else
        use(&s, lanes, on);
    return true;
}
