// ladder trace: what happened when in a call of a lab's step or in any CUDA program, and what makes
// it last as long as it does.
#include "commands/command.h"
#include "show/profile/profile.h"
#include "show/trace/trace.h"

static const ladder_usage usage = {
    "ladder trace LAB STEP [options]   or   ladder trace -- PROGRAM [ARGS..]",
    "Runs one call of a step, or a whole program, on the simulator and shows when each\n"
    "call of the host, copy and kernel begins and ends, on one modelled clock: host,\n"
    "streams, copy engines and multiprocessors as rows of one picture; then the critical\n"
    "path, how much of the copies is hidden behind kernels, and why the multiprocessors do\n"
    "nothing, with the line and what to do. --json is for Perfetto and chrome://tracing,\n"
    "--html a page that zooms. The host's own computing takes no time on this clock.\n"
    "Where a GPU and the toolkit's CUPTI are, the same is run there, too, and measured\n"
    "times are shown next to modelled ones; --device keeps to the simulator.\n"
    "PROGRAM must be linked with the shared CUDA runtime (nvcc -cudart shared) and\n"
    "compiled with -g for lines of host code.",
    "  ladder trace reduction 3 --solution\n"
    "  ladder trace --json trace.json --html trace.html -- ./a.out 1000\n"
    "  ladder trace --devices 2 -- ./a.out",
};

typedef struct trace_options {
    bool solution;
    const char *size, *family, *device, *devices, *json, *html;
} trace_options;

typedef struct trace_run {
    ladder_trace trace, measured;
    char title[LADDER_PATH];
    ladder_gpu gpu;    // that it is measured on
    bool has_gpu;      // one is there, and no simulated device was asked for
    bool has_measured; // `measured` is there
} trace_run;

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const trace_run *run = context;
    return ladder_trace_json(&run->trace, run->has_measured ? &run->measured : NULL, run->title,
                             out, err);
}

static kl_status write_page(void *context, FILE *out, kl_error *err) {
    const trace_run *run = context;
    return ladder_trace_page(&run->trace, run->has_measured ? &run->measured : NULL, run->title,
                             out, err);
}

// What a program did until it failed is shown; that it failed is told.
static void tell_end(int program_exit) {
    enum { BY_SIGNAL = 128 };
    fflush(stdout);
    if (program_exit > BY_SIGNAL)
        fprintf(stderr,
                "ladder trace: the program was ended by signal %d (%s): this is what it did "
                "until then\n",
                program_exit - BY_SIGNAL, strsignal(program_exit - BY_SIGNAL));
    else if (program_exit > 0)
        fprintf(stderr, "ladder trace: the program's exit status is %d\n", program_exit);
}

static kl_status show(trace_run *run, const trace_options *o, kl_error *err) {
    if (o->html) TRY(kl_file_put(o->html, write_page, run, err));
    if (o->json) TRY(kl_file_put(o->json, write_json, run, err));
    if (kl_file_is_stdout(o->json) || kl_file_is_stdout(o->html)) return KL_OK;
    kl_style style = kl_style_for(stdout);
    ladder_trace_print(&run->trace, run->has_measured ? &run->measured : NULL, &style, stdout);
    return KL_OK;
}

// The same on this machine's GPU. What hinders it is told; the modelled timeline stands.
static void measure(const ladder_kit *kit, const char *const *argv, trace_run *run) {
    kl_error err = {KL_OK, ""};
    if (!run->has_gpu) return;
    kl_ticker_say("measuring it");
    run->has_measured =
        ladder_trace_measure(kit, argv, run->gpu.name, &run->measured, &err) == KL_OK;
    kl_ticker_say("");
    if (!run->has_measured)
        fprintf(stderr, "ladder trace: not measured on %s: %s\n", run->gpu.name, err.text);
}

static kl_status trace_step(const ladder_arguments *arguments, const trace_options *o,
                            trace_run *run, kl_error *err) {
    const ladder_lab *lab = NULL;
    const kl_step_info *step = NULL;
    ladder_kit kit;
    bool failed = false;
    TRY(ladder_lab_require(arguments->positional[0], &lab, err));
    TRY(ladder_lab_require_step(lab, arguments->positional[1], &step, err));
    TRY(ladder_kit_find(&kit, err));
    TRY(ladder_kit_build_lab(&kit, lab, &step->number, 1, o->solution, false, &failed, err));
    if (failed) return kl_fail(err, KL_ERROR_INPUT, "step %d does not compile", step->number);
    ladder_step_title(lab, step, o->solution, run->title, sizeof run->title);
    char program[LADDER_PATH];
    TRY(ladder_kit_lab_program(&kit, lab, program, err));
    ladder_program_args args;
    ladder_profile_args(&args, program, "gpu", step->number, o->solution, o->size, o->family);
    measure(&kit, (const char *const *)args.argv, run);
    kl_ticker_say("running it on the modelled clock");
    kl_status status = ladder_trace_step(&kit, lab, step->number, o->solution, o->size, o->family,
                                         &run->trace, err);
    kl_ticker_say("");
    return status;
}

static kl_status trace_program(const ladder_arguments *arguments, trace_run *run, int *out_exit,
                               kl_error *err) {
    ladder_kit kit;
    TRY(ladder_kit_find(&kit, err));
    TRY(ladder_program_find(arguments->after_dashes[0], run->title, err));
    arguments->after_dashes[0] = run->title;
    measure(&kit, (const char *const *)arguments->after_dashes, run);
    return ladder_trace_program(&kit, arguments->after_dashes, true, &run->trace, out_exit, err);
}

static kl_status look(const trace_run *run, int program_exit, kl_error *err) {
    if (run->trace.first < run->trace.spans.count) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "nothing was recorded: the program made no CUDA call that takes time (its exit "
                   "status: %d)",
                   program_exit);
}

int ladder_cmd_trace(int argc, char **argv) {
    trace_options o = {.solution = false};
    const ladder_option options[] = {
        OPT_FLAG("--solution", &o.solution, "the complete step instead of yours"),
        OPT_TEXT("--size", &o.size, "N", "another size than the lab's largest on the simulator"),
        OPT_TEXT("--case", &o.family, "NAME", "another kind of input"),
        OPT_CHOICE("--device", &o.device, "NAME", ladder_simulated_words, ladder_simulated_words),
        OPT_CHOICE("--devices", &o.devices, "N", "how many a program finds", ladder_devices_words),
        OPT_TEXT("--html", &o.html, "FILE", "the timeline as one page for a browser"),
        OPT_TEXT("--json", &o.json, "FILE",
                 "for Perfetto: Trace Event Format (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    bool is_program = ladder_names_program(&arguments);
    if (!is_program && !ladder_names_step(&arguments))
        return ladder_command_no_step(argv[0], &arguments,
                                      "a lab and one step, or -- and a program", "which step");
    kl_error err = {KL_OK, ""};
    trace_run *run = calloc(1, sizeof *run);
    if (!run) return LADDER_EXIT_FAILED;
    run->has_gpu = !o.device && !o.devices && ladder_gpu_find(&run->gpu);
    const char *same = run->has_gpu ? ladder_gpu_row(&run->gpu) : NULL;
    if (ladder_simulation_choose(o.device ? o.device : same, o.devices, NULL, &err) != KL_OK) {
        free(run);
        return ladder_command_fail(argv[0], &err);
    }
    kl_status status = is_program ? trace_program(&arguments, run, &code, &err)
                                  : trace_step(&arguments, &o, run, &err);
    if (status == KL_OK) status = look(run, code, &err);
    if (status == KL_OK) status = show(run, &o, &err);
    if (status == KL_OK) tell_end(code);
    if (status == KL_OK && code == LADDER_EXIT_OK && run->trace.fault[0]) code = LADDER_EXIT_FAILED;
    ladder_trace_free(&run->trace);
    ladder_trace_free(&run->measured);
    free(run);
    return status == KL_OK ? code : ladder_command_fail(argv[0], &err);
}
