// SPDX-License-Identifier: MIT
// The program's own accesses to memory that it shares with the device, for the checks: pages that
// work in progress uses are protected between calls, so that an access to them faults, is noted,
// and goes on. Off unless LADDER_SIM_HOST_ACCESSES asks for it. It never changes what a program
// does: where that cannot be had, pages stay as they are and accesses go unseen (host_watch.c says
// when).
#ifndef SIM_RUNTIME_STATE_HOST_WATCH_H
#define SIM_RUNTIME_STATE_HOST_WATCH_H

// The device is open; asks the environment. Nothing without an engine in a process of its own.
void runtime_watch_start(void);
// A call begins: the runtime may touch all memory; the checks hear of what was noted.
void runtime_watch_open(void);
// A call ends: what work in progress uses is protected.
void runtime_watch_close(void);
// In the child of a fork.
void runtime_watch_forget(void);

#endif
