// SPDX-License-Identifier: MIT
// The checker beside `ladder run`: see run_check.h. What it finds goes to the lab's program in
// records (common/host/side_check.h), which prints them below its table.
#include "show/findings/run_check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "utilities/finding.h"
#include "utilities/program_args.h"
#include "show/findings/checks.h"
#include "side_check.h"

// The largest of the lab's quick cases that a step serves below this much work (loads, stores
// and operations of threads), so that a check takes a fraction of a second. NULL: none.
static const kl_suite_entry *small_case(const kl_problem *problem, int step) {
    const double most = 1 << 20;
    const kl_suite_entry *best = NULL;
    double best_work = 0;
    for (int i = 0; i < problem->suite_count; i++) {
        const kl_suite_entry *e = &problem->suite[i];
        if (!(e->flags & KL_QUICK) || !kl_problem_serves(problem, e->family, step)) continue;
        double work = ladder_checks_work(problem, e->family, e->size);
        if (work > most || work <= best_work) continue;
        best = e;
        best_work = work;
    }
    return best;
}

static void describe(const ladder_checks *checks, kl_side_check *out) {
    char place[128];
    const sim_check_report *report = checks->report;
    out->findings = (int)ladder_checks_errors(checks);
    for (uint32_t i = 0; i < report->count; i++) {
        const sim_finding *f = &report->findings[i];
        if (sim_check_is_warning(f->kind)) continue;
        ladder_finding_place(f, place, sizeof place);
        snprintf(out->text, sizeof out->text, "%s%s%s", sim_check_name(f->kind),
                 place[0] != '\0' ? " at " : "", place);
        return;
    }
}

// False when there is nothing to say of the step: it is not written, or launches no kernel.
static bool check_step(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                       kl_side_check *out) {
    const kl_problem *problem = lab->problem;
    const kl_suite_entry *entry = small_case(problem, step);
    char program[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    ladder_program_args args;
    ladder_checks checks;
    *out = (kl_side_check){.step = step, .findings = -1};
    if (!entry || ladder_kit_lab_program(kit, lab, program, &err) != KL_OK) return false;
    const char *family = problem->families[entry->family].name;
    char size[32];
    snprintf(size, sizeof size, "%lld", (long long)entry->size);
    ladder_args_begin(&args, program);
    ladder_args_number(&args, "--step", step);
    ladder_args_flag(&args, "--check-only", true);
    ladder_args_text(&args, "--device", "sim");
    ladder_args_flag(&args, "--solution", solution);
    ladder_args_text(&args, "--case", family);
    ladder_args_text(&args, "--size", size);
    const ladder_checks_options options = {
        .lab = lab, .max_instructions = ladder_checks_limit(lab, step, family, entry->size)};
    kl_status status = ladder_checks_run(kit, args.argv, &options, &checks, &err);
    bool told =
        status != KL_OK ||
        (!checks.unwritten && (checks.report->launches > 0 || ladder_checks_errors(&checks) > 0));
    if (status != KL_OK)
        snprintf(out->text, sizeof out->text, "%.150s", err.text);
    else if (told)
        describe(&checks, out);
    ladder_checks_free(&checks);
    return told;
}

static void serve(const ladder_kit *kit, const ladder_lab *lab, const int *steps, int count,
                  bool solution, int fd) {
    char allowed;
    if (read(fd, &allowed, 1) != 1) return; // the lab's program has ended before
    for (int i = 0; i < count; i++) {
        kl_side_check record;
        if (!check_step(kit, lab, steps[i], solution, &record)) continue;
        if (send(fd, &record, sizeof record, MSG_NOSIGNAL) != (ssize_t)sizeof record) return;
    }
}

int ladder_run_check_start(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                           int count, bool solution) {
    int pair[2], all[KL_SIDE_CHECKS];
    char engine[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    if (ladder_kit_engine(kit, engine, &err) != KL_OK || !ladder_file_exists(engine)) return -1;
    for (int i = 0; count == 0 && i < lab->problem->step_count && i < KL_SIDE_CHECKS; i++)
        all[i] = lab->problem->steps[i].number;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return -1;
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child < 0) {
        close(pair[0]);
        close(pair[1]);
        return -1;
    }
    if (child > 0) {
        close(pair[1]);
        return pair[0];
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); // it must not outlive the run
    close(pair[0]);
    fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    if (getppid() == parent)
        serve(kit, lab, count > 0 ? steps : all, count > 0 ? count : lab->problem->step_count,
              solution, pair[1]);
    _exit(0);
}
