// SPDX-License-Identifier: MIT
// Phases of mbarriers: who has waited for which. A wait names a parity alone, so that a second wait
// for a phase that has ended already succeeds at once (PTX ISA, "mbarrier.test_wait").
#ifndef SIM_CHECK_PHASES_H
#define SIM_CHECK_PHASES_H

#include "check/internal.h"

// A thread has arrived at an mbarrier or has found a phase ended.
void check_phases_pass(sim_checker *checker, const sim_sync_event *event);
// The object at this offset of the block is made anew, by `thread` at `time` in line `site`.
void check_phases_init(check_block *block, uint32_t offset, uint32_t thread, uint32_t time,
                       uint32_t site);
// The first thread that uses an mbarrier of its block without knowing that another one has made it,
// before it takes up what others passed on there; CHECK_NO_THREAD: there is none.
enum { CHECK_NO_THREAD = UINT32_MAX };
uint32_t check_phases_stranger(const sim_checker *checker, const sim_access_event *event);
// Tells of it, once for each mbarrier.
void check_phases_tell(sim_checker *checker, const sim_access_event *event, uint32_t thread,
                       uint32_t site);
// A block has ended: threads that took an old phase for the next one, which ended without them.
void check_phases_end(sim_checker *checker, const check_block *block);
// Another block begins, or its memory goes.
void check_phases_forget(check_block *block);

#endif
