// SPDX-License-Identifier: MIT
// The one door through which untrusted processes start, and the honest name of the protection that
// stands behind it. Stronger walls (namespaces, system call filters, control groups) belong here
// and nowhere else.
#ifndef LADDER_PROCESS_SANDBOX_H
#define LADDER_PROCESS_SANDBOX_H

#include "process/process.h"

typedef enum ladder_sandbox_level {
    LADDER_SANDBOX_LIMITS // own session, resource limits, no new privileges, tree killed at the end
} ladder_sandbox_level;

// What is reached on this machine.
ladder_sandbox_level ladder_sandbox_find(void);
// "limits", and a sentence on what it does and does not keep out.
const char *ladder_sandbox_name(ladder_sandbox_level level);
const char *ladder_sandbox_text(ladder_sandbox_level level);

// As ladder_process_start, inside the sandbox.
kl_status ladder_sandbox_start(const ladder_process_spec *spec, ladder_process *out_process,
                               kl_error *err);
// As ladder_process_run, inside the sandbox.
kl_status ladder_sandbox_run(const ladder_process_spec *spec, ladder_process *out_process,
                             kl_error *err);

#endif
