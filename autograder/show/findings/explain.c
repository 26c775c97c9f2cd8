// SPDX-License-Identifier: MIT
// Explanations of findings: see findings.h. A file begins with lines of comment, in paragraphs that
// start with a word and a colon; the rest is the program. docs/findings.md is made of the same.
#include "show/findings/findings.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "device/report.h"
#include "utilities/files.h"

enum { FILE_MAX = 64 << 10 };

static bool find_class(const char *name, sim_check_class *out_kind) {
    for (int i = 0; i < SIM_CHECK_COUNT; i++) {
        *out_kind = (sim_check_class)i;
        if (strcmp(sim_check_name(*out_kind), name) == 0) return true;
    }
    return false;
}

static kl_status refuse(const char *name, kl_error *err) {
    char names[1024] = "";
    for (int i = 0; i < SIM_CHECK_COUNT; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                 sim_check_name((sim_check_class)i));
    }
    return kl_fail(err, KL_ERROR_USAGE, "'%s' is no class of findings; they are %s", name, names);
}

// A paragraph of comment that starts at *at, without its slashes; *at moves past it. False: the
// comment has ended.
static bool take_paragraph(const char **at, char *text, size_t bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (int line = 0; strncmp(*at, "// ", 3) == 0; line++) {
        const char *words = *at + 3;
        size_t length = strcspn(words, "\n");
        bool starts = strncmp(words, "Means: ", 7) == 0 || strncmp(words, "Fix: ", 5) == 0 ||
                      strncmp(words, "Sanitizer: ", 11) == 0;
        if (line > 0 && starts) break;
        used += (size_t)snprintf(text + used, bytes - used, "%s%.*s", line > 0 ? " " : "",
                                 (int)length, words);
        if (used >= bytes) used = bytes - 1;
        *at = words + length + (words[length] == '\n');
    }
    return used > 0;
}

kl_status ladder_explain(const ladder_kit *kit, const char *name, const kl_style *style, FILE *out,
                         kl_error *err) {
    sim_check_class kind;
    char path[LADDER_PATH], paragraph[2048], *text = NULL;
    if (!find_class(name, &kind)) return refuse(name, err);
    TRY(ladder_path(path, err, "%s/docs/findings/%s.cu", kit->source, name));
    TRY(ladder_file_read(AT_FDCWD, path, FILE_MAX, &text, NULL, err));
    const char *at = text;
    fprintf(out, "%s%s: %s\n", name, sim_check_is_warning(kind) ? " (a warning)" : "",
            sim_check_meaning(kind));
    while (take_paragraph(&at, paragraph, sizeof paragraph)) {
        char shown[2112];
        bool fix = strncmp(paragraph, "Fix", 3) == 0, tool = strncmp(paragraph, "San", 3) == 0;
        snprintf(shown, sizeof shown, "%s%s",
                 fix    ? "How to fix it: "
                 : tool ? "compute-sanitizer: "
                        : "",
                 strchr(paragraph, ':') + 2);
        fputc('\n', out);
        kl_print_wrapped(out, style, 0, shown);
    }
    fprintf(out, "\nA program that has it:\n");
    for (; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n')
        fprintf(out, "    %.*s\n", (int)strcspn(at, "\n"), at);
    free(text);
    return KL_OK;
}
