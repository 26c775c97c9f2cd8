// ladder questions: writes the labs' questions into their pages, or checks that they stand there.
#include "commands/command.h"
#include "learn/predict/predict.h"

static const ladder_usage usage = {
    "ladder questions [LAB] [--check]",
    "Writes the self-check questions of labs/*/lab.json into the labs' pages, with the\n"
    "numbers that the solutions count on the simulator, and looks whether a page names\n"
    "`ladder predict` where it asks something. `ladder tables` does this, too. --check\n"
    "writes nothing and fails when a page is out of date.",
    "  ladder questions reduction --check\n"
    "  ladder questions reduction --answers",
};

typedef struct questions_options {
    bool check, answers;
} questions_options;

static kl_status update(const ladder_kit *kit, const ladder_lab *lab, bool check, bool *out_stale,
                        kl_error *err) {
    enum { PAGE_MAX = 4 << 20 };
    char path[LADDER_PATH], *page = NULL, *now = NULL;
    TRY(ladder_path(path, err, "%s/labs/%s/README.md", kit->source, lab->folder));
    TRY(ladder_file_read(AT_FDCWD, path, PAGE_MAX, &page, NULL, err));
    kl_status status = ladder_page_renew(kit, lab, page, &now, err);
    if (status != KL_OK) {
        char why[KL_ERROR_TEXT];
        snprintf(why, sizeof why, "%s", err->text);
        status = kl_fail(err, status, "labs/%s/README.md: %.700s", lab->folder, why);
    } else if (strcmp(page, now) != 0) {
        *out_stale = *out_stale || check;
        printf("labs/%s/README.md: %s\n", lab->folder,
               check ? "its questions are out of date; ./ladder tables writes them" : "written");
        if (!check) status = ladder_file_write(path, now, strlen(now), err);
    }
    free(page);
    free(now);
    return status;
}

// What the solution's steps count: the numbers that students are asked for.
static kl_status print_answers(const ladder_kit *kit, const ladder_lab *lab, kl_error *err) {
    printf("%s\n", lab->folder);
    for (int i = 0; i < lab->questions->asked_count; i++) {
        const ladder_asked *asked = &lab->questions->asked[i];
        ladder_counting *counting = calloc(1, sizeof *counting);
        if (!counting) return kl_fail(err, KL_ERROR_MEMORY, "no memory for counts");
        *counting = (ladder_counting){
            .kit = kit, .lab = lab, .family = asked->family, .size = asked->size, .solution = true};
        kl_status status = KL_OK;
        for (int k = 0; k < asked->count && status == KL_OK; k++) {
            const ladder_question *question = &asked->questions[k];
            int64_t size = ladder_question_size(asked, question);
            if (size != counting->size) counting->count = 0;
            counting->size = size;
            double value = NAN;
            char text[64];
            status = ladder_counting_value(counting, asked->step, question->formula, &value, err);
            if (status == KL_OK && !isfinite(value))
                status = kl_fail(err, KL_ERROR_INPUT, "step %d: %s is no number", asked->step,
                                 question->name);
            if (status == KL_OK)
                printf("%4d  %-24s %12s  %s\n", asked->step, question->name,
                       ladder_page_number(value, -1, text, sizeof text), question->unit);
        }
        free(counting);
        if (status != KL_OK) return status;
    }
    return KL_OK;
}

static kl_status handle(const ladder_kit *kit, const ladder_lab *lab, const questions_options *o,
                        bool *out_stale, kl_error *err) {
    return o->answers ? print_answers(kit, lab, err) : update(kit, lab, o->check, out_stale, err);
}

static kl_status handle_all(const ladder_arguments *arguments, const questions_options *o,
                            bool *out_stale, kl_error *err) {
    const ladder_lab *only = NULL;
    ladder_kit kit;
    if (arguments->count == 1) TRY(ladder_lab_require(arguments->positional[0], &only, err));
    TRY(ladder_kit_find(&kit, err));
    for (int i = 0; i < ladder_lab_count; i++)
        if (!only || only == &ladder_labs[i]) TRY(handle(&kit, &ladder_labs[i], o, out_stale, err));
    return KL_OK;
}

int ladder_cmd_questions(int argc, char **argv) {
    questions_options o = {.check = false};
    bool stale = false;
    const ladder_option options[] = {
        OPT_FLAG("--check", &o.check, "write nothing; fail when a page is out of date"),
        OPT_FLAG("--answers", &o.answers,
                 "only print what the solutions count where students predict"),
    };
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(&usage, options, 2, argc, argv, &arguments, &code)) return code;
    if (arguments.count > 1) return ladder_command_misused(argv[0], "expected one lab or none");
    kl_error err = {KL_OK, ""};
    if (handle_all(&arguments, &o, &stale, &err) != KL_OK)
        return ladder_command_fail(argv[0], &err);
    return stale ? LADDER_EXIT_FAILED : LADDER_EXIT_OK;
}
