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
    int best = INT_MAX, line = 1;
    bool code = false, marked = false;
    ladder_section last = {0, ""}, of_marker = {0, ""};
    for (const char *at = page; at; at = next_line(at), line++) {
        int bytes = line_bytes(at);
        if (strncmp(at, "```", 3) == 0) code = !code;
        int length = 0, asked = -1;
        if (*at == '>')
            (void)sscanf(at, "> **Predict first**: `./ladder predict %*s %d`%n", &asked, &length);
        if (!marked && length > 0 && asked == step) {
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

// Hints in Markdown and the memory of what was shown.

// If the line at `text` is the heading "## Step N", returns true and N.
static bool step_heading(const char *text, int *out_number) {
    if (strncmp(text, "## ", 3) != 0) return false;
    text += 3 + strspn(text + 3, " ");
    return strncasecmp(text, "step", 4) == 0 && sscanf(text + 4, " %d", out_number) == 1;
}

// If the line at `text` begins hint N, "N. ..", returns its length up to the text, else 0.
static size_t hint_begin(const char *text, int *out_number) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 3 || text[digits] != '.') return 0;
    *out_number = atoi(text);
    return digits + 1 + strspn(text + digits + 1, " ");
}

static void trim(const char **text, size_t *bytes) {
    while (*bytes > 0 && isspace((unsigned char)(*text)[0])) {
        (*text)++;
        (*bytes)--;
    }
    while (*bytes > 0 && isspace((unsigned char)(*text)[*bytes - 1])) (*bytes)--;
}

kl_status ladder_hints_find(char *markdown, int step, ladder_hints *out_hints, kl_error *err) {
    out_hints->count = 0;
    bool inside = false, code = false;
    char *to = NULL; // where the next line of a hint goes; NULL: in no hint
    for (char *line = markdown, *next; *line != '\0'; line = next) {
        int number = 0;
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        size_t blanks = strspn(line, " ");
        if (strncmp(line + blanks, "```", 3) == 0) code = !code; // '#' starts no heading in code
        if (!code && (strncmp(line, "## ", 3) == 0 || strncmp(line, "# ", 2) == 0)) {
            inside = step_heading(line, &number) && number == step;
            to = NULL;
            continue;
        }
        size_t marks = !code && inside ? hint_begin(line, &number) : 0;
        if (marks > 0) {
            if (out_hints->count == LADDER_HINTS_MAX || number != out_hints->count + 1) {
                return kl_fail(err, KL_ERROR_INPUT,
                               "hints of step %d: found hint %d where hint %d was expected", step,
                               number, out_hints->count + 1);
            }
            out_hints->hints[out_hints->count++].text = line + marks;
            to = next;
        } else if (to) { // without the indentation of what belongs to an item
            line += blanks < 3 ? blanks : 3;
            memmove(to, line, (size_t)(next - line));
            to += next - line;
        } else continue;
        out_hints->hints[out_hints->count - 1].bytes =
            (size_t)(to - out_hints->hints[out_hints->count - 1].text);
    }
    for (int i = 0; i < out_hints->count; i++)
        trim(&out_hints->hints[i].text, &out_hints->hints[i].bytes);
    return KL_OK;
}

// Splits "lab step count"; false when the line is something else.
static bool parse_memory(const char *line, char lab[64], int *out_step, int *out_count) {
    return sscanf(line, "%63s %d %d", lab, out_step, out_count) == 3 && *out_count >= 0;
}

int ladder_hints_seen(const char *path, const char *lab, int step) {
    FILE *in = fopen(path, "re");
    if (!in) return 0;
    char line[256], name[64];
    int line_step = 0, count = 0, seen = 0;
    while (fgets(line, sizeof line, in)) {
        bool fits = parse_memory(line, name, &line_step, &count) && strcmp(name, lab) == 0;
        if (fits && line_step == step) seen = count;
    }
    fclose(in);
    return seen;
}

typedef struct memory {
    const char *path, *lab;
    int step, count;
} memory;

static kl_status write_memory(void *context, FILE *out, kl_error *err) {
    const memory *m = context;
    FILE *in = fopen(m->path, "re");
    char line[256], name[64];
    int line_step = 0, old = 0;
    (void)err; // kl_file_update notices what could not be written
    while (in && fgets(line, sizeof line, in)) {
        if (!parse_memory(line, name, &line_step, &old)) continue;
        bool replaced = strcmp(name, m->lab) == 0 && (m->step < 0 || line_step == m->step);
        if (!replaced) fprintf(out, "%s %d %d\n", name, line_step, old);
    }
    if (in) fclose(in);
    if (m->step >= 0 && m->count > 0) fprintf(out, "%s %d %d\n", m->lab, m->step, m->count);
    return KL_OK;
}

kl_status ladder_hints_remember(const char *path, const char *lab, int step, int count,
                                kl_error *err) {
    memory m = {path, lab, step, count};
    return kl_file_update(path, write_memory, &m, err);
}
