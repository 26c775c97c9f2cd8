// ladder bench: a lab against the vendor's library and this device's ceilings, to JSON; or the
// speed of the simulator, of the reader of matrix files, or of grading a class.
#include "commands/command.h"
#include "sandbox/process/kit_build.h"
#include "sandbox/process/process.h"

static const ladder_usage usage = {
    "ladder bench [LAB..] [options]   or   ladder bench sim|class|debug|mistakes",
    "Runs the complete steps of the labs (default: all) with the vendor's library beside\n"
    "them and writes one JSON file per lab (ladder.run/2) into --output. Where python3 has\n"
    "PyTorch and a GPU, labs with a vendor_torch.py are measured beside it, too\n"
    "(LAB_torch.json, ladder.torch/1).\n"
    "`ladder bench sim` measures the simulator itself (-- --features: one after the other),\n"
    "`ladder bench class` how many submissions of a class are graded per minute, and in how\n"
    "much memory, `ladder bench debug` how long a step back takes in the debugger, `ladder\n"
    "bench mistakes` what the commands say of typical mistakes, and after how many seconds\n"
    "(-- --help: their options).",
    "  ladder bench reduction --output build/bench\n"
    "  ladder bench sim\n"
    "  ladder bench class -- --submissions 100 --steps 2",
};

typedef struct bench_options {
    const char *device, *output, *json;
    bool own;
} bench_options;

// The exit status of a program that uses this terminal, or of its standard streams nothing; -1 when
// it was stopped.
static kl_status run_program(const char *const *argv, bool foreground, int *out_code,
                             kl_error *err) {
    ladder_process_spec spec = {.argv = argv,
                                .environment = (const char *const *)environ,
                                .foreground = foreground,
                                .limits = {.output_bytes = 1 << 16}};
    ladder_process process;
    TRY(ladder_process_run(&spec, &process, err));
    *out_code = process.end == LADDER_END_EXITED ? process.code : -1;
    ladder_process_free(&process);
    return KL_OK;
}

// PyTorch beside the lab's steps, where the lab has the script for it and python3 has PyTorch and a
// GPU; says so where it has not.
static kl_status bench_torch(const ladder_kit *kit, const ladder_lab *lab, const bench_options *o,
                             const char *folder, bool *out_well, kl_error *err) {
    static const char *const probe[] = {
        "/usr/bin/env", "python3", "-c",
        "import sys, torch; sys.exit(not torch.cuda.is_available())", NULL};
    char script[LADDER_PATH], steps[LADDER_PATH], json[LADDER_PATH];
    int code = 0;
    TRY(ladder_path(script, err, "%s/labs/%s/vendor_torch.py", kit->source, lab->folder));
    bool gpu = !o->device || strcmp(o->device, "auto") == 0 || strcmp(o->device, "gpu") == 0;
    bool mixed = kl_file_is_stdout(o->json); // standard output is the lab's JSON
    if (!gpu || mixed || !ladder_file_exists(script)) return KL_OK;
    TRY(run_program(probe, false, &code, err));
    if (code != 0) {
        printf("PyTorch is left out: python3 has none that finds a GPU\n");
        return KL_OK;
    }
    TRY(ladder_path(steps, err, "%s/labs/%s/%s", kit->build, lab->folder,
                    o->own ? "skeleton" : "solution"));
    TRY(ladder_path(json, err, "%s/%s_torch.json", folder, lab->folder));
    const char *const argv[] = {"/usr/bin/env", "python3", script, steps, "--json", json, NULL};
    TRY(run_program(argv, true, &code, err));
    if (code == 0) printf("written: %s\n", json);
    *out_well = *out_well && code == 0;
    return KL_OK;
}

static kl_status bench_lab(const ladder_kit *kit, const ladder_lab *lab, const bench_options *o,
                           bool *out_well, kl_error *err) {
    char program[LADDER_PATH], json[LADDER_PATH], folder[LADDER_PATH], vendor[LADDER_PATH];
    bool failed = false;
    kl_error why;
    TRY(ladder_device_choose(o->device, err));
    if (!o->own && ladder_kit_require_solution(kit, lab, NULL, 0, &why) != KL_OK)
        return kl_fail(err, KL_ERROR_INPUT, "%s; --own measures your steps", why.text);
    TRY(ladder_kit_build_lab(kit, lab, NULL, 0, !o->own, true, &failed, err));
    TRY(ladder_kit_lab_program(kit, lab, program, err));
    TRY(ladder_path(folder, err, o->output ? "%s" : "%s/bench",
                    o->output ? o->output : kit->build));
    TRY(ladder_folder_make(folder, err));
    TRY(ladder_path(json, err, "%s/%s.json", folder, lab->folder));
    if (o->json) TRY(ladder_path(json, err, "%s", o->json));
    TRY(ladder_path(vendor, err, "%s/labs/%s/vendor.cu", kit->source, lab->folder));
    ladder_program_args args;
    ladder_args_begin(&args, program);
    ladder_args_flag(&args, "--solution", !o->own);
    ladder_args_flag(&args, "--vendor", ladder_file_exists(vendor));
    ladder_args_flag(&args, "--bench", true);
    ladder_args_text(&args, "--device", ladder_device_for_program(o->device));
    ladder_args_text(&args, "--json", json);
    int code = 0;
    TRY(run_program((const char *const *)args.argv, true, &code, err));
    if (code == 0 && !o->json) printf("written: %s\n", json);
    *out_well = *out_well && code == 0;
    return bench_torch(kit, lab, o, folder, out_well, err);
}

// Programs of the kit that are measured by themselves, in one of two places: installed, or built.
typedef struct own_bench {
    const char *name, *what, *target;
    const char *places[2];
} own_bench;

static const own_bench own_benches[] = {
    {"sim",
     "the simulator's benchmark",
     "sim-bench",
     {"common/simulator/sim-bench", "common/simulator/tools/sim-bench"}},
    {"class",
     "the benchmark of grading a class",
     "class-bench",
     {"autograder/course/class-bench", "bin/class-bench"}},
    {"debug",
     "the benchmark of the debugger",
     "debug-bench",
     {"autograder/debug-bench", "bin/debug-bench"}},
    {"mistakes", "the bench of typical mistakes", "mistakes-bench", {"autograder/mistakes-bench"}},
};

// Comes back only when it fails.
static kl_status start_own(const ladder_kit *kit, const own_bench *own,
                           const ladder_arguments *arguments, kl_error *err) {
    char program[LADDER_PATH];
    char *argv[2 * LADDER_POSITIONALS + 2] = {program};
    int count = 1;
    for (int i = 1; i < arguments->count; i++) argv[count++] = (char *)arguments->positional[i];
    for (int i = 0; i < arguments->after_count && i < LADDER_POSITIONALS; i++)
        argv[count++] = arguments->after_dashes[i];
    bool failed = false;
    TRY(ladder_kit_build(kit, &own->target, 1, &failed, err));
    for (size_t i = 0; i < sizeof own->places / sizeof own->places[0]; i++) {
        TRY(ladder_path(program, err, "%s/%s", kit->build, own->places[i]));
        fflush(NULL);
        execv(program, argv);
    }
    return kl_fail(err, KL_ERROR_SYSTEM, "%s cannot be started: %s", own->what, strerror(errno));
}

static kl_status bench(const ladder_arguments *arguments, const bench_options *o, bool *out_well,
                       kl_error *err) {
    ladder_kit kit;
    TRY(ladder_kit_find(&kit, err));
    for (size_t i = 0; i < sizeof own_benches / sizeof own_benches[0] && arguments->count > 0; i++)
        if (strcmp(arguments->positional[0], own_benches[i].name) == 0)
            return start_own(&kit, &own_benches[i], arguments, err);
    int labs = arguments->count > 0 ? arguments->count : ladder_lab_count;
    if (o->json && labs != 1) {
        return kl_fail(err, KL_ERROR_USAGE,
                       "--json is for one lab; --output takes those of several");
    }
    for (int i = 0; i < arguments->count; i++) {
        const ladder_lab *lab = NULL;
        TRY(ladder_lab_require(arguments->positional[i], &lab, err));
        TRY(bench_lab(&kit, lab, o, out_well, err));
    }
    for (int l = 0; l < ladder_lab_count && arguments->count == 0; l++)
        TRY(bench_lab(&kit, &ladder_labs[l], o, out_well, err));
    return KL_OK;
}

int ladder_cmd_bench(int argc, char **argv) {
    bench_options o = {.device = NULL};
    const ladder_option options[] = {
        OPT_CHOICE("--device", &o.device, "NAME", ladder_device_words, ladder_device_words),
        OPT_TEXT("--output", &o.output, "DIR", "where the JSON goes (default: build/bench)"),
        OPT_TEXT("--json", &o.json, "FILE", "the JSON of one lab (- is standard output)"),
        OPT_FLAG("--own", &o.own, "your steps instead of the complete ones"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    kl_error err = {KL_OK, ""};
    bool well = true;
    if (bench(&arguments, &o, &well, &err) != KL_OK) return ladder_command_fail(argv[0], &err);
    return well ? LADDER_EXIT_OK : LADDER_EXIT_FAILED;
}
