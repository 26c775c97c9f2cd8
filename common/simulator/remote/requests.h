// SPDX-License-Identifier: MIT
// Answers one request to an engine (server.c moves the bytes). Requests are hostile input: a
// malformed one is refused without reaching the engine.
#ifndef SIM_REMOTE_REQUESTS_H
#define SIM_REMOTE_REQUESTS_H

#include "engine/engine.h"
#include "remote/wire.h"

typedef struct sim_session {
    sim_engine *engine;
    uint32_t modules; // loaded so far: bounded, as the program behind the runner may be hostile
    bool judged;      // the control connection parts the program's work into calls
    bool held;        // between two calls of the program: the runner is not answered
} sim_session;

// Handles request `kind` with its payload in `request` and puts the answer's payload into `answer`,
// error text included. Returns the answer's status. *out_passed: a descriptor to send and close, or
// -1.
sim_status sim_session_answer(sim_session *session, wire_kind kind, bool is_control,
                              wire_reader request, wire_writer *answer, int *out_passed);

#endif
