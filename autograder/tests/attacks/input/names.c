// SPDX-License-Identifier: MIT
// Names of submissions that mean something to the program that shows them.
#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "attacks.h"

// A row whose name and message are hostile, as the class's table writes it; caller frees.
static char *csv_of(const char *name) {
    ladder_row row = {.done = true, .step_count = 1};
    char *text = NULL;
    size_t bytes = 0;
    snprintf(row.title, sizeof row.title, "%s", name);
    ladder_submission_id(name, row.id);
    FILE *out = open_memstream(&text, &bytes);
    ATTACK_MUST(out != NULL, "no memory");
    ladder_class_csv(&row, 1, out);
    fclose(out);
    return text;
}

// attack: The name of a submission is a formula, which a spreadsheet would run.
// stopped by: CSV_ESCAPE
// expect: the cell begins with an apostrophe
// gains: a cell of the class's table is a formula
ATTACK(name_is_formula) {
    (void)room;
    char *text = csv_of("=HYPERLINK(A1)");
    char *line = strchr(text, '\n');
    bool gained = line != NULL && (line[1] == '=' || strncmp(line + 1, "\"=", 2) == 0);
    ATTACK_MUST(strstr(text, "HYPERLINK") != NULL, "%s", text);
    free(text);
    return gained;
}
