// SPDX-License-Identifier: MIT
// The buffers of one case in the engine's memory: made, filled, looked after and read by the judge
// over its own connection. The program gets their addresses, may not free them, and is not answered
// by the engine while the judge looks (engine/engine.h, sim_call_end).
#ifndef LADDER_JUDGE_GIVEN_H
#define LADDER_JUDGE_GIVEN_H

#include "engine/engine.h"
#include "problem.h"
#include "sandbox/process/runner_protocol.h"

typedef struct ladder_given {
    sim_engine *engine;
    const kl_prepared *data; // whose shape all has
    int slots;
    uint64_t
        inputs[KL_MAX_BUFFERS]; // addresses of the allocations: the offset lies before the data
    uint64_t outputs[LADDER_RUNNER_GIVEN][KL_MAX_BUFFERS];
} ladder_given;

// Bytes of an answer by who wrote them last (sim_writers_get), of all its buffers.
typedef struct ladder_writers {
    uint64_t nobody, fill, host, earlier, kernel;
} ladder_writers;

// Makes memory for a case with `slots` outputs; nothing is in it but poison. places: the seed of
// random gaps between the buffers; 0: none, so that counts are those of every other time. Free with
// ladder_given_free, also after a failure.
kl_status ladder_given_make(sim_engine *engine, const kl_prepared *data, int slots, uint64_t places,
                            ladder_given *out_given, kl_error *err);
void ladder_given_free(ladder_given *given);
// The addresses, for the program.
void ladder_given_tell(const ladder_given *given, ladder_runner_request *request);

// Puts inputs first to end - 1 of these data there.
kl_status ladder_given_put(const ladder_given *given, const kl_prepared *data, int first, int end,
                           kl_error *err);
kl_status ladder_given_poison(const ladder_given *given, int slot, kl_error *err);
// Outputs of one slot, laid out as sandbox/process/runner_protocol.h says.
kl_status ladder_given_fetch(const ladder_given *given, int slot, unsigned char *bytes,
                             kl_error *err);
// Which input is not what these data say, or -1. Only what was written to is read again.
kl_status ladder_given_changed(const ladder_given *given, const kl_prepared *data, int *out_input,
                               kl_error *err);
kl_status ladder_given_writers(const ladder_given *given, int slot, ladder_writers *out_writers,
                               kl_error *err);

#endif
