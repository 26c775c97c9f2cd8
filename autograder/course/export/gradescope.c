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
    kl_json_put(json, "{name %s number %s score %g max_score %g status %s output %s", name, number,
                (double)mark / 100, (double)most / 100, mark == most ? "passed" : "failed",
                ladder_export_output(report, s, c, output));
    kl_json_string(json, "output_format", "text"); // nothing of it is taken for markup
    const char *hidden = report->lab->rubric->steps[s].criteria[c].hidden;
    kl_json_put(json, "visibility %s}", hidden ? hidden : "visible");
}

// What a person marks; without a score while it is not marked.
static void write_given(kl_json *json, const ladder_report *report, const ladder_hundredths *marks,
                        int i) {
    char name[LADDER_EXPORT_NAME], output[LADDER_EXPORT_OUTPUT + 1];
    bool marked = report->result->given.items[i].marked;
    kl_json_put(json, "{name %s", ladder_export_given_name(report, i, name));
    if (marked) {
        kl_json_put(json, "score %g max_score %g", (double)marks->given[i] / 100,
                    (double)marks->given_max[i] / 100);
    }
    kl_json_put(json, "output %s output_format text visibility visible}",
                ladder_export_given_output(report, i, output));
}

// A time of who chose to take part: the shorter, the better.
static void write_best(kl_json *json, const char *name, double us) {
    if (!(us > 0)) return;
    kl_json_put(json, "{name %s value %g order asc}", name, us);
}

// Columns of the leaderboard; the greater, the better, which is Gradescope's default, but for
// times.
static void write_leaderboard(kl_json *json, const ladder_shown *shown) {
    kl_json_put(json, "leaderboard [{name points value %g} {name %s value %d}",
                (double)shown->marks.final / 100, "steps right",
                ladder_export_steps_right(&shown->report));
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
    kl_json_put(&json, "{score %g", (double)marks.final / 100);
    kl_json_number(&json, "execution_time", ceil(r->wall_s > 0 ? r->wall_s : 0)); // whole seconds
    kl_json_put(&json, "output %s output_format text visibility visible",
                ladder_shown_summary(shown, line));
    kl_json_string(&json, "stdout_visibility", "hidden"); // the instructor's: it names paths
    kl_json_put(&json, "extra_data {lab %s kit %s files_sha256 %s device %s", report->lab->folder,
                LADDER_VERSION, r->hash, report->device);
    ladder_points_json(&r->points, &json);
    kl_json_put(&json, "} tests [");
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
