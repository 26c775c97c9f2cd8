// SPDX-License-Identifier: MIT
// Status codes and the error record that every module of the simulator returns and fills. Codes say
// what went wrong in the simulator's own terms; the runtime shim maps them to cudaError_t.
#ifndef SIM_BASE_STATUS_H
#define SIM_BASE_STATUS_H

typedef enum sim_status {
#define SIM_STATUS(id, text) SIM_##id,
#include "base/status.def"
#undef SIM_STATUS
    SIM_STATUS_COUNT
} sim_status;

enum { SIM_ERROR_TEXT_BYTES = 2048 };

// What failed, for people: one message, possibly of several lines (a caret under a source column).
typedef struct sim_error {
    sim_status status;
    char text[SIM_ERROR_TEXT_BYTES];
} sim_error;

// Fills `error` (which may be NULL) and returns `status`, so that `return sim_fail(...)` reads
// well.
sim_status sim_fail(sim_error *error, sim_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Appends to the text of an error that is already filled.
void sim_error_append(sim_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// A short constant text for a status: "illegal memory access".
const char *sim_status_text(sim_status status);

#define SIM_TRY(call)                                                                              \
    do {                                                                                           \
        sim_status try_status_ = (call);                                                           \
        if (try_status_ != SIM_OK) return try_status_;                                             \
    } while (0)

#endif
