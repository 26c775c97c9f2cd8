// ladder log: the work log of a lab, and a sheet of questions about the student's own code.
#include "commands/command.h"
#include "learn/lesson/lesson.h"
#include "learn/log/log.h"

static const ladder_usage usage = {
    "ladder log LAB [STEP ..] [options]",
    "Writes labs/LAB/steps/log.md, to hand in with the steps: of each step that you began\n"
    "what it changed, what you predicted, what was counted and timed last, and a place for\n"
    "your own words, which stays as it is when the log is written again. Nothing is run.\n"
    "--sheet prints questions on single lines of your steps instead, with answers counted\n"
    "on the simulator: what somebody may ask you about your code.",
    "  ladder log reduction\n"
    "  ladder log reduction 3 --sheet >sheet.md",
};

typedef struct log_options {
    bool sheet;
} log_options;

// The log as it was; caller frees. NULL: there is none.
static char *read_before(const char *path) {
    enum { LOG_MAX = 4 << 20 };
    char *text = NULL;
    if (!ladder_file_exists(path) ||
        ladder_file_read(AT_FDCWD, path, LOG_MAX, &text, NULL, NULL) != KL_OK)
        return NULL;
    return text;
}

typedef struct log_job {
    const ladder_kit *kit;
    const ladder_lab *lab;
    const char *before;
    int steps;
} log_job;

static kl_status write_log(void *context, FILE *out, kl_error *err) {
    log_job *job = context;
    return ladder_log_write(job->kit, job->lab, job->before, out, &job->steps, err);
}

static kl_status make_log(const ladder_kit *kit, const ladder_lab *lab, kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_log_path(kit, lab, path, err));
    char *before = read_before(path);
    log_job job = {kit, lab, before, 0};
    kl_status status = kl_file_put(path, write_log, &job, err);
    free(before);
    if (status == KL_OK)
        printf("labs/%s/steps/%s: %d step%s\nWrite in your own words what you did, and hand it in "
               "with them.\n",
               lab->folder, LADDER_LOG_FILE, job.steps, job.steps == 1 ? "" : "s");
    return status;
}

// Whether a step is asked about: those named, else all that are the student's own.
static bool is_wanted(const ladder_arguments *a, const ladder_step_progress *step) {
    for (int i = 1; i < a->count; i++)
        if (atoi(a->positional[i]) == step->info->number) return true;
    return a->count == 1 && step->state > LADDER_STEP_BEGUN;
}

static kl_status make_sheet(const ladder_kit *kit, const ladder_lab *lab,
                            const ladder_arguments *arguments, kl_error *err) {
    ladder_progress *progress = calloc(1, sizeof *progress);
    int asked = 0, questions = 0;
    if (!progress) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a sheet");
    kl_status status = ladder_progress_read(kit, lab, progress, err);
    if (status == KL_OK) printf("# Questions on my code: %s\n\n", lab->problem->title);
    for (int i = 0; i < progress->count && status == KL_OK; i++) {
        if (!is_wanted(arguments, &progress->steps[i])) continue;
        asked++;
        status = ladder_sheet_write(kit, lab, progress->steps[i].info, stdout, &questions, err);
    }
    if (status == KL_OK && asked == 0)
        status = kl_fail(err, KL_ERROR_INPUT, "no step of %s is yours yet", lab->folder);
    free(progress);
    return status;
}

int ladder_cmd_log(int argc, char **argv) {
    log_options o = {.sheet = false};
    const ladder_option options[] = {
        OPT_FLAG("--sheet", &o.sheet, "print questions and their answers"),
    };
    ladder_arguments arguments;
    const ladder_lab *lab = NULL;
    const kl_step_info *step = NULL;
    ladder_kit kit;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(&usage, options, 1, argc, argv, &arguments, &code)) return code;
    if (arguments.count < 1 || (arguments.count > 1 && !o.sheet))
        return ladder_command_misused(argv[0],
                                      "expected a lab, for example: ./ladder log reduction; "
                                      "steps belong to --sheet");
    kl_error err = {KL_OK, ""};
    kl_status status = ladder_lab_require(arguments.positional[0], &lab, &err);
    for (int i = 1; i < arguments.count && status == KL_OK; i++)
        status = ladder_lab_require_step(lab, arguments.positional[i], &step, &err);
    if (status == KL_OK) status = ladder_kit_find(&kit, &err);
    if (status == KL_OK)
        status = o.sheet ? make_sheet(&kit, lab, &arguments, &err) : make_log(&kit, lab, &err);
    return status == KL_OK ? LADDER_EXIT_OK : ladder_command_fail(argv[0], &err);
}
