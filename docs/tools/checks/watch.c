// ladder-docs watch LAB..: in the table of steps of each LAB/README.md the column "number to watch"
// says what "watch" of LAB/lab.json says, step for step: `ladder run` prints the latter. The values
// are in the step's folded result, in a line "Step 3, sectors per request: 32 → 4.": the last one
// is the target of lab.json, the first one, if the step above has the same number, that step's. (Or
// the table has them, in two more columns, before and after.)
#include "docs.h"
#include "grade/description/description.h"

enum { CELLS = 16, CELL = 256, NUMBER = 32, PATH = 4096 };

// A row of a Markdown table.
typedef struct row {
    char cells[CELLS][CELL]; // [count] an empty one is "-"
    int count;               // of cells
} row;

// One lab's page beside its description.
typedef struct page {
    const char *lab; // for messages
    const ladder_description *d;
    char *text;                             // the page, links replaced by their words
    int column;                             // of the number to watch
    char above[CELL], above_target[NUMBER]; // of the step before; "" when it has none
    int looked_at, different;               // so far
} page;

#define DIFFERS(p, step, ...)                                                                      \
    ((p)->different++, printf("%s, step %d: ", (p)->lab, (step)), printf(__VA_ARGS__),             \
     putchar('\n'))

// [words](target) becomes words, in place.
static void remove_links(char *text) {
    char *to = text;
    for (const char *at = text; *at != '\0';) {
        const char *middle = *at == '[' ? strchr(at, ']') : NULL, *end;
        if (middle && middle[1] == '(' && (end = strchr(middle, ')')) != NULL) {
            memmove(to, at + 1, (size_t)(middle - at - 1));
            to += middle - at - 1;
            at = end + 1;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
}

static void read_row(const char *line, row *out_row) {
    out_row->count = 0;
    for (const char *at = line + 1; *at != '\0' && *at != '\n' && out_row->count < CELLS;) {
        size_t length = strcspn(at, "|\n"), used = length;
        const char *begin = at;
        while (used > 0 && *begin == ' ') begin++, used--;
        while (used > 0 && begin[used - 1] == ' ') used--;
        if (at[length] != '|') break;
        snprintf(out_row->cells[out_row->count++], CELL, "%.*s", used > 0 ? (int)used : 1,
                 used > 0 ? begin : "-");
        at += length + 1;
    }
}

static const char *next_line(const char *line) {
    const char *end = strchr(line, '\n');
    return end ? end + 1 : NULL;
}

// The head of the table of steps, whose column is noted; NULL when there is none.
static const char *find_table(page *p) {
    for (const char *line = p->text; line; line = next_line(line)) {
        row head;
        if (*line != '|') continue;
        read_row(line, &head);
        for (int i = 0; i < head.count; i++) {
            if (strcmp(head.cells[i], "number to watch") != 0) continue;
            p->column = i;
            return line;
        }
    }
    return NULL;
}

// A number such as 1,032 or 4.5 that a text begins with, without commas and without the point of
// the sentence; its length in the text. "-" for none.
static size_t read_number(const char *text, char out[NUMBER]) {
    size_t length = *text >= '0' && *text <= '9' ? strspn(text, "0123456789,.") : 0, used = 0;
    size_t end = length;
    while (end > 0 && (text[end - 1] == '.' || text[end - 1] == ',')) end--;
    for (size_t i = 0; i < end && used < NUMBER - 1; i++)
        if (text[i] != ',') out[used++] = text[i];
    out[used] = '\0';
    if (used == 0) snprintf(out, NUMBER, "-");
    return length;
}

// The values of a step: before and after; "-" where there is none.
static void find_values(const page *p, int step, const char *said, const row *cells,
                        char before[NUMBER], char after[NUMBER]) {
    static const char arrow[] = " → ";
    char begin[CELL + 32], first[NUMBER];
    snprintf(before, NUMBER, "-");
    snprintf(after, NUMBER, "-");
    if (p->column + 2 < cells->count) {
        read_number(cells->cells[p->column + 1], before);
        read_number(cells->cells[p->column + 2], after);
        return;
    }
    snprintf(begin, sizeof begin, "\nStep %d, %s: ", step, said);
    const char *values = strstr(p->text, begin);
    if (!values) return;
    values += strlen(begin);
    size_t length = read_number(values, first);
    if (length > 0 && strncmp(values + length, arrow, strlen(arrow)) == 0) {
        snprintf(before, NUMBER, "%s", first);
        read_number(values + length + strlen(arrow), after);
    } else {
        snprintf(after, NUMBER, "%s", first);
    }
}

static bool same_number(const char *text, const char *target) {
    return text[0] != '-' && strtod(text, NULL) == strtod(target, NULL);
}

static void compare_row(page *p, int step, const row *cells) {
    char before[NUMBER], after[NUMBER], target[NUMBER] = "";
    const char *said = cells->cells[p->column], *wanted = "-";
    const kl_json_value *watch = ladder_field_items(p->d->root, "watch");
    while (watch && ladder_field_integer(watch, "step", -1) != step) watch = watch->next;
    if (watch) wanted = ladder_field_text(watch, "text", "");
    const kl_json_value *number = kl_json_member(watch, "target");
    if (number) snprintf(target, sizeof target, "%s", number->text);
    find_values(p, step, said, cells, before, after);
    p->looked_at++;
    if (strcmp(said, wanted) != 0)
        DIFFERS(p, step, "the page says \"%s\", lab.json \"%s\"", said, wanted);
    if (target[0] != '\0' && !same_number(after, target))
        DIFFERS(p, step, "the page has %s, the target is %s", after, target);
    if (strcmp(said, p->above) == 0 && before[0] != '-' && p->above_target[0] != '\0' &&
        !same_number(before, p->above_target))
        DIFFERS(p, step, "the page has %s before, the target of the step above is %s", before,
                p->above_target);
    snprintf(p->above, sizeof p->above, "%s", said);
    snprintf(p->above_target, sizeof p->above_target, "%s", target);
}

static bool compare_page(page *p) {
    int rows = 0;
    const char *line = find_table(p);
    for (; line && *line == '|'; line = next_line(line)) {
        row cells;
        int step, length = 0;
        read_row(line, &cells);
        bool is_step = cells.count > p->column &&
                       sscanf(cells.cells[0], "%d %n", &step, &length) == 1 && length > 0 &&
                       cells.cells[0][length] >= 'a' && cells.cells[0][length] <= 'z';
        if (!is_step) continue;
        compare_row(p, step, &cells);
        rows++;
    }
    if (rows == 0) printf("%s: no table with a column \"number to watch\"\n", p->lab);
    return rows > 0;
}

static kl_status compare_lab(const char *folder, int *looked_at, int *different, kl_error *err) {
    char path[PATH];
    ladder_description d;
    size_t bytes;
    page p = {.d = &d};
    snprintf(path, sizeof path, "%.4000s/lab.json", folder);
    TRY(ladder_description_load(path, NULL, &d, err));
    snprintf(path, sizeof path, "%.4000s/README.md", folder);
    kl_status status = ladder_description_file(path, &p.text, &bytes, err);
    if (status == KL_OK) {
        p.lab = d.lab;
        remove_links(p.text);
        if (!compare_page(&p)) p.different++;
        *looked_at += p.looked_at;
        *different += p.different;
    }
    free(p.text);
    ladder_description_free(&d);
    return status;
}

int docs_watch(int argc, char **argv) {
    int looked_at = 0, different = 0;
    kl_error err;
    for (int i = 1; i < argc; i++) {
        if (compare_lab(argv[i], &looked_at, &different, &err) == KL_OK) continue;
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("numbers to watch: %d differ, of %d steps\n", different, looked_at);
    if (different == 0 && looked_at > 0) return 0;
    printf("\"watch\" of lab.json is right: ladder run shows it\n");
    return 1;
}
