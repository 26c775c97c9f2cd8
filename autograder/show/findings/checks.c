// Running a program on a checking engine: see findings.h.
#include "show/findings/findings.h"
#include "sandbox/process/process.h"
#include "sandbox/process/session.h"
#include "utilities/finding.h"
#include "utilities/options.h"
#include <signal.h>
#include <stdatomic.h>

enum { REFUSED = 2 }; // exit status of a lab's program that does not understand its options

// "3 launches, 412 M warp instructions, 12 s".
static void describe_progress(const ladder_session *session, double seconds, char *text,
                              size_t bytes) {
    char instructions[32];
    uint64_t launches = 0, executed = 0;
    if (session->progress) {
        launches = atomic_load(&session->progress->launches);
        executed = atomic_load(&session->progress->warp_instructions);
    }
    snprintf(text, bytes, "%" PRIu64 " launch%s, %s warp instructions, %.0f s", launches,
             launches == 1 ? "" : "es",
             kl_format_count((double)executed, instructions, sizeof instructions), seconds);
}

// Waits for the program's end; says from time to time how far it is, on a terminal in one line that
// goes away again.
static void wait_for(ladder_session *session, const char *progress) {
    const double line_every_s = 10;
    ladder_process *both[] = {&session->program, &session->engine};
    bool terminal = isatty(STDERR_FILENO) != 0, shown = progress && terminal;
    double begin_s = kl_now_s(), due_s = terminal ? 1 : line_every_s;
    if (shown) fprintf(stderr, "\r\033[Kchecking %s\r", progress);
    while (progress && session->program.end == LADDER_END_RUNNING) {
        ladder_process_wait_readable(both, 2, -1, kl_now_s() + 1);
        double now_s = kl_now_s() - begin_s;
        if (session->program.end != LADDER_END_RUNNING || now_s < due_s) continue;
        char text[128];
        describe_progress(session, now_s, text, sizeof text);
        if (terminal) fprintf(stderr, "\r\033[Kchecking %s: %s\r", progress, text);
        else fprintf(stderr, "checking %s: %s\n", progress, text);
        fflush(stderr);
        due_s += terminal ? 1 : line_every_s;
    }
    if (shown) fputs("\r\033[K", stderr);
    ladder_process_wait(both, 2);
}

static void read_cases(int records, ladder_checks *out) {
    kl_record record;
    out->case_count = 0;
    for (uint32_t i = 0; kl_record_at(records, i, &record); i++) {
        if (record.kind != KL_RECORD_CASE || out->case_count == LADDER_CHECKED_CASES) continue;
        ladder_checked_case *c = &out->cases[out->case_count++];
        c->first_launch = record.is.in_case.first_launch;
        c->size = record.is.in_case.size;
        c->seed = record.is.in_case.seed;
        memcpy(c->family, record.is.in_case.family, sizeof c->family);
    }
}

const ladder_checked_case *ladder_checks_case(const ladder_checks *checks,
                                              const sim_finding *finding) {
    const ladder_checked_case *found = NULL;
    switch (finding->kind) {
    case SIM_CHECK_LEAK:
    case SIM_CHECK_BAD_FREE:
    case SIM_CHECK_UNCHECKED_LAUNCH:
    case SIM_CHECK_UNCHECKED_CALL:
    case SIM_CHECK_FAILED_LAUNCH:
    case SIM_CHECK_UNSET_COPY:
    case SIM_CHECK_LOST_OUTPUT:
    case SIM_CHECK_HOST_FUNCTION:
    case SIM_CHECK_KEPT_CLUSTER:
    case SIM_CHECK_PAGEABLE_COPY: return NULL; // of no kernel, or told when all is over
    case SIM_CHECK_HOST_ACCESS:
        return checks->case_count > 0 ? &checks->cases[checks->case_count - 1] : NULL;
    default: break;
    }
    for (int i = 0; i < checks->case_count; i++)
        if (checks->cases[i].first_launch <= finding->launch) found = &checks->cases[i];
    return found;
}

// What the runtime reports of a crash at a device pointer (runtime/state/guard.c) is a finding. A
// program that a signal ended had no chance to free its memory.
static void take_crash(int records, sim_check_report *report) {
    kl_record record = {.kind = KL_RECORD_KINDS};
    while (report->count > 0 && report->findings[report->count - 1].kind == SIM_CHECK_LEAK)
        report->count--;
    for (uint32_t i = 0; record.kind != KL_RECORD_CRASH; i++)
        if (!kl_record_at(records, i, &record)) return;
    char *said = record.is.crash;
    ladder_host_line(said, sizeof record.is.crash);
    sim_finding *all = realloc(report->findings, (report->count + 1) * sizeof *all);
    if (!all) return;
    report->findings = all;
    sim_finding *finding = &all[report->count++];
    memset(finding, 0, sizeof *finding);
    finding->kind = SIM_CHECK_HOST_ACCESS;
    finding->count = 1;
    snprintf(finding->text, sizeof finding->text, "%s", said);
}

static void find_host_lines(sim_check_report *report) {
    for (uint32_t i = 0; i < report->count; i++) {
        sim_finding *finding = &report->findings[i];
        for (int side = 0; side < 2; side++) ladder_host_call(&finding->sides[side]);
        bool is_call = finding->kind == SIM_CHECK_REFUSED && finding->kernel[0] == '\0';
        if (is_call || sim_check_is_of_host(finding->kind) || sim_kernel_library(finding->kernel))
            ladder_host_side(finding);
    }
}

// Indices that are too narrow for what is not the case's number of elements.
static void drop_other_bounds(const ladder_checks *checks, sim_check_report *report) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        const sim_finding *f = &report->findings[i];
        const ladder_checked_case *c = ladder_checks_case(checks, f);
        bool again = false;
        for (uint32_t k = 0; f->kind == SIM_CHECK_INDEX_WIDTH && k < kept; k++)
            again |= report->findings[k].kind == f->kind &&
                     report->findings[k].sides[0].line == f->sides[0].line;
        if (!again && ladder_finding_is_of(f, c ? c->size : -1)) report->findings[kept++] = *f;
    }
    report->count = kept;
}

// budget: 0, or of an order that nobody asked for: the warp instructions that it may take. Its run
// ends with the first launch that is stopped: the program may never look at that.
static kl_status run(const ladder_kit *kit, char *const *argv, const ladder_checks_options *o,
                     uint64_t budget, ladder_checks *out, sim_check_report **out_report,
                     kl_error *err) {
    static const double answer_s = 120; // the engine may be busy with a last kernel
    ladder_engine_options options = {.answer_s = answer_s,
                                     .mode = "check",
                                     .order = o->order,
                                     .resident = o->resident,
                                     .instructions = budget ? budget : o->max_instructions,
                                     .block_instructions = budget ? 0 : o->max_block_instructions,
                                     .progress = o->progress,
                                     .most_elements = o->lab ? (uint64_t)o->lab->problem->max_size
                                                             : o->most_elements,
                                     .records = true};
    ladder_session session;
    kl_status status = ladder_session_start_engine(&session, kit, &options, err);
    if (status == KL_OK && budget && sim_call_begin(session.control, budget, err) != SIM_OK)
        status = kl_fail_from(err, KL_ERROR_SYSTEM, "the simulator does not answer");
    setenv("LADDER_SIM_MODE", "check", 1); // the runtime leaves faults to the findings
    setenv("LADDER_SIM_END_AT_FAULT", budget ? "1" : "0", 1);
    if (status == KL_OK)
        status = ladder_session_start_program(&session, kit, argv, o->foreground, err);
    if (status == KL_OK) {
        wait_for(&session, o->progress);
        ladder_session_end_program(&session);
        const ladder_process *p = &session.program;
        out->exit_code = p->end == LADDER_END_EXITED ? p->code : 128 + p->code;
        out->has_crashed = p->end == LADDER_END_SIGNALLED && p->code == SIGSEGV;
        ladder_verdict_read(session.records, o->step, &out->verdict);
        out->unwritten = out->verdict.outcome == LADDER_NOT_IMPLEMENTED;
        if (o->lab && p->end == LADDER_END_EXITED && p->code == REFUSED)
            status = kl_fail(err, KL_ERROR_USAGE, "%.*s", (int)strcspn(p->output, "\n"), p->output);
        if (status == KL_OK && sim_check_report_get(session.control, out_report, err) != SIM_OK)
            status = kl_fail_from(err, KL_ERROR_SYSTEM, "the simulator does not answer");
        if (status == KL_OK) find_host_lines(*out_report);
        if (status == KL_OK) read_cases(session.records, out);
        if (status == KL_OK && o->lab) drop_other_bounds(out, *out_report);
        if (status == KL_OK && p->end == LADDER_END_SIGNALLED)
            take_crash(session.records, *out_report);
    }
    ladder_session_close(&session);
    return status;
}

double ladder_checks_work(const kl_problem *problem, int family, int64_t size) {
    kl_case shape;
    if (problem->describe(family, size, problem->default_seed, &shape, NULL) != KL_OK) return 0;
    return kl_case_work(&shape);
}

uint64_t ladder_checks_limit(const ladder_lab *lab, int step, const char *family, int64_t size) {
    // In check mode some 7 to 40 million warp instructions take a second. A launch of the solutions
    // takes up to 65 a warp's worth of work where there is much of it (lab 02, step 1), and up to 7
    // million in a quick case (lab 07, step 11).
    const double least = 10e6, quick_most = 30e6, times = 100, lanes = 32;
    const kl_problem *problem = lab->problem;
    double most = 0;
    for (int i = 0; i < problem->suite_count; i++) {
        const kl_suite_entry *e = &problem->suite[i];
        if (family && strcmp(problem->families[e->family].name, family) != 0) continue;
        if (!kl_problem_serves(problem, e->family, step)) continue;
        if (size < 0 && !(e->flags & KL_QUICK)) continue;
        double work = ladder_checks_work(problem, e->family, size < 0 ? e->size : size);
        most = work > most ? work : most;
    }
    double limit = least + times * most / lanes;
    return (uint64_t)(size < 0 && limit > quick_most ? quick_most : limit);
}

static uint32_t first_difference(const sim_check_report *a, const sim_check_report *b) {
    uint32_t both =
        a->host_read_count < b->host_read_count ? a->host_read_count : b->host_read_count;
    for (uint32_t i = 0; i < both; i++)
        if (a->host_reads[i] != b->host_reads[i]) return i + 1;
    return a->host_read_count == b->host_read_count ? 0 : both + 1;
}

// ---- other orders -------------------------------------------------------------------------------
// Threads that wait for each other by flags in memory, or that ask which lanes are active, may be
// right in one order of blocks, warps and lanes and wrong in another one, which a GPU may take.
// Where the first run has such threads and finds nothing, others follow, the likeliest one to show
// a fault first. All blocks that fit on the device run at the same time then, so that waits between
// them end as on a card; but a lab's also run one by one, in the reverse order, as CUDA promises no
// more, and as grading starts them in any order. Together they take as many warp instructions as
// the first run, so that all takes twice the time, and in small programs what all of them need; the
// one that would take more is given up. What counts are instructions, so that it does not depend on
// the machine.

enum { LEAST_BUDGET = 1000000 }; // warp instructions: a tenth of a second

typedef struct other_order {
    const char *name;
    uint32_t depends;    // sim_dependence: run where the first run has one of these
    const char *in_labs; // blocks of a lab's step that run together, where not all do
} other_order;

// The likeliest first.
static const other_order other_orders[] = {
    {"alternating", SIM_DEPENDS_ON_ACTIVE_LANES, NULL},
    {"hurried", SIM_DEPENDS_ON_MANY, NULL},
    {"reverse", SIM_DEPENDS_ON_FLAGS | SIM_DEPENDS_ON_ACTIVE_LANES, "earlier"},
    {"alternating", SIM_DEPENDS_ON_FLAGS, NULL},
};

static bool is_same(const sim_check_side *a, const sim_check_side *b) {
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

static bool has_finding(const sim_check_report *report, const sim_finding *finding) {
    for (uint32_t i = 0; i < report->count; i++) {
        const sim_finding *f = &report->findings[i];
        bool straight =
            is_same(&f->sides[0], &finding->sides[0]) && is_same(&f->sides[1], &finding->sides[1]);
        bool swapped =
            is_same(&f->sides[0], &finding->sides[1]) && is_same(&f->sides[1], &finding->sides[0]);
        if (f->kind == finding->kind && (straight || swapped)) return true;
    }
    return false;
}

// Keeps of `report` the errors that `usual` lacks, but for what follows from a launch that was
// stopped, and for that launch itself where it was stopped at the end of the budget.
static void keep_new(sim_check_report *report, const sim_check_report *usual, uint64_t budget) {
    uint32_t kept = 0;
    bool spent = report->warp_instructions >= budget, stopped = false;
    for (uint32_t i = 0; i < report->count && !stopped; i++) {
        const sim_finding *f = &report->findings[i];
        bool given_up = spent && f->kind == SIM_CHECK_RUNAWAY;
        stopped = f->kind == SIM_CHECK_DEADLOCK || f->kind == SIM_CHECK_RUNAWAY ||
                  f->kind == SIM_CHECK_STOPPED;
        if (!sim_check_is_warning(f->kind) && !given_up && !has_finding(usual, f))
            report->findings[kept++] = *f;
    }
    report->count = kept;
    report->left_out = 0;
}

// Whether the first run has what makes this order worth it, and none before was the same.
static bool is_worth(const other_order *o, uint32_t depends) {
    for (const other_order *before = other_orders; before < o; before++)
        if (strcmp(before->name, o->name) == 0 && (before->depends & depends)) return false;
    return (o->depends & depends) != 0;
}

static kl_status run_more(const ladder_kit *kit, char *const *argv,
                          const ladder_checks_options *options, ladder_checks *c, kl_error *err) {
    const uint64_t first = c->report->warp_instructions;
    const other_order *end = other_orders + sizeof other_orders / sizeof other_orders[0];
    uint64_t budget = first > LEAST_BUDGET ? first : LEAST_BUDGET;
    if (c->unwritten || c->exit_code != 0 || ladder_checks_errors(c) != 0) return KL_OK;
    for (const other_order *o = other_orders; o < end && !c->order && budget > 0; o++) {
        if (!is_worth(o, c->report->depends)) continue;
        ladder_checks_options other = *options;
        ladder_checks again; // only its report is wanted
        other.order = o->name;
        other.resident = options->lab && o->in_labs ? o->in_labs : "all";
        other.foreground = false;
        memset(&again, 0, sizeof again);
        TRY(run(kit, argv, &other, budget, &again, &c->permuted, err));
        uint64_t took = c->permuted->warp_instructions;
        keep_new(c->permuted, c->report, budget);
        budget -= took < budget ? took : budget;
        if (c->permuted->count > 0) {
            c->order = o->name;
            c->resident = other.resident;
        } else {
            sim_check_report_free(c->permuted);
            c->permuted = NULL;
        }
    }
    return KL_OK;
}

// ---- a program ----------------------------------------------------------------------------------

kl_status ladder_checks_run(const ladder_kit *kit, char *const *argv,
                            const ladder_checks_options *options, ladder_checks *out_checks,
                            kl_error *err) {
    ladder_checks *c = out_checks;
    ladder_checks_options usual = *options, other = *options;
    memset(c, 0, sizeof *c);
    usual.order = NULL;
    c->problem = options->lab ? options->lab->problem : NULL;
    c->step = options->step;
    c->solution = options->solution;
    TRY(run(kit, argv, &usual, 0, c, &c->report, err));
    c->asked = options->order;
    if (!options->order && options->more_orders) return run_more(kit, argv, options, c, err);
    if (!options->order) return KL_OK;
    ladder_checks again; // only its report is wanted
    other.foreground = false;
    TRY(run(kit, argv, &other, 0, &again, &c->permuted, err));
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
    for (uint32_t i = 0; report && i < report->count; i++) {
        count += sim_check_is_warning(report->findings[i].kind);
        leaks += report->findings[i].kind == SIM_CHECK_LEAK;
    }
    return leaks > 1 ? count - (leaks - 1) : count;
}

static uint64_t errors_of(const sim_check_report *report) {
    uint64_t count = report ? report->left_out : 0;
    for (uint32_t i = 0; report && i < report->count; i++)
        count += !sim_check_is_warning(report->findings[i].kind);
    return count;
}

uint64_t ladder_checks_errors(const ladder_checks *checks) {
    return errors_of(checks->report) + errors_of(checks->permuted);
}

uint64_t ladder_checks_warnings(const ladder_checks *checks) {
    return warnings_of(checks->report) + warnings_of(checks->permuted);
}

// ---- what a lab's program says of a step that is not right --------------------------------------

void ladder_verdict_read(int records, int step, ladder_verdict *out_verdict) {
    kl_record record;
    *out_verdict = (ladder_verdict){.outcome = LADDER_NOT_RUN};
    for (uint32_t i = 0; kl_record_at(records, i, &record); i++) {
        if (record.kind != KL_RECORD_STEP || record.step != step) continue;
        if (record.is.end.outcome >= LADDER_OUTCOMES) continue;
        out_verdict->outcome = (ladder_outcome)record.is.end.outcome;
        out_verdict->stopped = record.is.end.stopped;
        memcpy(out_verdict->text, record.is.end.text, sizeof out_verdict->text);
    }
}

bool ladder_verdict_ends(const ladder_verdict *verdict) {
    switch (verdict->outcome) {
    case LADDER_WRONG_ANSWER: return !verdict->stopped;
    case LADDER_NOT_RUN:
    case LADDER_CORRECT:
    case LADDER_LEFT_OUT: return true;
    default: return false;
    }
}

// Whether the last run of this version of the step's file was right.
static bool was_right(const ladder_kit *kit, const ladder_lab *lab, int step) {
    char source[LADDER_PATH], file[LADDER_PATH];
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    kl_last_result *all = calloc(KL_LAST_RESULTS, sizeof *all);
    bool right = false;
    if (all && ladder_kit_step_file(kit, lab, info, false, source, NULL) == KL_OK &&
        ladder_kit_last_results(kit, lab, file, NULL) == KL_OK) {
        int count = kl_last_results_read(file, all);
        const kl_last_result *found =
            kl_last_result_find(all, count, KL_RESULT_OF_RUN, step, kl_step_file_hash(source));
        right = found && found->good;
    }
    free(all);
    return right;
}

static void describe_unwritten(const ladder_kit *kit, const ladder_lab *lab, int step, char *out) {
    char source[LADDER_PATH], text[512], forgotten[256];
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    const kl_style style = {.width = 80};
    bool known = ladder_kit_step_file(kit, lab, info, false, source, NULL) == KL_OK &&
                 kl_step_file_forgotten(source, forgotten, sizeof forgotten);
    snprintf(text, sizeof text, "step %d %s: %s. %s.", step, info->name,
             ladder_outcome_word(LADDER_NOT_IMPLEMENTED),
             known ? forgotten
                   : "A step counts as implemented when its file sets IMPLEMENTED to 1");
    FILE *to = fmemopen(out, KL_RECORD_TEXT, "w");
    if (!to) return;
    kl_print_wrapped(to, &style, 0, text);
    fclose(to);
}

kl_status ladder_verdict_ask(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                             ladder_verdict *out_verdict, kl_error *err) {
    char program[LADDER_PATH];
    ladder_program_args args;
    ladder_process process;
    *out_verdict = (ladder_verdict){.outcome = LADDER_NOT_RUN};
    if (!solution && was_right(kit, lab, step)) return KL_OK;
    TRY(ladder_kit_lab_program(kit, lab, program, err));
    ladder_args_begin(&args, program);
    ladder_args_number(&args, "--step", step);
    ladder_args_flag(&args, "--check-only", true);
    ladder_args_flag(&args, "--quick", true);
    ladder_args_text(&args, "--device", "sim");
    ladder_args_flag(&args, "--solution", solution);
    int records = kl_records_new();
    if (records >= 0) setenv(KL_RECORDS_VARIABLE, "3", 1); // may move `environ`
    const ladder_process_spec spec = {.argv = (const char *const *)args.argv,
                                      .environment = (const char *const *)environ,
                                      .descriptors = &records,
                                      .descriptor_count = records >= 0,
                                      .limits = {.output_bytes = 1 << 20}};
    kl_status status = ladder_process_run(&spec, &process, err);
    unsetenv(KL_RECORDS_VARIABLE); // of this program alone
    if (status == KL_OK) {
        ladder_verdict_read(records, step, out_verdict);
        ladder_process_free(&process);
    }
    if (records >= 0) close(records);
    if (out_verdict->outcome == LADDER_NOT_IMPLEMENTED)
        describe_unwritten(kit, lab, step, out_verdict->text);
    return status;
}
