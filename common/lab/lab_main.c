// SPDX-License-Identifier: MIT
// The main program of every lab: see lab_main.h. With one step it runs in this process, so that a
// debugger or profiler sees everything; with several, each runs in a child of its own (isolate.h).
#include "lab_main.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "atomic_file.h"
#include "isolate.h"
#include "ladder.h"
#include "memory_check.h"
#include "options.h"
#include "records.h"
#include "ticker.h"
#include "trials.h"

enum { PATH_BYTES = 4096, EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_UNFIT = 2 };

typedef struct lab_run {
    const kl_problem *problem;
    const kl_adapter *adapter;
    kl_options options;
    char step_folder[PATH_BYTES];
    char vendor_file[PATH_BYTES + 16];
    kl_plan plan;
    kl_ladder ladder;
    const kl_file_support *support; // NULL: the lab takes no files
    kl_user_file file;              // with --matrix
    bool show_progress;
    int records;   // descriptor for what a command wants to know (records.h), or -1
    bool isolated; // each step runs in a child of its own
} lab_run;

// A step in progress: what a child, or this process, fills in.
typedef struct step_in_progress {
    lab_run *run;
    kl_ladder_step *step;
    kl_part part; // of the plan that it runs
    int fd;       // pipe of the child, or -1 in this process
} step_in_progress;

static void progress(const lab_run *run, const char *text) {
    if (run->show_progress) kl_ticker_say(text);
}

static void on_plan(void *context, int done, int total, const kl_case *shape) {
    char title[128];
    char text[192];
    const lab_run *run = context;
    snprintf(text, sizeof text, "inputs and answers %d/%d: %s", done, total,
             kl_case_title(run->problem, shape, title, sizeof title));
    progress(run, text);
}

static void report_begin(const lab_run *run, int step, const kl_case *shape) {
    double launches = 0;
    kl_record record = {.kind = KL_RECORD_CASE, .step = step};
    kl_device_sim_query("launches", &launches);
    record.is.in_case.first_launch = (uint32_t)launches;
    record.is.in_case.size = shape->size;
    record.is.in_case.seed = shape->seed;
    snprintf(record.is.in_case.family, sizeof record.is.in_case.family, "%s",
             run->problem->families[shape->family].name);
    kl_record_send(run->records, &record);
}

static void on_result(void *context, const void *record) {
    const step_in_progress *s = context;
    const kl_case_result *result = record;
    kl_ladder_step_add(s->step, result);
    if (result->state == LADDER_NOT_RUN && result->plan_index >= 0) {
        char title[128];
        char text[192];
        const kl_case *shape = &s->run->plan.cases[result->plan_index].data.shape;
        if (s->run->records >= 0) report_begin(s->run, s->step->number, shape);
        snprintf(text, sizeof text, "step %d %s: %d/%d %s", s->step->number, s->step->name,
                 result->plan_index + 1, s->run->plan.count,
                 kl_case_title(s->run->problem, shape, title, sizeof title));
        progress(s->run, text);
    }
}

static void report_case(void *context, const kl_case_result *result) {
    step_in_progress *s = context;
    if (s->fd >= 0)
        kl_isolate_send(s->fd, result, sizeof *result);
    else
        on_result(s, result);
}

// Whether a step needs more than this toolkit or device has; then why.
static bool lacks(const lab_run *run, int number, char *text, size_t text_bytes) {
    const kl_step_info *info = kl_problem_step(run->problem, number);
    const kl_device *d = &run->ladder.device;
    return info && kl_step_lacks(info, d->runtime_version / 1000,
                                 10 * d->capability_major + d->capability_minor, text, text_bytes);
}

static kl_status open_step(const lab_run *run, int number, kl_step *out_step, kl_error *err) {
    char why[128];
    memset(out_step, 0, sizeof *out_step);
    out_step->lacks = LADDER_LEFT_OUT;
    if (lacks(run, number, why, sizeof why))
        return kl_fail(err, KL_ERROR_USAGE, "step %d %s", number, why);
    if (number >= 0) return kl_step_open(run->step_folder, number, run->adapter, out_step, err);
    char symbol[128];
    snprintf(symbol, sizeof symbol, "%s_vendor", run->problem->name);
    TRY(kl_step_open_file(run->vendor_file, symbol, out_step, err));
    snprintf(symbol, sizeof symbol, "%s_vendor_prepare", run->problem->name);
    kl_step_find_prepare(out_step, symbol);
    return KL_OK;
}

// Loads and runs one step; in a child or in this process.
static void run_step_body(void *context, int fd) {
    step_in_progress *s = context;
    s->fd = fd;
    kl_error err = {KL_OK, ""};
    kl_step_job job = {
        .plan = &s->run->plan,
        .adapter = s->run->adapter,
        .device = &s->run->ladder.device,
        .number = s->step->number,
        .parts = s->part,
        .limited = !s->run->options.matrix_file,
        .solution = s->run->options.solution,
        .repetitions = s->run->options.repeat,
    };
    kl_status status = open_step(s->run, s->step->number, &job.step, &err);
    if (status != KL_OK) {
        kl_case_result result;
        memset(&result, 0, sizeof result);
        result.plan_index = -1;
        result.state = job.step.lacks;
        snprintf(result.text, sizeof result.text, "%s", err.text);
        report_case(s, &result);
        return;
    }
    kl_step_run(&job, report_case, s);
}

// What the simulator says of a crash at a device pointer goes to records of the step's own, whose
// text stands with the case.
static int open_crash_records(const lab_run *run) {
    char number[16];
    int fd = run->ladder.device.simulated ? kl_records_new() : -1;
    snprintf(number, sizeof number, "%d", fd);
    if (fd >= 0) setenv(KL_RECORDS_VARIABLE, number, 1);
    return fd;
}

static void take_crash(int fd, char *text, size_t text_bytes) {
    kl_record record;
    unsetenv(KL_RECORDS_VARIABLE);
    if (kl_record_at(fd, 0, &record) && record.kind == KL_RECORD_CRASH) {
        kl_shorten_paths(record.is.crash);
        snprintf(text, text_bytes, "%s", record.is.crash);
    }
    if (fd >= 0) close(fd);
}

// A GPU is given less time: nothing else stops a kernel there.
static double quiet_limit_s(const lab_run *run) {
    const kl_options *o = &run->options;
    if (o->quiet_limit_s > 0) return o->quiet_limit_s;
    bool own_sizes = o->size < 0 && !o->matrix_file && !o->bench;
    return own_sizes && !run->ladder.device.simulated ? KL_QUIET_LIMIT_GPU_S : KL_QUIET_LIMIT_S;
}

// So far right, or not run.
static bool goes_on(const kl_ladder_step *step) {
    return step->state == LADDER_CORRECT || step->state == LADDER_NOT_RUN;
}

// Runs a step on a part of its cases, the large ones behind the small ones.
static void run_step(lab_run *run, kl_ladder_step *step, kl_part part) {
    char ending[KL_RUN_TEXT] = "";
    ladder_outcome ended = LADDER_EXITED;
    step_in_progress state = {.run = run, .step = step, .part = part, .fd = -1};
    if (!(kl_plan_parts(&run->plan, step->number) & part) || step->state == LADDER_LEFT_OUT) return;
    if (part == KL_LARGE) {
        if (!goes_on(step)) return;
        step->state = LADDER_NOT_RUN;
        step->large_run = true;
    }
    if (run->isolated) {
        kl_error err = {KL_OK, ""};
        kl_isolate_end end;
        double limit_s = quiet_limit_s(run);
        int crash = open_crash_records(run);
        if (kl_isolate(run_step_body, &state, sizeof(kl_case_result), limit_s, on_result, &state,
                       &end, &err) == KL_OK) {
            kl_isolate_describe(&end, limit_s, ending, sizeof ending);
            ended = kl_isolate_outcome(&end);
        } else {
            snprintf(ending, sizeof ending, "%s", err.text);
        }
        take_crash(crash, ending, sizeof ending);
    } else {
        run_step_body(&state, -1);
    }
    kl_ladder_step_settle(step, &run->plan, part == KL_LARGE ? KL_ALL : part, ended, ending);
}

static void ceilings_body(void *context, int fd) {
    const lab_run *run = context;
    kl_error err = {KL_OK, ""};
    kl_ceilings ceilings;
    if (kl_ceilings_find(&run->ladder.device, &ceilings, &err) != KL_OK)
        fprintf(stderr, "ceilings: %s\n", err.text);
    kl_isolate_send(fd, &ceilings, sizeof ceilings);
}

static void keep_ceilings(void *context, const void *record) {
    memcpy(context, record, sizeof(kl_ceilings));
}

static void find_ceilings(lab_run *run) {
    kl_error err = {KL_OK, ""};
    kl_isolate_end end;
    progress(run, "ceilings of this device");
    if (!kl_device_may_fork()) {
        if (kl_ceilings_find(&run->ladder.device, &run->ladder.ceilings, &err) != KL_OK)
            fprintf(stderr, "ceilings: %s\n", err.text);
        return;
    }
    if (kl_isolate(ceilings_body, run, sizeof(kl_ceilings), quiet_limit_s(run), keep_ceilings,
                   &run->ladder.ceilings, &end, &err) != KL_OK)
        fprintf(stderr, "ceilings: %s\n", err.text);
}

static bool is_selected(const kl_options *o, int number) {
    bool selected = o->step_count == 0;
    for (int i = 0; i < o->step_count; i++) selected = selected || o->steps[i] == number;
    return selected;
}

static void begin_ladder(lab_run *run) {
    kl_ladder *ladder = &run->ladder;
    for (int i = 0; i < run->problem->step_count && ladder->count < KL_MAX_STEPS; i++) {
        const kl_step_info *info = &run->problem->steps[i];
        if (is_selected(&run->options, info->number)) {
            kl_ladder_step *step = &ladder->steps[ladder->count++];
            kl_ladder_step_begin(step, info->number, info->name, info->reason);
            if (lacks(run, info->number, step->text, sizeof step->text))
                step->state = LADDER_LEFT_OUT;
        }
    }
    if (run->options.vendor) {
        ladder->has_vendor = true;
        kl_ladder_step_begin(&ladder->vendor, -1, "vendor",
                             "the library that comes with the toolkit");
    }
    ladder->ceilings = (kl_ceilings){NAN, NAN, NAN, NAN, NAN};
    bool beside = run->options.side_check >= 0; // `ladder run`, which no debugger looks at
    run->isolated = (ladder->count + run->options.vendor > 1 || beside) && kl_device_may_fork();
    // A child cannot use the device of a process that has used it.
    if (!run->isolated && !run->options.check_only) find_ceilings(run);
}

// A check of a step that was stopped would take as long as the step did.
static bool is_worth_checking(const kl_ladder_step *step) {
    if (step->state == LADDER_CORRECT) return true;
    return step->bad_case >= 0 && !kl_ladder_acceptable(step) && !kl_ladder_stopped(step) &&
           step->state != LADDER_TIME_LIMIT;
}

static kl_status run_part(lab_run *run, kl_part part, kl_error *err) {
    kl_ladder *ladder = &run->ladder;
    int check = part == KL_SMALL ? run->options.side_check : -1;
    TRY(kl_plan_prepare(&run->plan, part, on_plan, run, err));
    for (int i = 0; i < ladder->count; i++) {
        run_step(run, &ladder->steps[i], part);
        if (check >= 0 && is_worth_checking(&ladder->steps[i]))
            kl_side_check_ask(check, ladder->steps[i].number);
    }
    if (ladder->has_vendor) run_step(run, &ladder->vendor, part);
    return KL_OK;
}

// Whether a step will be run on a case: those that are wrong already or not written are not.
static bool is_needed(const kl_ladder *ladder, int plan_index) {
    for (int i = 0; i < ladder->count; i++)
        if (goes_on(&ladder->steps[i]) &&
            kl_plan_serves(ladder->plan, plan_index, ladder->steps[i].number))
            return true;
    return ladder->has_vendor && goes_on(&ladder->vendor) &&
           kl_plan_serves(ladder->plan, plan_index, -1);
}

// Whether a part has cases to be run; marks those that it need not prepare.
static bool any_runs(lab_run *run, kl_part part) {
    bool any = false;
    for (int i = 0; i < run->plan.count; i++) {
        kl_planned *planned = &run->plan.cases[i];
        planned->unneeded = !is_needed(&run->ladder, i);
        any |= !planned->unneeded && kl_plan_part_of(planned) == part;
    }
    return any;
}

static void write_file_json(const void *context, const kl_ladder *ladder, kl_json *json) {
    const lab_run *run = context;
    run->support->write_json(&run->file, ladder, json);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const lab_run *run = context;
    kl_ladder_more *more = run->options.matrix_file ? write_file_json : NULL;
    return kl_ladder_write_json(&run->ladder, more, run, out, err);
}

static kl_status launch_once(lab_run *run, kl_error *err) {
    kl_step_job job = {.plan = &run->plan,
                       .adapter = run->adapter,
                       .device = &run->ladder.device,
                       .number = run->options.launch_once,
                       .limited = !run->options.matrix_file,
                       .solution = run->options.solution};
    int at = kl_plan_main_for(&run->plan, run->options.launch_once);
    at = at >= 0 ? at : run->plan.count - 1;
    TRY(open_step(run, run->options.launch_once, &job.step, err));
    char title[128];
    fprintf(stderr, "step %d once: %s\n", run->options.launch_once,
            kl_case_title(run->problem, &run->plan.cases[at].data.shape, title, sizeof title));
    int prepare_launches = 0;
    TRY(kl_step_launch_once(&job, at, 1, &prepare_launches, err));
    if (prepare_launches > 0) fprintf(stderr, "preparation: %d launches\n", prepare_launches);
    const kl_record record = {.kind = KL_RECORD_PREPARATION,
                              .step = job.number,
                              .is = {.launches = (uint32_t)prepare_launches}};
    if (run->records >= 0) kl_record_send(run->records, &record);
    return KL_OK;
}

// Objects that `ladder tune` names, on the one case that the options leave.
static kl_status serve_trials(lab_run *run, kl_error *err) {
    const kl_problem *problem = run->problem;
    if (run->plan.main_case < 0)
        return kl_fail(err, KL_ERROR_USAGE, "--trials: give --case and --size of a timed case");
    const kl_step_job job = {
        .plan = &run->plan,
        .adapter = run->adapter,
        .device = &run->ladder.device,
        .number = problem->steps[problem->step_count - 1].number,
        .repetitions = run->options.repeat,
    };
    return kl_trials_serve(run->options.trials, &job, err);
}

static kl_status find_folders(lab_run *run, kl_error *err) {
    char folder[PATH_BYTES - 32];
    TRY(kl_device_program_folder(folder, sizeof folder, err));
    if (run->options.step_folder) {
        snprintf(run->step_folder, sizeof run->step_folder, "%s", run->options.step_folder);
    } else {
        snprintf(run->step_folder, sizeof run->step_folder, "%s/%s", folder,
                 run->options.solution ? "solution" : "skeleton");
    }
    snprintf(run->vendor_file, sizeof run->vendor_file, "%s/vendor.so", folder);
    return KL_OK;
}

// Runs of a matrix file, or of steps from elsewhere, are not kept: their entries would be taken for
// those of the lab's own. LADDER_PAST_RUNS names another file.
static void find_past(lab_run *run) {
    kl_ladder *ladder = &run->ladder;
    kl_error err = {KL_OK, ""};
    char folder[PATH_BYTES - 32];
    const kl_options *o = &run->options;
    const char *wanted = getenv("LADDER_PAST_RUNS");
    snprintf(ladder->step_folder, sizeof ladder->step_folder, "%s", run->step_folder);
    if (o->matrix_file || o->trials >= 0) return;
    if (wanted)
        snprintf(ladder->past_file, sizeof ladder->past_file, "%s", wanted);
    else if (!o->step_folder && kl_device_program_folder(folder, sizeof folder, &err) == KL_OK)
        snprintf(ladder->past_file, sizeof ladder->past_file, "%s/past_runs.txt", folder);
}

// A kit that cannot be written to still runs.
static void keep_past(const lab_run *run) {
    kl_error err = {KL_OK, ""};
    const kl_options *o = &run->options;
    bool whole = !o->quick && o->size < 0 && !o->family;
    if (kl_ladder_keep(&run->ladder, &err) != KL_OK ||
        kl_ladder_keep_last(&run->ladder, whole, &err) != KL_OK) {
        char text[KL_ERROR_TEXT + 64];
        const kl_style style = kl_style_for(stderr);
        snprintf(text, sizeof text, "this run is not kept for later ones: %s", err.text);
        kl_print_wrapped(stderr, &style, 2, text);
    }
}

// The family that shows a step best: the lab's timed one, else one that is timed, else any that the
// step serves.
static const char *family_to_launch(const kl_problem *problem, int step, unsigned timing) {
    int best = kl_problem_family(problem, problem->timed_family);
    if (kl_problem_serves(problem, best, step)) return problem->timed_family;
    best = -1;
    for (int i = 0; i < problem->suite_count; i++) {
        const kl_suite_entry *e = &problem->suite[i];
        if (!kl_problem_serves(problem, e->family, step)) continue;
        if ((e->flags & timing) != 0) return problem->families[e->family].name;
        best = best < 0 ? e->family : best;
    }
    return best >= 0 ? problem->families[best].name : NULL;
}

// With --launch-once only the one case that is launched is prepared.
static void narrow_for_launch_once(lab_run *run, bool simulated) {
    kl_options *o = &run->options;
    unsigned timing = simulated ? KL_TIME_SIM : KL_TIME_GPU;
    if (!o->family) o->family = family_to_launch(run->problem, o->launch_once, timing);
    if (o->size >= 0 || !o->family) return;
    int family = kl_problem_family(run->problem, o->family);
    for (int i = 0; i < run->problem->suite_count; i++) {
        const kl_suite_entry *e = &run->problem->suite[i];
        if (e->family == family && (e->flags & (timing | KL_CHECK)) != 0 && e->size > o->size)
            o->size = e->size;
    }
}

// The plan and the problem of the user's file, with what there is to say of it beforehand.
static kl_status plan_file(lab_run *run, FILE *out, kl_error *err) {
    if (!run->support) {
        return kl_fail(err, KL_ERROR_USAGE, "--matrix: lab %s takes no matrix",
                       run->problem->folder);
    }
    TRY(run->support->open(run->problem, &run->options, run->ladder.device.simulated, &run->file,
                           err));
    run->problem = &run->file.problem;
    kl_plan_take(run->problem, run->file.cases, run->file.count, &run->plan);
    if (run->options.trials >= 0) return KL_OK; // a trial of objects reads no tables
    kl_style style = kl_style_for(out);
    return run->support->show(&run->file, &run->options, &style, out, err);
}

// Steps that were named must be able to run: one of the planned cases must be theirs.
static kl_status named_steps_have_cases(const lab_run *run, kl_error *err) {
    const kl_options *o = &run->options;
    char names[256] = "";
    for (int i = 0; i < o->step_count; i++)
        if (kl_plan_parts(&run->plan, o->steps[i]) != 0) return KL_OK;
    if (o->step_count == 0 || !o->family) return KL_OK;
    for (int f = 0; f < run->problem->family_count; f++) {
        if (!kl_problem_serves(run->problem, f, o->steps[0])) continue;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                 run->problem->families[f].name);
    }
    return kl_fail(err, KL_ERROR_USAGE, "step %d has no case %s; its cases are %s", o->steps[0],
                   o->family, names);
}

static kl_status make_plan(lab_run *run, FILE *out, kl_error *err) {
    bool simulated = run->ladder.device.simulated;
    int trials = run->options.trials;
    run->show_progress = trials < 0 && run->records < 0;
    if (run->options.launch_once >= 0 && !isatty(STDERR_FILENO)) run->show_progress = false;
    if (trials >= 0) TRY(kl_trials_greet(trials, &run->ladder.device, err));
    if (run->options.matrix_file) return plan_file(run, out, err);
    if (run->options.launch_once >= 0) narrow_for_launch_once(run, simulated);
    TRY(kl_memory_check(run->problem, &run->options, &run->ladder.device, err));
    TRY(kl_plan_make(run->problem, &run->options, simulated, &run->plan, err));
    TRY(named_steps_have_cases(run, err));
    if (run->plan.left_out[0] != '\0' && trials < 0 && run->options.launch_once < 0) {
        char text[sizeof run->plan.left_out + 64];
        kl_style style = kl_style_for(out);
        progress(run, "");
        snprintf(text, sizeof text, "Left out, as they have no size %lld: %s.",
                 (long long)run->options.size, run->plan.left_out);
        kl_print_wrapped(out, &style, 0, text);
    }
    return KL_OK;
}

// On the simulator a launch of more warp instructions than this counts as endless: some seconds,
// and three times the largest launch of a suite's own sizes. Who asks for a size or a matrix gets
// the simulator's own, larger limit.
static void limit_launches(const kl_options *o) {
    if (o->size < 0 && !o->matrix_file) setenv("LADDER_SIM_MAX_INSTRUCTIONS", "1000000000", 0);
}

// Waits for what the checker found beside the run, which is seldom long.
static void finish_side_check(lab_run *run) {
    const double limit_s = 60;
    if (run->options.side_check < 0) return;
    progress(run, "checking small cases of each step for races");
    kl_side_check_collect(run->options.side_check, limit_s, &run->ladder.checks);
    kl_ladder_join_checks(&run->ladder);
}

static void show_verdict(lab_run *run, kl_part part, const kl_style *style, FILE *out) {
    const kl_ladder *ladder = &run->ladder;
    progress(run, "");
    kl_ladder_print_verdict(ladder, part, style, out);
    kl_ladder_print_failures(ladder, part, style, out);
    if (part != KL_LARGE)
        kl_side_check_print(&ladder->checks, run->problem->name, ladder->solution, style, out);
    fflush(out);
}

static bool all_large_right(const kl_ladder *ladder) {
    for (int i = 0; i < ladder->count; i++)
        if (ladder->steps[i].large_run && ladder->steps[i].state != LADDER_CORRECT) return false;
    return !ladder->has_vendor || ladder->vendor.state == LADDER_CORRECT;
}

// Small cases and what the checker says of one of them, then the verdict; large cases, and where
// they change it, another one.
static kl_status run_ladder(lab_run *run, const kl_style *style, FILE *out, kl_error *err) {
    kl_ladder_print_title(&run->ladder, style, out);
    fflush(out);
    begin_ladder(run);
    bool small = any_runs(run, KL_SMALL);
    if (small) TRY(run_part(run, KL_SMALL, err));
    finish_side_check(run);
    bool large = any_runs(run, KL_LARGE);
    if (small || !large) show_verdict(run, large ? KL_SMALL : KL_ALL, style, out);
    if (run->isolated && !run->options.check_only) find_ceilings(run);
    if (large) {
        TRY(run_part(run, KL_LARGE, err));
        progress(run, "");
        if (!small) show_verdict(run, KL_ALL, style, out);
        if (small && !all_large_right(&run->ladder)) {
            fputc('\n', out);
            show_verdict(run, KL_LARGE, style, out);
        } else if (small && run->options.check_only) {
            fputs("\nLarge inputs: correct, too.\n", out);
        }
    }
    progress(run, "");
    return KL_OK;
}

static void report_steps(const lab_run *run, const kl_style *style) {
    for (int i = 0; i < run->ladder.count; i++) {
        const kl_ladder_step *step = &run->ladder.steps[i];
        kl_record record = {.kind = KL_RECORD_STEP, .step = step->number};
        record.is.end.outcome = step->state;
        record.is.end.stopped = kl_ladder_stopped(step) != NULL;
        FILE *out = fmemopen(record.is.end.text, sizeof record.is.end.text, "w");
        if (out && step->state != LADDER_NOT_RUN && !kl_ladder_acceptable(step))
            kl_ladder_print_failure(&run->ladder, step, style, out);
        if (out) fclose(out);
        kl_record_send(run->records, &record);
    }
}

static bool is_one_missing(const kl_ladder *ladder) {
    for (int i = 0; ladder->built_beside && i < ladder->count; i++)
        if (ladder->steps[i].state == LADDER_COMPILE_ERROR) return true;
    return false;
}

static kl_status run_lab(lab_run *run, char **argv, int *out_exit, kl_error *err) {
    bool json_to_stdout = kl_file_is_stdout(run->options.json_file);
    FILE *out = json_to_stdout ? stderr : stdout;
    TRY(find_folders(run, err));
    limit_launches(&run->options);
    TRY(kl_device_select(&run->options.device, argv, &run->ladder.device, err));
    TRY(make_plan(run, out, err));
    run->ladder.problem = run->problem;
    run->ladder.plan = &run->plan;
    run->ladder.solution = run->options.solution;
    run->ladder.built_beside = run->options.side_check >= 0;
    run->ladder.matrix_file = run->options.matrix_file;
    find_past(run);
    *out_exit = EXIT_RIGHT;
    if (run->options.launch_once >= 0 || run->options.trials >= 0) {
        TRY(kl_plan_prepare(&run->plan, KL_SMALL, on_plan, run, err));
        TRY(kl_plan_prepare(&run->plan, KL_LARGE, on_plan, run, err));
    }
    if (run->options.launch_once >= 0) {
        progress(run, "");
        return launch_once(run, err);
    }
    if (run->options.trials >= 0) return serve_trials(run, err);
    kl_style style = kl_style_for(out);
    TRY(run_ladder(run, &style, out, err));
    if (run->records >= 0) report_steps(run, &style);
    // After a compiler's message times are of no interest, and would push it off the screen.
    if ((!run->options.check_only && !is_one_missing(&run->ladder)) || run->options.tables)
        kl_ladder_print(&run->ladder, run->options.tables, &style, out);
    if (run->options.matrix_file) run->support->advise(&run->file, &run->ladder, &style, out);
    if (run->options.json_file) TRY(kl_file_put(run->options.json_file, write_json, run, err));
    keep_past(run);
    *out_exit = kl_ladder_ok(&run->ladder) ? EXIT_RIGHT : EXIT_WRONG;
    return KL_OK;
}

int kl_lab_main(int argc, char **argv, const kl_problem *problem, const kl_adapter *adapter,
                const kl_file_support *support, bool has_vendor) {
    setlocale(LC_CTYPE, ""); // for UTF-8 detection; numbers stay in the C locale
    kl_error err = {KL_OK, ""};
    lab_run *run = calloc(1, sizeof *run);
    if (!run) {
        fprintf(stderr, "%s: no memory\n", problem->name);
        return EXIT_UNFIT;
    }
    run->problem = problem;
    run->adapter = adapter;
    run->support = support;
    run->records = kl_records_wanted();
    int exit_status = EXIT_UNFIT;
    kl_status status = kl_options_parse(argc, argv, problem, &run->options, &err);
    if (status == KL_OK && run->options.help) {
        kl_options_help(problem, problem->name, stdout);
        exit_status = EXIT_RIGHT;
    } else if (status == KL_OK && run->options.list) {
        kl_options_list(problem, stdout);
        exit_status = EXIT_RIGHT;
    } else if (status == KL_OK) {
        if (run->options.vendor && !has_vendor)
            fprintf(stderr,
                    "%s: this lab has no vendor library, or the toolkit lacks it; --vendor "
                    "compares nothing\n",
                    problem->name);
        run->options.vendor = run->options.vendor && has_vendor;
        status = run_lab(run, argv, &exit_status, &err);
    }
    if (status != KL_OK) {
        fprintf(stderr, "%s: %s\n", problem->name, err.text);
        exit_status = EXIT_UNFIT;
    }
    kl_plan_free(&run->plan);
    if (run->options.matrix_file && support) support->close(&run->file);
    free(run);
    return exit_status;
}
