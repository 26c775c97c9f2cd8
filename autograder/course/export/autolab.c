// Standard output of an Autolab autograder: the report, one line of semantic feedback
// (https://docs.autolabproject.com/features/formatted-feedback/), and as the last line the
// autoresult with a score per problem, one named "adjustment" where being late costs points (or an
// override may raise it) and one named "hidden" where the rubric hides criteria (the instructor
// releases its scores; all else has none of them), and the row of the scoreboard
// (https://docs.autolabproject.com/features/scoreboards/). Autolab quotes every word of the
// autoresult that stands before a colon, also inside strings (parseAutoresult of
// app/helpers/assessment_autograde_core.rb): no name in it may hold one.
#include "course/export/internal.h"

// A document on one line: the writer breaks lines outside of strings only.
static kl_status
put_line(void (*write)(kl_json *json, const ladder_shown *shown, const ladder_hundredths *whole),
         const ladder_shown *shown, const ladder_hundredths *whole, FILE *out, kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    kl_json json;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a result");
    kl_json_begin(&json, memory);
    kl_json_object(&json, NULL);
    write(&json, shown, whole);
    kl_json_end(&json);
    kl_status status = kl_json_finish(&json, err);
    if (fclose(memory) != 0 && status == KL_OK)
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for a result");
    for (const char *c = text; status == KL_OK && *c != '\0';)
        if (*c == '\n') c += 1 + strspn(c + 1, " ");
        else fputc(*c++, out);
    if (status == KL_OK) fputc('\n', out);
    free(text);
    return status;
}

static const char by_a_person[] = "marked by a person";

// A stage of its own; what is not marked yet has not passed, and its hint says so.
static void write_given(kl_json *json, const ladder_report *report) {
    char name[LADDER_EXPORT_NAME], output[LADDER_EXPORT_OUTPUT + 1];
    kl_json_object(json, by_a_person);
    for (int i = 0; i < report->result->given.count; i++) {
        const ladder_given_criterion *item = &report->result->given.items[i];
        kl_json_object(json, ladder_export_given_name(report, i, name));
        bool passed = item->marked && item->points >= item->most;
        kl_json_bool(json, "passed", passed);
        if (!passed) kl_json_string(json, "hint", ladder_export_given_output(report, i, output));
        kl_json_end(json);
    }
    kl_json_end(json);
}

// Stages are steps, their cases criteria; numbered, because two criteria may ask for the same.
static void write_feedback(kl_json *json, const ladder_shown *shown,
                           const ladder_hundredths *whole) {
    const ladder_report *report = &shown->report;
    const ladder_hundredths *marks = &shown->marks;
    const ladder_result *r = report->result;
    (void)whole; // which students do not see
    char step[LADDER_EXPORT_NAME], what[LADDER_EXPORT_NAME], name[LADDER_EXPORT_NAME + 16],
        output[LADDER_EXPORT_OUTPUT + 1];
    kl_json_put(json, "_presentation semantic stages [");
    for (int s = 0; s < r->step_count; s++)
        kl_json_string(json, NULL, ladder_export_step_name(report, s, step));
    if (r->given.count > 0) kl_json_string(json, NULL, by_a_person);
    kl_json_end(json);
    for (int s = 0; s < r->step_count; s++) {
        kl_json_object(json, ladder_export_step_name(report, s, step));
        for (int c = 0; c < r->steps[s].criteria_count; c++) {
            if (!r->steps[s].criteria[c].counted) continue;
            bool passed = marks->criterion[s][c] == marks->criterion_max[s][c];
            snprintf(name, sizeof name, "%d. %s", c + 1,
                     ladder_export_criterion_name(report, s, c, what));
            kl_json_put(json, "%s {passed %hhd", name, passed);
            if (!passed) kl_json_string(json, "hint", ladder_export_output(report, s, c, output));
            kl_json_end(json);
        }
        kl_json_end(json);
    }
    if (r->given.count > 0) write_given(json, report);
}

static void write_scores(kl_json *json, const ladder_shown *shown, const ladder_hundredths *whole) {
    const ladder_hundredths *marks = &shown->marks;
    const ladder_result *r = &shown->result;
    char step[LADDER_EXPORT_NAME];
    for (int s = 0; s < r->step_count; s++)
        kl_json_number(json, ladder_export_step_name(&shown->report, s, step),
                       (double)marks->step[s] / 100);
    for (int i = 0; i < r->given.count; i++) // not marked yet: no score, which is no 0
        if (r->given.items[i].marked)
            kl_json_number(json, r->given.items[i].name, (double)marks->given[i] / 100);
    // An override is of all points; what being late costs is of both parts.
    bool overridden = shown->hidden > 0 && !ladder_points_changed(&r->points);
    int64_t adjustment = overridden ? whole->final - whole->total : marks->final - marks->total;
    if (adjustment != 0) kl_json_number(json, "adjustment", (double)adjustment / 100);
    if (shown->hidden > 0)
        kl_json_number(json, "hidden", (double)(whole->final - marks->total - adjustment) / 100);
}

static void write_autoresult(kl_json *json, const ladder_shown *shown,
                             const ladder_hundredths *whole) {
    kl_json_object(json, "scores");
    write_scores(json, shown, whole);
    kl_json_put(json, "} scoreboard [%g %d", (double)shown->marks.final / 100,
                ladder_export_steps_right(&shown->report));
    double modelled_us = ladder_export_best_us(&shown->report, false); // of those who take part
    double measured_us = ladder_export_best_us(&shown->report, true);
    if (modelled_us > 0) kl_json_number(json, NULL, modelled_us);
    if (modelled_us > 0 && measured_us > 0) kl_json_number(json, NULL, measured_us);
    kl_json_end(json);
}

static kl_status write_all(const ladder_shown *shown, const ladder_hundredths *whole, FILE *out,
                           kl_error *err) {
    const kl_style style = {.width = 80};
    ladder_report_text(&shown->report, &style, out);
    if (shown->hidden > 0) fprintf(out, "hidden tests that count as well: %d\n", shown->hidden);
    TRY(put_line(write_feedback, shown, whole, out, err));
    return put_line(write_autoresult, shown, whole, out, err);
}

kl_status ladder_export_autolab(const ladder_report *report, FILE *out, kl_error *err) {
    ladder_hundredths whole;
    ladder_shown *shown;
    ladder_hundredths_from(report->result, &whole);
    TRY(ladder_shown_make(report, &shown, err));
    kl_status status = write_all(shown, &whole, out, err);
    free(shown);
    return status;
}
