// Findings for a terminal: see checks.c. Fits 80 columns.
#include "show/findings/findings.h"
#include "utilities/finding.h"

// All leaks in one line: findings[first..], of which the leaks are the end. They are named by their
// place among the program's allocations, as many as fit.
static void put_leaks(const sim_check_report *report, uint32_t first, const kl_style *style,
                      FILE *out) {
    enum { COLUMNS = 78 };
    char line[COLUMNS + 16];
    uint32_t count = report->count - first;
    uint64_t bytes = 0;
    for (uint32_t i = first; i < report->count; i++) bytes += report->findings[i].allocation_bytes;
    int used =
        snprintf(line, sizeof line,
                 "%" PRIu32 " allocation%s of the program, %" PRIu64 " bytes, never freed:", count,
                 count == 1 ? "" : "s", bytes);
    for (uint32_t i = first; i < report->count; i++) {
        char number[16];
        int length = snprintf(number, sizeof number, "%s %" PRIu32, i > first ? "," : "",
                              report->findings[i].allocation);
        if (used + length > COLUMNS - (int)sizeof "leak: , ..") {
            used += snprintf(line + used, sizeof line - (size_t)used, ", ..");
            break;
        }
        used += snprintf(line + used, sizeof line - (size_t)used, "%s", number);
    }
    fprintf(out, "%s%s%s: %s\n", style->colour ? "\033[33m" : "", sim_check_name(SIM_CHECK_LEAK),
            style->colour ? "\033[0m" : "", line);
}

// "case sum-exact, 1000 elements, seed 1", and the command that runs it alone. order: of the run
// that found it; NULL: the usual one.
static void put_case(const ladder_checks *checks, const sim_finding *finding, const char *order,
                     FILE *out) {
    const ladder_checked_case *c = ladder_checks_case(checks, finding);
    const kl_problem *problem = checks->problem;
    char size[64];
    if (!c || !problem) return;
    kl_size_text(problem, kl_problem_family(problem, c->family), c->size, size, sizeof size);
    fprintf(out,
            "    case %s, %s, seed %" PRIu64 "\n    again: ./ladder check %s %d%s --case %s "
            "--size %" PRId64 "%s%s%s%s\n",
            c->family, size, c->seed, problem->name, checks->step,
            checks->solution ? " --solution" : "", c->family, c->size, order ? " --order " : "",
            order ? order : "", order && checks->resident ? " --resident " : "",
            order && checks->resident ? checks->resident : "");
}

static void put_report(const ladder_checks *checks, const sim_check_report *report,
                       const char *order, const kl_style *style, FILE *out) {
    uint32_t count = report->count;
    while (count > 0 && report->findings[count - 1].kind == SIM_CHECK_LEAK) count--;
    for (uint32_t i = 0; i < count; i++) {
        ladder_finding_print(&report->findings[i], NULL, style, out);
        put_case(checks, &report->findings[i], order, out);
        fputc('\n', out);
    }
    if (count < report->count) put_leaks(report, count, style, out);
    if (report->left_out != 0)
        fprintf(out, "%" PRIu64 " more findings are left out\n", report->left_out);
    if (report->times_exhausted)
        fputs("a launch was too long: its later part was not searched for races\n", out);
}

// "no findings", "1 warning", "3 findings, 2 of them warnings,".
static void put_count(uint64_t count, uint64_t warnings, FILE *out) {
    const char *s = count == 1 ? "" : "s";
    if (count == 0) fputs("no findings", out);
    else if (warnings == count) fprintf(out, "%" PRIu64 " warning%s", count, s);
    else fprintf(out, "%" PRIu64 " finding%s", count, s);
    if (warnings != 0 && warnings != count)
        fprintf(out, ", %" PRIu64 " of them %s,", warnings,
                warnings == 1 ? "a warning" : "warnings");
}

// How the program ended, if it failed. What is wrong with a lab's step, in its program's own words
// where no finding says it.
static void put_failure(const ladder_checks *checks, FILE *out) {
    if (checks->exit_code == 0) return;
    if (checks->verdict.text[0] == '\0')
        fprintf(out, "%s ended with %sexit status %d\n",
                checks->has_crashed ? "host code of the program" : "the program",
                checks->has_crashed ? "a segmentation fault: " : "", checks->exit_code);
    else if (ladder_checks_errors(checks) == 0) fprintf(out, "%s\n", checks->verdict.text);
    else
        fprintf(out, "%.*s: see ./ladder run %s %d\n", (int)strcspn(checks->verdict.text, "\n"),
                checks->verdict.text, checks->problem->name, checks->step);
}

void ladder_checks_print(const ladder_checks *checks, const kl_style *style, FILE *out) {
    put_report(checks, checks->report, NULL, style, out);
    if (checks->order && !checks->asked)
        fprintf(out,
                "in order %s of blocks and warps, which a GPU may take, too (again with\n"
                "--order %s --resident %s):\n",
                checks->order, checks->order, checks->resident);
    else if (checks->order) fprintf(out, "in order %s of blocks and warps:\n", checks->order);
    if (checks->order) put_report(checks, checks->permuted, checks->order, style, out);
    if (checks->asked) {
        if (checks->differing_read != 0)
            fprintf(out,
                    "results differ from those of the usual order, first in copy %u to the "
                    "host\n",
                    checks->differing_read);
        else fputs("results are the same as in the usual order\n", out);
    }
    uint64_t warnings = ladder_checks_warnings(checks);
    uint64_t count = ladder_checks_errors(checks) + warnings;
    uint64_t launches = checks->report->launches;
    put_failure(checks, out);
    if (checks->unwritten || (count == 0 && launches == 0)) {
        fprintf(out, "%s\n",
                checks->unwritten ? ladder_outcome_word(LADDER_NOT_IMPLEMENTED)
                                  : "no kernel was launched");
        if (checks->forgotten[0] != '\0') kl_print_wrapped(out, style, 0, checks->forgotten);
        return;
    }
    put_count(count, warnings, out);
    fprintf(out, " in %" PRIu64 " launch%s\n", launches, launches == 1 ? "" : "es");
    const sim_check_report *told = checks->report->count > 0 ? checks->report : checks->permuted;
    if (count > 0 && told && told->count > 0)
        fprintf(out, "Why, and an example: ./ladder check --explain %s\n",
                sim_check_name(told->findings[0].kind));
}

// ---- explanations of findings -------------------------------------------------------------------
// They are the sections of docs/findings.md: the class's meaning, paragraphs, and a program.

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
