// SPDX-License-Identifier: MIT
// Address ranges of the device in the host's address space.
#ifndef SIM_RUNTIME_STATE_GUARD_H
#define SIM_RUNTIME_STATE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

// Reserves them and explains faults in them from now on.
void runtime_guard_install(void);
bool runtime_is_device_address(uint64_t address);

#endif
