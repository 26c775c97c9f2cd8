// SPDX-License-Identifier: MIT
// Causes that lanes, sectors and banks do not show: memory that only looks local, and slow pipes.
#ifndef LADDER_PROFILE_CAUSES_H
#define LADDER_PROFILE_CAUSES_H

#include "show/profile/profile.h"

// One sentence with the line that moves most sectors of local memory, when those are a good part of
// what the launch moves; false: they are not.
bool ladder_advise_local(const sim_launch_report *report, char *text, size_t text_bytes);

// One sentence with the line that keeps the slow pipe busy, when the XU or the FP64 pipe is what
// limits the launch; false: it is not.
bool ladder_advise_slow_pipe(const sim_launch_report *report, char *text, size_t text_bytes);

// "1_interleaved.cu:41", or "this kernel" when there is no line table. Returns `where`.
const char *ladder_where(const sim_launch_report *report, const sim_line_counters *at, char *where,
                         size_t where_bytes);

#endif
