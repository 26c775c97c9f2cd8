// SPDX-License-Identifier: MIT
// The other end of client.c: serves one engine to a runner, whose program may be hostile,
// and to the judge. Holds no secret and knows nothing of grading.
#ifndef SIM_REMOTE_SERVER_H
#define SIM_REMOTE_SERVER_H

#include "engine/engine.h"

// Serves two connected stream sockets until the control connection closes; takes both over. The
// runner may do everything but fetch reports; the control connection fetches reports, and is
// served on when the runner has gone. control -1: there is none, serves until the runner closes. A
// peer that breaks the protocol loses its connection.
sim_status sim_server_run(sim_engine *engine, int runner, int control, kl_error *err);

#endif
