// ladder profile: counters of every kernel launch and the annotated source, of a lab's step or of
// any CUDA program that is linked with the shared runtime.

#include "commands/command.h"
#include "learn/predict/predict.h"
#include "show/page/page.h"

static const ladder_usage usage = {
    "ladder profile LAB STEP [options]   or   ladder profile -- PROGRAM [ARGS..]",
    "Runs one call of a step, or a whole program, on the simulator and shows what each\n"
    "kernel launch did: time and what bounds it, counters with the names of Nsight\n"
    "Compute (--json), and the source with its cost, line by line; --html makes one\n"
    "page of it for a browser, with heat by any counter and what warps wait for.\n"
    "PROGRAM must be linked with the shared CUDA runtime (nvcc -cudart shared) and\n"
    "compiled with -lineinfo for source lines.",
    "  ladder profile reduction 1 --solution\n"
    "  ladder profile reduction 2 --before 1 --check --html page.html\n"
    "  ladder profile occupancy 3 --solution --timeline\n"
    "  ladder profile reduction 7 --solution --fidelity\n"
    "  ladder profile -- ./a.out 1000\n"
    "  ladder profile --html page.html --before './old 1000' -- ./new 1000",
};

typedef struct profile_options {
    bool solution, check, timeline, fidelity;
    ladder_profile_request request;
    int64_t cycles; // of a timeline
    const char *size, *family, *device, *devices, *resident, *json, *html, *before;
} profile_options;

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    return ladder_profile_json(context, out, err);
}

// What the command shows: the profile, and for the page the one of another step and the findings.
typedef struct profile_run {
    ladder_profile profile, before;
    char title[LADDER_PATH], before_title[256];
    ladder_checks checks, before_checks; // report NULL: nobody looked
    ladder_verdict verdict;              // of a step that is not known to be right
} profile_run;

static void free_run(profile_run *run) {
    ladder_profile_free(&run->profile);
    ladder_profile_free(&run->before);
    ladder_checks_free(&run->checks);
    ladder_checks_free(&run->before_checks);
    free(run);
}

static kl_status write_page(void *context, FILE *out, kl_error *err) {
    const profile_run *run = context;
    const ladder_checks *checks = run->checks.report ? &run->checks : NULL;
    const ladder_checks *before = run->before_checks.report ? &run->before_checks : NULL;
    ladder_page_part parts[LADDER_PAGE_PARTS];
    int count = 0;
    if (run->before.count > 0)
        parts[count++] = (ladder_page_part){run->before_title, &run->before, before};
    parts[count++] = (ladder_page_part){run->title, &run->profile, checks};
    return ladder_page_write(parts, count, out, err);
}

// Cycles of a timeline that are shown, if nobody asked for others: warp groups that multiply first
// wait for their tiles, and then several thousand cycles for each one.
static uint32_t cycles_shown(const ladder_profile *profile, int64_t asked) {
    enum { USUAL = 5000, OF_WARP_GROUPS = 12000 };
    if (asked >= 0) return asked < UINT32_MAX ? (uint32_t)asked : UINT32_MAX;
    for (uint32_t i = 0; i < profile->count; i++)
        if (profile->launches[i]->totals.value[SIM_COUNTER_GROUP_PRODUCTS]) return OF_WARP_GROUPS;
    return USUAL;
}

static kl_status show(profile_run *run, const profile_options *o, kl_error *err) {
    bool to_stdout = kl_file_is_stdout(o->json) || kl_file_is_stdout(o->html);
    run->profile.timeline_cycles = cycles_shown(&run->profile, o->cycles);
    run->before.timeline_cycles = run->profile.timeline_cycles;
    run->profile.prints_timelines = o->timeline;
    run->profile.tells_fidelity = o->fidelity;
    if (o->html) TRY(kl_file_put(o->html, write_page, run, err));
    if (o->json) TRY(kl_file_put(o->json, write_json, &run->profile, err));
    if (to_stdout) return KL_OK;
    kl_style style = kl_style_for(stdout);
    ladder_profile_print(&run->profile, &style, stdout);
    if (o->fidelity) ladder_fidelity_print(&run->profile, &style, stdout);
    if (run->verdict.text[0] == '\0') return KL_OK;
    fputs("\nBefore its time matters:\n", stdout);
    fputs(run->verdict.text, stdout);
    return KL_OK;
}

// A kernel that was stopped is no success, whatever the program made of it.
static int status_of(const ladder_profile *profile, int program_status) {
    for (uint32_t i = 0; i < profile->count && program_status == LADDER_EXIT_OK; i++)
        if (profile->launches[i]->fault.kind != SIM_OK) program_status = LADDER_EXIT_FAILED;
    return program_status;
}

static kl_status profile_one(const ladder_kit *kit, const ladder_lab *lab, const kl_step_info *step,
                             const profile_options *o, ladder_profile *out_profile, char *out_title,
                             size_t title_bytes, kl_error *err) {
    ladder_step_title(lab, step, o->solution, out_title, title_bytes);
    kl_ticker_say("counting and timing");
    kl_status status = ladder_profile_built_step(kit, lab, step->number, o->solution, o->size,
                                                 o->family, &o->request, out_profile, err);
    out_profile->lab = lab->problem->name;
    kl_ticker_say("");
    return status;
}

static kl_status build_steps(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                             int count, bool solution, kl_error *err) {
    bool failed = false;
    TRY(ladder_kit_build_lab(kit, lab, steps, count, solution, false, &failed, err));
    if (!failed) return KL_OK;
    return count == 1 ? kl_fail(err, KL_ERROR_INPUT, "step %d does not compile", steps[0])
                      : kl_fail(err, KL_ERROR_INPUT, "a step does not compile");
}

// A step that does not come to its end on small inputs is not run on large ones, unless a size was
// asked for: there it might take minutes. One that does, and is wrong, is told at the end.
static kl_status look_at_results(const ladder_kit *kit, const ladder_lab *lab, int step,
                                 const profile_options *o, profile_run *run, kl_error *err) {
    if (o->size || o->family) return KL_OK;
    kl_ticker_say("running it on small inputs");
    kl_status status = ladder_verdict_ask(kit, lab, step, o->solution, &run->verdict, err);
    kl_ticker_say("");
    TRY(status);
    if (ladder_verdict_ends(&run->verdict)) return KL_OK;
    fputs(run->verdict.text, stderr);
    bool written = run->verdict.outcome != LADDER_NOT_IMPLEMENTED;
    return kl_fail(err, KL_ERROR_INPUT, "step %d is not profiled%s", step,
                   written ? ", as it fails on small inputs; with --size N it is" : "");
}

static kl_status profile_step(const ladder_arguments *arguments, const profile_options *o,
                              profile_run *run, kl_error *err) {
    const ladder_lab *lab = NULL;
    const kl_step_info *step = NULL, *before = NULL;
    ladder_kit kit;
    TRY(ladder_lab_require(arguments->positional[0], &lab, err));
    TRY(ladder_lab_require_step(lab, arguments->positional[1], &step, err));
    if (o->before) TRY(ladder_lab_require_step(lab, o->before, &before, err));
    TRY(ladder_kit_find(&kit, err));
    if (!o->solution) ladder_predict_note(&kit, lab, &step->number, 1, "profile");
    const int steps[] = {step->number, before ? before->number : 0};
    TRY(build_steps(&kit, lab, steps, before ? 2 : 1, o->solution, err));
    TRY(look_at_results(&kit, lab, step->number, o, run, err));
    TRY(profile_one(&kit, lab, step, o, &run->profile, run->title, sizeof run->title, err));
    if (before)
        TRY(profile_one(&kit, lab, before, o, &run->before, run->before_title,
                        sizeof run->before_title, err));
    const ladder_check_request request = {
        .solution = o->solution, .family = o->family, .max_instructions = -1};
    if (o->check)
        TRY(ladder_check_step(&kit, lab, step->number, &request, run->title, &run->checks, err));
    if (o->check && before)
        TRY(ladder_check_step(&kit, lab, before->number, &request, run->before_title,
                              &run->before_checks, err));
    return KL_OK;
}

static kl_status check_program(const ladder_kit *kit, char *const *argv, const profile_options *o,
                               ladder_checks *out_checks, kl_error *err) {
    const ladder_check_request request = {.max_instructions = -1};
    const ladder_checks_options options = ladder_check_program_options(&request, false);
    return o->check ? ladder_checks_run(kit, argv, &options, out_checks, err) : KL_OK;
}

// The program to compare with, "PROGRAM ARGS", taken apart as a shell does.
static kl_status profile_before(const ladder_kit *kit, const profile_options *o, profile_run *run,
                                kl_error *err) {
    ladder_command_line line;
    int code = 0;
    snprintf(run->before_title, sizeof run->before_title, "%s", o->before);
    kl_status status = ladder_command_line_open(o->before, "--before ", &line, err);
    if (status == KL_OK)
        status = ladder_profile_program(kit, line.words.we_wordv, true, &o->request, &run->before,
                                        &code, err);
    if (status == KL_OK && run->before.count > 0)
        status = check_program(kit, line.words.we_wordv, o, &run->before_checks, err);
    ladder_command_line_close(&line);
    if (status == KL_OK && run->before.count == 0)
        fprintf(stderr, "ladder profile: %s launched no kernel (exit status %d)\n", o->before,
                code);
    return status;
}

static kl_status profile_program(const ladder_arguments *arguments, const profile_options *o,
                                 profile_run *run, int *out_exit, kl_error *err) {
    ladder_kit kit;
    TRY(ladder_kit_find(&kit, err));
    if (o->before) TRY(profile_before(&kit, o, run, err));
    setenv("LADDER_SIM_DIFFERENCES", "1", 1);
    TRY(ladder_program_find(arguments->after_dashes[0], run->title, err));
    arguments->after_dashes[0] = run->title;
    TRY(ladder_profile_program(&kit, arguments->after_dashes, true, &o->request, &run->profile,
                               out_exit, err));
    if (run->profile.count == 0)
        fprintf(stderr, "ladder profile: the program launched no kernel (exit status %d)\n",
                *out_exit);
    return run->profile.count > 0
               ? check_program(&kit, arguments->after_dashes, o, &run->checks, err)
               : KL_OK;
}

int ladder_cmd_profile(int argc, char **argv) {
    profile_options o = {.cycles = -1};
    const ladder_option options[] = {
        OPT_FLAG("--solution", &o.solution, "the complete step instead of yours"),
        OPT_TEXT("--size", &o.size, "N", "another size than the lab's largest on the simulator"),
        OPT_TEXT("--case", &o.family, "NAME", "another kind of input"),
        OPT_CHOICE("--device", &o.device, "NAME", ladder_simulated_words, ladder_simulated_words),
        OPT_CHOICE("--devices", &o.devices, "N", "how many a program finds", ladder_devices_words),
        OPT_CHOICE("--resident", &o.resident, "HOW",
                   "blocks that run together: all that fit, or one by one", ladder_resident_words),
        OPT_FLAG("--timeline", &o.timeline, "what the warps of one SM do, cycle by cycle"),
        OPT_SIZE("--cycles", &o.cycles, "N", "of a timeline: the first N (5000; with wgmma 12000)"),
        OPT_FLAG("--fidelity", &o.fidelity,
                 "what results, counts and times are worth, by instruction"),
        OPT_FLAG("--maps", &o.request.maps,
                 "with --json: addresses, splits of branches, boxes of copies"),
        OPT_TEXT("--html", &o.html, "FILE", "the profile as one page for a browser"),
        OPT_TEXT("--before", &o.before, "STEP",
                 "with --html: another step, or 'PROGRAM ARGS', to compare with"),
        OPT_FLAG("--check", &o.check, "with --html: findings of `ladder check` at their lines"),
        OPT_TEXT("--json", &o.json, "FILE", "the profile as JSON (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    bool is_program = ladder_names_program(&arguments);
    if (!is_program && !ladder_names_step(&arguments))
        return ladder_command_no_step(argv[0], &arguments,
                                      "a lab and one step, or -- and a program", "which step");
    if (!o.html && (o.check || o.before))
        return ladder_command_misused(argv[0], "--before and --check are for the page of --html");
    o.request.timelines = o.timeline || o.html;
    o.request.codes = o.html || o.fidelity;
    o.request.maps = o.request.maps || o.html;
    kl_error err = {KL_OK, ""};
    if (ladder_simulation_choose(o.device, o.devices, o.resident, &err) != KL_OK)
        return ladder_command_fail(argv[0], &err);
    profile_run *run = calloc(1, sizeof *run);
    if (!run) return LADDER_EXIT_FAILED;
    kl_status status = is_program ? profile_program(&arguments, &o, run, &code, &err)
                                  : profile_step(&arguments, &o, run, &err);
    if (status == KL_OK && (run->profile.count > 0 || !is_program)) status = show(run, &o, &err);
    if (status == KL_OK) code = status_of(&run->profile, code);
    free_run(run);
    return status == KL_OK ? code : ladder_command_fail(argv[0], &err);
}
