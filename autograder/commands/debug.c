// ladder debug: a step of a lab, or any CUDA program that is linked with the shared runtime, in the
// debugger.
#include "commands/command.h"
#include "learn/dap/dap.h"
#include "learn/debug/debug.h"
#include "learn/extras/extras.h"

static const ladder_usage usage = {
    "ladder debug LAB STEP [options]   or   ladder debug [options] -- PROGRAM [ARGS..]",
    "Runs the quick cases of a step, or a whole program, on the simulator, and stops its\n"
    "kernels at breakpoints, writes, faults and findings of the checks. Steps go forwards\n"
    "and backwards. Commands are those of cuda-gdb; `help` lists them. STEP may be a bug\n"
    "hunt of the lab. Steps and bug hunts are compiled with -G, without optimisation.\n"
    "PROGRAM must be linked with the shared CUDA runtime (nvcc -cudart shared), and\n"
    "compiled with -lineinfo for source lines or with -G for variables, too. With --dap an\n"
    "editor commands, and may say what to debug (docs/editors.md).",
    "  ladder debug first_kernel 1 --solution\n"
    "  ladder debug first_kernel election\n"
    "  ladder debug transpose 2 --solution --size 64 --html page.html\n"
    "  ladder debug -x commands.txt --batch -- ./a.out 1000\n"
    "  (ladder) break a.cu:12\n"
    "  (ladder) run\n"
    "  (ladder) reverse-step",
};

typedef struct debug_arguments {
    bool solution, no_check, optimised, dap;
    const char *size, *family, *device, *resident, *port;
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
    if (a->html && a->dap)
        return kl_fail(err, KL_ERROR_USAGE, "--html or --dap: a page or an editor");
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

// What is run: argv[0] is its path.
typedef struct debug_target {
    char program[LADDER_PATH], folder[LADDER_PATH], title[LADDER_PATH];
    ladder_program_args args;
    char *own[LADDER_DAP_ARGUMENTS + 2];
    char *const *argv;
} debug_target;

// A bug hunt is a program of its own.
static kl_status prepare_bug(const ladder_kit *kit, const ladder_lab *lab, const char *stem,
                             const debug_arguments *a, debug_target *out, kl_error *err) {
    TRY(ladder_path(out->title, err, "Lab %s, bug hunt %s", lab->folder, stem));
    out->own[0] = out->program;
    out->own[1] = NULL;
    out->argv = out->own;
    if (a->optimised) return ladder_bug_build(kit, lab, stem, a->solution, out->program, err);
    return ladder_debug_build_bug(kit, lab, stem, a->solution, out->program, err);
}

static kl_status build_step(const ladder_kit *kit, const ladder_lab *lab, const kl_step_info *step,
                            const debug_arguments *a, char folder[LADDER_PATH], kl_error *err) {
    bool failed = false;
    TRY(ladder_kit_build_lab(kit, lab, &step->number, 1, a->solution, false, &failed, err));
    if (failed) return kl_fail(err, KL_ERROR_INPUT, "the step does not compile");
    if (a->optimised) return KL_OK;
    return ladder_debug_build_step(kit, lab, step, a->solution, folder, err);
}

static kl_status prepare_step(const ladder_kit *kit, const char *lab_word, const char *step_word,
                              const debug_arguments *a, debug_target *out, kl_error *err) {
    const ladder_lab *lab = NULL;
    const kl_step_info *step = NULL;
    char stem[LADDER_PATH];
    ladder_program_args *args = &out->args;
    TRY(ladder_lab_require(lab_word, &lab, err));
    if (ladder_bug_find(kit, lab, step_word, stem)) return prepare_bug(kit, lab, stem, a, out, err);
    TRY(ladder_lab_require_step(lab, step_word, &step, err));
    // By its number, too: the step itself runs nothing until the bug is found.
    if (!a->size && !a->family && ladder_bug_find(kit, lab, step->name, stem))
        return prepare_bug(kit, lab, stem, a, out, err);
    TRY(build_step(kit, lab, step, a, out->folder, err));
    TRY(ladder_kit_lab_program(kit, lab, out->program, err));
    TRY(ladder_path(out->title, err, "Lab %s, step %d: %s", lab->folder, step->number, step->name));
    ladder_args_begin(args, out->program);
    ladder_args_number(args, "--step", step->number);
    ladder_args_flag(args, "--check-only", true);
    ladder_args_flag(args, "--quick", !a->size);
    ladder_args_text(args, "--device", "sim");
    ladder_args_flag(args, "--solution", a->solution);
    ladder_args_text(args, "--steps-from", a->optimised ? NULL : out->folder);
    ladder_args_text(args, "--size", a->size);
    ladder_args_text(args, "--case", a->family);
    out->argv = args->argv;
    return KL_OK;
}

static kl_status prepare_program(const char *const *words, int count, debug_target *out,
                                 kl_error *err) {
    TRY(ladder_program_find(words[0], out->program, err));
    // a found program has a folder
    snprintf(out->title, sizeof out->title, "%s", strrchr(out->program, '/') + 1);
    out->own[0] = out->program;
    for (int i = 1; i < count; i++) out->own[i] = (char *)words[i];
    out->own[count] = NULL;
    out->argv = out->own;
    return KL_OK;
}

// ---- With an editor -----------------------------------------------------------------------------

typedef struct dap_context {
    const ladder_kit *kit;
    const ladder_arguments *arguments; // of the command line
    debug_arguments options;           // likewise
    debug_target target;
} dap_context;

// Words of the launch stay only during this call.
static kl_status keep_words(const ladder_dap_launch *launch, debug_target *out, kl_error *err) {
    const char *words[LADDER_DAP_ARGUMENTS + 1] = {launch->program};
    for (int i = 0; i < launch->argument_count; i++)
        if (!(words[i + 1] = strdup(launch->arguments[i])))
            return kl_fail(err, KL_ERROR_MEMORY, "no memory for the program's arguments");
    return prepare_program(words, launch->argument_count + 1, out, err);
}

static kl_status prepare_launch(void *context, const ladder_dap_launch *launch,
                                char *const **out_argv, kl_error *err) {
    dap_context *c = context;
    debug_arguments a = c->options;
    const ladder_arguments *given = c->arguments;
    a.solution |= launch->solution;
    a.optimised |= launch->optimised;
    if (launch->size) a.size = launch->size;
    if (launch->family) a.family = launch->family;
    const char *lab = launch->lab ? launch->lab : given->count > 0 ? given->positional[0] : NULL;
    const char *step = launch->step ? launch->step : given->count > 1 ? given->positional[1] : NULL;
    if (launch->program) TRY(keep_words(launch, &c->target, err));
    else if (lab && step) TRY(prepare_step(c->kit, lab, step, &a, &c->target, err));
    else if (given->after_count > 0)
        TRY(prepare_program((const char *const *)given->after_dashes, given->after_count,
                            &c->target, err));
    else
        return kl_fail(err, KL_ERROR_INPUT,
                       "launch needs `lab` and `step`, or `program`: what is to be debugged");
    *out_argv = c->target.argv;
    return KL_OK;
}

static kl_status serve_editor(const ladder_kit *kit, const ladder_arguments *arguments,
                              const debug_arguments *a, kl_error *err) {
    dap_context *context = calloc(1, sizeof *context);
    if (!context) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the debugger");
    *context = (dap_context){.kit = kit, .arguments = arguments, .options = *a};
    const ladder_dap_options options = {
        .port = a->port, .check = !a->no_check, .context = context, .prepare = prepare_launch};
    kl_status status = ladder_dap(kit, &options, err);
    free(context);
    return status;
}

static kl_status debug_here(const ladder_kit *kit, const ladder_arguments *arguments,
                            const debug_arguments *a, bool *out_failed, kl_error *err) {
    debug_target target;
    if (a->dap) return serve_editor(kit, arguments, a, err);
    if (arguments->after_count > LADDER_DAP_ARGUMENTS)
        return kl_fail(err, KL_ERROR_LIMIT, "a program has at most %d arguments here",
                       LADDER_DAP_ARGUMENTS);
    if (arguments->after_count > 0)
        TRY(prepare_program((const char *const *)arguments->after_dashes, arguments->after_count,
                            &target, err));
    else
        TRY(prepare_step(kit, arguments->positional[0], arguments->positional[1], a, &target, err));
    if (!a->html) return ladder_debug(kit, target.argv, &a->options, out_failed, err);
    const ladder_debug_recording recording = {.path = a->html,
                                              .title = target.title,
                                              .launch = (uint32_t)a->launch,
                                              .block = (uint64_t)a->block,
                                              .blocks = (uint32_t)a->blocks,
                                              .warps = (uint32_t)a->warps,
                                              .from = (uint64_t)a->from,
                                              .check = a->options.check};
    return ladder_debug_page(kit, target.argv, &recording, err);
}

int ladder_cmd_debug(int argc, char **argv) {
    debug_arguments a = {.blocks = 1};
    const ladder_option options[] = {
        OPT_FLAG("--solution", &a.solution, "the complete step instead of yours"),
        OPT_TEXT("--size", &a.size, "N", "one size instead of the lab's quick cases"),
        OPT_TEXT("--case", &a.family, "NAME", "one kind of input"),
        OPT_CHOICE("--device", &a.device, "NAME", ladder_simulated_words, ladder_simulated_words),
        OPT_CHOICE("--resident", &a.resident, "HOW",
                   "blocks that run together: all that fit, or one by one", ladder_resident_words),
        OPT_FLAG("--optimised", &a.optimised,
                 "as it is run otherwise: lines and registers, no variables"),
        OPT_TEXTS("-x", &a.scripts, "FILE", "commands from a file, before those that you type"),
        OPT_FLAG("--batch", &a.options.batch, "end behind the files of -x"),
        OPT_FLAG("--no-check", &a.no_check, "do not stop at findings of the checks: faster"),
        OPT_TEXT("--html", &a.html, "FILE", "a page that goes through a launch, instead"),
        OPT_SIZE("--launch", &a.launch, "N", "of --html: which kernel of the program, from 0"),
        OPT_SIZE("--block", &a.block, "N", "of --html: the first block, by its linear index"),
        OPT_SIZE("--blocks", &a.blocks, "N", "of --html: how many blocks, from that one on"),
        OPT_SIZE("--warps", &a.warps, "N", "of --html: the first N warps of each block"),
        OPT_SIZE("--from", &a.from, "TIME", "of --html: where to begin"),
        OPT_FLAG("--dap", &a.dap, "for an editor: the Debug Adapter Protocol on standard streams"),
        OPT_TEXT("--port", &a.port, "N", "with --dap: at this port of this computer; 0: any"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    bool is_program = ladder_names_program(&arguments);
    if (a.port && !a.dap) return ladder_command_misused(argv[0], "--port goes with --dap");
    bool told_later = a.dap && arguments.count == 0 && !arguments.after_dashes;
    if (!is_program && !told_later && !ladder_names_step(&arguments))
        return ladder_command_no_step(argv[0], &arguments,
                                      "a lab and one step, or -- and a program", "which step");
    kl_error err = {KL_OK, ""};
    ladder_kit kit;
    bool failed = false;
    if (check_recording(&a, is_program, &err) != KL_OK)
        return ladder_command_misused(argv[0], "%s", err.text);
    a.options.scripts = &a.scripts;
    a.options.check = !a.no_check;
    kl_status status = ladder_simulation_choose(a.device, NULL, a.resident, &err);
    if (status == KL_OK) status = ladder_kit_find(&kit, &err);
    if (status == KL_OK) status = debug_here(&kit, &arguments, &a, &failed, &err);
    if (status != KL_OK) return ladder_command_fail(argv[0], &err);
    return failed ? LADDER_EXIT_FAILED : LADDER_EXIT_OK;
}
