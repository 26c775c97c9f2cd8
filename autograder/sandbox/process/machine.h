// SPDX-License-Identifier: MIT
// Whether the machine itself can grade: asked when something broke off, to tell whose fault it is.
#ifndef LADDER_PROCESS_MACHINE_H
#define LADDER_PROCESS_MACHINE_H

#include "error.h"

// KL_OK, or KL_ERROR_SYSTEM with what is missing: room for files in the folder, memory, a process.
kl_status ladder_machine_fit(const char *folder, kl_error *err);

#endif
