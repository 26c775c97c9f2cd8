// ladder hint: the next hint of a step, and the memory of how many were shown.
#include "commands/command.h"
#include "json.h"
#include "learn/lesson/lesson.h"

static const ladder_usage usage = {
    "ladder hint LAB STEP [options]",
    "Prints one more hint for a step each time: first a question, last nearly the code.\n"
    "How many you have seen is kept in $XDG_STATE_HOME/kernel-ladder/hints.",
    "  ladder hint reduction 3",
};

typedef struct hint_options {
    bool all, again, reset;
    const char *json;
} hint_options;

static kl_status find_memory(const ladder_kit *kit, char *out_path, kl_error *err) {
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    char folder[LADDER_PATH];
    if (state && state[0] == '/') TRY(ladder_path(folder, err, "%s/kernel-ladder", state));
    else if (home && home[0] == '/')
        TRY(ladder_path(folder, err, "%s/.local/state/kernel-ladder", home));
    else TRY(ladder_path(folder, err, "%s", kit->build));
    TRY(ladder_folder_make(folder, err));
    return ladder_path(out_path, err, "%s/hints", folder);
}

// Prints Markdown as it is, prose wrapped, code untouched.
static void print_markdown(const char *text, size_t bytes, const kl_style *style) {
    bool code = false;
    const char *end = text + bytes;
    char paragraph[4096] = "";
    size_t used = 0;
    while (text <= end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        bool fence = length >= 3 && strncmp(text, "```", 3) == 0;
        bool item = length >= 2 && (strncmp(text, "- ", 2) == 0 || strncmp(text, "* ", 2) == 0);
        if (used > 0 && (length == 0 || fence || code || item)) {
            kl_print_wrapped(stdout, style, 0, paragraph);
            used = 0;
        }
        if (fence) {
            code = !code;
        } else if (code) {
            printf("    %.*s\n", (int)length, text);
        } else if (length == 0) {
            fputc('\n', stdout);
        } else if (used + length + 2 < sizeof paragraph) {
            used += (size_t)snprintf(paragraph + used, sizeof paragraph - used, "%s%.*s",
                                     used > 0 ? " " : "", (int)length, text);
        }
        text += length + 1;
    }
    if (used > 0) kl_print_wrapped(stdout, style, 0, paragraph);
}

static void print_hint(const ladder_hints *hints, int index, const kl_style *style) {
    printf("%sHint %d of %d%s\n", style->colour ? "\033[1m" : "", index + 1, hints->count,
           style->colour ? "\033[0m" : "");
    print_markdown(hints->hints[index].text, hints->hints[index].bytes, style);
}

typedef struct shown_hints {
    const ladder_lab *lab;
    const ladder_hints *hints;
    int step, first, end; // from `first` up to before `end`
} shown_hints;

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const shown_hints *s = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.hint/1 lab %s step %d of %d hints [", s->lab->problem->name,
                s->step, s->hints->count);
    for (int i = s->first; i < s->end; i++) {
        char text[4096];
        snprintf(text, sizeof text, "%.*s", (int)s->hints->hints[i].bytes, s->hints->hints[i].text);
        kl_json_put(&json, "{hint %d markdown %s}", i + 1, text);
    }
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

static kl_status show(const ladder_kit *kit, const ladder_lab *lab, const kl_step_info *step,
                      const ladder_hints *hints, const hint_options *o, const char *memory,
                      kl_error *err) {
    char stem[LADDER_PATH];
    if (hints->count == 0)
        return kl_fail(err, KL_ERROR_INPUT, "there are no hints for step %d", step->number);
    int seen = ladder_hints_seen(memory, lab->folder, step->number);
    if (seen > hints->count) seen = hints->count;
    int shown = o->all ? hints->count : o->again ? (seen > 0 ? seen : 1) : seen + 1;
    bool over = shown > hints->count;
    if (over) shown = hints->count;
    int first = o->all ? 0 : shown - 1;
    bool to_stdout = kl_file_is_stdout(o->json);
    kl_style style = kl_style_for(stdout);
    for (int i = first; i < shown && !to_stdout; i++) {
        if (i > first) fputc('\n', stdout);
        print_hint(hints, i, &style);
    }
    shown_hints json = {
        .lab = lab, .hints = hints, .step = step->number, .first = first, .end = shown};
    if (o->json) TRY(kl_file_put(o->json, write_json, &json, err));
    if (!to_stdout && over) printf("\n(That was the last one. --all shows them all again.)\n");
    if (!to_stdout && !over && shown < hints->count) {
        bool is_hunt = ladder_bug_find(kit, lab, step->name, stem);
        printf("\n(%d more. Try first: ./ladder %s %s ", hints->count - shown,
               is_hunt ? "check" : "run", lab->problem->name);
        if (is_hunt) printf("%s)\n", step->name);
        else printf("%d)\n", step->number);
    }
    if (!to_stdout && o->all && seen < hints->count)
        fputs("\n(All at once: the early ones help most when read alone.)\n", stdout);
    return ladder_hints_remember(memory, lab->folder, step->number, shown > seen ? shown : seen,
                                 err);
}

static kl_status hint(const ladder_arguments *arguments, const hint_options *o, kl_error *err) {
    enum { HINTS_MAX = 1 << 20 };
    const ladder_lab *lab = NULL;
    const kl_step_info *step = NULL;
    ladder_kit kit;
    char memory[LADDER_PATH], path[LADDER_PATH], *markdown = NULL;
    TRY(ladder_lab_require(arguments->positional[0], &lab, err));
    TRY(ladder_kit_find(&kit, err));
    TRY(find_memory(&kit, memory, err));
    if (o->reset && arguments->count == 1) {
        TRY(ladder_hints_remember(memory, lab->folder, -1, 0, err));
        printf("the hints of all steps start again at the first\n");
        return KL_OK;
    }
    if (arguments->count != 2) return ladder_lab_ask_step(lab, "which step", err);
    TRY(ladder_lab_require_step(lab, arguments->positional[1], &step, err));
    if (o->reset) {
        TRY(ladder_hints_remember(memory, lab->folder, step->number, 0, err));
        printf("the hints of step %d start again at the first\n", step->number);
        return KL_OK;
    }
    TRY(ladder_path(path, err, "%s/labs/%s/hints.md", kit.source, lab->folder));
    TRY(ladder_file_read(AT_FDCWD, path, HINTS_MAX, &markdown, NULL, err));
    ladder_hints hints;
    kl_status status = ladder_hints_find(markdown, step->number, &hints, err);
    if (status == KL_OK) status = show(&kit, lab, step, &hints, o, memory, err);
    free(markdown);
    return status;
}

int ladder_cmd_hint(int argc, char **argv) {
    hint_options o = {.json = NULL};
    const ladder_option options[] = {
        OPT_FLAG("--again", &o.again, "the last one once more"),
        OPT_FLAG("--all", &o.all, "all hints of the step at once"),
        OPT_FLAG("--reset", &o.reset, "start again at the first (without STEP: all)"),
        OPT_TEXT("--json", &o.json, "FILE", "the hint as JSON (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (arguments.count < 1 || arguments.count > 2)
        return ladder_command_no_step(argv[0], &arguments, "a lab and a step", "which step");
    kl_error err = {KL_OK, ""};
    return hint(&arguments, &o, &err) == KL_OK ? LADDER_EXIT_OK
                                               : ladder_command_fail(argv[0], &err);
}
