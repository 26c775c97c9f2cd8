// The place to read and the place to write: see lesson.h.
#include "learn/lesson/lesson.h"
#include <limits.h>

// The line after this one, or NULL.
static const char *next_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end && end[1] != '\0' ? end + 1 : NULL;
}

static int line_bytes(const char *at) { return (int)strcspn(at, "\n"); }

// Whether `word` stands at `at`, in any letter case.
static bool says(const char *at, const char *word) {
    return strncasecmp(at, word, strlen(word)) == 0;
}

// The fewest steps, this one among them, that a heading names; 0: it does not name the step.
static int heading_names(const char *heading, int bytes, int step) {
    int fewest = 0;
    for (const char *at = heading; at < heading + bytes; at++) {
        if (at > heading && isalpha((unsigned char)at[-1])) continue;
        if (!says(at, "step ") && !says(at, "steps ")) continue;
        int named = ladder_steps_named(strchr(at, ' ') + 1, step);
        if (named > 0 && (fewest == 0 || named < fewest)) fewest = named;
    }
    return fewest;
}

// A heading as people read it: "## A [b](c)" is "A b".
static void take_title(const char *heading, int bytes, int line, ladder_section *out) {
    int used = 0, at = 0;
    out->line = line;
    while (at < bytes && (heading[at] == '#' || heading[at] == ' ')) at++;
    for (; at < bytes && used + 1 < LADDER_SECTION_TITLE; at++) {
        if (heading[at] == '[' || heading[at] == '`' || heading[at] == '*') continue;
        if (heading[at] == ']') {
            const char *end = memchr(heading + at, ')', (size_t)(bytes - at));
            at = heading[at + 1] == '(' && end ? (int)(end - heading) : at;
            continue;
        }
        out->title[used++] = heading[at];
    }
    out->title[used] = '\0';
}

bool ladder_section_find(const char *page, int step, ladder_section *out_section) {
    char marker[40];
    int best = INT_MAX, line = 1;
    bool code = false, marked = false;
    ladder_section last = {0, ""}, of_marker = {0, ""};
    snprintf(marker, sizeof marker, "<!-- predict:%d -->", step);
    for (const char *at = page; at; at = next_line(at), line++) {
        int bytes = line_bytes(at);
        if (strncmp(at, "```", 3) == 0) code = !code;
        if (!marked && strncmp(at, marker, strlen(marker)) == 0) {
            marked = last.line > 0;
            of_marker = last;
        }
        if (code || *at != '#') continue;
        take_title(at, bytes, line, &last);
        int named = heading_names(at, bytes, step);
        if (named == 0 || named >= best) continue;
        best = named;
        *out_section = last;
    }
    if (best == INT_MAX && marked) *out_section = of_marker;
    return best < INT_MAX || marked;
}

// The text behind "//" of a line of comment, or NULL; *out_bytes: its length.
static const char *comment_of(const char *line, int *out_bytes) {
    const char *at = line + strspn(line, " \t");
    if (strncmp(at, "//", 2) != 0) return NULL;
    at += 2;
    at += strspn(at, " \t");
    *out_bytes = line_bytes(at);
    return at;
}

static const char todo_mark[] = "TODO(student): ";

static bool is_todo(const char *comment) {
    return comment && strncmp(comment, todo_mark, sizeof todo_mark - 1) == 0;
}

static void append(ladder_todo *todo, const char *text, int bytes) {
    size_t used = strlen(todo->text);
    snprintf(todo->text + used, sizeof todo->text - used, "%s%.*s", used > 0 ? " " : "", bytes,
             text);
}

bool ladder_todo_find(const char *source, ladder_todo *out_todo) {
    int bytes = 0;
    *out_todo = (ladder_todo){.line = 1};
    for (const char *at = source; at; at = next_line(at), out_todo->line++) {
        const char *text = comment_of(at, &bytes), *behind = next_line(at);
        if (!is_todo(text)) continue;
        if (behind && says(behind, "#define IMPLEMENTED")) continue;
        int mark = (int)sizeof todo_mark - 1;
        append(out_todo, text + mark, bytes - mark);
        for (; behind; behind = next_line(behind)) {
            text = comment_of(behind, &bytes);
            if (!text || is_todo(text)) break;
            append(out_todo, text, bytes);
        }
        return true;
    }
    return false;
}
