// The engine in a process of its own: what its clients can do beyond engine.h, and how it is
// served.
#pragma once

#include "engine/engine.h"

// ---- client.c -----------------------------------------------------------------------------------
// What a client of an engine process can do beyond engine.h. sim_engine_open_remote is in engine.h.

// What the caller makes of an answer that is not there yet. asked: how often it was asked in this
// exchange before; waited_s: seconds since the exchange began. False: the connection is given up.
typedef bool sim_remote_patience(void *context, unsigned asked, double waited_s);

// sim_engine_open_remote for a caller that decides itself how long an answer may take: it is asked
// each time that the socket's own limit (SO_RCVTIMEO, SO_SNDTIMEO) has passed without a byte.
sim_status sim_remote_open(int descriptor, sim_remote_patience *patience, void *context,
                           sim_engine **out_engine, kl_error *err);

// ---- server.c -----------------------------------------------------------------------------------
// The other end of client.c: serves one engine to a runner, whose program may be hostile,
// and to the judge. Holds no secret and knows nothing of grading.

// Serves two connected stream sockets until the control connection closes; takes both over. The
// runner may do everything but fetch reports; the control connection fetches reports, and is
// served on when the runner has gone. control -1: there is none, serves until the runner closes. A
// peer that breaks the protocol loses its connection.
sim_status sim_server_run(sim_engine *engine, int runner, int control, kl_error *err);
