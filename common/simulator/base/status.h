// SPDX-License-Identifier: MIT
// Status codes that every function of the simulator returns; the error record is that of common/base.
// Codes say what went wrong in the simulator's own terms; the runtime shim maps them to cudaError_t.
#ifndef SIM_BASE_STATUS_H
#define SIM_BASE_STATUS_H

#include "error_record.h"

typedef enum sim_status {
#define SIM_STATUS(id, text) SIM_##id,
#include "base/status.def"
#undef SIM_STATUS
    SIM_STATUS_COUNT
} sim_status;

// The record and the macro are those of all components: the simulator's older names of them.
enum { SIM_ERROR_TEXT_BYTES = KL_ERROR_TEXT };
typedef kl_error sim_error;
#define sim_error_append kl_error_append
#define SIM_TRY(call)    TRY(call)

// Fills `error` (which may be NULL) and returns `status`, so that `return sim_fail(...)` reads
// well.
sim_status sim_fail(sim_error *error, sim_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A short constant text for a status: "illegal memory access".
const char *sim_status_text(sim_status status);

#endif
