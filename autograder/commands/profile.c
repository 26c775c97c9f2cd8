// SPDX-License-Identifier: MIT
// ladder profile: counters of every kernel launch and the annotated source, of a lab's step or of
// any CUDA program that is linked with the shared runtime.
#include <stdlib.h>
#include <string.h>

#include "commands/command.h"
#include "page/page.h"
#include "profile/profile.h"
#include "kit/devices.h"
#include "kit/program_args.h"

static const ladder_usage usage = {
    "ladder profile LAB STEP [options]   or   ladder profile -- PROGRAM [ARGS..]",
    "Runs one call of a step, or a whole program, on the simulator and shows what each\n"
    "kernel launch did: time and what bounds it, counters with the names of Nsight\n"
    "Compute (--json), and the source with its cost, line by line; --html makes one\n"
    "page of it for a browser, with heat by any counter.\n"
    "PROGRAM must be linked with the shared CUDA runtime (nvcc -cudart shared) and\n"
    "compiled with -lineinfo for source lines.",
    "  ladder profile reduction 1 --solution\n"
    "  ladder profile reduction 1 --solution --html page.html\n"
    "  ladder profile occupancy 3 --solution --timeline\n"
    "  ladder profile -- ./a.out 1000",
};

typedef struct profile_options {
    bool solution, timeline;
    int64_t cycles; // of a timeline
    const char *size, *family, *device, *json, *html;
} profile_options;

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    return ladder_profile_json(context, out, err);
}

typedef struct page_parts {
    ladder_page_part parts[LADDER_PAGE_PARTS];
    int count;
} page_parts;

static kl_status write_page(void *context, FILE *out, kl_error *err) {
    const page_parts *page = context;
    return ladder_page_write(page->parts, page->count, out, err);
}

// title: of the page.
static kl_status show(ladder_profile *profile, const char *title, const profile_options *o,
                      kl_error *err) {
    bool to_stdout = kl_file_is_stdout(o->json) || kl_file_is_stdout(o->html);
    page_parts page = {{{title, profile, NULL}}, 1};
    if (o->html != NULL) TRY(kl_file_put(o->html, write_page, &page, err));
    if (o->json != NULL) TRY(kl_file_put(o->json, write_json, profile, err));
    if (to_stdout) return KL_OK;
    profile->timeline_cycles = o->cycles < UINT32_MAX ? (uint32_t)o->cycles : UINT32_MAX;
    kl_style style = kl_style_for(stdout);
    ladder_profile_print(profile, &style, stdout);
    return KL_OK;
}

// A kernel that was stopped is no success, whatever the program made of it.
static int status_of(const ladder_profile *profile, int program_status) {
    for (uint32_t i = 0; i < profile->count && program_status == LADDER_EXIT_OK; i++)
        if (profile->launches[i]->fault.kind != SIM_OK) program_status = LADDER_EXIT_FAILED;
    return program_status;
}

static kl_status profile_step(const ladder_arguments *arguments, const profile_options *o,
                              int *out_exit, kl_error *err) {
    const ladder_lab *lab = NULL;
    const kl_step_info *step = NULL;
    ladder_kit kit;
    TRY(ladder_lab_require(arguments->positional[0], &lab, err));
    TRY(ladder_lab_require_step(lab, arguments->positional[1], &step, err));
    TRY(ladder_kit_find(&kit, err));
    if (!o->solution) ladder_command_note_run(&kit, lab, &step->number, 1, "profile");
    ladder_profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a profile");
    kl_status status = ladder_profile_step(&kit, lab, step->number, o->solution, o->size, o->family,
                                           o->timeline ? LADDER_TIMELINES_MAX : 0, profile, err);
    char title[256];
    snprintf(title, sizeof title, "lab %s, step %d: %s%s", lab->folder, step->number, step->name,
             o->solution ? " (solution)" : "");
    if (status == KL_OK) status = show(profile, title, o, err);
    if (status == KL_OK) *out_exit = status_of(profile, *out_exit);
    ladder_profile_free(profile);
    free(profile);
    return status;
}

static kl_status profile_program(const ladder_arguments *arguments, const profile_options *o,
                                 int *out_exit, kl_error *err) {
    ladder_kit kit;
    char program[LADDER_PATH];
    TRY(ladder_kit_find(&kit, err));
    TRY(ladder_program_find(arguments->after_dashes[0], program, err));
    arguments->after_dashes[0] = program;
    ladder_profile *profile = calloc(1, sizeof *profile);
    if (profile == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a profile");
    kl_status status =
        ladder_profile_program(&kit, arguments->after_dashes, true,
                               o->timeline ? LADDER_TIMELINES_MAX : 0, profile, out_exit, err);
    if (status == KL_OK && profile->count == 0) {
        fprintf(stderr, "ladder profile: the program launched no kernel (exit status %d)\n",
                *out_exit);
    } else if (status == KL_OK) {
        status = show(profile, program, o, err);
        *out_exit = status_of(profile, *out_exit);
    }
    ladder_profile_free(profile);
    free(profile);
    return status;
}

int ladder_cmd_profile(int argc, char **argv) {
    profile_options o = {.cycles = 5000};
    const ladder_option options[] = {
        {"--solution", LADDER_FLAG, &o.solution, NULL, "the complete step instead of yours", NULL},
        {"--size", LADDER_TEXT, &o.size, "N",
         "another size than the lab's largest on the simulator", NULL},
        {"--case", LADDER_TEXT, &o.family, "NAME", "another kind of input", NULL},
        {"--device", LADDER_CHOICE, &o.device, "NAME", ladder_simulated_help,
         ladder_simulated_words},
        {"--timeline", LADDER_FLAG, &o.timeline, NULL,
         "what the warps of one SM do, cycle by cycle", NULL},
        {"--cycles", LADDER_SIZE, &o.cycles, "N", "of a timeline: the first N (5000)", NULL},
        {"--html", LADDER_TEXT, &o.html, "FILE", "the profile as one page for a browser", NULL},
        {"--json", LADDER_TEXT, &o.json, "FILE", "the profile as JSON (- is standard output)",
         NULL},
    };
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(&usage, options, sizeof options / sizeof options[0], argc, argv,
                              &arguments, &code))
        return code;
    kl_error err = {KL_OK, ""};
    kl_status status = ladder_device_choose(o.device, &err);
    if (status != KL_OK) return ladder_command_fail(argv[0], &err);
    if (arguments.after_count > 0 && arguments.count == 0)
        status = profile_program(&arguments, &o, &code, &err);
    else if (arguments.count == 2 && arguments.after_dashes == NULL)
        status = profile_step(&arguments, &o, &code, &err);
    else
        return ladder_command_misused(argv[0], "expected a lab and a step, or -- and a program");
    return status == KL_OK ? code : ladder_command_fail(argv[0], &err);
}
