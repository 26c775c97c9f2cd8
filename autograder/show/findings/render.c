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
