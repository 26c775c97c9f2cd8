// JUnit XML, for GitHub Classroom's workflows and every CI that shows tests. Elements and
// attributes are those of the schema that Jenkins publishes (junit-10.xsd of its xUnit plugin;
// surefire's has the same core): one test suite, one test case per criterion. Less than all points
// is a failure, a grader's fault an error, what does not count here is skipped. Those who see a
// CI's run see all of it: hidden criteria and their points are left out. XML 1.0: ladder_put_html
// leaves no character that it forbids.
#include "course/export/internal.h"
#include "ladder_config.h"

typedef struct counts {
    int tests, failures, errors, skipped;
} counts;

typedef enum verdict { PASSED, FAILED, ERROR, SKIPPED } verdict;

static verdict verdict_of(const ladder_report *report, const ladder_hundredths *marks, int s,
                          int c) {
    const ladder_step_result *step = &report->result->steps[s];
    if (!step->criteria[c].counted) return SKIPPED;
    if (ladder_outcome_kind_of(step->outcome) == LADDER_KIND_UNGRADABLE) return ERROR;
    return marks->criterion[s][c] == marks->criterion_max[s][c] ? PASSED : FAILED;
}

static counts count(const ladder_report *report, const ladder_hundredths *marks) {
    counts n = {0};
    for (int s = 0; s < report->result->step_count; s++) {
        for (int c = 0; c < report->result->steps[s].criteria_count; c++) {
            verdict v = verdict_of(report, marks, s, c);
            n.tests++;
            n.failures += v == FAILED;
            n.errors += v == ERROR;
            n.skipped += v == SKIPPED;
        }
    }
    return n;
}

static void put_attribute(FILE *out, const char *name, const char *value) {
    ladder_html(out, " %s=\"%s\"", name, value);
}

static void put_property(FILE *out, const char *name, const char *value) {
    fputs("      <property", out);
    put_attribute(out, "name", name);
    put_attribute(out, "value", value);
    fputs("/>\n", out);
}

static void put_properties(FILE *out, const ladder_report *report, const ladder_hundredths *marks) {
    char text[LADDER_EXPORT_NAME];
    fputs("    <properties>\n", out);
    put_property(out, "kit", LADDER_VERSION);
    put_property(out, "device", report->device);
    put_property(out, "files_sha256", report->result->hash);
    for (int i = 0; i < report->result->given.count; i++) {
        char said[LADDER_GIVEN_TEXT + 200];
        put_property(out, "given",
                     ladder_given_say(&report->result->given.items[i], said, sizeof said));
    }
    if (report->result->points.graded) {
        put_property(out, "points", ladder_hundredths_text(marks->total, text, sizeof text));
        put_property(out, "points_max",
                     ladder_hundredths_text(marks->total_max, text, sizeof text));
        bool overridden = report->result->points.change.overridden;
        int64_t lost = overridden ? 0 : marks->total - marks->final;
        put_property(out, "late_policy", report->result->points.change.late_rule);
        put_property(out, "late_deduction", ladder_hundredths_text(lost, text, sizeof text));
        put_property(out, "override",
                     overridden ? ladder_hundredths_text(marks->final, text, sizeof text) : "");
        put_property(out, "final_points", ladder_hundredths_text(marks->final, text, sizeof text));
        int64_t share = ladder_hundredths_scale(marks->final, marks->total_max, 10000);
        put_property(out, "score", ladder_hundredths_text(share, text, sizeof text));
    }
    fputs("    </properties>\n", out);
}

// <failure message="1.00 of 3.00 points: wrong answer" type="..">what is said of it</failure>
static void put_verdict(FILE *out, const ladder_report *report, const ladder_hundredths *marks,
                        int s, int c, verdict v) {
    const ladder_step_result *step = &report->result->steps[s];
    char output[LADDER_EXPORT_OUTPUT + 1], points[32], most[32], message[128];
    if (v == SKIPPED) {
        fputs("      <skipped/>\n", out);
        return;
    }
    const char *tag = v == ERROR ? "error" : "failure";
    snprintf(message, sizeof message, "%s of %s points%s%s",
             ladder_hundredths_text(marks->criterion[s][c], points, sizeof points),
             ladder_hundredths_text(marks->criterion_max[s][c], most, sizeof most),
             step->outcome != LADDER_CORRECT ? ", " : "",
             step->outcome != LADDER_CORRECT ? ladder_outcome_word(step->outcome) : "");
    fprintf(out, "      <%s", tag);
    put_attribute(out, "message", v == ERROR ? ladder_outcome_text(step->outcome) : message);
    put_attribute(out, "type", ladder_outcome_word(step->outcome));
    ladder_html(out, ">%s</%s>\n", ladder_export_output(report, s, c, output), tag);
}

static void put_case(FILE *out, const ladder_report *report, const ladder_hundredths *marks, int s,
                     int c) {
    const ladder_step_result *step = &report->result->steps[s];
    char step_name[LADDER_EXPORT_NAME], class[LADDER_EXPORT_NAME + 64], what[LADDER_EXPORT_NAME];
    verdict v = verdict_of(report, marks, s, c);
    snprintf(class, sizeof class, "%s.%s", report->lab->folder,
             ladder_export_step_name(report, s, step_name));
    fputs("    <testcase", out);
    put_attribute(out, "name", ladder_export_criterion_name(report, s, c, what));
    put_attribute(out, "classname", class);
    // A step runs once for all of its criteria.
    fprintf(out, " time=\"%.3f\"", c == 0 ? step->build_s + step->run_s : 0.0);
    if (v == PASSED) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    put_verdict(out, report, marks, s, c, v);
    fputs("    </testcase>\n", out);
}

static void put_head(FILE *out, const char *tag, const ladder_report *report, const counts *n) {
    double wall_s = report->result->wall_s;
    fputs(tag, out);
    put_attribute(out, "name", report->lab->folder);
    fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.3f\"", n->tests, n->failures,
            n->errors, wall_s > 0 ? wall_s : 0.0);
}

static void write_all(const ladder_report *report, const ladder_hundredths *marks, FILE *out) {
    const ladder_result *r = report->result;
    counts n = count(report, marks);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    put_head(out, "<testsuites", report, &n);
    fprintf(out, ">\n");
    put_head(out, "  <testsuite", report, &n);
    fprintf(out, " skipped=\"%d\">\n", n.skipped); // testsuites has no such attribute
    put_properties(out, report, marks);
    for (int s = 0; s < r->step_count; s++)
        for (int c = 0; c < r->steps[s].criteria_count; c++) put_case(out, report, marks, s, c);
    fputs("  </testsuite>\n</testsuites>\n", out);
}

kl_status ladder_export_junit(const ladder_report *report, FILE *out, kl_error *err) {
    ladder_shown *shown;
    TRY(ladder_shown_make(report, &shown, err)); // the file's writer notices what is not written
    write_all(&shown->report, &shown->marks, out);
    free(shown);
    return KL_OK;
}
