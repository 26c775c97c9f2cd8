// SPDX-License-Identifier: MIT
// What a client of an engine process can do beyond engine.h. sim_engine_open_remote is in engine.h.
#ifndef SIM_REMOTE_CLIENT_H
#define SIM_REMOTE_CLIENT_H

#include "engine/engine.h"

// Control connections only: the engine process drops its runner and refuses further work. Does not
// interrupt a launch under way; for that the judge ends the process.
sim_status sim_remote_abort(sim_engine *engine, kl_error *error);

#endif
