// The steps of a run, one after the other, each in a child of its own (parallel.h) where there are
// several: see internal.h.
#include "internal.h"
#include "advice.h"
#include <sys/mman.h>
#include <unistd.h>

// A step in progress: what a child, or this process, fills in.
typedef struct step_in_progress {
    kl_lab_run *run;
    kl_ladder_step *step;
    kl_part part; // of the plan that it runs
    int fd;       // pipe of the child, or -1 in this process
} step_in_progress;

void kl_lab_say(const kl_lab_run *run, const char *text) {
    if (run->show_progress) kl_ticker_say(text);
}

static void on_plan(void *context, int done, int total, const kl_planned *planned) {
    char text[192];
    const kl_lab_run *run = context;
    snprintf(text, sizeof text, "inputs and answers %d/%d: %s", done, total, planned->title);
    kl_lab_say(run, text);
}

kl_status kl_lab_prepare(kl_lab_run *run, kl_part part, kl_error *err) {
    return kl_plan_prepare(&run->plan, part, on_plan, run, err);
}

static void report_begin(const kl_lab_run *run, int step, const kl_case *shape) {
    double launches = 0;
    kl_record record = {.kind = KL_RECORD_CASE, .step = step};
    if (!run->isolated) kl_device_sim_query("launches", &launches); // a child's device is its own
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
        char text[256];
        const kl_planned *planned = &s->run->plan.cases[result->plan_index];
        if (s->run->records >= 0) report_begin(s->run, s->step->number, &planned->data.shape);
        snprintf(text, sizeof text, "step %d %s: %d/%d %s", s->step->number, s->step->name,
                 result->plan_index + 1, s->run->plan.count, planned->title);
        kl_lab_say(s->run, text);
    }
}

static void report_case(void *context, const kl_case_result *result) {
    step_in_progress *s = context;
    if (s->fd >= 0) kl_isolate_send(s->fd, result, sizeof *result);
    else on_result(s, result);
}

// Whether a step needs more than this toolkit or device has; then why.
static bool lacks(const kl_lab_run *run, int number, char *text, size_t text_bytes) {
    const kl_step_info *info = kl_problem_step(run->problem, number);
    const kl_device *d = &run->ladder.device;
    return info && kl_step_lacks(info, d->runtime_version / 1000,
                                 10 * d->capability_major + d->capability_minor, d->devices, text,
                                 text_bytes);
}

kl_status kl_lab_open_step(const kl_lab_run *run, int number, kl_step *out_step, kl_error *err) {
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
        .small = s->step->small,
    };
    kl_status status = kl_lab_open_step(s->run, s->step->number, &job.step, &err);
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
static int open_crash_records(const kl_lab_run *run) {
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
static double quiet_limit_s(const kl_lab_run *run) {
    const kl_options *o = &run->options;
    if (o->quiet_limit_s > 0) return o->quiet_limit_s;
    bool own_sizes = o->size < 0 && !o->matrix_file && !o->bench;
    return own_sizes && !run->ladder.device.simulated ? KL_QUIET_LIMIT_GPU_S : KL_QUIET_LIMIT_S;
}

// So far right, or not run, and the checker found nothing: large cases and times of others tell
// nothing.
static bool goes_on(const kl_ladder_step *step) {
    const kl_side_check *check = step->check;
    return (step->state == LADDER_CORRECT || step->state == LADDER_NOT_RUN) &&
           !(check && check->findings > 0);
}

// "called at step_8.so+0x1bbb in prepare" becomes "called in prepare": a step has no lines of host
// code, and the offset is for tools.
static void drop_offset(char *text) {
    char *at = strstr(text, "called at "), *end = at ? strstr(at, " in ") : NULL;
    if (end && end < at + strcspn(at, "\n")) memmove(at + strlen("called"), end, strlen(end) + 1);
}

// A fault's arguments get the names that the step's source has for them.
static void name_arguments(const kl_lab_run *run, kl_ladder_step *step) {
    char path[KL_LADDER_PATH];
    size_t bytes;
    drop_offset(step->text);
    if (!strstr(step->text, " of the kernel") ||
        !kl_step_source(run->step_folder, step->number, path, sizeof path))
        return;
    char *source = kl_step_file_text(path, &bytes);
    kl_argument_names_put(source, NULL, step->text, sizeof step->text);
    free(source);
}

// Runs a step on a part of its cases, the large ones behind the small ones.
static void run_step(kl_lab_run *run, kl_ladder_step *step, kl_part part) {
    char ending[KL_RUN_TEXT] = "";
    ladder_outcome ended = LADDER_EXITED;
    step_in_progress state = {.run = run, .step = step, .part = part, .fd = -1};
    bool has = (run->plan.steps_of[part] & KL_STEP_BIT(step->number)) != 0;
    if (!has || step->state == LADDER_LEFT_OUT) return;
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
            snprintf(ending, sizeof ending, "%s", end.text);
            ended = end.outcome;
        } else {
            snprintf(ending, sizeof ending, "%s", err.text);
        }
        take_crash(crash, ending, sizeof ending);
    } else {
        run_step_body(&state, -1);
    }
    kl_ladder_step_settle(step, &run->plan, part == KL_LARGE ? KL_ALL : part, ended, ending);
    name_arguments(run, step);
}

// In a child, or in this process.
static void ceilings_body(void *context, int fd) {
    kl_ladder *ladder = context;
    kl_error err = {KL_OK, ""};
    if (kl_ceilings_find(&ladder->device, ladder->problem->ceiling == KL_CEILING_LINK,
                         &ladder->ceilings, &err) != KL_OK)
        fprintf(stderr, "ceilings: %s\n", err.text);
    if (fd >= 0) kl_isolate_send(fd, &ladder->ceilings, sizeof ladder->ceilings);
}

static void keep_ceilings(void *context, const void *record) {
    memcpy(context, record, sizeof(kl_ceilings));
}

static void find_ceilings(kl_lab_run *run) {
    kl_error err = {KL_OK, ""};
    kl_isolate_end end;
    kl_lab_say(run, "ceilings of this device");
    if (!kl_device_may_fork()) ceilings_body(&run->ladder, -1);
    else if (kl_isolate(ceilings_body, &run->ladder, sizeof(kl_ceilings), quiet_limit_s(run),
                        keep_ceilings, &run->ladder.ceilings, &end, &err) != KL_OK)
        fprintf(stderr, "ceilings: %s\n", err.text);
}

// The child of a step, which may die while it searches, leaves its small case in shared memory.
static void make_small_cases(kl_ladder *ladder) {
    kl_small_case *all = mmap(NULL, (size_t)ladder->count * sizeof *all, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; all != MAP_FAILED && i < ladder->count; i++) ladder->steps[i].small = &all[i];
}

static void begin_ladder(kl_lab_run *run) {
    const char *limit = run->problem->limit;
    const kl_step_info vendor = {.number = -1,
                                 .name = limit ? "limit" : "vendor",
                                 .reason =
                                     limit ? limit : "the library that comes with the toolkit"};
    kl_ladder *ladder = &run->ladder;
    for (int i = 0; i < run->problem->step_count && ladder->count < KL_MAX_STEPS; i++) {
        const kl_step_info *info = &run->problem->steps[i];
        if (kl_options_step(&run->options, info->number)) {
            kl_ladder_step *step = &ladder->steps[ladder->count++];
            kl_ladder_step_begin(step, info);
            if (lacks(run, info->number, step->text, sizeof step->text))
                step->state = LADDER_LEFT_OUT;
        }
    }
    if (run->options.vendor) {
        ladder->has_vendor = true;
        kl_ladder_step_begin(&ladder->vendor, &vendor);
    }
    ladder->ceilings = (kl_ceilings){NAN, NAN, NAN, NAN, NAN, NAN};
    bool beside = run->options.side_check >= 0; // `ladder run`, which no debugger looks at
    bool asked = run->records >= 0; // a command wants to hear of the step whatever it does
    run->isolated =
        (ladder->count + run->options.vendor > 1 || beside || asked) && kl_device_may_fork();
    if (run->isolated && !run->options.matrix_file) make_small_cases(ladder);
    // A child cannot use the device of a process that has used it.
    if (!run->isolated && !run->options.check_only) find_ceilings(run);
}

// A check of a step that was stopped would take as long as the step did.
static bool is_worth_checking(const kl_ladder_step *step) {
    if (step->state == LADDER_CORRECT) return true;
    return step->bad_case >= 0 && !kl_ladder_acceptable(step) && !kl_ladder_stopped(step) &&
           step->state != LADDER_TIME_LIMIT;
}

static kl_status run_part(kl_lab_run *run, kl_part part, kl_error *err) {
    kl_ladder *ladder = &run->ladder;
    int check = part == KL_SMALL ? run->options.side_check : -1;
    TRY(kl_lab_prepare(run, part, err));
    for (int i = 0; i < ladder->count; i++) {
        run_step(run, &ladder->steps[i], part);
        if (check >= 0 && is_worth_checking(&ladder->steps[i]))
            kl_side_check_ask(check, ladder->steps[i].number);
    }
    if (ladder->has_vendor) run_step(run, &ladder->vendor, part);
    return KL_OK;
}

// Whether a step will be run on a case: those that are wrong already or not written are not.
static bool is_needed(const kl_ladder *ladder, uint64_t serves) {
    for (int i = 0; i < ladder->count; i++)
        if ((serves & KL_STEP_BIT(ladder->steps[i].number)) && goes_on(&ladder->steps[i]))
            return true;
    return ladder->has_vendor && (serves & KL_STEP_BIT(-1)) && goes_on(&ladder->vendor);
}

// Whether a part has cases to be run; marks those that it need not prepare.
static bool any_runs(kl_lab_run *run, kl_part part) {
    bool any = false;
    for (int i = 0; i < run->plan.count; i++) {
        kl_planned *planned = &run->plan.cases[i];
        planned->unneeded = !is_needed(&run->ladder, planned->serves);
        any |= !planned->unneeded && planned->part == part;
    }
    return any;
}

// A step at one case alone, timed. check: what the checker found in it, or NULL.
static void time_at(kl_lab_run *run, const kl_step_info *info, const kl_side_check *check, int m,
                    kl_ladder_step *step) {
    kl_ladder_step_begin(step, info);
    step->check = check;
    kl_plan *saved = malloc(sizeof *saved);
    if (!saved) return;
    *saved = run->plan;
    for (int i = 0; i < run->plan.count; i++) run->plan.cases[i].serves = i == m ? UINT64_MAX : 0;
    run->plan.cases[m].timed = true;
    run->plan.cases[m].counts = UINT64_MAX;
    run_step(run, step, run->plan.cases[m].part);
    run->plan = *saved;
    free(saved);
}

// The largest case that both steps have and that is ready; -1: there is none.
static int shared_case(const kl_lab_run *run, int a, int b) {
    const kl_plan *plan = &run->plan;
    int m = plan->main_of[1 + a];
    if (m >= 0 && kl_problem_serves(run->problem, plan->cases[m].data.shape.family, b)) return m;
    double most = 0;
    m = -1;
    for (int i = 0; i < plan->count; i++) {
        double work = kl_case_work(&plan->cases[i].data.shape);
        uint64_t both = KL_STEP_BIT(a) | KL_STEP_BIT(b);
        if (plan->cases[i].unneeded || (plan->cases[i].serves & both) != both || work < most)
            continue;
        most = work;
        m = i;
    }
    return m;
}

// What a student's step, which `info` describes, gained over the given one before it is worth the
// time of that one, once: it is kept for later runs.
static void compare_with_given(kl_lab_run *run, kl_ladder_step *step, const kl_step_info *info) {
    const kl_step_info *given = info - 1;
    kl_error err = {KL_OK, ""};
    kl_past_run known;
    int own = run->plan.main_of[1 + step->number];
    int m = shared_case(run, step->number, given->number);
    if (own < 0 || m < 0 || !isfinite(step->cases[own].time_us.mid)) return;
    kl_ladder_step *other = calloc(1, sizeof *other);
    if (!other) return;
    kl_ladder_known_at(&run->ladder, given->number, m, &known);
    if (!isfinite(known.time_us)) {
        time_at(run, given, NULL, m, other);
        if (run->ladder.past_file[0] != '\0') kl_ladder_keep_at(&run->ladder, other, m, &err);
        known.time_us = other->cases[m].time_us.mid;
    }
    if (m != own && isfinite(known.time_us)) {
        time_at(run, info, step->check, m, other);
        step->given_at = isfinite(other->cases[m].time_us.mid) ? m : -1;
        step->own_us = other->cases[m].time_us.mid;
        step->given_us = known.time_us;
    }
    free(other);
}

static void compare_with_given_steps(kl_lab_run *run) {
    const kl_problem *problem = run->problem;
    for (int s = 0; s < run->ladder.count; s++)
        for (int i = 1; i < problem->step_count; i++)
            if (problem->steps[i].number == run->ladder.steps[s].number &&
                problem->steps[i - 1].given && run->ladder.steps[s].state == LADDER_CORRECT)
                compare_with_given(run, &run->ladder.steps[s], &problem->steps[i]);
}

// Waits for what the checker found beside the run, which is seldom long.
static void finish_side_check(kl_lab_run *run) {
    const double limit_s = 60;
    if (run->options.side_check < 0) return;
    kl_lab_say(run, "checking small cases of each step for races");
    kl_side_check_collect(run->options.side_check, limit_s, &run->ladder.checks);
    kl_ladder_join_checks(&run->ladder);
}

static void show_verdict(kl_lab_run *run, kl_part part, const kl_style *style, FILE *out) {
    const kl_ladder *ladder = &run->ladder;
    kl_lab_say(run, "");
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

// The checker beside the run has seen small cases only.
static void show_unchecked(const kl_lab_run *run, const kl_style *style, FILE *out) {
    const kl_ladder *ladder = &run->ladder;
    for (int i = 0; i < ladder->count; i++) {
        const kl_ladder_step *step = &ladder->steps[i];
        if (!step->large_run || step->state != LADDER_WRONG_ANSWER || step->bad_case < 0) continue;
        const kl_case *c = &run->plan.cases[step->bad_case].data.shape;
        fputc('\n', out);
        kl_print_text(out, style, 7, "check: step %d was not checked in this case:", step->number);
        fprintf(out, "       ./ladder check %s %d --case %s --size %lld%s\n", run->problem->name,
                step->number, run->problem->families[c->family].name, (long long)c->size,
                ladder->solution ? " --solution" : "");
    }
}

// Small cases and what the checker says of one of them, then the verdict; large cases, and where
// they change it, another one.
kl_status kl_lab_run_steps(kl_lab_run *run, const kl_style *style, FILE *out, kl_error *err) {
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
        kl_lab_say(run, "");
        if (!small) show_verdict(run, KL_ALL, style, out);
        if (small && !all_large_right(&run->ladder)) {
            fputc('\n', out);
            show_verdict(run, KL_LARGE, style, out);
            if (run->options.side_check >= 0) show_unchecked(run, style, out);
        } else if (small && run->options.check_only) {
            fputs("\nLarge inputs: correct, too.\n", out);
        }
    }
    if (run->isolated && !run->options.check_only && !run->options.matrix_file &&
        !run->options.solution && run->options.side_check >= 0)
        compare_with_given_steps(run);
    kl_lab_say(run, "");
    return KL_OK;
}
