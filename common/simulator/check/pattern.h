// SPDX-License-Identifier: MIT
// What the two accesses of a race have to do with each other in the program, and which order is
// missing between them: the advice of a finding, and which findings have one cause.
#ifndef SIM_CHECK_PATTERN_H
#define SIM_CHECK_PATTERN_H

#include "check/internal.h"

// The two accesses of a race.
typedef struct check_accesses {
    uint32_t sites[2];
    bool writes[2];
    bool one_warp;    // by lanes of one warp
    bool other_block; // by two blocks
} check_accesses;

// The pattern of the accesses in the running grid's program.
check_note check_pattern_of(const sim_checker *checker, const check_accesses *accesses);
// Writes what to do about it to text; false: the pattern does not say.
bool check_pattern_advice(const check_note *note, char *text, size_t text_bytes);
// A launch is over: where an access races with lanes of its warp, and another finding says that it
// races with other warps, too, a barrier of the block is what both advise.
void check_pattern_settle(sim_checker *checker);
// Whether what removes the race of `first` removes that of `other`, too: both of one kernel.
bool check_pattern_has_same_cause(const check_note *first, const check_note *other);

#endif
