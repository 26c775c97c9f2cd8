// The main program of every lab: see ladder.h. A table of modes: the options say which one is
// run.

#include "atomic_file.h"
#include "internal.h"
#include <locale.h>
#include <unistd.h>

enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_UNFIT = 2 };

static void write_file_json(const void *context, const kl_ladder *ladder, kl_json *json) {
    const kl_lab_run *run = context;
    run->support->write_json(&run->file, ladder, json);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const kl_lab_run *run = context;
    kl_ladder_more *more = run->options.matrix_file ? write_file_json : NULL;
    return kl_ladder_write_json(&run->ladder, more, run, out, err);
}

// Inputs and answers of the one case that is launched or tried.
static kl_status prepare_all(kl_lab_run *run, kl_error *err) {
    TRY(kl_lab_prepare(run, KL_SMALL, err));
    return kl_lab_prepare(run, KL_LARGE, err);
}

static kl_status launch_once(kl_lab_run *run, int *out_exit, kl_error *err) {
    TRY(prepare_all(run, err));
    kl_lab_say(run, "");
    *out_exit = EXIT_RIGHT;
    kl_step_job job = {.plan = &run->plan,
                       .adapter = run->adapter,
                       .device = &run->ladder.device,
                       .number = run->options.launch_once,
                       .limited = !run->options.matrix_file,
                       .solution = run->options.solution};
    int at = run->plan.main_of[1 + run->options.launch_once];
    at = at >= 0 ? at : run->plan.count - 1;
    TRY(kl_lab_open_step(run, run->options.launch_once, &job.step, err));
    fprintf(stderr, "step %d once: %s\n", run->options.launch_once, run->plan.cases[at].title);
    kl_record record = {.kind = KL_RECORD_PREPARATION, .step = job.number};
    kl_status status = kl_step_launch_once(&job, at, &record, err);
    if (run->records >= 0) kl_record_send(run->records, &record);
    TRY(status);
    if (record.is.once.launches > 0)
        fprintf(stderr, "preparation: %u launches\n", record.is.once.launches);
    return KL_OK;
}

// Objects that `ladder tune` names, on the one case that the options leave.
static kl_status serve_trials(kl_lab_run *run, int *out_exit, kl_error *err) {
    TRY(prepare_all(run, err));
    *out_exit = EXIT_RIGHT;
    const kl_problem *problem = run->problem;
    if (run->plan.main_case < 0)
        return kl_fail(err, KL_ERROR_USAGE, "--trials: give --case and --size of a timed case");
    const kl_step_job job = {
        .plan = &run->plan,
        .adapter = run->adapter,
        .device = &run->ladder.device,
        .number = kl_problem_last(problem)->number,
        .repetitions = run->options.repeat,
    };
    return kl_trials_serve(run->options.trials, &job, err);
}

// Runs of a matrix file, or of steps from elsewhere, are not kept: their entries would be taken for
// those of the lab's own. LADDER_PAST_RUNS names another file.
static void name_past_file(kl_lab_run *run, const char *folder) {
    const kl_options *o = &run->options;
    const char *wanted = getenv("LADDER_PAST_RUNS");
    if (o->matrix_file || o->trials >= 0 || (o->step_folder && !wanted)) return;
    snprintf(run->ladder.past_file, sizeof run->ladder.past_file, "%s%s", wanted ? wanted : folder,
             wanted ? "" : "/past_runs.txt");
}

static kl_status find_folders(kl_lab_run *run, kl_error *err) {
    char folder[KL_LAB_PATH - 32];
    TRY(kl_device_program_folder(folder, sizeof folder, err));
    if (run->options.step_folder) {
        snprintf(run->step_folder, sizeof run->step_folder, "%s", run->options.step_folder);
    } else {
        snprintf(run->step_folder, sizeof run->step_folder, "%s/%s", folder,
                 run->options.solution ? "solution" : "skeleton");
    }
    snprintf(run->vendor_file, sizeof run->vendor_file, "%s/vendor.so", folder);
    snprintf(run->ladder.step_folder, sizeof run->ladder.step_folder, "%s", run->step_folder);
    name_past_file(run, folder);
    return KL_OK;
}

// A kit that cannot be written to still runs.
static void keep_past(const kl_lab_run *run) {
    kl_error err = {KL_OK, ""};
    const kl_options *o = &run->options;
    bool whole = !o->quick && o->size < 0 && !o->family;
    if (kl_ladder_keep(&run->ladder, &err) != KL_OK ||
        kl_ladder_keep_last(&run->ladder, whole, &err) != KL_OK) {
        const kl_style style = kl_style_for(stderr);
        kl_print_text(stderr, &style, 2, "this run is not kept for later ones: %s", err.text);
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
static void narrow_for_launch_once(kl_lab_run *run, bool simulated) {
    kl_options *o = &run->options;
    // What is measured is compared with what was simulated.
    unsigned timing = simulated || kl_is_recorded() ? KL_TIME_SIM : KL_TIME_GPU;
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
static kl_status plan_file(kl_lab_run *run, FILE *out, kl_error *err) {
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
static kl_status named_steps_have_cases(const kl_lab_run *run, kl_error *err) {
    const kl_options *o = &run->options;
    uint64_t steps = run->plan.steps_of[KL_SMALL] | run->plan.steps_of[KL_LARGE];
    char names[256] = "";
    int first = 0;
    if (o->step_count == 0 || !o->family) return KL_OK;
    while (!o->step[first]) first++;
    for (int step = first; step < KL_MAX_STEPS; step++)
        if (o->step[step] && (steps & KL_STEP_BIT(step))) return KL_OK;
    for (int f = 0; f < run->problem->family_count; f++) {
        if (!kl_problem_serves(run->problem, f, first)) continue;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                 run->problem->families[f].name);
    }
    return kl_fail(err, KL_ERROR_USAGE, "step %d has no case %s; its cases are %s", first,
                   o->family, names);
}

static kl_status make_plan(kl_lab_run *run, FILE *out, kl_error *err) {
    bool simulated = run->ladder.device.simulated;
    int trials = run->options.trials;
    run->show_progress = trials < 0 && run->records < 0;
    if (run->options.launch_once >= 0 && !isatty(STDERR_FILENO)) run->show_progress = false;
    if (trials >= 0) TRY(kl_trials_greet(trials, &run->ladder.device, err));
    if (run->options.matrix_file) return plan_file(run, out, err);
    if (run->options.launch_once >= 0) narrow_for_launch_once(run, simulated);
    TRY(kl_plan_make(run->problem, &run->options, simulated, &run->plan, err));
    TRY(kl_memory_check(&run->plan, &run->options, &run->ladder.device, err));
    TRY(named_steps_have_cases(run, err));
    if (run->plan.left_out[0] != '\0' && trials < 0 && run->options.launch_once < 0) {
        kl_style style = kl_style_for(out);
        kl_lab_say(run, "");
        kl_print_text(out, &style, 0, "Left out, as they have no size %lld: %s.",
                      (long long)run->options.size, run->plan.left_out);
    }
    return KL_OK;
}

// On the simulator a launch of more warp instructions than this counts as endless: some seconds,
// and three times the largest launch of a suite's own sizes. Who asks for a size or a matrix gets
// the simulator's own, larger limit.
static void limit_launches(const kl_options *o, int devices) {
    char count[16];
    if (o->size < 0 && !o->matrix_file) setenv("LADDER_SIM_MAX_INSTRUCTIONS", "1000000000", 0);
    setenv("LADDER_SIM_SPANS", "1", 0); // for counts of whole calls
    snprintf(count, sizeof count, "%d", devices > 1 ? devices : 1);
    setenv("LADDER_SIM_DEVICES", count, 0);
}

static void report_steps(const kl_lab_run *run, const kl_style *style) {
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

// What the ladder's run prints and keeps.
static kl_status run_ladder(kl_lab_run *run, int *out_exit, kl_error *err) {
    const kl_options *o = &run->options;
    FILE *out = run->out;
    kl_style style = kl_style_for(out);
    TRY(kl_lab_run_steps(run, &style, out, err));
    if (run->records >= 0) report_steps(run, &style);
    // After a compiler's message times are of no interest, and would push it off the screen.
    if ((!o->check_only && !is_one_missing(&run->ladder)) || o->tables)
        kl_ladder_print(&run->ladder, o->tables, &style, out);
    if (o->matrix_file) run->support->advise(&run->file, &run->ladder, &style, out);
    if (o->json_file) TRY(kl_file_put(o->json_file, write_json, run, err));
    keep_past(run);
    *out_exit = kl_ladder_ok(&run->ladder) ? EXIT_RIGHT : EXIT_WRONG;
    return KL_OK;
}

static kl_status print_help(kl_lab_run *run, int *out_exit, kl_error *err) {
    (void)err;
    kl_options_help(run->problem, run->problem->name, stdout);
    *out_exit = EXIT_RIGHT;
    return KL_OK;
}

static kl_status print_list(kl_lab_run *run, int *out_exit, kl_error *err) {
    (void)err;
    kl_options_list(run->problem, stdout);
    *out_exit = EXIT_RIGHT;
    return KL_OK;
}

// ---- modes --------------------------------------------------------------------------------------

static bool wants_help(const kl_options *o) { return o->help; }

static bool wants_list(const kl_options *o) { return o->list; }

static bool wants_launch(const kl_options *o) { return o->launch_once >= 0; }

static bool wants_trials(const kl_options *o) { return o->trials >= 0; }

static bool wants_ladder(const kl_options *o) {
    (void)o;
    return true;
}

// What the program can do; the first that the options ask for is done.
static const struct lab_mode {
    bool (*wanted)(const kl_options *options);
    bool on_device; // a device is chosen and the cases are planned before
    kl_status (*run)(kl_lab_run *run, int *out_exit, kl_error *err);
} modes[] = {
    {wants_help, false, print_help},   {wants_list, false, print_list},
    {wants_launch, true, launch_once}, {wants_trials, true, serve_trials},
    {wants_ladder, true, run_ladder},
};

static kl_status begin_on_device(kl_lab_run *run, char **argv, kl_error *err) {
    const kl_options *o = &run->options;
    TRY(find_folders(run, err));
    limit_launches(o, run->problem->devices);
    TRY(kl_device_select(&o->device, argv, &run->ladder.device, err));
    TRY(make_plan(run, run->out, err));
    run->ladder.problem = run->problem;
    run->ladder.plan = &run->plan;
    run->ladder.solution = o->solution;
    run->ladder.built_beside = o->side_check >= 0;
    run->ladder.matrix_file = o->matrix_file;
    return KL_OK;
}

static kl_status run_mode(kl_lab_run *run, char **argv, bool has_vendor, int *out_exit,
                          kl_error *err) {
    const struct lab_mode *mode = modes;
    while (!mode->wanted(&run->options)) mode++;
    run->out = kl_file_is_stdout(run->options.json_file) ? stderr : stdout;
    if (!mode->on_device) return mode->run(run, out_exit, err);
    if (run->options.vendor && !has_vendor)
        fprintf(stderr,
                "%s: this lab has no vendor library, or the toolkit lacks it; --vendor "
                "compares nothing\n",
                run->problem->name);
    run->options.vendor = run->options.vendor && has_vendor;
    TRY(begin_on_device(run, argv, err));
    return mode->run(run, out_exit, err);
}

int kl_lab_main(int argc, char **argv, const kl_problem *problem, const kl_adapter *adapter,
                const kl_file_support *support, bool has_vendor) {
    setlocale(LC_CTYPE, ""); // for UTF-8 detection; numbers stay in the C locale
    kl_error err = {KL_OK, ""};
    kl_lab_run *run = calloc(1, sizeof *run);
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
    if (status == KL_OK) status = run_mode(run, argv, has_vendor, &exit_status, &err);
    if (status != KL_OK) {
        fprintf(stderr, "%s: %s\n", problem->name, err.text);
        exit_status = EXIT_UNFIT;
    }
    kl_plan_free(&run->plan);
    if (run->options.matrix_file && support) support->close(&run->file);
    free(run);
    return exit_status;
}
