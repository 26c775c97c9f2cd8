// SPDX-License-Identifier: MIT
// The one door through which untrusted processes start, and the honest name of the protection that
// stands behind it: the sandbox (sandbox/isolation/isolation.h) where it stands, else limits alone.
#ifndef LADDER_PROCESS_SANDBOX_H
#define LADDER_PROCESS_SANDBOX_H

#include "sandbox/process/process.h"
#include "sandbox/isolation/isolation.h"

// The protection that is reached.
typedef enum ladder_sandbox_level {
    // own session, resource limits, no new privileges, tree killed at the end
    LADDER_SANDBOX_LIMITS,
    LADDER_SANDBOX_ISOLATED // the same in the sandbox
} ladder_sandbox_level;

// What is reached on this machine; tried once, by a program in the sandbox.
ladder_sandbox_level ladder_sandbox_find(void);
// "isolated", and its layers; "limits (NO SANDBOX)", and what these do not keep out.
const char *ladder_sandbox_name(ladder_sandbox_level level);
const char *ladder_sandbox_text(ladder_sandbox_level level);

// "memory of all processes together: 4 of this machine's 32 GiB, kept by a control group": what
// keeps the limit of a submission here. Returns text.
char *ladder_sandbox_memory_text(uint64_t memory_bytes, char *text, size_t text_bytes);

// The layers that stand, as bits (sandbox/isolation/protocol.h), and why there is no sandbox; ""
// where there is one.
uint32_t ladder_sandbox_layers(void);
const char *ladder_sandbox_problem(void);

// What cannot run in the sandbox takes it away: from now on the level is limits alone.
void ladder_sandbox_give_up(const char *problem);
// Tries whether a GPU's driver starts in the sandbox, and gives it up where it does not.
void ladder_sandbox_try_gpu(void);

// A control group for the memory of several processes together (ladder_process_spec.within). False,
// and count 0, where the sandbox has none: then the judge adds up (memory.h).
bool ladder_sandbox_group(uint64_t memory_bytes, ladder_group *out_group);

// As ladder_process_start, inside the sandbox. view: what the program may see in the sandbox.
kl_status ladder_sandbox_start(const ladder_process_spec *spec, const ladder_sandbox_view *view,
                               ladder_process *out_process, kl_error *err);
// As ladder_process_run, inside the sandbox. The view's outputs lie in its folder afterwards.
kl_status ladder_sandbox_run(const ladder_process_spec *spec, const ladder_sandbox_view *view,
                             ladder_process *out_process, kl_error *err);

#endif
