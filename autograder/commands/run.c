// ladder run: brings a lab's steps up to date and hands over to the lab's own program.
#include "commands/command.h"
#include "learn/extras/extras.h"
#include "learn/lesson/lesson.h"
#include "learn/predict/predict.h"
#include "sandbox/process/process.h"
#include "show/findings/findings.h"

static const ladder_usage usage = {
    "ladder run LAB [STEP..] [options]",
    "Builds what changed, checks each step against the reference and for races, says what\n"
    "is right and what is wrong, times what is right, and says what `ladder grade` gives for\n"
    "answers and counts. Without STEP it runs the steps that you changed and that are not\n"
    "right yet, or, when there are none, all that are written. Without a GPU the same binary\n"
    "runs on the simulator and times are modelled. A step that does not compile costs only\n"
    "itself. The options of a lab's application stand after --;\n"
    "`ladder run LAB --app -- --help` lists them.",
    "  ladder run reduction\n"
    "  ladder run reduction 3 5 --solution --size 2^20\n"
    "  ladder run spmv --solution --matrix my.mtx.gz --plots pictures\n"
    "  ladder run gemv_row --app --solution -- --alpha 1.2",
};

// The given step with which the lab's program compares one (common/lab/lab_run.c); -1: none.
static int given_before(const ladder_kit *kit, const ladder_lab *lab, int step) {
    const kl_problem *problem = lab->problem;
    char path[LADDER_PATH];
    int at = 1;
    while (at < problem->step_count && problem->steps[at].number != step) at++;
    const kl_step_info *given = &problem->steps[at - 1];
    bool there = at < problem->step_count && given->given &&
                 ladder_kit_step_file(kit, lab, given, false, path, NULL) == KL_OK &&
                 ladder_file_exists(path);
    return there ? given->number : -1;
}

// *out_failed: something did not compile, and the compiler's words stand above.
static kl_status build(const ladder_kit *kit, const ladder_lab *lab, const ladder_run_options *o,
                       bool *out_failed, kl_error *err) {
    if (!o->solution) ladder_predict_note(kit, lab, o->steps, o->step_count, "run");
    int steps[2 * LADDER_POSITIONALS], count = o->step_count;
    memcpy(steps, o->steps, (size_t)count * sizeof *steps);
    for (int k = 0; k < o->step_count && !o->check_only && !o->solution; k++) {
        int given = given_before(kit, lab, o->steps[k]);
        if (given >= 0) steps[count++] = given;
    }
    return ladder_kit_build_lab(kit, lab, steps, count, o->solution, o->vendor, out_failed, err);
}

// Runs the lab's program to its end; *out_exit is its exit status, or 128 + signal.
enum { RUN_CHECK_FD = 3 }; // in the lab's program

// check: the socket of the checker beside it (show/findings/findings.h), or -1.
static kl_status run_program(char *const *argv, int check, int *out_exit, kl_error *err) {
    ladder_process process;
    const ladder_process_spec spec = {.argv = (const char *const *)argv,
                                      .environment = (const char *const *)environ,
                                      .descriptors = &check,
                                      .descriptor_count = check >= 0 ? 1 : 0,
                                      .foreground = true};
    fflush(NULL);
    kl_status status = ladder_process_run(&spec, &process, err);
    if (check >= 0) close(check);
    TRY(status);
    *out_exit = process.end == LADDER_END_EXITED ? process.code : 128 + process.code;
    ladder_process_free(&process);
    return KL_OK;
}

// The student's predictions beside what the steps count, when there are any. Counts are taken of
// steps that are right.
static kl_status show_predictions(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                                  int count, bool right, FILE *out, kl_error *err) {
    ladder_predictions predictions;
    kl_style style = kl_style_for(out);
    if (right) TRY(ladder_predict_count(kit, lab, steps, count, err));
    TRY(ladder_predict_load(kit, lab, steps, count, &predictions, err));
    if (predictions.count == 0) return KL_OK;
    fprintf(out, "\nYour predictions, each for one call of the step, on the simulated H100:\n\n");
    ladder_predict_print(lab, &predictions, &style, out);
    return KL_OK;
}

// All cases, and their times.
static bool is_whole(const ladder_run_options *o) {
    return !o->check_only && !o->quick && !o->bench && !o->size && !o->family && !o->matrix_file;
}

// Runs the student's steps, without a choice of them.
static bool is_of_student(const ladder_run_options *o) {
    return o->step_count == 0 && !o->all && !o->solution && !o->bench && !o->vendor &&
           !o->matrix_file;
}

// What `run` alone says, with no choice of steps, cases or output.
static bool is_plain(const ladder_run_options *o) {
    return o->step_count == 0 && !o->check_only && !o->vendor && !o->bench && !o->size &&
           !o->family && !o->matrix_file && !o->plot_folder && !o->repeat && !o->quiet_limit_s &&
           !o->json_file;
}

static kl_status start_app(const ladder_kit *kit, const ladder_lab *lab,
                           const ladder_run_options *o, kl_error *err) {
    ladder_run_options app = {
        .solution = o->solution, .quick = o->quick, .device = o->device, .seed = o->seed};
    putchar('\n');
    return ladder_run_other_start(kit, lab, LADDER_OTHER_app, &app, err);
}

// All solutions that there are; says so where a handout does not have all of them yet.
static void choose_solved(const ladder_kit *kit, const ladder_lab *lab, ladder_run_options *o) {
    int count = ladder_kit_solved_steps(kit, lab, o->steps);
    if (count == 0 || count == lab->problem->step_count) return;
    o->step_count = count;
    fprintf(stderr, "%d of %d solutions are here; the others come after their deadlines\n", count,
            lab->problem->step_count);
}

// Of a command without steps: those that the student changed and that are not right in all cases.
// Where nothing is written yet: the first given one. No choice, which means all: what is written
// is right.
static kl_status choose_changed(const ladder_kit *kit, const ladder_lab *lab, ladder_run_options *o,
                                kl_error *err) {
    ladder_progress *p = calloc(1, sizeof *p);
    if (!p) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the state of a lab");
    kl_status status = ladder_progress_read(kit, lab, p, err);
    bool done = false;
    for (int i = 0; status == KL_OK && i < p->count; i++) {
        ladder_step_state state = p->steps[i].state;
        done = done || state == LADDER_STEP_DONE;
        if (state >= LADDER_STEP_BEGUN && state != LADDER_STEP_DONE)
            o->steps[o->step_count++] = p->steps[i].info->number;
    }
    bool fresh =
        status == KL_OK && o->step_count == 0 && !done && p->count > 0 && p->steps[0].info->given;
    if (fresh) o->steps[o->step_count++] = p->steps[0].info->number;
    for (int i = 0; i < o->step_count; i++)
        fprintf(stderr, i == 0 ? "%s %d" : "%s%d",
                i > 0   ? ", "
                : fresh ? "No step is written yet: runs the given step"
                        : "Runs what you changed and is not right yet: step",
                o->steps[i]);
    if (o->step_count > 0)
        fprintf(stderr, ".\nAll steps: ./ladder run %s --all\n", lab->problem->name);
    free(p);
    return status;
}

// A case that the run before did not have.
static kl_status show_wrong(const char *program, const ladder_points_wrong *wrong, int *out_exit,
                            kl_error *err) {
    ladder_program_args args;
    ladder_args_begin(&args, program);
    ladder_args_number(&args, "--step", wrong->step);
    ladder_args_text(&args, "--case", wrong->family);
    ladder_args_number(&args, "--size", wrong->size);
    ladder_args_text(&args, "--device", "sim");
    ladder_args_flag(&args, "--check-only", true);
    putchar('\n');
    return run_program(args.argv, -1, out_exit, err);
}

// Comes back when it fails, or with the exit status.
static kl_status start(const ladder_lab *lab, const ladder_arguments *arguments,
                       ladder_run_options *o, int *out_exit, kl_error *err) {
    ladder_kit kit;
    ladder_other_program other;
    for (int i = 1; i < arguments->count; i++) {
        const kl_step_info *step = NULL;
        TRY(ladder_lab_require_step(lab, arguments->positional[i], &step, err));
        o->steps[o->step_count++] = step->number;
    }
    o->after_dashes = arguments->after_dashes;
    o->after_count = arguments->after_count;
    if (o->all && o->step_count > 0)
        return kl_fail(err, KL_ERROR_USAGE, "--all is of a command without steps");
    TRY(ladder_run_other_choose(o, &other, err));
    TRY(ladder_simulation_choose(o->device, o->devices, o->resident, err));
    TRY(ladder_kit_find(&kit, err));
    if (other != LADDER_OTHER_PROGRAMS) return ladder_run_other_start(&kit, lab, other, o, err);
    bool failed = false;
    if (o->solution && o->step_count == 0) choose_solved(&kit, lab, o);
    if (is_of_student(o)) TRY(choose_changed(&kit, lab, o, err));
    TRY(build(&kit, lab, o, &failed, err));
    if (failed && o->step_count == 1) { // nothing is left to run, or to say
        *out_exit = LADDER_EXIT_FAILED;
        return KL_OK;
    }
    if (failed) fputc('\n', stderr); // the verdict says which step

    const int *steps = o->steps;
    int count = o->step_count;
    char program[LADDER_PATH];
    ladder_program_args args;
    TRY(ladder_kit_lab_program(&kit, lab, program, err));
    ladder_args_begin(&args, program);
    TRY(ladder_run_arguments(o, LADDER_ALL_OPTIONS, &args, err));
    int check = -1;
    if (!o->bench && !o->vendor && !o->matrix_file)
        check = ladder_run_check_start(&kit, lab, o->solution);
    if (check >= 0) ladder_args_number(&args, "--side-check", RUN_CHECK_FD);
    TRY(run_program(args.argv, check, out_exit, err));
    bool right = *out_exit == LADDER_EXIT_OK;
    FILE *out = kl_file_is_stdout(o->json_file) ? stderr : stdout;
    kl_style style = kl_style_for(out);
    if (!o->solution) TRY(show_predictions(&kit, lab, steps, count, right, out, err));
    ladder_points_wrong wrong = {.step = -1};
    if (!o->solution && is_whole(o))
        TRY(ladder_points_say(&kit, lab, steps, count, &style, out, &wrong, err));
    if (wrong.step >= 0) return show_wrong(program, &wrong, out_exit, err);
    return right && lab->rubric->app_after_run && is_plain(o) ? start_app(&kit, lab, o, err)
                                                              : KL_OK;
}

int ladder_cmd_run(int argc, char **argv) {
    ladder_run_options o = {.device = NULL};
    const ladder_option options[] = {
#define RUN_OPTION(member, takes, reads, name, argument, help)                                     \
    {name, LADDER_##takes, &o.member, argument, help, NULL},
#define LAB_OPTION(member, takes, reads, name, argument, help)
#include "run_options.def"
#undef RUN_OPTION
#undef LAB_OPTION
        OPT_FLAG("--all", &o.all, "all steps, without STEP"),
        OPT_CHOICE("--device", &o.device, "NAME", ladder_device_words, ladder_device_words),
        OPT_CHOICE("--devices", &o.devices, "N", "how many a program finds", ladder_devices_words),
        OPT_CHOICE("--resident", &o.resident, "HOW",
                   "blocks that run together: all that fit, or one by one", ladder_resident_words),
#define OTHER_PROGRAM(name, what, takes, help)                                                     \
    {"--" #name, LADDER_FLAG, &o.other[LADDER_OTHER_##name], NULL, help, NULL},
#include "learn/extras/programs.def"
#undef OTHER_PROGRAM
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (arguments.count < 1)
        return ladder_command_misused(argv[0], "which lab? For example: ./ladder run reduction");
    kl_error err = {KL_OK, ""};
    const ladder_lab *lab = NULL;
    kl_status status = ladder_lab_require(arguments.positional[0], &lab, &err);
    if (status == KL_OK) status = start(lab, &arguments, &o, &code, &err);
    return status == KL_OK ? code : ladder_command_fail(argv[0], &err);
}
