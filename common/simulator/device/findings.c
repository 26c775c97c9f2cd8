// SPDX-License-Identifier: MIT
// Names and texts of the checks (checks.def), and findings as data: see findings.h.
#include "device/findings.h"

#include <stdlib.h>

typedef struct check_row {
    const char *name, *meaning;
    bool is_warning;
} check_row;

static const check_row rows[SIM_CHECK_COUNT] = {
#define SIM_CHECK(id, name, is_warning, meaning) {name, meaning, is_warning},
#include "device/checks.def"
#undef SIM_CHECK
};

const char *sim_check_name(sim_check_class kind) {
    return (unsigned)kind < SIM_CHECK_COUNT ? rows[kind].name : "?";
}
const char *sim_check_meaning(sim_check_class kind) {
    return (unsigned)kind < SIM_CHECK_COUNT ? rows[kind].meaning : "?";
}
bool sim_check_is_warning(sim_check_class kind) {
    return (unsigned)kind < SIM_CHECK_COUNT && rows[kind].is_warning;
}

void sim_check_report_free(sim_check_report *report) {
    if (!report) return;
    free(report->findings);
    free(report->host_reads);
    free(report);
}

bool sim_check_is_of_host(sim_check_class kind) {
    switch (kind) {
    case SIM_CHECK_HOST_RACE:
    case SIM_CHECK_UNCHECKED_CALL:
    case SIM_CHECK_FAILED_LAUNCH:
    case SIM_CHECK_UNSET_COPY:
    case SIM_CHECK_LOST_OUTPUT:
    case SIM_CHECK_HOST_FUNCTION:
    case SIM_CHECK_PAGEABLE_COPY: return true;
    default: return false;
    }
}
