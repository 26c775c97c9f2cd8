// SPDX-License-Identifier: MIT
// A warp on its recorded trace: which operation comes next, and which lines of memory it
// asks for.
#ifndef SIM_TIMING_SM_WARP_TRACE_H
#define SIM_TIMING_SM_WARP_TRACE_H

#include "machine/issue_code.h"
#include "record/warp_trace.h"

// A warp's slot on the SM.
typedef struct sm_warp {
    const sim_warp_trace *path; // NULL: empty
    uint32_t run, access;       // next ones of the path
    uint32_t here;              // pc of the run at which it goes on
    uint32_t runs;              // of the path, to be run
    bool cut;                   // it did more
    const issue_code *code;
    const issue_op *at, *end;            // operations of the present region
    uint32_t first, length, entered;     // its first pc, pcs, and the one where it was entered
    double *board;                       // [registers]: cycle at which each can be read
    double scoreboards[SIM_SCOREBOARDS]; // cycle at which each is clear
    // wgmma: when the last product ends, and those of the groups that were committed, latest first.
    double products_end, groups_end[SIM_MOST_GROUPS + 1];
    // Bulk copies to global memory: when all are done, and those of groups likewise.
    double stores_end, store_groups_end[SIM_MOST_BULK_GROUPS + 1];
    uint32_t waits_for;     // an mbarrier: its offset + 1; 0: for none
    uint32_t waits_at;      // a barrier of a part of the block: its number + 1; 0: at none
    bool drained;           // its next release has waited for the bulk copies that were under way
    uint32_t releases_from; // cycle at which that began
    uint32_t *requests;     // [longest]: first access of each pc of the region, and iteration
    uint32_t *counts;       // [longest]: accesses
    uint8_t *passes;        // [longest]: what becomes of each (warp_trace.c)
    uint32_t next;  // cycle at which it can issue; UINT32_MAX: not before others do something
    uint32_t ready; // cycle at which its operands are there
    uint32_t age;   // number of its block
    uint32_t start; // of its block in the replay of the caches
    bool off;       // the operations are passed with no lane on
    bool at_barrier, switched;    // switched: to other lanes than those that came here
    bool fell;                    // at the last branch with a predicate: the lanes did not jump
    const sim_function *branched; // whose branch at branch_pc was the last operation; NULL: none
    uint32_t branch_pc;
    // For a timeline, else NULL: sim_warp_phase of what waits for each register; of a scoreboard.
    uint8_t *stalls;
    uint8_t scoreboard_stalls[SIM_SCOREBOARDS];
} sm_warp;

// Sets the warp to the beginning of its path, of which it does `runs` runs. codes: by function of
// the program, [functions], all that the path names made.
void warp_trace_begin(sm_warp *w, const issue_code *codes, const sim_function *functions);
// The operation that comes next, not taken yet; NULL: the path has ended.
const issue_op *warp_trace_next(sm_warp *w, const issue_code *codes, const sim_function *functions);
// The lines that an operation on global or local memory asks for, a count returned; 0: none. Of
// bulk copies and mbarriers what record/warp_trace.h says, before the lines of each copy.
uint32_t warp_trace_lines(const sm_warp *w, const issue_op *op, const sim_traced_line **out_lines);
// Whether an entry is of sim_traced_kind, not a line.
static inline bool warp_trace_is_event(const sim_traced_line *entry) {
    return entry->kind >= SIM_TRACED_COPY && entry->kind <= SIM_TRACED_BARRIER;
}

#endif
