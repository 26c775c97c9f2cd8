// SPDX-License-Identifier: MIT
// What an engine that checks is told of the program's host code: calls that failed and whose error
// nobody looks at, and what else only the runtime sees. Without effect where nothing checks.
#ifndef SIM_RUNTIME_STATE_HOST_FINDINGS_H
#define SIM_RUNTIME_STATE_HOST_FINDINGS_H

#include <stdbool.h>

#include "runtime/abi/functions.h"
#include "device/findings.h"

// A finding at the program's call that is under way, once per such place.
void runtime_tell(sim_check_class kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A kernel of one of the toolkit's libraries has run: its findings are told at the program's line
// that called the library.
void runtime_tell_caller(const char *kernel);
// The call under way has failed: if the program does not look at its result, and does not ask for
// the last error before it ends, that is a finding.
// Returns whether it will be told so.
bool runtime_note_failed(cudaError_t status, const char *call, const char *reason);
// The program calls a function that the simulator does not have: says so, once for each. What
// follows says nothing about the program.
void runtime_note_refused(const char *function);
const char *runtime_first_refused(void); // "": none so far
// The program has asked for the last error.
void runtime_forget_failed(void);
// Tells of those calls that nobody has asked about, and forgets them.
void runtime_report_failed(void);

#endif
