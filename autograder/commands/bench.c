// SPDX-License-Identifier: MIT
// ladder bench: a lab against the vendor's library and this device's ceilings, to JSON; or the
// speed of the simulator, or of the reader of matrix files.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/command.h"
#include "process/kit_build.h"
#include "process/process.h"
#include "kit/devices.h"
#include "kit/program_args.h"

static const ladder_usage usage = {
    "ladder bench [LAB..] [options]   or   ladder bench sim|reader [-- ARGS..]",
    "Runs the complete steps of the labs (default: all) with the vendor's library beside\n"
    "them and writes one JSON file a lab (ladder.run/1) into --output.\n"
    "`ladder bench sim` measures the simulator itself, `ladder bench reader` how fast matrix\n"
    "files are read beside plain reading (-- --help: its options).",
    "  ladder bench reduction --output build/bench\n"
    "  ladder bench sim\n"
    "  ladder bench reader -- --entries 20000000",
};

typedef struct bench_options {
    const char *device, *output, *json;
    bool own;
} bench_options;

static kl_status bench_lab(const ladder_kit *kit, const ladder_lab *lab, const bench_options *o,
                           bool *out_well, kl_error *err) {
    char program[LADDER_PATH], json[LADDER_PATH], folder[LADDER_PATH];
    bool failed = false;
    TRY(ladder_device_choose(o->device, err));
    TRY(ladder_kit_build_lab(kit, lab, NULL, 0, !o->own, true, &failed, err));
    TRY(ladder_kit_lab_program(kit, lab, program, err));
    TRY(ladder_path(folder, err, o->output != NULL ? "%s" : "%s/bench",
                    o->output != NULL ? o->output : kit->build));
    TRY(ladder_folder_make(folder, err));
    TRY(ladder_path(json, err, "%s/%s.json", folder, lab->folder));
    if (o->json != NULL) TRY(ladder_path(json, err, "%s", o->json));
    ladder_program_args args;
    ladder_args_begin(&args, program);
    ladder_args_flag(&args, "--solution", !o->own);
    ladder_args_flag(&args, "--vendor", true);
    ladder_args_flag(&args, "--bench", true);
    ladder_args_text(&args, "--device", o->device);
    ladder_args_text(&args, "--json", json);
    ladder_process_spec spec = {.argv = (const char *const *)args.argv,
                                .environment = (const char *const *)environ,
                                .foreground = true};
    ladder_process process;
    TRY(ladder_process_run(&spec, &process, err));
    bool well = process.end == LADDER_END_EXITED && process.code == 0;
    ladder_process_free(&process);
    if (well && o->json == NULL) printf("written: %s\n", json);
    *out_well = *out_well && well;
    return KL_OK;
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
     {"common/simulator/sim-bench", "common/simulator/bench/sim-bench"}},
    {"reader",
     "the benchmark of the reader of matrix files",
     "mtx-bench",
     {"common/sparse/mtx-bench", "bin/mtx-bench"}},
};

// Comes back only when it fails.
static kl_status start_own(const ladder_kit *kit, const own_bench *own,
                           const ladder_arguments *arguments, kl_error *err) {
    char program[LADDER_PATH];
    char *argv[LADDER_POSITIONALS + 2] = {program, NULL};
    for (int i = 0; i < arguments->after_count && i < LADDER_POSITIONALS; i++) {
        argv[i + 1] = arguments->after_dashes[i];
        argv[i + 2] = NULL;
    }
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
    if (o->json != NULL && labs != 1) {
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
        {"--device", LADDER_CHOICE, &o.device, "NAME", ladder_device_help, ladder_device_words},
        {"--output", LADDER_TEXT, &o.output, "DIR", "where the JSON goes (default: build/bench)",
         NULL},
        {"--json", LADDER_TEXT, &o.json, "FILE", "the JSON of one lab (- is standard output)",
         NULL},
        {"--own", LADDER_FLAG, &o.own, NULL, "your steps instead of the complete ones", NULL},
    };
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(&usage, options, sizeof options / sizeof options[0], argc, argv,
                              &arguments, &code))
        return code;
    kl_error err = {KL_OK, ""};
    bool well = true;
    if (bench(&arguments, &o, &well, &err) != KL_OK) return ladder_command_fail(argv[0], &err);
    return well ? LADDER_EXIT_OK : LADDER_EXIT_FAILED;
}
