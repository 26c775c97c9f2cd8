// SPDX-License-Identifier: MIT
// What a client of an engine process can do beyond engine.h. sim_engine_open_remote is in engine.h.
#ifndef SIM_REMOTE_CLIENT_H
#define SIM_REMOTE_CLIENT_H

#include "engine/engine.h"

// What the caller makes of an answer that is not there yet. asked: how often it was asked in this
// exchange before; waited_s: seconds since the exchange began. False: the connection is given up.
typedef bool sim_remote_patience(void *context, unsigned asked, double waited_s);

// sim_engine_open_remote for a caller that decides itself how long an answer may take: it is asked
// each time that the socket's own limit (SO_RCVTIMEO, SO_SNDTIMEO) has passed without a byte.
sim_status sim_remote_open(int descriptor, sim_remote_patience *patience, void *context,
                           sim_engine **out_engine, kl_error *err);

#endif
