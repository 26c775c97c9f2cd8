// Reads a line. At a terminal, where the kit was built with libedit, it can be edited, lines before
// it come back, and names of commands are completed.
#include "ladder_config.h"
#include "learn/debug/debug.h"

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
