// SPDX-License-Identifier: MIT
// Statuses of the simulator: see status.h.
#include "base/status.h"

static const char *const status_texts[SIM_STATUS_COUNT] = {
#define SIM_STATUS(id, text) text,
#include "base/status.def"
#undef SIM_STATUS
};

const char *sim_status_text(sim_status status) {
    if ((unsigned)status >= SIM_STATUS_COUNT) return "unknown status";
    return status_texts[status];
}

sim_status sim_fail(kl_error *err, sim_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    kl_error_fill(err, status, format, arguments);
    va_end(arguments);
    return status;
}
