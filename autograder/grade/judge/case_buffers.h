// SPDX-License-Identifier: MIT
// The buffers of one case in the engine's memory: made, filled, looked after and read by the judge
// over its own connection. The program gets their addresses, may not free them, and is not answered
// by the engine while the judge looks (engine/engine.h, sim_call_end).
#ifndef LADDER_JUDGE_CASE_BUFFERS_H
#define LADDER_JUDGE_CASE_BUFFERS_H

#include "engine/engine.h"
#include "problem.h"
#include "sandbox/process/runner_protocol.h"

typedef struct ladder_case_buffers {
    sim_engine *engine;
    const kl_prepared *data; // whose shape all has
    int slots;
    uint64_t
        inputs[KL_MAX_BUFFERS]; // addresses of the allocations: the offset lies before the data
    uint64_t outputs[LADDER_RUNNER_GIVEN][KL_MAX_BUFFERS];
} ladder_case_buffers;

// Bytes of an answer by who wrote them last (sim_writers_get), of all its buffers.
typedef struct ladder_writers {
    uint64_t nobody, fill, host, earlier, kernel;
} ladder_writers;

// Makes memory for a case with `slots` outputs; nothing is in it but poison. places: the seed of
// random gaps between the buffers; 0: none, so that counts are those of every other time. Free with
// ladder_buffers_free, also after a failure.
sim_status ladder_buffers_make(sim_engine *engine, const kl_prepared *data, int slots,
                               uint64_t places, ladder_case_buffers *out_buffers, kl_error *err);
void ladder_buffers_free(ladder_case_buffers *buffers);
// The addresses, for the program.
void ladder_buffers_tell(const ladder_case_buffers *buffers, ladder_runner_request *request);

// Puts inputs first to end - 1 of these data there.
sim_status ladder_buffers_put(const ladder_case_buffers *buffers, const kl_prepared *data,
                              int first, int end, kl_error *err);
sim_status ladder_buffers_poison(const ladder_case_buffers *buffers, int slot, kl_error *err);
// Outputs of one slot, laid out as sandbox/process/runner_protocol.h says.
sim_status ladder_buffers_fetch(const ladder_case_buffers *buffers, int slot, unsigned char *bytes,
                                kl_error *err);
// Which input is not what these data say, or -1. Only what was written to is read again.
sim_status ladder_buffers_changed(const ladder_case_buffers *buffers, const kl_prepared *data,
                                  int *out_input, kl_error *err);
sim_status ladder_buffers_writers(const ladder_case_buffers *buffers, int slot,
                                  ladder_writers *out_writers, kl_error *err);

#endif
