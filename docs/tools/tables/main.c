// ladder-docs tables: writes the tables of measured figures into the Markdown files that ask for
// them. A file asks with a pair of lines
//   <!-- ladder:measured 02_reduction -->   ...   <!-- /ladder:measured -->
// and gets what the lab's runs in labs/measured/h100.csv, in those of other cards and in
// simulator.csv say; tables.def has the other kinds. Nothing else is touched; with --check nothing
// is written and a stale table is an error. A long list that only the site has is asked for by a
// line <!-- site:KIND NAME -->: with --site the file is printed with these lists, and with the
// tables of all cards, of which the file itself has those of the course's card.
#include <errno.h>

#include "device/device.h"
#include "docs.h"
#include "measured.h"
#include "stored/stored.h"
#include "tables/tables.h"

char *tables_read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "ladder-docs tables: %s: %s\n", path, strerror(errno));
        return NULL;
    }
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    char buffer[4096];
    for (size_t n; memory && (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        fwrite(buffer, 1, n, memory);
    bool failed = ferror(file);
    fclose(file);
    if (memory) fclose(memory);
    if (!memory || failed) {
        free(text);
        fprintf(stderr, "ladder-docs tables: %s: cannot be read\n", path);
        return NULL;
    }
    return text;
}

json_t *tables_load(const char *root, const char *lab, const char *document, const char *wanted) {
    char name[4096];
    snprintf(name, sizeof name, "%s/labs/measured/simulator.csv:%s/%s", root, lab, document);
    json_t *run = measured_document(name);
    if (run && strcmp(measured_text(run, "schema"), wanted) != 0) {
        fprintf(stderr, "ladder-docs tables: %s: not a %s\n", name, wanted);
        json_decref(run);
        run = NULL;
    }
    return run;
}

// What a file may ask for.
static const struct {
    const char *begin, *end;
    bool (*print)(FILE *out, const char *root, const char *lab);
} kinds[] = {
#define TABLE(kind) {"<!-- ladder:" #kind " ", "<!-- /ladder:" #kind " -->", tables_print_##kind},
#include "tables/tables.def"
#undef TABLE
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

// Where the next marked table begins, and of which kind it is; NULL when there is none.
static const char *next_table(const char *text, int *out_kind) {
    const char *first = NULL;
    for (int k = 0; k < KINDS; k++) {
        const char *at = strstr(text, kinds[k].begin);
        if (!at || (first && at > first)) continue;
        first = at;
        *out_kind = k;
    }
    return first;
}

static bool for_site; // the tables of all cards
static int left_out;  // cards whose tables the site alone has, in the part that is being written

// The file's text with every marked table made anew; NULL after an error message.
static char *renew(const char *path, const char *text, const char *root) {
    char *result = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&result, &bytes);
    if (!out) return NULL;
    bool good = true;
    int k = 0;
    for (const char *at; good && (at = next_table(text, &k));) {
        const char *name = at + strlen(kinds[k].begin);
        const char *stop = strstr(name, " -->");
        const char *end = stop ? strstr(stop, kinds[k].end) : NULL;
        char lab[128];
        if (!end || stop - name >= (long)sizeof lab) {
            fprintf(stderr, "ladder-docs tables: %s: a table's end marker is missing\n", path);
            good = false;
            break;
        }
        snprintf(lab, sizeof lab, "%.*s", (int)(stop - name), name);
        fwrite(text, 1, (size_t)(stop + 4 - text), out);
        fputc('\n', out);
        left_out = 0;
        good = kinds[k].print(out, root, lab);
        if (left_out > 0)
            fprintf(out, "\nThe site has the tables of %s, too.\n",
                    left_out == 1 ? "another card" : "other cards");
        text = end;
    }
    fputs(text, out);
    fclose(out);
    if (good) return result;
    free(result);
    return NULL;
}

static const char site_mark[] = "<!-- site:";

// The text with a pair of lines in place of each line that asks for a list of the site.
static char *ask_for_all(const char *text) {
    char *result = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&result, &bytes);
    if (!out) return NULL;
    for (const char *at; (at = strstr(text, site_mark)); text = at) {
        const char *kind = at + strlen(site_mark);
        int line = (int)strcspn(at, "\n"), of_kind = (int)strcspn(kind, " \n");
        fprintf(out, "%.*s<!-- ladder:%.*s\n<!-- /ladder:%.*s -->", (int)(at - text), text,
                (int)(at + line - kind), kind, of_kind, kind);
        at += line;
    }
    fputs(text, out);
    fclose(out);
    return result;
}

static bool print_for_site(const char *path, const char *root) {
    for_site = true;
    char *text = tables_read_file(path), *asking = text ? ask_for_all(text) : NULL;
    char *page = asking ? renew(path, asking, root) : NULL;
    if (page) fputs(page, stdout);
    free(text);
    free(asking);
    free(page);
    return page;
}

static bool handle(const char *path, const char *root, bool check) {
    char *old = tables_read_file(path);
    char *now = old ? renew(path, old, root) : NULL;
    bool good = now;
    if (good && strcmp(old, now) != 0) {
        if (check) {
            fprintf(stderr, "ladder-docs tables: %s: its tables are stale, run ./ladder tables\n",
                    path);
            good = false;
        } else {
            FILE *file = fopen(path, "wb");
            good = file && fputs(now, file) >= 0;
            if (file && fclose(file) != 0) good = false;
            if (!good) fprintf(stderr, "ladder-docs tables: %s: %s\n", path, strerror(errno));
        }
    }
    free(old);
    free(now);
    return good;
}

int docs_tables(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[1], "--site")) return print_for_site(argv[3], argv[2]) ? 0 : 1;
    bool check = argc > 1 && !strcmp(argv[1], "--check");
    int first = check ? 2 : 1;
    if (argc - first < 2) {
        fputs("usage: ladder-docs tables [--check] KIT_FOLDER FILE.md... | "
              "--site KIT_FOLDER FILE.md\n",
              stderr);
        return 2;
    }
    bool good = true;
    for (int i = first + 1; i < argc; i++) good = handle(argv[i], argv[first], check) && good;
    return good ? 0 : 1;
}

// ---- which devices a lab was measured on ----

void tables_fold(FILE *out, const char *card) {
    fprintf(out, "\n<details><summary>%s</summary>\n", card);
}

void tables_unfold(FILE *out) { fputs("</details>\n", out); }

// The course's card comes first.
static void put_card_first(json_t **runs, int count) {
    const sim_device *card = sim_device_find(card_id);
    for (int i = 1; card && i < count; i++) {
        json_t *run = runs[i];
        if (strcmp(measured_device(run), card->name) != 0) continue;
        memmove(runs + 1, runs, (size_t)i * sizeof *runs);
        runs[0] = run;
    }
}

int tables_load_devices(const char *root, const char *lab, const char *document, const char *schema,
                        json_t *out_runs[TABLES_DEVICES]) {
    char labs[2048];
    snprintf(labs, sizeof labs, "%s/labs", root);
    int count = measured_load_cards(labs, lab, document, out_runs, TABLES_DEVICES);
    bool good = count > 0;
    if (!good)
        fprintf(stderr, "ladder-docs tables: %s/measured: no %s of %s on a GPU\n", labs, document,
                lab);
    for (int i = 0; i < count; i++) {
        const char *has = measured_text(out_runs[i], "schema");
        if (strcmp(has, schema) == 0) continue;
        fprintf(stderr, "ladder-docs tables: %s/measured: %s of %s is a %s, not a %s\n", labs,
                document, lab, has, schema);
        good = false;
    }
    put_card_first(out_runs, count);
    if (good) return count;
    for (int i = 0; i < count; i++) json_decref(out_runs[i]);
    return 0;
}

int tables_load_folded(const char *root, const char *lab, const char *document, const char *schema,
                       json_t *out_runs[TABLES_DEVICES]) {
    int count = tables_load_devices(root, lab, document, schema, out_runs);
    while (!for_site && count > 1) {
        json_decref(out_runs[--count]);
        left_out++;
    }
    return count;
}

bool tables_each_card(FILE *out, const char *root, const char *lab, const char *document,
                      const char *schema, void (*print)(FILE *out, const json_t *run)) {
    json_t *runs[TABLES_DEVICES];
    int count = tables_load_folded(root, lab, document, schema, runs);
    for (int i = 0; i < count; i++) {
        tables_fold(out, measured_device(runs[i]));
        print(out, runs[i]);
        fputc('\n', out);
        tables_unfold(out);
        json_decref(runs[i]);
    }
    return count > 0;
}
