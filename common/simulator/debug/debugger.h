// SPDX-License-Identifier: MIT
// The engine's end of the debugger: launches run instruction by instruction, stop where they are
// asked to, and go back in time. A launch is deterministic, so that a moment of it is a number of
// instructions; to come to an earlier one, a snapshot from before it is woken and goes forward.
//
// A snapshot is a fork of the engine's process that sleeps. Memory of the device, blocks, the
// checker's shadow, everything is in it, and what did not change since is not copied. The process
// that was running until then ends. What outlives it lies in memory that they share.
#ifndef SIM_DEBUG_DEBUGGER_H
#define SIM_DEBUG_DEBUGGER_H

#include "debug/protocol.h"
#include "warps/grid.h"

// The debugger of one engine; opaque.
typedef struct sim_debugger sim_debugger;

// Findings of the checks, where the engine has any.
typedef struct sim_debug_findings {
    void *context; // handed to both; NULL: there are no checks
    // How many there are so far.
    uint32_t (*count)(void *context);
    // One of them, borrowed until the next instruction.
    const sim_finding *(*get)(void *context, uint32_t index);
} sim_debug_findings;

// Starts it in a process without threads, before anything is open that must be closed once: the
// caller goes on in a child, while this process waits for its end, ends all snapshots and exits
// with its status. `descriptor`: a socket of packets (SOCK_SEQPACKET), whose other end is a
// client's.
sim_status sim_debugger_new(int descriptor, sim_debugger **out_debugger, kl_error *err);
// The engine has ended; `status` is that of the process. Does not return.
_Noreturn void sim_debugger_exit(sim_debugger *debugger, int status);

// Around a launch. `text`: the PTX of the program, borrowed until the end. begin fills
// grid->stepper.
void sim_debugger_launch_begin(sim_debugger *debugger, sim_grid *grid, uint32_t launch,
                               const char *text, size_t text_bytes,
                               const sim_debug_findings *findings);
void sim_debugger_launch_end(sim_debugger *debugger);

#endif
