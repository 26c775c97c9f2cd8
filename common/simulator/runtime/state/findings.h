// SPDX-License-Identifier: MIT
// What LADDER_SIM_MODE=check has found in a program that runs without an engine process.
#ifndef SIM_RUNTIME_STATE_FINDINGS_H
#define SIM_RUNTIME_STATE_FINDINGS_H

// In short, on standard error.
void runtime_say_findings(void);

#endif
