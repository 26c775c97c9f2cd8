// SPDX-License-Identifier: MIT
// The process's beginning with the runtime: what the environment says, and the device, opened at
// the first call that needs it.
#ifndef SIM_RUNTIME_STATE_PROCESS_H
#define SIM_RUNTIME_STATE_PROCESS_H

#include "runtime/abi/functions.h"
// Once in a process, under the lock.
void runtime_start(void);
cudaError_t runtime_open_device(void);

#endif
