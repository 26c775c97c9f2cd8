// Lines of source and the chapter of the page that belong to a step: see report.h.
#include "show/report/report.h"
#include "ladder_config.h"
#include "utilities/files.h"
#include <limits.h>

enum { MARKS = 12, AROUND = 3, NOTE = 160, LINES_MAX = 100000 };

typedef struct mark {
    int line;
    char note[NOTE];
} mark;

typedef struct marks {
    const char *file;
    int count;
    mark items[MARKS];
} marks;

static void add(marks *m, long line, const char *note) {
    if (line < 1 || line > LINES_MAX) return;
    for (int i = 0; i < m->count; i++)
        if (m->items[i].line == line) return;
    if (m->count == MARKS) return;
    m->items[m->count].line = (int)line;
    snprintf(m->items[m->count++].note, NOTE, "%s", note);
}

// "FILE:31 and :34", "FILE(12)": all that a text names.
static void add_named(marks *m, const char *text, const char *note) {
    size_t length = strlen(m->file);
    for (const char *at = text; (at = strstr(at, m->file));) {
        at += length;
        if (*at != ':' && *at != '(') continue;
        char *end = NULL;
        long line = strtol(at + 1, &end, 10);
        if (end == at + 1) continue;
        add(m, line, note);
        if (strncmp(end, " and :", 6) == 0) add(m, strtol(end + 6, NULL, 10), note);
        at = end;
    }
}

static int by_line(const void *a, const void *b) {
    return ((const mark *)a)->line - ((const mark *)b)->line;
}

static void gather(const ladder_step_result *step, marks *m) {
    const ladder_check_result *check = &step->check;
    char error[NOTE];
    for (int i = 0; i < check->finding_count && i < LADDER_FINDINGS_MAX; i++)
        add_named(m, check->findings[i].place, check->findings[i].kind);
    if (step->outcome == LADDER_COMPILE_ERROR) {
        ladder_first_error(step->log, error, sizeof error);
        add_named(m, error, error);
    }
    for (int i = 0; i < step->failure_count && i < LADDER_FAILURES_MAX; i++)
        add_named(m, step->failures[i].text, ladder_outcome_word(step->failures[i].outcome));
    add_named(m, step->message, ladder_outcome_word(step->outcome));
    qsort(m->items, (size_t)m->count, sizeof m->items[0], by_line);
}

static const mark *find(const marks *m, int line, bool near) {
    for (int i = 0; i < m->count; i++) {
        int distance = abs(m->items[i].line - line);
        if (near ? distance <= AROUND : distance == 0) return &m->items[i];
    }
    return NULL;
}

void ladder_put_excerpt(const ladder_step_result *step, const char *file, const char *source,
                        FILE *out) {
    marks m = {.file = file};
    gather(step, &m);
    if (m.count == 0) return;
    ladder_html(out,
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"lines of %s\">"
                "<table class=\"excerpt\"><tbody>\n",
                file);
    int line = 1, shown = 0;
    for (const char *at = source; *at != '\0'; line++) {
        size_t length = strcspn(at, "\n");
        char *text = find(&m, line, true) ? strndup(at, length) : NULL;
        if (text) {
            const mark *hit = find(&m, line, false);
            if (shown > 0 && shown < line - 1)
                fputs("<tr><td class=\"no\">..</td><td></td></tr>\n", out);
            fprintf(out, "<tr%s><td class=\"no\">%d</td><td class=\"code\">",
                    hit ? " class=\"hit\"" : "", line);
            ladder_html(out, "%s</td></tr>\n", text);
            if (hit) ladder_html(out, "<tr class=\"note\"><td></td><td>%s</td></tr>\n", hit->note);
            shown = line;
        }
        free(text);
        at += length + (at[length] == '\n');
    }
    fputs("</tbody></table></div>\n", out);
}

bool ladder_source_line(const char *source, uint32_t number, char *out, size_t out_bytes) {
    const char *at = source;
    for (uint32_t line = 1; line < number && *at != '\0'; line++) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    at += strspn(at, " \t");
    snprintf(out, out_bytes, "%.*s", (int)strcspn(at, "\r\n"), at);
    return number > 0 && out[0] != '\0';
}

bool ladder_chapter_heading(const char *readme, int step, char *out, size_t out_bytes) {
    for (const char *at = readme; (at = strstr(at, "\n## "));) {
        at += 4;
        size_t length = strcspn(at, "\n");
        size_t word = strncmp(at, "Step ", 5) == 0 ? 5 : strncmp(at, "Steps ", 6) == 0 ? 6 : 0;
        if (word == 0 || ladder_steps_named(at + word, step) == 0) continue;
        snprintf(out, out_bytes, "%.*s", (int)length, at);
        return true;
    }
    return false;
}

// Lower case, letters and digits, `blank` for each blank and dash: "littles-law-step-6".
static void write_slug(const char *heading, char blank, char *out, size_t out_bytes) {
    size_t used = 0;
    for (; *heading != '\0' && used + 1 < out_bytes; heading++) {
        unsigned char c = (unsigned char)*heading;
        if (isalnum(c) || c == '_') out[used++] = (char)tolower(c);
        else if (c == ' ' || c == '-') out[used++] = blank;
    }
    out[used] = '\0';
}

const char *ladder_section_address(const char *page, const ladder_lab *lab, const char *heading,
                                   char *out, size_t out_bytes) {
    const char *dot = strrchr(page, '.');
    bool site = dot && strcmp(dot, ".html") == 0;
    char slug[160];
    write_slug(heading, site ? '_' : '-', slug, sizeof slug);
    snprintf(out, out_bytes, "%s#%s%s%s%s", page, site ? "lab_" : "", site ? lab->folder : "",
             site ? "_" : "", slug);
    return out;
}

// ---- files beside a result ----------------------------------------------------------------------

enum { FILE_MAX = 1 << 20 };

static char *read_one(const char *path) {
    char *text = NULL;
    return ladder_file_read(AT_FDCWD, path, FILE_MAX, &text, NULL, NULL) == KL_OK ? text : NULL;
}

// The way from folder `from` to `path`, both absolute, as a page in `from` may link to it.
static char *relative_way(const char *from, const char *path) {
    size_t i = 0, common = 0;
    for (; from[i] != '\0' && from[i] == path[i]; i++)
        if (path[i] == '/') common = i;
    if (from[i] == '\0' && path[i] == '/') common = i;
    if (common == 0) return NULL; // nothing in common: the page would name folders of a machine
    char *way = calloc(LADDER_PATH, 1);
    size_t used = 0;
    for (const char *at = from + common; way && *at != '\0'; at++)
        if (*at == '/' && used + 4 < LADDER_PATH)
            used += (size_t)snprintf(way + used, LADDER_PATH - used, "../");
    if (way) snprintf(way + used, LADDER_PATH - used, "%s", path + common + 1);
    return way;
}

char *ladder_page_address(const char *on_site, const char *file, const char *to) {
    char path[LADDER_PATH], from[PATH_MAX], target[PATH_MAX];
    if (LADDER_SITE[0] != '\0')
        return ladder_path(path, NULL, "%s/%s", LADDER_SITE, on_site) == KL_OK ? strdup(path)
                                                                               : NULL;
    return to && realpath(to, from) && realpath(file, target) ? relative_way(from, target) : NULL;
}

void ladder_kept_files_read(const char *folder, const char *kit, const ladder_lab *lab,
                            const char *to, ladder_kept_files *out_files) {
    char path[LADDER_PATH], on_site[LADDER_PATH];
    memset(out_files, 0, sizeof *out_files);
    for (int i = 0; i < lab->rubric->step_count && i < LADDER_STEPS_MAX; i++)
        if (ladder_path(path, NULL, "%s/%s", folder, lab->rubric->steps[i].file) == KL_OK)
            out_files->sources[i] = read_one(path);
    if (ladder_path(on_site, NULL, "lab_%s.html", lab->folder) != KL_OK ||
        ladder_path(path, NULL, "%s/labs/%s/README.md", kit, lab->folder) != KL_OK)
        return;
    out_files->lab_page = read_one(path);
    out_files->page = ladder_page_address(on_site, path, to);
}

void ladder_kept_files_free(ladder_kept_files *files) {
    for (int i = 0; i < LADDER_STEPS_MAX; i++) free(files->sources[i]);
    free(files->lab_page);
    free(files->page);
    memset(files, 0, sizeof *files);
}

ladder_beside ladder_kept_files_beside(const ladder_kept_files *files) {
    return (ladder_beside){.sources = (const char *const *)files->sources,
                           .lab_page = files->lab_page,
                           .page = files->page};
}
