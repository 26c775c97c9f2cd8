// SPDX-License-Identifier: MIT
// Running a program on a checking engine: see checks.h.
#include "profile/checks.h"

#include <stdlib.h>
#include <string.h>

#include "process/session.h"

enum { REFUSED = 2 }; // exit status of a lab's program that does not understand its options

static kl_status run(const ladder_kit *kit, char *const *argv, const ladder_checks_options *o,
                     ladder_checks *out, sim_check_report **out_report, kl_error *err) {
    static const double answer_s = 120; // the engine may be busy with a last kernel
    ladder_engine_options options = {.answer_s = answer_s,
                                     .mode = "check",
                                     .order = o->order,
                                     .instructions = o->max_instructions};
    ladder_session session;
    ladder_session_init(&session);
    kl_status status = ladder_session_start_engine(&session, kit, &options, err);
    setenv("LADDER_SIM_MODE", "check", 1); // the runtime leaves faults to the findings
    if (status == KL_OK)
        status = ladder_session_start_program(&session, kit, argv, o->foreground, err);
    if (status == KL_OK) {
        ladder_process *both[] = {&session.program, &session.engine};
        ladder_process_wait(both, 2);
        ladder_session_end_program(&session);
        const ladder_process *p = &session.program;
        out->exit_code = p->end == LADDER_END_EXITED ? p->code : 128 + p->code;
        out->unwritten = o->of_lab && strstr(p->output, "not implemented yet") != NULL;
        if (o->of_lab && p->end == LADDER_END_EXITED && p->code == REFUSED)
            status = kl_fail(err, KL_ERROR_USAGE, "%.*s", (int)strcspn(p->output, "\n"), p->output);
        sim_error error = {.text = ""};
        if (status == KL_OK && sim_check_report_get(session.control, out_report, &error) != SIM_OK)
            status =
                kl_fail(err, KL_ERROR_SYSTEM, "the simulator does not answer: %.300s", error.text);
    }
    ladder_session_close(&session);
    return status;
}

static uint32_t first_difference(const sim_check_report *a, const sim_check_report *b) {
    uint32_t both =
        a->host_read_count < b->host_read_count ? a->host_read_count : b->host_read_count;
    for (uint32_t i = 0; i < both; i++)
        if (a->host_reads[i] != b->host_reads[i]) return i + 1;
    return a->host_read_count == b->host_read_count ? 0 : both + 1;
}

kl_status ladder_checks_run(const ladder_kit *kit, char *const *argv,
                            const ladder_checks_options *options, ladder_checks *out_checks,
                            kl_error *err) {
    ladder_checks *c = out_checks;
    ladder_checks_options usual = *options, other = *options;
    memset(c, 0, sizeof *c);
    usual.order = NULL;
    TRY(run(kit, argv, &usual, c, &c->report, err));
    if (options->order == NULL) return KL_OK;
    ladder_checks again; // only its report is wanted
    other.foreground = false;
    TRY(run(kit, argv, &other, &again, &c->permuted, err));
    c->order = options->order;
    c->differing_read = first_difference(c->report, c->permuted);
    return KL_OK;
}

void ladder_checks_free(ladder_checks *checks) {
    sim_check_report_free(checks->report);
    sim_check_report_free(checks->permuted);
    memset(checks, 0, sizeof *checks);
}

static uint64_t warnings_of(const sim_check_report *report) {
    uint64_t count = 0, leaks = 0;
    for (uint32_t i = 0; report != NULL && i < report->count; i++) {
        count += sim_check_is_warning(report->findings[i].kind);
        leaks += report->findings[i].kind == SIM_CHECK_LEAK;
    }
    return leaks > 1 ? count - (leaks - 1) : count;
}

static uint64_t errors_of(const sim_check_report *report) {
    uint64_t count = report != NULL ? report->left_out : 0;
    for (uint32_t i = 0; report != NULL && i < report->count; i++)
        count += !sim_check_is_warning(report->findings[i].kind);
    return count;
}

uint64_t ladder_checks_errors(const ladder_checks *checks) {
    return errors_of(checks->report) + errors_of(checks->permuted);
}

uint64_t ladder_checks_warnings(const ladder_checks *checks) {
    return warnings_of(checks->report) + warnings_of(checks->permuted);
}
