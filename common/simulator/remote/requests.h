// SPDX-License-Identifier: MIT
// Answers one request to an engine (server.c moves the bytes). Requests are hostile input: a
// malformed one is refused without reaching the engine.
#ifndef SIM_REMOTE_REQUESTS_H
#define SIM_REMOTE_REQUESTS_H

#include "engine/engine.h"
#include "remote/wire.h"

typedef struct sim_session {
    sim_engine *engine;
    uint32_t modules;    // loaded so far: bounded, as the program behind the runner may be hostile
    bool called;         // a call has begun: what the program reads is counted
    bool judged;         // the control connection parts the program's work into calls
    bool held;           // between two calls of the program: the runner is not answered
    wire_posted *posted; // the runner's; NULL: none yet
    uint32_t taken;      // bytes of it
    bool broken;         // the runner has posted what is no request: nothing of it is believed
    sim_status late;     // of the first posted copy, fill or release that failed, until it is told
    kl_error late_err;
} sim_session;

// Handles request `kind` with its payload in `request` and puts the answer's payload into `answer`,
// error text included. Returns the answer's status. *out_passed: a descriptor to send and close, or
// -1. What the runner has posted is done first, unless it is held.
sim_status sim_session_answer(sim_session *session, wire_kind kind, bool is_control,
                              wire_reader request, wire_writer *answer, int *out_passed);
// Does what the runner has posted and had not been done, unless the runner is held.
void sim_session_take_posted(sim_session *session);
// At the end: the memory of posted requests.
void sim_session_free(sim_session *session);

#endif
