// SPDX-License-Identifier: MIT
// The wrong kernels of all labs in Markdown: see tables.h. What each one's mistake is and what must
// become of it is in its heading (autograder/tests/wrong/README.md).
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "tables/tables.h"
#include "tests/support/edit.h"

enum { WRONG_OUTCOMES = 32, WRONG_TEXT = 600 };

// How many kernels are failed with which outcome.
typedef struct tally {
    int kernels, kinds;
    struct {
        char name[64];
        int count;
    } outcomes[WRONG_OUTCOMES];
} tally;

// What an edit's comment says behind its heading, as one line.
static void join_comment(const char *text, char out_mistake[WRONG_TEXT]) {
    size_t used = 0;
    out_mistake[0] = '\0';
    for (int line = 1; strncmp(text, "// ", 3) == 0; line++) {
        int length = (int)strcspn(text, "\n");
        if (line > 2 && used < WRONG_TEXT)
            used += (size_t)snprintf(out_mistake + used, WRONG_TEXT - used, "%s%.*s",
                                     used > 0 ? " " : "", length - 3, text + 3);
        text += length + (text[length] == '\n');
    }
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
static kl_status list_lab(const char *path, const char *lab, FILE *rows, tally *all,
                          kl_error *err) {
    edit_list edits;
    kl_status status = edits_read(path, &edits, err);
    for (int i = 0; i < edits.count && status == KL_OK; i++) {
        edit_heading heading;
        char mistake[WRONG_TEXT];
        status = edit_heading_of(&edits.items[i], &heading, err);
        join_comment(edits.items[i].text, mistake);
        fprintf(rows, "| %s | `%s` | ", lab, edits.items[i].name);
        put_cell(rows, mistake);
        fprintf(rows, " | %s |\n", heading.expect);
        count(all, heading.expect);
        all->kernels++;
    }
    edits_free(&edits);
    return status;
}

static int is_lab(const struct dirent *entry) {
    return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

bool tables_print_wrong(FILE *out, const char *root, const char *unused) {
    char folder[2048], path[4096], *rows = NULL;
    size_t bytes = 0;
    struct dirent **labs = NULL;
    kl_error err = {KL_OK, ""};
    kl_status status = KL_OK;
    (void)unused;
    snprintf(folder, sizeof folder, "%s/autograder/tests/wrong", root);
    int found = scandir(folder, &labs, is_lab, alphasort), total = 0;
    FILE *list = open_memstream(&rows, &bytes);
    if (!list) return false;
    fputs("| lab | wrong kernels | failed as |\n|---|---|---|\n", out);
    for (int i = 0; i < found; i++) {
        tally lab = {.kernels = 0};
        snprintf(path, sizeof path, "%s/%.255s", folder, labs[i]->d_name);
        labs[i]->d_name[strcspn(labs[i]->d_name, ".")] = '\0';
        if (status == KL_OK) status = list_lab(path, labs[i]->d_name, list, &lab, &err);
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
    if (status != KL_OK) fprintf(stderr, "ladder-tables: %s\n", err.text);
    return status == KL_OK && found > 0;
}
