// The front page's table of labs: topic, hours and prerequisites from docs/labs.json, the ladder in
// small, and what was measured on the course's card, from labs/measured/CARD.csv. The
// site's first page (docs/home.md) has a shorter one, "cards".
#include <dirent.h>

#include "measured.h"
#include "stored/stored.h"
#include "tables/tables.h"

enum { PATH_BYTES = 4096, NAME_BYTES = 128, MOST_LABS = 100 };

static double rate_of(const json_t *step, const char *family, long long size) {
    const json_t *rate = json_object_get(measured_result(step, family, size), "rate");
    return json_is_number(rate) ? json_number_value(rate) : 0;
}

// "x 139 over step 0, 96 % of the read ceiling, 1.01 of the library", as far as it is known.
static void put_result(FILE *out, const json_t *run, const json_t *row) {
    const char *family = json_string_value(json_object_get(row, "case"));
    long long size = json_integer_value(json_object_get(row, "size"));
    int from = (int)json_integer_value(json_object_get(row, "from"));
    double first = rate_of(measured_step(run, from), family, size), best = 0;
    const json_t *to =
        json_object_get(row, "to"); // the last step of the row; without it of the run
    size_t index;
    json_t *step;
    json_array_foreach(json_object_get(run, "steps"), index, step) {
        double rate = rate_of(step, family, size);
        if (rate > 0) best = rate; // of the last step that has it
        if (to && json_equal(to, json_object_get(step, "step"))) break;
    }
    if (!(first > 0) || !(best > 0)) return;
    measured_rates rates = measured_rates_of(run);
    fprintf(out, "x %.*f over step %d", best / first < 9.95 ? 1 : 0, best / first, from);
    if (rates.ceiling > 0 && !json_is_false(json_object_get(row, "share")))
        fprintf(out, ", %.0f %% of the %s ceiling", 100 * best / rates.ceiling, rates.ceiling_name);
    double library = rate_of(json_object_get(run, "vendor"), family, size);
    if (library > 0)
        fprintf(out, ", %.2f of the %s", best / library,
                measured_has_limit(run) ? "limit" : "library");
}

// The heading of the lab's page behind its number: "parallel reduction".
static void put_title(FILE *out, const char *root, const char *lab) {
    char path[PATH_BYTES], line[256] = "";
    snprintf(path, sizeof path, "%s/labs/%.100s/README.md", root, lab);
    FILE *page = fopen(path, "r");
    if (page && fgets(line, sizeof line, page)) {
        const char *title = strchr(line, ':');
        line[strcspn(line, "\n")] = '\0';
        fputs(title ? title + 2 : lab, out);
    } else {
        fputs(lab, out);
    }
    if (page) fclose(page);
}

// Its scale, from what the picture says of itself: "31.4 to 4327 GB/s".
static void put_scale(FILE *out, FILE *thumb) {
    char line[1024], unit[32], most[32], least[32];
    while (fgets(line, sizeof line, thumb)) {
        const char *title = strstr(line, "as bars, "), *highest = strstr(line, ": highest ");
        const char *lowest = strstr(line, "), lowest ");
        if (!title || !highest || !lowest) continue;
        if (sscanf(title, "as bars, %31s", unit) == 1 &&
            sscanf(highest, ": highest %31s", most) == 1 &&
            sscanf(lowest, "), lowest %31s", least) == 1)
            fprintf(out, " %s to %s %s", least, most, unit);
        return;
    }
}

// The lab's ladder in small; nothing where it was not measured. up: from the page to the kit, whose
// first page shows the scale, too.
static void put_thumb(FILE *out, const char *root, const char *lab, const char *up) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/labs/%.100s/thumb.svg", root, lab);
    FILE *thumb = fopen(path, "r");
    if (!thumb) return;
    fprintf(out, "![rates of the steps of lab %.2s](%slabs/%s/thumb.svg)", lab, up, lab);
    if (up[0] != '\0') put_scale(out, thumb);
    fclose(thumb);
}

// A row of the site's first page, which lies in docs/: without what was measured.
static void put_card(FILE *out, const char *root, const char *lab, const json_t *row) {
    fputs("| ", out);
    put_thumb(out, root, lab, "../");
    fprintf(out, " | [%.2s ", lab);
    put_title(out, root, lab);
    fprintf(out, "](../labs/%s/README.md) | %s | %s hours |\n", lab, measured_text(row, "topic"),
            measured_text(row, "hours"));
}

static void put_row(FILE *out, const char *root, const char *lab, const json_t *row) {
    char path[PATH_BYTES];
    fprintf(out, "| [%.2s ", lab);
    put_title(out, root, lab);
    fprintf(out, "](labs/%s/README.md) | %s | %s | %s | ", lab, measured_text(row, "topic"),
            measured_text(row, "hours"), measured_text(row, "needs"));
    put_thumb(out, root, lab, "");
    fputs(" | ", out);
    snprintf(path, sizeof path, "%s/labs/measured/%s.csv:%.100s", root, card_id, lab);
    json_t *run = json_is_string(json_object_get(row, "case")) ? measured_load(path) : NULL;
    if (run) put_result(out, run, row);
    json_decref(run);
    fputs(" |\n", out);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static int find_labs(const char *root, char names[MOST_LABS][NAME_BYTES]) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/labs", root);
    DIR *folder = opendir(path);
    int count = 0;
    for (struct dirent *entry; folder && count < MOST_LABS && (entry = readdir(folder));) {
        const char *name = entry->d_name;
        bool numbered = name[0] >= '0' && name[0] <= '9' && name[1] >= '0' && name[1] <= '9';
        if (numbered && name[2] == '_') snprintf(names[count++], NAME_BYTES, "%.100s", name);
    }
    if (folder) closedir(folder);
    qsort(names, (size_t)count, NAME_BYTES, by_name);
    return count;
}

bool tables_print_labs(FILE *out, const char *root, const char *form) {
    bool cards = strcmp(form, "cards") == 0;
    static char names[MOST_LABS][NAME_BYTES];
    char path[PATH_BYTES];
    json_error_t error;
    snprintf(path, sizeof path, "%s/docs/labs.json", root);
    json_t *rows = json_load_file(path, 0, &error);
    if (!rows) {
        fprintf(stderr, "ladder-docs tables: %s, line %d: %s\n", path, error.line, error.text);
        return false;
    }
    fputs(cards ? "\n| ladder | lab | topic | time |\n|---|---|---|---|\n"
                : "\n| lab | topic | hours | needs | ladder | on an NVIDIA H200 |\n"
                  "|---|---|---|---|---|---|\n",
          out);
    int count = find_labs(root, names);
    for (int i = 0; i < count; i++)
        (cards ? put_card : put_row)(out, root, names[i], json_object_get(rows, names[i]));
    fputc('\n', out);
    json_decref(rows);
    return count > 0;
}
