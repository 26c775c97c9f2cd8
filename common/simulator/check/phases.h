// SPDX-License-Identifier: MIT
// Phases of mbarriers: who has waited for which. A wait names a parity alone, so that a second wait
// for a phase that has ended already succeeds at once (PTX ISA, "mbarrier.test_wait").
#ifndef SIM_CHECK_PHASES_H
#define SIM_CHECK_PHASES_H

#include "check/internal.h"

// A thread has arrived at an mbarrier or has found a phase ended.
void check_phases_pass(sim_checker *checker, const sim_sync_event *event);
// The object at this offset of the current block is made anew.
void check_phases_init(check_block *block, uint32_t offset);
// A block has ended: threads that took an old phase for the next one, which ended without them.
void check_phases_end(sim_checker *checker, const check_block *block);
// Another block begins, or its memory goes.
void check_phases_forget(check_block *block);

#endif
