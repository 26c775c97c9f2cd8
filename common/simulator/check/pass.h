// SPDX-License-Identifier: MIT
// One access on its way through the shadow cells: what race.c (cells, compiled for each host
// variant), pass.c (judging), conflict.c (telling) and unknown.c share.
#ifndef SIM_CHECK_PASS_H
#define SIM_CHECK_PASS_H

#include "check/internal.h"

// What the cells of one access are compared with.
typedef struct check_pass {
    sim_checker *checker;
    const sim_access_event *event;
    check_order *order;
    check_cells *cells;
    uint64_t origin;     // address of cell 0
    check_record floor;  // records below do not count
    check_record since;  // records from here on are of this block
    check_record base;   // of these, records below are ordered before everything now
    check_record warp;   // records from here on are of the newest stretch of the warp
    check_record record; // of lane 0 of this warp, now
    bool follow;         // order may come by more than barriers and whole warps
    bool verifies;       // an atomic that a thread may have prepared by a plain read
    bool read_only; // a load by the read-only path, or a write where the kernel has such loads:
                    // no order between them counts
    bool defers;    // a load that is compared, not recorded (unknown.h)
    uint64_t *overwritten; // the read that it is compared with has not been used: gets the doubt
    bool unknown;          // a store whose values may be unknown (unknown.h)
} check_pass;

// The position of the block whose access has this record.
uint64_t check_pass_owner(const sim_checker *checker, check_record record);
// Whether the access of `record` is ordered before one of `thread` now.
bool check_pass_knows(const check_pass *pass, check_record record, uint32_t thread);
// Whether the access of `record` and one of `thread` now may be a race.
bool check_pass_collides(const check_pass *pass, check_record record, uint32_t thread);
// Whether one of the two, the access of `old` and that of the lane, is a load by the read-only
// path, and the other a write of the same launch by another thread or before the load, which is
// told.
bool check_pass_stale(const check_pass *pass, uint64_t cell, check_record old, uint32_t lane);
// They do: a finding, unless both store one value.
void check_pass_conflict(const check_pass *pass, uint64_t cell, check_record old, bool old_is_write,
                         uint32_t lane);

#endif
