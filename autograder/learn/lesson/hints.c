// Hints in Markdown and the memory of what was shown: see lesson.h.
#include "learn/lesson/lesson.h"

#include "atomic_file.h"

// If the line at `text` is the heading "<marks> <word> N", returns true and N.
static bool heading(const char *text, const char *marks, const char *word, int *out_number) {
    size_t length = strlen(marks);
    if (strncmp(text, marks, length) != 0 || text[length] != ' ') return false;
    text += length + strspn(text + length, " ");
    if (strncasecmp(text, word, strlen(word)) != 0) return false;
    text += strlen(word);
    return sscanf(text, " %d", out_number) == 1;
}

static const char *next_line(const char *text) {
    const char *end = strchr(text, '\n');
    return end ? end + 1 : text + strlen(text);
}

static void trim(const char **text, size_t *bytes) {
    while (*bytes > 0 && isspace((unsigned char)(*text)[0])) {
        (*text)++;
        (*bytes)--;
    }
    while (*bytes > 0 && isspace((unsigned char)(*text)[*bytes - 1])) (*bytes)--;
}

kl_status ladder_hints_find(const char *markdown, int step, ladder_hints *out_hints,
                            kl_error *err) {
    out_hints->count = 0;
    bool inside = false, code = false;
    int open = -1; // index of the hint whose text is being passed
    for (const char *line = markdown;; line = next_line(line)) {
        int number = 0;
        if (strncmp(line, "```", 3) == 0) code = !code; // '#' starts no heading inside a code block
        bool step_heading = !code && strncmp(line, "## ", 3) == 0;
        bool hint_heading = !code && inside && heading(line, "###", "hint", &number);
        bool top_heading = !code && strncmp(line, "# ", 2) == 0;
        if (open >= 0 && (step_heading || hint_heading || top_heading || *line == '\0')) {
            size_t bytes = (size_t)(line - out_hints->hints[open].text);
            out_hints->hints[open].bytes = bytes;
            trim(&out_hints->hints[open].text, &out_hints->hints[open].bytes);
            open = -1;
        }
        if (*line == '\0') return KL_OK;
        if (step_heading || top_heading) {
            inside = heading(line, "##", "step", &number) && number == step;
        } else if (hint_heading) {
            if (out_hints->count == LADDER_HINTS_MAX || number != out_hints->count + 1) {
                return kl_fail(err, KL_ERROR_INPUT,
                               "hints of step %d: found hint %d where hint %d was expected", step,
                               number, out_hints->count + 1);
            }
            open = out_hints->count++;
            out_hints->hints[open].text = next_line(line);
        }
    }
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
