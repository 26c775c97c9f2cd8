// SPDX-License-Identifier: MIT
// Values of shared memory that nobody has stored, on their way through registers and back to
// memory: told when they are used. Likewise what a load has read that may have come before the test
// that asks for its value (sim_instr.dropped): as a race only once something uses it. Doubts
// (internal.h) come as a set, bit i for number i + 1.
#ifndef SIM_CHECK_UNKNOWN_H
#define SIM_CHECK_UNKNOWN_H

#include "check/pass.h"
#include "warps/warp.h"

// Whether it is a load whose value can be followed.
static inline bool check_unknown_follows(const sim_access_event *event) {
    return event->kind == SIM_ACCESS_READ && event->instr->op == SIM_OP_LD && event->state;
}
// Whether it is followed when nobody has stored what it reads.
bool check_unknown_may_load(const sim_access_event *event);
// A lane loads, at `offset` from its address, bytes of which there are doubts; where they are not
// followed, the doubts are told.
void check_unknown_load(sim_checker *checker, const sim_access_event *event, uint32_t lane,
                        uint64_t offset, uint64_t bytes, uint64_t doubts);
// Whether the warp of a store may hold unknown values.
static inline bool check_unknown_may_store(const sim_access_event *event) {
    return event->kind == SIM_ACCESS_WRITE && event->state &&
           (event->state->watched & SIM_WATCHED_BY_OBSERVER);
}
// The doubts of what a lane stores at `offset` from its address.
uint64_t check_unknown_stored(const sim_checker *checker, const sim_access_event *event,
                              uint32_t lane, uint64_t offset);
// Lanes store to memory where what is unknown is not kept: told.
void check_unknown_leaves(sim_checker *checker, const sim_access_event *event);
void check_unknown_forget(check_block *block); // another block begins
void check_unknown_free(check_block *block);

// Whether the cells get to know of a load only once its value is used.
bool check_unknown_defers(const sim_access_event *event);
void check_unknown_defer(const check_pass *pass);
// Whether a block may have such loads of [low, end), from the origin of the cells on, whose value
// may still be used.
bool check_unknown_waits(check_block *block, uint64_t low, uint64_t end, bool shared);
// A write to bytes of [low, end), against those of a block: a doubt where it races with one.
void check_unknown_overwrites(const check_pass *pass, check_block *block, uint64_t low,
                              uint64_t end);

// Room for check_cells.unknown; false: no memory.
bool check_unknown_reserve(check_cells *cells);
// A lane reads a cell whose write is CHECK_UNKNOWN. Returns the write.
check_record check_unknown_read(const check_pass *pass, uint64_t cell, uint32_t lane);
// A lane writes to such a cell: the write is put back. What was unknown is forgotten when this
// write comes after all of it.
void check_unknown_overwrite(const check_pass *pass, uint64_t cell, uint32_t lane);
// It has written to a cell: what it has stored may be unknown, or the writes may have raced.
void check_unknown_written(const check_pass *pass, uint64_t cell, uint32_t lane);
// A lane reads a cell whose write races with the read.
void check_unknown_raced(const check_pass *pass, uint64_t cell, uint32_t lane, uint32_t doubt);
// Two writes to a cell race, the one of the pass and `old`; there is room (reserve).
void check_unknown_race(const check_pass *pass, uint64_t cell, check_record old, uint32_t doubt);

// Before an instruction of a warp; false: it holds no unknown value.
bool check_unknown_step(sim_checker *checker, const sim_warp *warp, const sim_instr *instr,
                        uint32_t lanes, uint32_t on);

#endif
