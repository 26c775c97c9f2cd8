// Explanations of findings: see findings.h. They are the sections of docs/findings.md: the class's
// meaning, paragraphs, and a program.
#include "show/findings/findings.h"

enum { FILE_MAX = 1 << 20 };

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
        kl_append(names, sizeof names, "%s%s", i > 0 ? ", " : "",
                  sim_check_name((sim_check_class)i));
    }
    return kl_fail(err, KL_ERROR_USAGE, "'%s' is no class of findings; they are %s", name, names);
}

// The section of a class: it begins with the class's meaning. NULL after an error.
static const char *find_section(const char *page, sim_check_class kind, kl_error *err) {
    char start[512];
    snprintf(start, sizeof start, "\n### %s\n%s%s.\n", sim_check_name(kind),
             sim_check_is_warning(kind) ? "A warning: " : "", sim_check_meaning(kind));
    const char *at = strstr(page, start);
    if (at) return at + strlen(start);
    kl_fail(err, KL_ERROR_INPUT, "docs/findings.md has no section that begins with%s", start);
    return NULL;
}

// Prints the paragraph that starts at text, and returns where it ends.
static const char *put_paragraph(const char *text, const kl_style *style, FILE *out) {
    static const struct {
        const char *page, *shown;
    } titles[] = {{"**How to fix it.** ", "How to fix it: "},
                  {"**compute-sanitizer.** ", "compute-sanitizer: "}};
    const char *end = strstr(text, "\n\n"), *title = "";
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strncmp(text, titles[i].page, strlen(titles[i].page)) == 0) {
            title = titles[i].shown;
            text += strlen(titles[i].page);
        }
    char shown[2112];
    snprintf(shown, sizeof shown, "%s%.*s", title, (int)(end - text), text);
    for (char *line = shown; (line = strchr(line, '\n'));) *line = ' ';
    fputc('\n', out);
    kl_print_wrapped(out, style, 0, shown);
    return end;
}

kl_status ladder_explain(const ladder_kit *kit, const char *name, const kl_style *style, FILE *out,
                         kl_error *err) {
    sim_check_class kind;
    char path[LADDER_PATH], *page = NULL;
    if (!find_class(name, &kind)) return refuse(name, err);
    TRY(ladder_path(path, err, "%s/docs/findings.md", kit->source));
    TRY(ladder_file_read(AT_FDCWD, path, FILE_MAX, &page, NULL, err));
    const char *at = find_section(page, kind, err);
    const char *code = at ? strstr(at, "\n\n```c++\n") : NULL;
    const char *end = code ? strstr(code, "\n```\n") : NULL;
    if (!end) {
        free(page);
        if (!at) return err->status;
        return kl_fail(err, KL_ERROR_INPUT, "docs/findings.md: section %s has no program", name);
    }
    fprintf(out, "%s%s: %s\n", name, sim_check_is_warning(kind) ? " (a warning)" : "",
            sim_check_meaning(kind));
    while (at < code) at = put_paragraph(at + strspn(at, "\n"), style, out);
    fprintf(out, "\nA program that has it:\n");
    for (at = code + strlen("\n\n```c++\n"); at < end; at += strcspn(at, "\n") + 1)
        fprintf(out, "    %.*s\n", (int)strcspn(at, "\n"), at);
    free(page);
    return KL_OK;
}
