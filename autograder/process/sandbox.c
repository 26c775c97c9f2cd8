// SPDX-License-Identifier: MIT
// The sandbox of untrusted processes: see sandbox.h. At present the limits of process.c are all
// there is.
#include "process/sandbox.h"

ladder_sandbox_level ladder_sandbox_find(void) {
    return LADDER_SANDBOX_LIMITS;
}

const char *ladder_sandbox_name(ladder_sandbox_level level) {
    switch (level) {
    case LADDER_SANDBOX_LIMITS: return "limits";
    }
    return "unknown";
}

const char *ladder_sandbox_text(ladder_sandbox_level level) {
    switch (level) {
    case LADDER_SANDBOX_LIMITS:
        return "time, memory and output limits, separate processes, whole process tree ended; "
               "files, network and other users' processes are NOT walled off: grade only people "
               "you trust that far";
    }
    return "";
}

kl_status ladder_sandbox_start(const ladder_process_spec *spec, ladder_process *out_process,
                               kl_error *err) {
    return ladder_process_start(spec, out_process, err);
}

kl_status ladder_sandbox_run(const ladder_process_spec *spec, ladder_process *out_process,
                             kl_error *err) {
    return ladder_process_run(spec, out_process, err);
}
