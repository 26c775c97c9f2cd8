// SPDX-License-Identifier: MIT
// Status codes that every function of the simulator returns; their error record is that of
// common/base. Codes say what went wrong in the simulator's own terms; the runtime shim maps them
// to cudaError_t.
#ifndef SIM_BASE_STATUS_H
#define SIM_BASE_STATUS_H

#include "error_record.h"

// SIM_OK is 0; the rest are the rows of status.def.
typedef enum sim_status {
#define SIM_STATUS(id, text) SIM_##id,
#include "base/status.def"
#undef SIM_STATUS
    SIM_STATUS_COUNT
} sim_status;

// Fills `error` (which may be NULL) and returns `status`, so that `return sim_fail(...)` reads
// well. The record and TRY are those of common/base.
sim_status sim_fail(kl_error *err, sim_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A short constant text for a status: "illegal memory access".
const char *sim_status_text(sim_status status);

#endif
