// SPDX-License-Identifier: MIT
// The wrong kernels of all labs in Markdown: see tables.h. What each one's mistake is and what must
// become of it stands in its heading (autograder/tests/wrong/README.md).
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "tables/tables.h"

enum { WRONG_OUTCOMES = 32, WRONG_TEXT = 600 };

// How many kernels are failed with which outcome.
typedef struct tally {
    int kernels, kinds;
    struct {
        char name[64];
        int count;
    } outcomes[WRONG_OUTCOMES];
} tally;

// A kernel's heading: step, outcome, and its comment as one line.
typedef struct heading {
    int step;
    char outcome[64], mistake[WRONG_TEXT];
} heading;

static int is_kernel(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && (!strcmp(dot, ".edit") || !strcmp(dot, ".cu"));
}

static int is_folder(const struct dirent *entry) {
    return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

static bool read_heading(const char *path, heading *out) {
    char line[WRONG_TEXT];
    int number = 0;
    FILE *file = fopen(path, "r");
    memset(out, 0, sizeof *out);
    while (file && fgets(line, sizeof line, file) && strncmp(line, "// ", 3) == 0) {
        line[strcspn(line, "\n")] = '\0';
        size_t used = strlen(out->mistake);
        if (++number == 2) {
            if (sscanf(line, "// wrong-kernel: step=%d file=%*s expect=%63s", &out->step,
                       out->outcome) != 2)
                break;
        } else if (number > 2) {
            snprintf(out->mistake + used, sizeof out->mistake - used, "%s%s", used ? " " : "",
                     line + 3);
        }
    }
    if (file) fclose(file);
    if (number > 2) return true;
    fprintf(stderr, "ladder-tables: %s: no heading of a wrong kernel\n", path);
    return false;
}

static void count(tally *all, const char *outcome) {
    int at = 0;
    while (at < all->kinds && strcmp(all->outcomes[at].name, outcome) != 0) at++;
    if (at == WRONG_OUTCOMES) return;
    if (at == all->kinds) snprintf(all->outcomes[all->kinds++].name, 64, "%s", outcome);
    all->outcomes[at].count++;
}

static void put_cell(FILE *out, const char *text) {
    for (; *text != '\0'; text++) fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

// A lab's kernels as rows of `rows`, and their number.
static bool list_lab(const char *root, const char *lab, FILE *rows, tally *all) {
    char folder[2048], path[4096];
    struct dirent **entries = NULL;
    bool good = true;
    snprintf(folder, sizeof folder, "%s/autograder/tests/wrong/%s", root, lab);
    int found = scandir(folder, &entries, is_kernel, versionsort);
    for (int i = 0; i < found; i++) {
        heading h;
        snprintf(path, sizeof path, "%s/%.255s", folder, entries[i]->d_name);
        good = read_heading(path, &h) && good;
        char *dot = strrchr(entries[i]->d_name, '.');
        *dot = '\0';
        fprintf(rows, "| %s | `%s` | ", lab, entries[i]->d_name);
        put_cell(rows, h.mistake);
        fprintf(rows, " | %s |\n", h.outcome);
        count(all, h.outcome);
        all->kernels++;
        free(entries[i]);
    }
    free(entries);
    return good && found > 0;
}

bool tables_print_wrong(FILE *out, const char *root, const char *unused) {
    char folder[2048], *rows = NULL;
    size_t bytes = 0;
    struct dirent **labs = NULL;
    bool good = true;
    (void)unused;
    snprintf(folder, sizeof folder, "%s/autograder/tests/wrong", root);
    int found = scandir(folder, &labs, is_folder, alphasort), total = 0;
    FILE *list = open_memstream(&rows, &bytes);
    if (!list) return false;
    fputs("| lab | wrong kernels | failed as |\n|---|---|---|\n", out);
    for (int i = 0; i < found; i++) {
        tally lab = {.kernels = 0};
        good = list_lab(root, labs[i]->d_name, list, &lab) && good;
        fprintf(out, "| %s | %d |", labs[i]->d_name, lab.kernels);
        for (int k = 0; k < lab.kinds; k++)
            fprintf(out, "%s %d %s", k ? "," : "", lab.outcomes[k].count, lab.outcomes[k].name);
        fputs(" |\n", out);
        total += lab.kernels;
        free(labs[i]);
    }
    free(labs);
    fclose(list);
    fprintf(out,
            "| all | %d | |\n\n| lab | kernel | its mistake | failed as |\n|---|---|---|---|\n%s",
            total, rows);
    free(rows);
    return good && found > 0;
}
