// SPDX-License-Identifier: MIT
// ladder debug: a step of a lab, or any CUDA program that is linked with the shared runtime, in the
// debugger.
#include <stdio.h>
#include <string.h>

#include "commands/command.h"
#include "learn/debug/debug.h"
#include "learn/debug/page.h"
#include "learn/extras/bugs.h"
#include "learn/extras/debug_build.h"
#include "utilities/devices.h"
#include "utilities/program_args.h"

static const ladder_usage usage = {
    "ladder debug LAB STEP [options]   or   ladder debug [options] -- PROGRAM [ARGS..]",
    "Runs the quick cases of a step, or a whole program, on the simulator, and stops its\n"
    "kernels at breakpoints, writes, faults and findings of the checks. Steps go forwards\n"
    "and backwards. Commands are those of cuda-gdb; `help` lists them. STEP may be a bug\n"
    "hunt of the lab. Steps and bug hunts are compiled with -G, without optimisation.\n"
    "PROGRAM must be linked with the shared CUDA runtime (nvcc -cudart shared), and\n"
    "compiled with -lineinfo for source lines or with -G for variables, too.",
    "  ladder debug first_kernel 1 --solution\n"
    "  ladder debug first_kernel election\n"
    "  ladder debug transpose 2 --solution --size 64 --html page.html\n"
    "  ladder debug -x commands.txt --batch -- ./a.out 1000\n"
    "  (ladder) break a.cu:12\n"
    "  (ladder) run\n"
    "  (ladder) reverse-step",
};

typedef struct debug_arguments {
    bool solution, no_check, optimised;
    const char *size, *family, *device;
    ladder_texts scripts;
    ladder_debug_options options;
    const char *html;
    int64_t launch, block, blocks, warps, from;
} debug_arguments;

static kl_status check_recording(const debug_arguments *a, bool is_program, kl_error *err) {
    bool none = a->launch == 0 && a->block == 0 && a->blocks == 1 && a->warps == 0 && a->from == 0;
    if (!a->html && !none)
        return kl_fail(err, KL_ERROR_USAGE,
                       "--launch, --block, --blocks, --warps and --from are for --html");
    if (a->html && a->scripts.count > 0)
        return kl_fail(err, KL_ERROR_USAGE, "--html records by itself: no commands of -x");
    if (a->html && a->optimised && !is_program)
        return kl_fail(err, KL_ERROR_USAGE, "--html needs variables: not --optimised");
    const int64_t most = LADDER_DEBUG_PAGE_WARPS;
    bool fits = a->launch >= 0 && a->launch <= INT32_MAX && a->block >= 0 && a->from >= 0 &&
                a->blocks >= 1 && a->blocks <= most && a->warps >= 0;
    if (!fits || a->blocks * a->warps > most)
        return kl_fail(err, KL_ERROR_USAGE, "a page has up to %d warps, of all blocks together",
                       LADDER_DEBUG_PAGE_WARPS);
    return KL_OK;
}

// In the terminal, or as a page.
static kl_status debug_argv(const ladder_kit *kit, char *const *argv, const char *title,
                            const debug_arguments *a, bool *out_failed, kl_error *err) {
    if (!a->html) return ladder_debug(kit, argv, &a->options, out_failed, err);
    const ladder_debug_recording recording = {.path = a->html,
                                              .title = title,
                                              .launch = (uint32_t)a->launch,
                                              .block = (uint64_t)a->block,
                                              .blocks = (uint32_t)a->blocks,
                                              .warps = (uint32_t)a->warps,
                                              .from = (uint64_t)a->from,
                                              .check = a->options.check};
    return ladder_debug_page(kit, argv, &recording, err);
}

// A bug hunt is a program of its own.
static kl_status debug_bug(const ladder_kit *kit, const ladder_lab *lab, const char *stem,
                           const debug_arguments *a, bool *out_failed, kl_error *err) {
    char program[LADDER_PATH], title[LADDER_PATH];
    char *argv[] = {program, NULL};
    snprintf(title, sizeof title, "Lab %s, bug hunt %s", lab->folder, stem);
    if (a->optimised)
        TRY(ladder_bug_build(kit, lab, stem, a->solution, program, err));
    else
        TRY(ladder_debug_build_bug(kit, lab, stem, a->solution, program, err));
    return debug_argv(kit, argv, title, a, out_failed, err);
}

static kl_status build_step(const ladder_kit *kit, const ladder_lab *lab, const kl_step_info *step,
                            const debug_arguments *a, char folder[LADDER_PATH], kl_error *err) {
    bool failed = false;
    TRY(ladder_kit_build_lab(kit, lab, &step->number, 1, a->solution, false, &failed, err));
    if (failed) return kl_fail(err, KL_ERROR_INPUT, "the step does not compile");
    if (a->optimised) return KL_OK;
    return ladder_debug_build_step(kit, lab, step, a->solution, folder, err);
}

static kl_status debug_step(const ladder_kit *kit, const ladder_arguments *arguments,
                            const debug_arguments *a, bool *out_failed, kl_error *err) {
    const ladder_lab *lab = NULL;
    const kl_step_info *step = NULL;
    char program[LADDER_PATH], folder[LADDER_PATH], stem[LADDER_PATH], title[LADDER_PATH];
    ladder_program_args args;
    TRY(ladder_lab_require(arguments->positional[0], &lab, err));
    if (ladder_bug_find(kit, lab, arguments->positional[1], stem))
        return debug_bug(kit, lab, stem, a, out_failed, err);
    TRY(ladder_lab_require_step(lab, arguments->positional[1], &step, err));
    TRY(build_step(kit, lab, step, a, folder, err));
    TRY(ladder_kit_lab_program(kit, lab, program, err));
    ladder_args_begin(&args, program);
    ladder_args_number(&args, "--step", step->number);
    ladder_args_flag(&args, "--check-only", true);
    ladder_args_flag(&args, "--quick", !a->size);
    ladder_args_text(&args, "--device", "sim");
    ladder_args_flag(&args, "--solution", a->solution);
    ladder_args_text(&args, "--steps-from", a->optimised ? NULL : folder);
    ladder_args_text(&args, "--size", a->size);
    ladder_args_text(&args, "--case", a->family);
    snprintf(title, sizeof title, "Lab %s, step %d: %s", lab->folder, step->number, step->name);
    return debug_argv(kit, args.argv, title, a, out_failed, err);
}

static kl_status debug_program(const ladder_kit *kit, const ladder_arguments *arguments,
                               const debug_arguments *a, bool *out_failed, kl_error *err) {
    char program[LADDER_PATH];
    TRY(ladder_program_find(arguments->after_dashes[0], program, err));
    const char *title = strrchr(program, '/') + 1; // a found program has a folder
    arguments->after_dashes[0] = program;
    return debug_argv(kit, arguments->after_dashes, title, a, out_failed, err);
}

int ladder_cmd_debug(int argc, char **argv) {
    debug_arguments a = {.blocks = 1};
    const ladder_option options[] = {
        {"--solution", LADDER_FLAG, &a.solution, NULL, "the complete step instead of yours", NULL},
        {"--size", LADDER_TEXT, &a.size, "N", "one size instead of the lab's quick cases", NULL},
        {"--case", LADDER_TEXT, &a.family, "NAME", "one kind of input", NULL},
        {"--device", LADDER_CHOICE, &a.device, "NAME", ladder_simulated_words,
         ladder_simulated_words},
        {"--optimised", LADDER_FLAG, &a.optimised, NULL,
         "as it is run otherwise: lines and registers, no variables", NULL},
        {"-x", LADDER_TEXTS, &a.scripts, "FILE", "commands from a file, before those that you type",
         NULL},
        {"--batch", LADDER_FLAG, &a.options.batch, NULL, "end behind the files of -x", NULL},
        {"--no-check", LADDER_FLAG, &a.no_check, NULL,
         "do not stop at findings of the checks: faster", NULL},
        {"--html", LADDER_TEXT, &a.html, "FILE", "a page that goes through a launch, instead",
         NULL},
        {"--launch", LADDER_SIZE, &a.launch, "N", "of --html: which kernel of the program, from 0",
         NULL},
        {"--block", LADDER_SIZE, &a.block, "N", "of --html: the first block, by its linear index",
         NULL},
        {"--blocks", LADDER_SIZE, &a.blocks, "N", "of --html: how many blocks, from that one on",
         NULL},
        {"--warps", LADDER_SIZE, &a.warps, "N", "of --html: the first N warps of each block", NULL},
        {"--from", LADDER_SIZE, &a.from, "TIME", "of --html: where to begin", NULL},
    };
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(&usage, options, sizeof options / sizeof options[0], argc, argv,
                              &arguments, &code))
        return code;
    bool is_program = arguments.after_count > 0 && arguments.count == 0;
    if (!is_program && (arguments.count != 2 || arguments.after_dashes))
        return ladder_command_misused(argv[0], "expected a lab and a step, or -- and a program");
    kl_error err = {KL_OK, ""};
    ladder_kit kit;
    bool failed = false;
    if (check_recording(&a, is_program, &err) != KL_OK)
        return ladder_command_misused(argv[0], err.text);
    a.options.scripts = &a.scripts;
    a.options.check = !a.no_check;
    kl_status status = ladder_device_choose(a.device, &err);
    if (status == KL_OK) status = ladder_kit_find(&kit, &err);
    if (status == KL_OK)
        status = is_program ? debug_program(&kit, &arguments, &a, &failed, &err)
                            : debug_step(&kit, &arguments, &a, &failed, &err);
    if (status != KL_OK) return ladder_command_fail(argv[0], &err);
    return failed ? LADDER_EXIT_FAILED : LADDER_EXIT_OK;
}
