// SPDX-License-Identifier: MIT
// ladder run: brings a lab's steps up to date and hands over to the lab's own program.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "commands/command.h"
#include "commands/run_check.h"
#include "kit/devices.h"
#include "kit/program_args.h"
#include "predict/record.h"
#include "process/kit_build.h"
#include "process/process.h"

static const ladder_usage usage = {
    "ladder run LAB [STEP..] [options]",
    "Builds what changed, checks each step against the reference, times it, and prints\n"
    "the ladder. Without a GPU the same binary runs on the simulator and times are\n"
    "modelled. A step that does not compile costs only itself.",
    "  ladder run reduction\n"
    "  ladder run reduction 3 5 --solution --size 2^20\n"
    "  ladder run spmv --solution --matrix my.mtx.gz --plots pictures",
};

typedef struct run_options {
    bool solution, check_only, quick, vendor, bench, micro, grid, sweep;
    const char *device, *size, *family, *matrix, *plots, *repeat, *seed, *timeout, *json;
} run_options;

static kl_status build(const ladder_kit *kit, const ladder_lab *lab, const int *steps, int count,
                       const run_options *o, kl_error *err) {
    bool failed = false;
    if (!o->solution) ladder_command_note_run(kit, lab, steps, count, "run");
    TRY(ladder_kit_build_lab(kit, lab, steps, count, o->solution, o->vendor, &failed, err));
    if (failed) fputc('\n', stderr); // the compiler's words stand above; the table says which step
    return KL_OK;
}

// A program of the lab's beside its ladder, made of labs/LAB/KIND.c; what: in words.
static kl_status require_other(const ladder_kit *kit, const ladder_lab *lab, const char *kind,
                               const char *what, kl_error *err) {
    char source[LADDER_PATH];
    TRY(ladder_path(source, err, "%s/labs/%s/%s.c", kit->source, lab->folder, kind));
    if (!ladder_file_exists(source))
        return kl_fail(err, KL_ERROR_USAGE, "lab %s has no %s", lab->folder, what);
    return KL_OK;
}

// Does not come back when it could be started.
static kl_status start_other(const ladder_kit *kit, const ladder_lab *lab, const char *kind,
                             ladder_program_args *args, kl_error *err) {
    char program[LADDER_PATH], target[LADDER_PATH];
    const char *targets[] = {target};
    bool failed = false;
    TRY(ladder_path(target, err, "%s_%s", lab->problem->name, kind));
    TRY(ladder_path(program, err, "%s/labs/%s/%s", kit->build, lab->folder, target));
    TRY(ladder_kit_build(kit, targets, 1, &failed, err));
    args->argv[0] = program;
    fflush(NULL);
    execv(program, args->argv);
    return kl_fail(err, KL_ERROR_SYSTEM, "%s cannot be started: %s", program, strerror(errno));
}

// The lab's sweeps of given kernels, a program of their own.
static kl_status start_micro(const ladder_kit *kit, const ladder_lab *lab, const run_options *o,
                             kl_error *err) {
    ladder_program_args args;
    TRY(require_other(kit, lab, "micro", "micro-ladders", err));
    ladder_args_begin(&args, "micro");
    ladder_args_text(&args, "--device", o->device);
    ladder_args_text(&args, "--json", o->json);
    return start_other(kit, lab, "micro", &args, err);
}

// The lab's steps over a grid of shapes, a program of its own.
static kl_status start_grid(const ladder_kit *kit, const ladder_lab *lab, const run_options *o,
                            kl_error *err) {
    ladder_program_args args;
    bool failed = false;
    TRY(require_other(kit, lab, "grid", "grid of shapes", err));
    TRY(ladder_kit_build_lab(kit, lab, NULL, 0, o->solution, true, &failed, err));
    ladder_args_begin(&args, "grid");
    ladder_args_flag(&args, "--solution", o->solution);
    ladder_args_text(&args, "--device", o->device);
    ladder_args_text(&args, "--json", o->json);
    return start_other(kit, lab, "grid", &args, err);
}

// The lab's steps at many sizes, a program of its own.
static kl_status start_sweep(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                             int count, const run_options *o, kl_error *err) {
    ladder_program_args args;
    bool failed = false;
    TRY(require_other(kit, lab, "sweep", "sweep over sizes", err));
    TRY(ladder_kit_build_lab(kit, lab, steps, count, o->solution, true, &failed, err));
    ladder_args_begin(&args, "sweep");
    for (int i = 0; i < count; i++) ladder_args_number(&args, "--step", steps[i]);
    ladder_args_flag(&args, "--solution", o->solution);
    ladder_args_text(&args, "--device", o->device);
    ladder_args_text(&args, "--plots", o->plots);
    ladder_args_text(&args, "--json", o->json);
    return start_other(kit, lab, "sweep", &args, err);
}

// Runs the lab's program to its end; *out_exit is its exit status, or 128 + signal.
enum { RUN_CHECK_FD = 3 }; // in the lab's program

// check: the socket of the checker beside it (run_check.h), or -1.
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

// Comes back when it fails, or with the exit status.
static kl_status start(const ladder_lab *lab, const ladder_arguments *arguments,
                       const run_options *o, int *out_exit, kl_error *err) {
    TRY(ladder_device_choose(o->device, err));
    ladder_kit kit;
    int steps[LADDER_POSITIONALS];
    int count = 0;
    for (int i = 1; i < arguments->count; i++) {
        const kl_step_info *step = NULL;
        TRY(ladder_lab_require_step(lab, arguments->positional[i], &step, err));
        steps[count++] = step->number;
    }
    TRY(ladder_kit_find(&kit, err));
    if (o->micro) return start_micro(&kit, lab, o, err);
    if (o->grid) return start_grid(&kit, lab, o, err);
    if (o->sweep) return start_sweep(&kit, lab, steps, count, o, err);
    TRY(build(&kit, lab, steps, count, o, err));

    char program[LADDER_PATH];
    ladder_program_args args;
    TRY(ladder_kit_lab_program(&kit, lab, program, err));
    ladder_args_begin(&args, program);
    for (int i = 0; i < count; i++) ladder_args_number(&args, "--step", steps[i]);
    ladder_args_flag(&args, "--solution", o->solution);
    ladder_args_flag(&args, "--check-only", o->check_only);
    ladder_args_flag(&args, "--quick", o->quick);
    ladder_args_flag(&args, "--vendor", o->vendor);
    ladder_args_flag(&args, "--bench", o->bench);
    ladder_args_text(&args, "--device", o->device);
    ladder_args_text(&args, "--size", o->size);
    ladder_args_text(&args, "--case", o->family);
    ladder_args_text(&args, "--matrix", o->matrix);
    ladder_args_text(&args, "--plots", o->plots);
    ladder_args_text(&args, "--repeat", o->repeat);
    ladder_args_text(&args, "--seed", o->seed);
    ladder_args_text(&args, "--timeout", o->timeout);
    ladder_args_text(&args, "--json", o->json);
    int check = -1;
    if (!o->bench && !o->vendor && o->matrix == NULL)
        check = ladder_run_check_start(&kit, lab, steps, count, o->solution);
    if (check >= 0) ladder_args_number(&args, "--side-check", RUN_CHECK_FD);
    TRY(run_program(args.argv, check, out_exit, err));
    if (o->solution) return KL_OK;
    bool json_to_stdout = o->json != NULL && strcmp(o->json, "-") == 0;
    return show_predictions(&kit, lab, steps, count, *out_exit == LADDER_EXIT_OK,
                            json_to_stdout ? stderr : stdout, err);
}

int ladder_cmd_run(int argc, char **argv) {
    run_options o = {.device = NULL};
    const ladder_option options[] = {
        {"--solution", LADDER_FLAG, &o.solution, NULL, "the complete steps instead of yours", NULL},
        {"--device", LADDER_CHOICE, &o.device, "NAME", ladder_device_help, ladder_device_words},
        {"--size", LADDER_TEXT, &o.size, "N", "one size instead of the lab's own (2^24, 1000003)",
         NULL},
        {"--case", LADDER_TEXT, &o.family, "NAME", "one kind of input only", NULL},
        {"--matrix", LADDER_TEXT, &o.matrix, "FILE", "a matrix of your own, in labs that take one",
         NULL},
        {"--plots", LADDER_TEXT, &o.plots, "DIR", "with --matrix or --sweep: pictures, as SVG",
         NULL},
        {"--check-only", LADDER_FLAG, &o.check_only, NULL, "no timing", NULL},
        {"--quick", LADDER_FLAG, &o.quick, NULL, "fewer and smaller cases", NULL},
        {"--vendor", LADDER_FLAG, &o.vendor, NULL, "time the vendor's library in the same run",
         NULL},
        {"--bench", LADDER_FLAG, &o.bench, NULL, "time many sizes (GPU)", NULL},
        {"--micro", LADDER_FLAG, &o.micro, NULL, "the lab's access patterns, one table each", NULL},
        {"--grid", LADDER_FLAG, &o.grid, NULL, "the steps over a grid of shapes, in labs with one",
         NULL},
        {"--sweep", LADDER_FLAG, &o.sweep, NULL, "steps and library at many sizes, as a plot",
         NULL},
        {"--repeat", LADDER_TEXT, &o.repeat, "N", "repetitions of a timing on a GPU", NULL},
        {"--seed", LADDER_TEXT, &o.seed, "N", "other inputs", NULL},
        {"--timeout", LADDER_TEXT, &o.timeout, "S", "stop a step that is silent for S seconds",
         NULL},
        {"--json", LADDER_TEXT, &o.json, "FILE", "results as JSON (- is standard output)", NULL},
    };
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(&usage, options, sizeof options / sizeof options[0], argc, argv,
                              &arguments, &code))
        return code;
    if (arguments.count < 1)
        return ladder_command_misused(argv[0], "which lab? For example: ladder run reduction");
    kl_error err = {KL_OK, ""};
    const ladder_lab *lab = NULL;
    kl_status status = ladder_lab_require(arguments.positional[0], &lab, &err);
    if (status == KL_OK) status = start(lab, &arguments, &o, &code, &err);
    return status == KL_OK ? code : ladder_command_fail(argv[0], &err);
}
