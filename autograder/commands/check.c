// ladder check: bugs that a right result can hide, in steps of a lab or in any CUDA program that is
// linked with the shared runtime.
#include "commands/command.h"
#include "learn/extras/extras.h"
#include "show/findings/findings.h"

enum { MOST_STEPS = 32 };

static const ladder_usage usage = {
    "ladder check LAB [STEP|BUG..] [options]   or   ladder check -- PROGRAM [ARGS..]",
    "Runs the steps' quick cases, or a whole program, on the simulator and looks for races,\n"
    "accesses out of bounds, misaligned or of freed memory, reads of memory that nothing\n"
    "has written, misused barriers, memory leaks and launches whose errors nobody asked\n"
    "for. Exit status: 0 clean or warnings alone (a leak is one), 1 findings, a program that\n"
    "failed or a step that is not written, 2 wrong command line.\n"
    "BUG is one of the lab's bug hunts, the programs in labs/LAB/bugs: election, or 1_election.\n"
    "PROGRAM must be linked with the shared CUDA runtime (nvcc -cudart shared) and\n"
    "compiled with -lineinfo for source lines; with -g for lines of host code, too.",
    "  ladder check reduction 3\n"
    "  ladder check --explain race\n"
    "  ladder check first_kernel election\n"
    "  ladder check --order reverse -- ./a.out 1000",
};

typedef struct check_options {
    ladder_check_request request;
    const char *device, *devices, *resident, *json, *explain;
    bool host_accesses;
} check_options;

// Everything checked in one run of the command.
typedef struct check_run {
    ladder_checks checks[MOST_STEPS];
    char subjects[MOST_STEPS][96];
    int count;
} check_run;

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const check_run *run = context;
    const char *subjects[MOST_STEPS];
    for (int i = 0; i < run->count; i++) subjects[i] = run->subjects[i];
    return ladder_checks_json(run->checks, subjects, run->count, out, err);
}

static bool is_json_alone(const check_options *o) { return kl_file_is_stdout(o->json); }

static kl_status show(check_run *run, const check_options *o, kl_error *err) {
    if (o->json) TRY(kl_file_put(o->json, write_json, run, err));
    if (is_json_alone(o)) return KL_OK;
    kl_style style = kl_style_for(stdout);
    for (int i = 0; i < run->count; i++) {
        const ladder_checks *checks = &run->checks[i];
        bool clean = ladder_checks_errors(checks) + ladder_checks_warnings(checks) == 0;
        if (run->count > 1) printf("%s%s", run->subjects[i], clean ? ": " : "\n\n");
        ladder_checks_print(&run->checks[i], &style, stdout);
    }
    return KL_OK;
}

// talks: the program's own output is wanted, unless it would come between the JSON's lines.
static ladder_checks_options checks_options(const check_options *o, bool talks) {
    return ladder_check_program_options(&o->request, talks && !is_json_alone(o));
}

static kl_status check_step(const ladder_kit *kit, const ladder_lab *lab, int step,
                            const check_options *o, check_run *run, kl_error *err) {
    char *subject = run->subjects[run->count];
    snprintf(subject, sizeof run->subjects[0], "step %d", step);
    return ladder_check_step(kit, lab, step, &o->request, subject, &run->checks[run->count++], err);
}

// A bug hunt prints what it has to say itself.
static kl_status check_bug(const ladder_kit *kit, const ladder_lab *lab, const char *stem,
                           const check_options *o, check_run *run, kl_error *err) {
    char program[LADDER_PATH];
    char *argv[] = {program, NULL};
    TRY(ladder_bug_build(kit, lab, stem, o->request.solution, program, err));
    snprintf(run->subjects[run->count], sizeof run->subjects[0], "bug %.80s", stem);
    const ladder_checks_options options = checks_options(o, true);
    return ladder_checks_run(kit, argv, &options, &run->checks[run->count++], err);
}

// The steps that were named, or all of the lab; those that need more than there is are told.
static void list_steps(const kl_problem *problem, int *steps, int *count) {
    char why[128];
    int all = *count;
    if (all == 0)
        for (int i = 0; i < problem->step_count; i++) steps[all++] = problem->steps[i].number;
    *count = 0;
    for (int i = 0; i < all; i++)
        if (ladder_device_lacks(kl_problem_step(problem, steps[i]), NULL, why, sizeof why))
            fprintf(stderr, "step %d is left out: it %s\n", steps[i], why);
        else steps[(*count)++] = steps[i];
}

static kl_status check_lab(const ladder_arguments *arguments, const check_options *o,
                           check_run *run, kl_error *err) {
    const ladder_lab *lab = NULL;
    const kl_step_info *step = NULL;
    int steps[MOST_STEPS], count = 0;
    bool failed = false;
    ladder_kit kit;
    char stem[LADDER_PATH];
    TRY(ladder_lab_require(arguments->positional[0], &lab, err));
    TRY(ladder_kit_find(&kit, err));
    for (int i = 1; i < arguments->count && run->count + count < MOST_STEPS; i++) {
        if (ladder_bug_find(&kit, lab, arguments->positional[i], stem)) {
            TRY(check_bug(&kit, lab, stem, o, run, err));
            continue;
        }
        TRY(ladder_lab_require_step(lab, arguments->positional[i], &step, err));
        steps[count++] = step->number;
    }
    if (count == 0 && arguments->count > 1) return KL_OK; // bug hunts only
    list_steps(lab->problem, steps, &count);
    if (count == 0)
        return kl_fail(
            err, KL_ERROR_INPUT,
            "nothing was checked: --devices N shows more devices, --device NAME another card");
    TRY(ladder_kit_build_lab(&kit, lab, steps, count, o->request.solution, false, &failed, err));
    if (failed) return kl_fail(err, KL_ERROR_INPUT, "a step does not compile");
    for (int i = 0; i < count; i++) TRY(check_step(&kit, lab, steps[i], o, run, err));
    return KL_OK;
}

static kl_status check_program(const ladder_arguments *arguments, const check_options *o,
                               check_run *run, kl_error *err) {
    ladder_kit kit;
    char program[LADDER_PATH];
    TRY(ladder_kit_find(&kit, err));
    TRY(ladder_program_find(arguments->after_dashes[0], program, err));
    arguments->after_dashes[0] = program;
    snprintf(run->subjects[0], sizeof run->subjects[0], "%.90s", program);
    run->count = 1;
    ladder_checks_options options = checks_options(o, true);
    options.progress = basename(program);
    return ladder_checks_run(&kit, arguments->after_dashes, &options, &run->checks[0], err);
}

static int finish(check_run *run, const check_options *o, kl_status status, kl_error *err,
                  const char *name) {
    if (status == KL_OK) status = show(run, o, err);
    int code = status == KL_OK ? LADDER_EXIT_OK : ladder_command_fail(name, err);
    for (int i = 0; i < run->count; i++) {
        const ladder_checks *checks = &run->checks[i];
        bool clean = status == KL_OK && ladder_checks_errors(checks) == 0 &&
                     checks->exit_code == 0 && !checks->unwritten;
        if (status == KL_OK && !clean) code = LADDER_EXIT_FAILED;
        ladder_checks_free(&run->checks[i]);
    }
    free(run);
    return code;
}

static int explain(const char *name, const char *command) {
    ladder_kit kit;
    kl_error err = {KL_OK, ""};
    kl_style style = kl_style_for(stdout);
    kl_status status = ladder_kit_find(&kit, &err);
    if (status == KL_OK) status = ladder_explain(&kit, name, &style, stdout, &err);
    return status == KL_OK ? LADDER_EXIT_OK : ladder_command_fail(command, &err);
}

int ladder_cmd_check(int argc, char **argv) {
    check_options o = {.request = {.max_instructions = -1}};
    const ladder_option options[] = {
        OPT_FLAG("--solution", &o.request.solution, "the complete steps instead of yours"),
        OPT_TEXT("--size", &o.request.size, "N", "one size instead of the lab's quick cases"),
        OPT_TEXT("--case", &o.request.family, "NAME", "one kind of input"),
        OPT_CHOICE("--device", &o.device, "NAME", ladder_simulated_words, ladder_simulated_words),
        OPT_CHOICE("--devices", &o.devices, "N", "how many a program finds", ladder_devices_words),
        OPT_CHOICE("--resident", &o.resident, "HOW",
                   "blocks that run together: all that fit, or one by one", ladder_resident_words),
        OPT_TEXT("--order", &o.request.order, "ORDER", "again: " SIM_SCHEDULE_WORDS),
        OPT_FLAG("--host-accesses", &o.host_accesses,
                 "also the host's use of page-locked and managed memory"),
        OPT_SIZE("--max-instructions", &o.request.max_instructions, "N",
                 "warp instructions of an endless block (labs: launch)"),
        OPT_SIZE("--elements", &o.request.elements, "N",
                 "that PROGRAM must take: is an index too narrow for them?"),
        OPT_TEXT("--explain", &o.explain, "CLASS",
                 "what such findings mean, how to fix them, a program"),
        OPT_TEXT("--json", &o.json, "FILE", "findings as JSON (-: standard output, alone)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (o.explain) return explain(o.explain, argv[0]);
    bool is_program = ladder_names_program(&arguments);
    if (!is_program && (arguments.count == 0 || arguments.after_dashes))
        return ladder_command_misused(argv[0], "expected a lab, or -- and a program");
    sim_schedule schedule;
    if (o.request.order &&
        (!sim_schedule_parse(o.request.order, &schedule) || schedule.kind == SIM_SCHEDULE_FORWARD))
        return ladder_command_misused(
            argv[0], "--order is " SIM_SCHEDULE_WORDS " (a number), not '%s'", o.request.order);
    if (o.request.max_instructions == 0)
        return ladder_command_misused(argv[0], "--max-instructions must be at least 1");
    kl_error err = {KL_OK, ""};
    if (ladder_simulation_choose(o.device, o.devices, o.resident, &err) != KL_OK)
        return ladder_command_fail(argv[0], &err);
    if (o.host_accesses) setenv("LADDER_SIM_HOST_ACCESSES", "1", 1); // of the program's runtime
    check_run *run = calloc(1, sizeof *run);
    if (!run) return LADDER_EXIT_FAILED;
    kl_status status = is_program ? check_program(&arguments, &o, run, &err)
                                  : check_lab(&arguments, &o, run, &err);
    return finish(run, &o, status, &err, argv[0]);
}
