// Commands that let the program go on, forwards or backwards.
#include "learn/debug/debug.h"
#include "utilities/text.h"
#include "ladder_config.h"

// The count that a step may be given.
static kl_status read_count(const debug_words *words, uint64_t *out_count, kl_error *err) {
    *out_count = 1;
    if (words->text[0] == '\0' || ladder_parse_uint(words->text, 1000000000, out_count))
        return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "How often? `%s` is no number.", words->text);
}

// Steps until something else stops it.
static kl_status step_often(debug_terminal *t, const debug_words *words, sim_debug_way way,
                            sim_debug_step step, kl_error *err) {
    uint64_t count;
    TRY(read_count(words, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        TRY(debug_go(t, way, step, 0, err));
        if (!t->client.stopped || t->client.stop.reason != SIM_DEBUG_STEPPED) break;
    }
    return KL_OK;
}

#define STEP(identifier, way, step)                                                                \
    kl_status debug_cmd_##identifier(debug_terminal *t, const debug_words *words, kl_error *err) { \
        return step_often(t, words, SIM_DEBUG_##way, SIM_DEBUG_##step, err);                       \
    }
STEP(step, FORWARDS, LINE)
STEP(next, FORWARDS, LINE_OVER)
STEP(stepi, FORWARDS, INSTRUCTION)
STEP(nexti, FORWARDS, INSTRUCTION_OVER)
STEP(reverse_step, BACKWARDS, LINE)
STEP(reverse_next, BACKWARDS, LINE_OVER)
STEP(reverse_stepi, BACKWARDS, INSTRUCTION)
STEP(reverse_nexti, BACKWARDS, INSTRUCTION_OVER)

kl_status debug_cmd_run(debug_terminal *t, const debug_words *words, kl_error *err) {
    if (words->text[0])
        return kl_fail(err, KL_ERROR_INPUT,
                       "Arguments of the program stand on the command line, behind `--`.");
    printf("Starting program: %s\n", debug_path_from_here(t->argv[0]));
    return debug_start(t, err);
}

kl_status debug_cmd_kill(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    if (!t->running) return kl_fail(err, KL_ERROR_INPUT, "The program is not being run.");
    debug_end(t);
    puts("[The program was ended]");
    return KL_OK;
}

kl_status debug_cmd_continue(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    if (debug_is_stopped(t, err)) puts("Continuing.");
    return debug_go(t, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0, err);
}

kl_status debug_cmd_reverse_continue(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    if (debug_is_stopped(t, err)) puts("Going back.");
    return debug_go(t, SIM_DEBUG_BACKWARDS, SIM_DEBUG_CONTINUE, 0, err);
}

static kl_status leave(debug_terminal *t, sim_debug_way way, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count;
    if (!debug_frames(t, frames, &count, err)) return KL_ERROR_INPUT;
    if (count < 2)
        return kl_fail(err, KL_ERROR_INPUT, "\"%s\" not meaningful in the outermost frame.",
                       way == SIM_DEBUG_FORWARDS ? "finish" : "reverse-finish");
    return debug_go(t, way, SIM_DEBUG_OUT, 0, err);
}

kl_status debug_cmd_finish(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    return leave(t, SIM_DEBUG_FORWARDS, err);
}

kl_status debug_cmd_reverse_finish(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    return leave(t, SIM_DEBUG_BACKWARDS, err);
}

kl_status debug_cmd_until(debug_terminal *t, const debug_words *words, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES], place;
    sim_debug_point point = {.kind = SIM_DEBUG_AT_LINE};
    uint64_t line = 0;
    uint32_t count;
    if (!debug_frames(t, frames, &count, err)) return KL_ERROR_INPUT;
    if (words->text[0] && (!ladder_parse_uint(words->text, UINT32_MAX, &line) || line == 0))
        return kl_fail(err, KL_ERROR_INPUT, "Until which line? A number, of this file.");
    if (line) { // which has code, or the next one that has
        point.line = (uint32_t)line;
        snprintf(point.name, sizeof point.name, "%s", frames[0].file);
        if (sim_debug_resolve(&t->client, &point, &place, err) != SIM_OK)
            return kl_fail(err, KL_ERROR_INPUT, "Line %s: no code there or behind it.",
                           words->text);
        line = place.line;
    }
    return debug_go(t, SIM_DEBUG_FORWARDS, SIM_DEBUG_UNTIL, line, err);
}

kl_status debug_cmd_when(debug_terminal *t, const debug_words *words, kl_error *err) {
    uint64_t times[64];
    uint32_t count;
    (void)words;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    printf("Time %" PRIu64 " of kernel %u", t->client.stop.time, t->client.stop.launch);
    if (sim_debug_times(&t->client, times, 64, &count, err) == SIM_OK && count > 0)
        printf("; %u snapshot%s, the last at %" PRIu64, count, count == 1 ? "" : "s",
               times[count - 1]);
    putchar('\n');
    return KL_OK;
}

kl_status debug_cmd_goto(debug_terminal *t, const debug_words *words, kl_error *err) {
    uint64_t time;
    if (!debug_is_stopped(t, err)) return KL_ERROR_INPUT;
    if (!ladder_parse_uint(words->text, UINT64_MAX, &time))
        return kl_fail(err, KL_ERROR_INPUT, "Which time? `when` tells that of now.");
    return debug_go(t, SIM_DEBUG_TO_TIME, SIM_DEBUG_CONTINUE, time, err);
}

// Reads a line. At a terminal, where the kit was built with libedit, it can be edited, lines
// before it come back, and names of commands are completed.

static const char prompt[] = "(ladder) ";

#if LADDER_HAVE_EDIT
#include <histedit.h>

struct debug_editor {
    EditLine *edit;
    History *history;
    debug_complete_fn complete;
};

static char *show_prompt(EditLine *edit) {
    static char text[sizeof prompt];
    (void)edit;
    memcpy(text, prompt, sizeof prompt);
    return text;
}

// Ctrl-C: an empty line, below this one.
static unsigned char start_over(EditLine *edit, int key) {
    const LineInfo *line = el_line(edit);
    (void)key;
    el_cursor(edit, (int)(line->lastchar - line->cursor));
    el_deletestr(edit, (int)(line->lastchar - line->buffer));
    fputs("^C\n", stdout);
    fflush(stdout);
    return CC_REDISPLAY;
}

// What all names that begin with a word have in common; and lists them, where that is no more than
// the word.
static unsigned char complete_name(EditLine *edit, int key) {
    const LineInfo *line = el_line(edit);
    const char *names[DEBUG_COMPLETIONS];
    debug_editor *editor = NULL;
    size_t typed = (size_t)(line->cursor - line->buffer);
    (void)key;
    if (memchr(line->buffer, ' ', typed) || line->cursor != line->lastchar) return CC_ERROR;
    if (el_get(edit, EL_CLIENTDATA, &editor) != 0 || !editor) return CC_ERROR;
    uint32_t count = editor->complete(line->buffer, typed, names);
    if (count == 0) return CC_ERROR;
    size_t same = strlen(names[0]);
    for (uint32_t i = 1; i < count; i++)
        while (strncmp(names[0], names[i], same) != 0) same--;
    char more[64];
    snprintf(more, sizeof more, "%.*s%s", (int)(same - typed), names[0] + typed,
             count == 1 ? " " : "");
    if (more[0]) return el_insertstr(edit, more) == 0 ? CC_REFRESH : CC_ERROR;
    putchar('\n');
    for (uint32_t i = 0; i < count; i++) printf("%s%c", names[i], i + 1 < count ? ' ' : '\n');
    fflush(stdout);
    return CC_REDISPLAY;
}

static void set_keys(EditLine *edit) {
    el_set(edit, EL_EDITOR, "emacs");
    el_set(edit, EL_ADDFN, "ladder-complete", "Completes a command", complete_name);
    el_set(edit, EL_ADDFN, "ladder-start-over", "Begins an empty line", start_over);
    el_set(edit, EL_BIND, "^I", "ladder-complete", NULL);
    el_set(edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(edit, NULL);                       // the user's ~/.editrc
    el_set(edit, EL_SETTY, "-d", "-isig", NULL); // while a line is read: ^C is a key
    el_set(edit, EL_BIND, "^C", "ladder-start-over", NULL);
}

debug_editor *debug_editor_new(debug_complete_fn complete) {
    enum { LINES = 1000 };
    HistEvent event;
    debug_editor *editor = calloc(1, sizeof *editor);
    if (editor) editor->edit = el_init("ladder", stdin, stdout, stderr);
    if (editor && editor->edit) editor->history = history_init();
    if (!editor || !editor->history) {
        debug_editor_free(editor);
        return NULL;
    }
    history(editor->history, &event, H_SETSIZE, LINES);
    history(editor->history, &event, H_SETUNIQUE, 1);
    editor->complete = complete;
    el_set(editor->edit, EL_CLIENTDATA, editor);
    el_set(editor->edit, EL_PROMPT, show_prompt);
    el_set(editor->edit, EL_HIST, history, editor->history);
    set_keys(editor->edit);
    return editor;
}

void debug_editor_free(debug_editor *editor) {
    if (!editor) return;
    if (editor->history) history_end(editor->history);
    if (editor->edit) el_end(editor->edit);
    free(editor);
}

static bool edit_line(debug_editor *editor, char **line, size_t *capacity) {
    HistEvent event;
    int length = 0;
    const char *text;
    do text = el_gets(editor->edit, &length);
    while (!text && length < 0 && errno == EINTR);
    if (!text || length <= 0) return false;
    if (text[0] != '\n') history(editor->history, &event, H_ENTER, text);
    char *copy = strdup(text);
    if (!copy) return false;
    free(*line);
    *line = copy;
    *capacity = strlen(copy) + 1;
    return true;
}
#else
debug_editor *debug_editor_new(debug_complete_fn complete) {
    (void)complete;
    return NULL;
}

void debug_editor_free(debug_editor *editor) { (void)editor; }

static bool edit_line(debug_editor *editor, char **line, size_t *capacity) {
    (void)editor, (void)line, (void)capacity;
    return false;
}
#endif

bool debug_read_line(debug_editor *editor, FILE *in, bool is_terminal, char **line,
                     size_t *capacity) {
    fflush(stdout);
    if (editor) return edit_line(editor, line, capacity);
    for (;;) {
        if (is_terminal) fputs(prompt, stdout);
        fflush(stdout);
        if (getline(line, capacity, in) >= 0) return true;
        if (errno != EINTR || feof(in)) return false;
        clearerr(in); // Ctrl-C
        if (is_terminal) putchar('\n');
    }
}
