// SPDX-License-Identifier: MIT
// The attacks on the grader in Markdown: see tables.h. What each one does and what stops it is
// said in its heading (CONTRIBUTING.md, "Add an attack").
#include <stdlib.h>
#include <string.h>

#include "heading.h"
#include "tables/tables.h"

static void put_cell(FILE *out, const char *text) {
    for (; *text != '\0'; text++) fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

static void put_counts(FILE *out, const attack *list, size_t count) {
    int switched_all = 0, design_all = 0;
    fputs("| class | attacks | of these stopped by the way the grader is built |\n|---|---|---|\n",
          out);
    for (size_t i = 0; i < count;) {
        size_t first = i;
        int design = 0;
        for (; i < count && strcmp(list[i].class_name, list[first].class_name) == 0; i++)
            design += list[i].defence_count == 0;
        fprintf(out, "| %s | %zu | %d |\n", list[first].class_name, i - first, design);
        switched_all += (int)(i - first) - design;
        design_all += design;
    }
    fprintf(out, "| all | %d | %d |\n", switched_all + design_all, design_all);
}

static void put_defences(FILE *out, const attack *list, size_t count) {
    fputs("\n| defence | what it does | attacks that need it off |\n|---|---|---|\n", out);
    for (int d = 0; d < LADDER_DEFENCES; d++) {
        int uses = 0;
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < list[i].defence_count; k++)
                uses += list[i].defences[k] == (ladder_defence)d;
        fprintf(out, "| %s | ", attack_defence_name((ladder_defence)d));
        put_cell(out, attack_defence_text((ladder_defence)d));
        fprintf(out, " | %d |\n", uses);
    }
}

static void put_attack(FILE *out, const attack *a) {
    fprintf(out, "| %s | `%s` | ", a->class_name, a->name);
    put_cell(out, a->text);
    fputs(" | ", out);
    for (int i = 0; i < a->defence_count; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "", attack_defence_name(a->defences[i]));
    if (a->defence_count == 0) fputs("how the grader is built", out);
    fputs(" | ", out);
    put_cell(out, a->expect);
    fputs(" | ", out);
    put_cell(out, a->defence_count > 0 ? a->gain_text : "");
    fputs(" |\n", out);
}

bool tables_print_attacks(FILE *out, const char *root, const char *what) {
    char folder[2048];
    attack *list = NULL;
    size_t count = 0;
    kl_error err = {KL_OK, ""};
    snprintf(folder, sizeof folder, "%s/autograder/tests/attacks", root);
    if (attack_find(folder, &list, &count, &err) != KL_OK || count == 0) {
        fprintf(stderr, "ladder-tables: %s: %s\n", folder, count == 0 ? "no attacks" : err.text);
        free(list);
        return false;
    }
    put_counts(out, list, count);
    if (strcmp(what, "count") != 0) {
        put_defences(out, list, count);
        fputs("\n| class | attack | what it does | stopped by | outcome | without that |\n"
              "|---|---|---|---|---|---|\n",
              out);
        for (size_t i = 0; i < count; i++) put_attack(out, &list[i]);
    }
    free(list);
    return true;
}
