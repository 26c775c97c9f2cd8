// results.json of a Gradescope autograder, as
// https://gradescope-autograders.readthedocs.io/en/latest/specs/ describes it: one test per
// criterion that counts, and the score on top, which overrides their sum: it is that sum, less what
// being late costs. What is shown at once (the line on top, the leaderboard) leaves out hidden
// criteria; while a test is hidden, Gradescope hides the score as well.
#include "course/export/internal.h"
#include "ladder_config.h"

static void write_test(kl_json *json, const ladder_report *report, const ladder_hundredths *marks,
                       int s, int c) {
    char step[LADDER_EXPORT_NAME], what[LADDER_EXPORT_NAME], name[2 * LADDER_EXPORT_NAME + 4],
        number[32], output[LADDER_EXPORT_OUTPUT + 1];
    int64_t mark = marks->criterion[s][c], most = marks->criterion_max[s][c];
    snprintf(name, sizeof name, "%s: %s", ladder_export_step_name(report, s, step),
             ladder_export_criterion_name(report, s, c, what));
    snprintf(number, sizeof number, "%d.%d", report->result->steps[s].step, c + 1);
    kl_json_object(json, NULL);
    kl_json_string(json, "name", name);
    kl_json_string(json, "number", number);
    kl_json_number(json, "score", (double)mark / 100);
    kl_json_number(json, "max_score", (double)most / 100);
    kl_json_string(json, "status", mark == most ? "passed" : "failed");
    kl_json_string(json, "output", ladder_export_output(report, s, c, output));
    kl_json_string(json, "output_format", "text"); // nothing of it is taken for markup
    const char *hidden = report->lab->rubric->steps[s].criteria[c].hidden;
    kl_json_string(json, "visibility", hidden ? hidden : "visible");
    kl_json_end(json);
}

// What a person marks; without a score while it is not marked.
static void write_given(kl_json *json, const ladder_report *report, const ladder_hundredths *marks,
                        int i) {
    char name[LADDER_EXPORT_NAME], output[LADDER_EXPORT_OUTPUT + 1];
    bool marked = report->result->given.items[i].marked;
    kl_json_object(json, NULL);
    kl_json_string(json, "name", ladder_export_given_name(report, i, name));
    if (marked) {
        kl_json_number(json, "score", (double)marks->given[i] / 100);
        kl_json_number(json, "max_score", (double)marks->given_max[i] / 100);
    }
    kl_json_string(json, "output", ladder_export_given_output(report, i, output));
    kl_json_string(json, "output_format", "text");
    kl_json_string(json, "visibility", "visible");
    kl_json_end(json);
}

// A time of who chose to take part: the shorter, the better.
static void write_best(kl_json *json, const char *name, double us) {
    if (!(us > 0)) return;
    kl_json_object(json, NULL);
    kl_json_string(json, "name", name);
    kl_json_number(json, "value", us);
    kl_json_string(json, "order", "asc");
    kl_json_end(json);
}

// Columns of the leaderboard; the greater, the better, which is Gradescope's default, but for
// times.
static void write_leaderboard(kl_json *json, const ladder_shown *shown) {
    kl_json_array(json, "leaderboard");
    kl_json_object(json, NULL);
    kl_json_string(json, "name", "points");
    kl_json_number(json, "value", (double)shown->marks.final / 100);
    kl_json_end(json);
    kl_json_object(json, NULL);
    kl_json_string(json, "name", "steps right");
    kl_json_int(json, "value", ladder_export_steps_right(&shown->report));
    kl_json_end(json);
    write_best(json, "fastest right step, modelled us",
               ladder_export_best_us(&shown->report, false));
    write_best(json, "fastest right step, measured us",
               ladder_export_best_us(&shown->report, true));
    kl_json_end(json);
}

kl_status ladder_export_gradescope(const ladder_report *report, FILE *out, kl_error *err) {
    const ladder_result *r = report->result;
    ladder_hundredths marks;
    ladder_hundredths_from(r, &marks);
    char line[LADDER_EXPORT_SUMMARY];
    ladder_shown *shown;
    TRY(ladder_shown_make(report, &shown, err));
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    kl_json_number(&json, "score", (double)marks.final / 100);
    kl_json_number(&json, "execution_time", ceil(r->wall_s > 0 ? r->wall_s : 0)); // whole seconds
    kl_json_string(&json, "output", ladder_shown_summary(shown, line));
    kl_json_string(&json, "output_format", "text");
    kl_json_string(&json, "visibility", "visible");
    kl_json_string(&json, "stdout_visibility", "hidden"); // the instructor's: it names paths
    kl_json_object(&json, "extra_data");
    kl_json_string(&json, "lab", report->lab->folder);
    kl_json_string(&json, "kit", LADDER_VERSION);
    kl_json_string(&json, "files_sha256", r->hash);
    kl_json_string(&json, "device", report->device);
    ladder_points_json(&r->points, &json);
    kl_json_end(&json);
    kl_json_array(&json, "tests");
    for (int s = 0; s < r->step_count; s++)
        for (int c = 0; c < r->steps[s].criteria_count; c++)
            if (r->steps[s].criteria[c].counted) write_test(&json, report, &marks, s, c);
    for (int i = 0; i < r->given.count; i++) write_given(&json, report, &marks, i);
    kl_json_end(&json);
    write_leaderboard(&json, shown);
    free(shown);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
