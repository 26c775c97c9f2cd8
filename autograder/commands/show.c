// ladder show: source, PTX and machine code of kernels, line by line, with how often each was
// executed.
#include "commands/command.h"
#include "show/page/page.h"

static const ladder_usage usage = {
    "ladder show LAB STEP [options]   or   ladder show -- PROGRAM [KERNEL]",
    "Runs a step, or a program, on the simulator and shows each line of source with the PTX\n"
    "that nvcc made of it, the warps that executed it and their active threads, and the\n"
    "machine code that ptxas made of that; --html the three side by side. KERNEL is a part\n"
    "of a kernel's name. PROGRAM must be linked with the shared CUDA runtime (nvcc -cudart\n"
    "shared) and compiled with -lineinfo; its arguments stand in one word with it.",
    "  ladder show reduction 3 --solution\n"
    "  ladder show reduction 3 --solution --html code.html\n"
    "  ladder show -- './a.out 1000' my_kernel",
};

enum { KERNELS = 64 };

typedef struct show_run {
    ladder_profile profile;
    char title[LADDER_PATH];
    ladder_joined kernels[KERNELS];
    int count;
} show_run;

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const show_run *run = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.show/1 kernels [");
    for (int i = 0; i < run->count; i++) ladder_joined_write(&run->kernels[i], &json);
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

static kl_status write_page(void *context, FILE *out, kl_error *err) {
    const show_run *run = context;
    (void)err;
    ladder_joined_page(run->kernels, run->count, run->title, out);
    return KL_OK;
}

static bool is_joined(const show_run *run, const sim_launch_report *report) {
    for (int i = 0; i < run->count; i++)
        if (strcmp(run->kernels[i].report->kernel, report->kernel) == 0) return true;
    return false;
}

// The first launch of each kernel whose name has `part` in it.
static kl_status join(show_run *run, const char *part, kl_error *err) {
    char name[512];
    for (uint32_t i = 0; i < run->profile.count && run->count < KERNELS; i++) {
        const sim_launch_report *report = run->profile.launches[i];
        ladder_demangle(report->kernel, name, sizeof name);
        if (!report->code || is_joined(run, report) || (part && !strstr(name, part))) continue;
        TRY(ladder_joined_make(report, &run->kernels[run->count], err));
        run->count++;
    }
    if (run->count > 0) return KL_OK;
    if (run->profile.count == 0)
        return kl_fail(err, KL_ERROR_INPUT, "the program launched no kernel%s",
                       part ? "; its arguments stand in one word with it: -- './prog 1000' KERNEL"
                            : "");
    ladder_demangle(run->profile.launches[0]->kernel, name, sizeof name);
    return kl_fail(err, KL_ERROR_INPUT,
                   "no kernel that was launched has '%s' in its name; the first one is %.200s",
                   part ? part : "", name);
}

static kl_status run_step(const ladder_arguments *arguments, bool solution, const char *size,
                          show_run *run, kl_error *err) {
    const ladder_profile_request request = {.codes = true};
    const ladder_lab *lab = NULL;
    const kl_step_info *step = NULL;
    ladder_kit kit;
    TRY(ladder_lab_require(arguments->positional[0], &lab, err));
    TRY(ladder_lab_require_step(lab, arguments->positional[1], &step, err));
    TRY(ladder_kit_find(&kit, err));
    ladder_step_title(lab, step, solution, run->title, sizeof run->title);
    return ladder_profile_step(&kit, lab, step->number, solution, size, NULL, &request,
                               &run->profile, err);
}

static kl_status run_program(const ladder_arguments *arguments, show_run *run, kl_error *err) {
    const ladder_profile_request request = {.codes = true};
    const char *program = arguments->after_dashes[0];
    ladder_command_line line;
    int code = 0;
    ladder_kit kit;
    TRY(ladder_kit_find(&kit, err));
    snprintf(run->title, sizeof run->title, "%s", program);
    kl_status status = ladder_command_line_open(program, "", &line, err);
    if (status == KL_OK)
        status = ladder_profile_program(&kit, line.words.we_wordv, true, &request, &run->profile,
                                        &code, err);
    ladder_command_line_close(&line);
    return status;
}

static kl_status show(show_run *run, const char *html, const char *json, kl_error *err) {
    if (html) TRY(kl_file_put(html, write_page, run, err));
    if (json) TRY(kl_file_put(json, write_json, run, err));
    if (html || json) return KL_OK;
    const kl_style style = kl_style_for(stdout);
    for (int i = 0; i < run->count; i++) ladder_joined_print(&run->kernels[i], &style, stdout);
    printf("warps: that executed the instruction. thr: active threads per warp, of 32.\n");
    return KL_OK;
}

int ladder_cmd_show(int argc, char **argv) {
    bool solution = false;
    const char *size = NULL, *device = NULL, *html = NULL, *json = NULL;
    const ladder_option options[] = {
        OPT_FLAG("--solution", &solution, "the complete step instead of yours"),
        OPT_TEXT("--size", &size, "N", "another size than the lab's largest on the simulator"),
        OPT_CHOICE("--device", &device, "NAME", ladder_simulated_words, ladder_simulated_words),
        OPT_TEXT("--html", &html, "FILE", "the three side by side, for a browser"),
        OPT_TEXT("--json", &json, "FILE", "the same as JSON (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    bool program = ladder_names_program(&arguments);
    if ((!program && !ladder_names_step(&arguments)) || arguments.after_count > 2)
        return ladder_command_no_step(
            argv[0], &arguments, "a lab and one step, or -- and a program with perhaps a kernel",
            "which step");
    kl_error err = {KL_OK, ""};
    if (ladder_simulation_choose(device, NULL, NULL, &err) != KL_OK)
        return ladder_command_fail(argv[0], &err);
    show_run *run = calloc(1, sizeof *run);
    if (!run) return LADDER_EXIT_FAILED;
    kl_status status = program ? run_program(&arguments, run, &err)
                               : run_step(&arguments, solution, size, run, &err);
    if (status == KL_OK)
        status = join(run, arguments.after_count == 2 ? arguments.after_dashes[1] : NULL, &err);
    if (status == KL_OK) status = show(run, html, json, &err);
    for (int i = 0; i < run->count; i++) ladder_joined_free(&run->kernels[i]);
    ladder_profile_free(&run->profile);
    free(run);
    return status == KL_OK ? code : ladder_command_fail(argv[0], &err);
}
