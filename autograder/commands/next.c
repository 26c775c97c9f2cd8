// ladder next: where one was, what to read, which file to open, and what to type. Builds nothing.
#include "commands/command.h"
#include "json.h"
#include "learn/lesson/lesson.h"

static const ladder_usage usage = {
    "ladder next [LAB] [options]",
    "Says where you were: the lab and the step that you edited or ran last, which steps are done,\n"
    "the section of the lab's page to read, the file to open with the line of its TODO, the last\n"
    "wrong value or finding, and the command to type. It builds and runs nothing. `./ladder`\n"
    "alone does the same.",
    "  ladder next\n"
    "  ladder next reduction",
};

enum { LABEL = 10 };

// What is printed.
typedef struct next_view {
    const ladder_progress *progress;
    ladder_next_step next;
} next_view;

// The outcome, as far as it is known of this version of the file.
static const char *step_word(const ladder_step_progress *step) {
    switch (step->state) {
    case LADDER_STEP_GIVEN: return "given";
    case LADDER_STEP_ALTERED: return "given, but edited";
    case LADDER_STEP_ABSENT: return ladder_outcome_word(LADDER_NOT_SUBMITTED);
    case LADDER_STEP_TO_DO:
    case LADDER_STEP_BEGUN: return ladder_outcome_word(LADDER_NOT_IMPLEMENTED);
    case LADDER_STEP_CHANGED: return ladder_outcome_word(LADDER_NOT_RUN);
    case LADDER_STEP_BAD:
        return step->run.state[0] != '\0' && !step->run.good ? step->run.state
                                                             : ladder_outcome_word(LADDER_FINDING);
    case LADDER_STEP_RIGHT_YET: return "correct so far";
    case LADDER_STEP_DONE: return ladder_outcome_word(LADDER_CORRECT);
    }
    return "";
}

static bool is_same_word(const ladder_step_progress *a, const ladder_step_progress *b) {
    return strcmp(step_word(a), step_word(b)) == 0;
}

// "given 0; correct 1 to 3; wrong answer 4; not implemented 5 to 8": words in the order of the
// steps.
static void describe_steps(const ladder_progress *p, char *text, size_t text_bytes) {
    bool told[LADDER_STEPS_MAX] = {false};
    size_t used = 0;
    text[0] = '\0';
    for (int first = 0; first < p->count; first++) {
        if (told[first]) continue;
        const char *before = step_word(&p->steps[first]);
        if (used > 0 && used < text_bytes)
            used += (size_t)snprintf(text + used, text_bytes - used, "; ");
        for (int i = first; i < p->count && used < text_bytes; i++) {
            if (!is_same_word(&p->steps[first], &p->steps[i])) continue;
            int end = i;
            while (end + 1 < p->count && is_same_word(&p->steps[i], &p->steps[end + 1])) end++;
            for (int k = i; k <= end; k++) told[k] = true;
            used += (size_t)snprintf(text + used, text_bytes - used, "%s %d", before,
                                     p->steps[i].info->number);
            if (end > i && used < text_bytes)
                used += (size_t)snprintf(text + used, text_bytes - used, "%s%d",
                                         end == i + 1 ? ", " : " to ", p->steps[end].info->number);
            before = ",";
            i = end;
        }
    }
}

static void put_line(const kl_style *style, const char *label, const char *text) {
    if (text[0] == '\0') return;
    printf("  %-*s", LABEL - 2, label);
    kl_print_wrapped(stdout, style, LABEL, text);
}

static void put_places(const ladder_next_step *n, const kl_style *style) {
    char text[LADDER_PATH + LADDER_SECTION_TITLE + 32];
    if (n->section.line > 0)
        snprintf(text, sizeof text, "%s:%d  \"%s\"", n->page, n->section.line, n->section.title);
    else snprintf(text, sizeof text, "%s", n->page);
    put_line(style, "read", text);
    if (n->todo.line > 0) snprintf(text, sizeof text, "%s:%d", n->file, n->todo.line);
    else snprintf(text, sizeof text, "%s", n->file);
    put_line(style, "open", text);
    if (n->todo.line > 0) put_line(style, "", n->todo.text);
}

static void print_next(const next_view *view) {
    const ladder_progress *p = view->progress;
    const ladder_next_step *n = &view->next;
    kl_style style = kl_style_for(stdout);
    char steps[512];
    describe_steps(p, steps, sizeof steps);
    const char *on = style.colour ? "\033[1m" : "", *off = style.colour ? "\033[0m" : "";
    if (n->step)
        printf("%sLab %.2s, %s: step %d %s%s\n", on, p->lab->folder, p->lab->problem->title,
               n->step->info->number, n->step->info->name, off);
    else
        printf("%sLab %.2s, %s: all steps are correct%s\n", on, p->lab->folder,
               p->lab->problem->title, off);
    put_line(&style, "steps", steps);
    put_line(&style, "last", n->result);
    put_line(&style, "finding", n->finding);
    if (n->step) put_places(n, &style);
    put_line(&style, "type", n->command);
    put_line(&style, "then", n->then);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const next_view *view = context;
    const ladder_progress *p = view->progress;
    const ladder_next_step *n = &view->next;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.next/2 lab %s steps [", p->lab->problem->name);
    for (int i = 0; i < p->count; i++) {
        kl_json_put(&json, "{step %d name %s state %s}", p->steps[i].info->number,
                    p->steps[i].info->name, step_word(&p->steps[i]));
    }
    kl_json_end(&json);
    if (n->step) {
        kl_json_put(&json,
                    "next_step %d result %s finding %s page %s page_line %d section %s "
                    "file %s todo_line %d",
                    n->step->info->number, n->result, n->finding, n->page, n->section.line,
                    n->section.title, n->file, n->todo.line);
    }
    kl_json_put(&json, "command %s}", n->command);
    return kl_json_finish(&json, err);
}

static kl_status next(const ladder_arguments *arguments, const char *json, kl_error *err) {
    ladder_kit kit;
    TRY(ladder_kit_find(&kit, err));
    ladder_progress *progress = calloc(1, sizeof *progress);
    if (!progress) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the state of a lab");
    const ladder_lab *lab = NULL;
    kl_status status = KL_OK;
    if (arguments->count == 1) status = ladder_lab_require(arguments->positional[0], &lab, err);
    if (status == KL_OK)
        status = lab ? ladder_progress_read(&kit, lab, progress, err)
                     : ladder_progress_latest(&kit, progress, err);
    next_view view = {.progress = progress};
    if (status == KL_OK) ladder_next_step_find(&kit, progress, &view.next);
    if (status == KL_OK && json) status = kl_file_put(json, write_json, &view, err);
    if (status == KL_OK && !kl_file_is_stdout(json)) print_next(&view);
    free(progress);
    return status;
}

int ladder_cmd_next(int argc, char **argv) {
    const char *json = NULL;
    const ladder_option options[] = {
        OPT_TEXT("--json", &json, "FILE", "the same as JSON (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (arguments.count > 1) return ladder_command_misused(argv[0], "expected one lab or none");
    kl_error err = {KL_OK, ""};
    return next(&arguments, json, &err) == KL_OK ? LADDER_EXIT_OK
                                                 : ladder_command_fail(argv[0], &err);
}
