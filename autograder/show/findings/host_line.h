// SPDX-License-Identifier: MIT
// Source lines of host code, from the program's debug information (nvcc -g).
#ifndef LADDER_FINDINGS_HOST_LINE_H
#define LADDER_FINDINGS_HOST_LINE_H

#include <stddef.h>

#include "device/findings.h"

// text: [bytes], has a place as the runtime writes it, "at FILE+0xADDRESS" with what follows in
// that line (runtime/state/caller.h). The place becomes "at NAME.cu:LINE in FUNCTION" when
// addr2line, which comes with the host compiler, knows it; otherwise a hint at -g is added behind
// it.
void ladder_host_line(char *text, size_t bytes);

// The same for a finding in host code, whose text ends in such places, that of the call first: the
// first one that is in a file of the program becomes its side, or, of a finding that has its sides
// already (a kernel of a library, an early access by the host), its text.
void ladder_host_side(sim_finding *finding);

// The same for a side that is a call (sim_check_side.call): its addresses become a file and a line.
void ladder_host_call(sim_check_side *side);

#endif
