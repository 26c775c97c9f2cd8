// The checker beside `ladder run`: see findings.h. What it finds goes to the lab's program in
// records (side_check.c), which shows them in its first table.
#include "show/findings/findings.h"
#include "parallel.h"
#include "utilities/finding.h"
#include "utilities/options.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

// Loads, stores and operations of threads that are checked in a fraction of a second. Where tensor
// cores do them, an instruction does a hundred times as many, and a case that fills its stages once
// has more than the least.
static double most_work_of(const kl_problem *problem) {
    return problem->ceiling == KL_CEILING_TENSOR ? 1 << 27 : 1 << 20;
}

const kl_suite_entry *ladder_run_check_case(const kl_problem *problem, int step, bool *out_all) {
    const kl_suite_entry *best = NULL;
    const double most_work = most_work_of(problem);
    double best_work = 0, all_work = 0;
    for (int i = 0; i < problem->suite_count; i++) {
        const kl_suite_entry *e = &problem->suite[i];
        if (!(e->flags & KL_QUICK) || !kl_problem_serves(problem, e->family, step)) continue;
        double work = ladder_checks_work(problem, e->family, e->size);
        all_work += work;
        if (e->flags & KL_BESIDE) return e;
        if (work > most_work || work <= best_work) continue;
        best = e;
        best_work = work;
    }
    *out_all = all_work <= 2 * most_work;
    return best;
}

// Of a finding in host code, whose text names it: "1_x.cu:28".
static void host_place(const char *text, char *place, size_t bytes) {
    const char *file = strstr(text, ".cu:");
    while (file && file > text && file[-1] != ' ' && file[-1] != '/' && file[-1] != '\n') file--;
    if (file) snprintf(place, bytes, "%.*s", (int)strcspn(file, " \n"), file);
}

static void describe(const ladder_checks *checks, kl_record *record) {
    char *text = record->is.check.text;
    char place[128];
    const sim_check_report *report = checks->order ? checks->permuted : checks->report;
    record->is.check.findings = (int32_t)ladder_checks_errors(checks);
    for (uint32_t i = 0; i < report->count; i++) {
        const sim_finding *f = &report->findings[i];
        if (record->is.check.findings > 0 && sim_check_is_warning(f->kind)) continue;
        ladder_finding_place(f, place, sizeof place);
        if (place[0] == '\0') host_place(f->text, place, sizeof place);
        size_t used = (size_t)snprintf(text, KL_RECORD_FINDING, "%s%s%s\n", sim_check_name(f->kind),
                                       place[0] != '\0' ? " at " : "", place);
        if (checks->order)
            used += (size_t)snprintf(text + used, KL_RECORD_FINDING - used,
                                     "in order %s of blocks and warps, ", checks->order);
        ladder_finding_text(f, NULL, text + used, KL_RECORD_FINDING - used);
        return;
    }
}

// False when there is nothing to say of the step: it is not written, or launches no kernel.
static bool check_step(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                       kl_record *out) {
    const kl_problem *problem = lab->problem;
    bool all = false;
    const kl_suite_entry *entry = ladder_run_check_case(problem, step, &all);
    char program[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    ladder_program_args args;
    ladder_checks checks;
    *out = (kl_record){.kind = KL_RECORD_CHECKED, .step = step, .is = {.check = {.findings = -1}}};
    if (!entry || ladder_kit_lab_program(kit, lab, program, &err) != KL_OK) return false;
    const char *family = problem->families[entry->family].name;
    char size[32];
    snprintf(size, sizeof size, "%lld", (long long)entry->size);
    ladder_args_begin(&args, program);
    ladder_args_number(&args, "--step", step);
    ladder_args_flag(&args, "--check-only", true);
    ladder_args_text(&args, "--device", "sim");
    ladder_args_flag(&args, "--solution", solution);
    ladder_args_flag(&args, "--quick", all);
    ladder_args_text(&args, "--case", all ? NULL : family);
    ladder_args_text(&args, "--size", all ? NULL : size);
    const ladder_checks_options options = {.lab = lab,
                                           .more_orders = true,
                                           .max_instructions =
                                               ladder_checks_limit(lab, step, family, entry->size)};
    kl_status status = ladder_checks_run(kit, args.argv, &options, &checks, &err);
    bool told =
        status != KL_OK ||
        (!checks.unwritten && (checks.report->launches > 0 || ladder_checks_errors(&checks) > 0));
    if (status != KL_OK) snprintf(out->is.check.text, KL_RECORD_FINDING, "%.150s", err.text);
    else if (told) describe(&checks, out);
    ladder_checks_free(&checks);
    return told;
}

static void serve(const ladder_kit *kit, const ladder_lab *lab, bool solution, int fd) {
    int step;
    while (kl_side_check_next(fd, &step)) {
        kl_record record;
        if (!check_step(kit, lab, step, solution, &record)) continue;
        if (!kl_record_send(fd, &record)) return;
    }
}

int ladder_run_check_start(const ladder_kit *kit, const ladder_lab *lab, bool solution) {
    int pair[2];
    char engine[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    if (ladder_kit_engine(kit, engine, &err) != KL_OK || !ladder_file_exists(engine)) return -1;
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
    if (getppid() == parent) serve(kit, lab, solution, pair[1]);
    _exit(0);
}
