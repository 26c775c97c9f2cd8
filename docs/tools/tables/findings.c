// SPDX-License-Identifier: MIT
// The page of findings: a section for each class, of docs/findings: see tables.h.
#include <stdlib.h>
#include <string.h>

#include "device/report.h"
#include "tables/tables.h"

// A line of comment that begins a paragraph, under the name that it has on the page; NULL: none.
static const char *paragraph_title(const char *words, size_t *out_skipped) {
    static const struct {
        const char *word, *title;
    } titles[] = {{"Means: ", ""},
                  {"Fix: ", "**How to fix it.** "},
                  {"Sanitizer: ", "**compute-sanitizer.** "}};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        *out_skipped = strlen(titles[i].word);
        if (strncmp(words, titles[i].word, *out_skipped) == 0) return titles[i].title;
    }
    return NULL;
}

static void put_text(FILE *out, const char *text) {
    for (; strncmp(text, "// ", 3) == 0; text += strcspn(text, "\n") + 1) {
        size_t skipped = 0;
        const char *words = text + 3, *title = paragraph_title(words, &skipped);
        if (title) fprintf(out, "\n%s", title);
        if (title) words += skipped;
        fprintf(out, "%.*s\n", (int)strcspn(words, "\n"), words);
    }
    fprintf(out, "\n```c++\n%s```\n", text);
}

bool tables_print_findings(FILE *out, const char *root, const char *what) {
    (void)what;
    for (int i = 0; i < SIM_CHECK_COUNT; i++) {
        sim_check_class kind = (sim_check_class)i;
        char path[4096];
        snprintf(path, sizeof path, "%s/docs/findings/%s.cu", root, sim_check_name(kind));
        char *text = tables_read_file(path);
        if (!text) return false;
        fprintf(out, "\n### %s\n%s%s.\n", sim_check_name(kind),
                sim_check_is_warning(kind) ? "A warning: " : "", sim_check_meaning(kind));
        put_text(out, text);
        free(text);
    }
    fputc('\n', out);
    return true;
}
