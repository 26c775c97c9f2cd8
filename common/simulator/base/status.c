// SPDX-License-Identifier: MIT
// Error records: formatting only, no policy.
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const status_texts[SIM_STATUS_COUNT] = {
#define SIM_STATUS(id, text) text,
#include "base/status.def"
#undef SIM_STATUS
};

const char *sim_status_text(sim_status status) {
    if ((unsigned)status >= SIM_STATUS_COUNT) return "unknown status";
    return status_texts[status];
}

sim_status sim_fail(sim_error *error, sim_status status, const char *format, ...) {
    if (!error) return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

void sim_error_append(sim_error *error, const char *format, ...) {
    if (!error) return;
    size_t used = strlen(error->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + used, sizeof error->text - used, format, arguments);
    va_end(arguments);
}
