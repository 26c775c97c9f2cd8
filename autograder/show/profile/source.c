// The source of a launch's lines: see profile.h.
#include "show/profile/profile.h"
#include "grade/submission/submission.h"

// A source file in lines; empty when it cannot be read.
typedef struct source {
    char *text;
    char **lines; // from 1
    uint32_t count;
} source;

static void free_source(source *s) {
    free(s->text);
    free(s->lines);
    *s = (source){NULL, NULL, 0};
}

static void read_source(const char *path, source *out) {
    enum { SOURCE_MAX = 4 << 20 };
    size_t bytes = 0;
    *out = (source){NULL, NULL, 0};
    kl_error err = {KL_OK, ""};
    if (ladder_file_read(AT_FDCWD, path, SOURCE_MAX, &out->text, &bytes, &err) != KL_OK) return;
    uint32_t count = 1;
    for (size_t i = 0; i < bytes; i++) count += out->text[i] == '\n';
    out->lines = calloc((size_t)count + 2, sizeof *out->lines);
    if (!out->lines) {
        free_source(out);
        return;
    }
    char *line = out->text;
    for (out->count = 0; line && out->count < count;) {
        out->lines[++out->count] = line;
        line = strchr(line, '\n');
        if (line) *line++ = '\0';
    }
}

// The text of a source line without `indent` columns, tabs replaced, to be freed; NULL without
// memory.
static char *tidy_text(const char *text, size_t indent) {
    size_t used = 0, most = 4 * strlen(text) + 1;
    char *wide = malloc(most), *shown = malloc(most);
    for (const char *s = text; wide && *s != '\0'; s++) {
        if (*s == '\t')
            for (int i = 0; i < 4; i++) wide[used++] = ' ';
        else if (*s != '\r') wide[used++] = *s;
    }
    if (wide) wide[used] = '\0';
    if (wide && shown) ladder_plain(used > indent ? wide + indent : "", false, shown, most);
    free(wide);
    return shown;
}

static size_t indent_of(const char *text) {
    size_t columns = 0;
    for (; *text == ' ' || *text == '\t'; text++) columns += *text == '\t' ? 4 : 1;
    return *text == '\0' || *text == '\r' ? SIZE_MAX : columns;
}

// A line that only the skeleton's maker reads.
static bool is_marker(const char *text) {
    return strncmp(text + strspn(text, " \t"), LADDER_SOLUTION_MARKER,
                   sizeof LADDER_SOLUTION_MARKER - 1) == 0;
}

enum { GAP = 4 }; // between lines that ran, more other ones than this are folded

// Columns that all lines to be shown begin with: those that ran and those between them.
static size_t common_indent(const sim_launch_report *r, const source *s, uint32_t first,
                            uint32_t end) {
    size_t least = SIZE_MAX;
    uint32_t previous = r->lines[first].line;
    for (uint32_t i = first; i < end; i++) {
        uint32_t line = r->lines[i].line;
        bool near = line > previous && line <= previous + GAP;
        for (uint32_t at = near ? previous + 1 : line; at <= line && at <= s->count; at++) {
            size_t columns =
                at >= 1 && !is_marker(s->lines[at]) ? indent_of(s->lines[at]) : SIZE_MAX;
            least = columns < least ? columns : least;
        }
        previous = line;
    }
    return least == SIZE_MAX ? 0 : least;
}

static void show(const source *s, uint32_t line, size_t indent, const sim_line_counters *counters,
                 ladder_source_visit visit, void *context) {
    char *text = tidy_text(line >= 1 && line <= s->count ? s->lines[line] : "", indent);
    visit(context, line, text ? text : "", counters);
    free(text);
}

void ladder_source_walk(const sim_launch_report *report, uint32_t first, uint32_t end,
                        ladder_source_visit visit, void *context) {
    const sim_launch_report *r = report;
    uint32_t file = r->lines[first].file;
    source s;
    read_source(file < r->file_count ? r->files[file] : "?", &s);
    size_t indent = common_indent(r, &s, first, end);
    uint32_t previous = r->lines[first].line;
    for (uint32_t i = first; i < end; i++) {
        uint32_t line = r->lines[i].line;
        if (line > previous + GAP) visit(context, 0, "", NULL);
        for (uint32_t between = previous + 1;
             line <= previous + GAP && between < line && between <= s.count; between++)
            if (!is_marker(s.lines[between])) show(&s, between, indent, NULL, visit, context);
        show(&s, line, indent, &r->lines[i], visit, context);
        previous = line;
    }
    free_source(&s);
}
