// Which counters of Nsight Compute the simulator has, see tables.h: from the page where they stand
// beside an H100's (common/validation/counters/counters.md), and from what was recorded there.
#include "tables/tables.h"

typedef struct counter_row {
    char what[256], name[128], source[16];
    int exact, near_ones, compared; // kernels that agree, that are within 15 %, all
} counter_row;

enum { ROWS = 256 };

static bool read_row(const char *line, counter_row *out) {
    if (sscanf(line, "| %255[^|] | `%127[^`]` | %15[^ |] | %d of %d | %d", out->what, out->name,
               out->source, &out->exact, &out->compared, &out->near_ones) != 6)
        return false;
    out->what[strcspn(out->what, "|")] = '\0';
    for (size_t end = strlen(out->what); end > 0 && out->what[end - 1] == ' ';)
        out->what[--end] = '\0';
    return true;
}

static int read_rows(const char *root, counter_row rows[ROWS]) {
    char path[4096];
    int count = 0;
    snprintf(path, sizeof path, "%s/common/validation/counters/counters.md", root);
    char *text = tables_read_file(path);
    for (char *line = text ? strtok(text, "\n") : NULL; line && count < ROWS;
         line = strtok(NULL, "\n"))
        count += read_row(line, &rows[count]);
    free(text);
    if (count == 0) fprintf(stderr, "ladder-docs tables: %s: no counters\n", path);
    return count;
}

static void print_equal(FILE *out, const counter_row *rows, int count) {
    fputs("\n| Nsight Compute | what | equal to an H100's in |\n|---|---|---|\n", out);
    for (int i = 0; i < count; i++)
        if (rows[i].exact == rows[i].compared)
            fprintf(out, "| `%s` | %s | %d of %d kernels |\n", rows[i].name, rows[i].what,
                    rows[i].exact, rows[i].compared);
    fputc('\n', out);
}

static void print_other(FILE *out, const counter_row *rows, int count) {
    fputs("\n| Nsight Compute | what | equal to an H100's in | within 15 % in | here it is |\n"
          "|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < count; i++) {
        const counter_row *r = &rows[i];
        if (r->exact == r->compared) continue;
        fprintf(out, "| `%s` | %s | %d of %d kernels | %d | %s |\n", r->name, r->what, r->exact,
                r->compared, r->near_ones,
                strcmp(r->source, "PTX") == 0     ? "of PTX instructions"
                : strcmp(r->source, "MODEL") == 0 ? "modelled"
                                                  : "by the hardware's rule");
    }
    fputc('\n', out);
}

// Recorded on the card, and neither on that page nor in the simulator's JSON.
static bool print_absent(FILE *out, const char *root, const counter_row *rows, int count) {
    char path[4096];
    int absent = 0;
    char *recorded = tables_read_file(LADDER_CARD_LOGS "/counters/counters_h100.csv");
    snprintf(path, sizeof path, "%s/docs/schemas.txt", root);
    char *schemas = tables_read_file(path);
    bool good = recorded && schemas;
    if (good) recorded[strcspn(recorded, "\n")] = '\0';
    fputc('\n', out);
    for (char *name = good ? strtok(recorded, ",") : NULL; name; name = strtok(NULL, ",")) {
        bool known = !strchr(name, '_') || strstr(schemas, name);
        for (int i = 0; i < count && !known; i++) known = strcmp(rows[i].name, name) == 0;
        if (!known) fprintf(out, "- `%s`\n", name), absent++;
    }
    fputc('\n', out);
    free(recorded);
    free(schemas);
    return good && absent > 0;
}

bool tables_print_permission(FILE *out, const char *root, const char *what) {
    static counter_row rows[ROWS];
    int count = read_rows(root, rows);
    if (count == 0) return false;
    if (strcmp(what, "absent") == 0) return print_absent(out, root, rows, count);
    if (strcmp(what, "equal") == 0) print_equal(out, rows, count);
    else print_other(out, rows, count);
    return true;
}
