// SPDX-License-Identifier: MIT
// Errors of kernels, which the program learns later (CUDA Runtime API reference, "Error Handling").
#ifndef SIM_RUNTIME_STATE_FAULT_H
#define SIM_RUNTIME_STATE_FAULT_H

#include <stdbool.h>

#include "runtime/abi/functions.h"
// Keeps a kernel's fault until a call may report it.
void runtime_fault(cudaError_t error);
// Whether the device has had time to notice it: then a call that does not wait reports it too.
bool runtime_fault_is_noticed(void);
// What the kernel did, in words, for sim_runtime_fault.
void runtime_fault_describe(const char *text);
const char *runtime_fault_text(void);
// From now on the fault sticks.
void runtime_fault_surface(void);
// Tells the engine's checks of a failed launch whose error nobody asked for, and forgets it.
void runtime_report_unchecked(void);
// At the program's end, where nothing checks: how many such launches there were.
void runtime_say_unchecked(void);

#endif
