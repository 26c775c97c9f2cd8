// Report of one submission as a page of HTML that loads nothing: style inline, pictures as SVG,
// every text escaped. No script, so a page opened from a mail or an LMS does nothing but show.
#include "show/report/report.h"
#include "ladder_config.h"

static void put_score(FILE *out, const ladder_result *r) {
    char points[32], most[32], problem[LADDER_MESSAGE + 80];
    fputs("<p class=\"score\">", out);
    if (ladder_result_unreadable(r)) {
        ladder_html(out, "no score</p>\n<p class=\"why\">%s",
                    ladder_report_unreadable(r, problem, sizeof problem));
    } else if (!r->points.graded) {
        fprintf(out,
                "no score yet <small>a part could not be graded, through no fault of the "
                "submission; it has to be graded again.%s</small>",
                r->points.change.late_rule[0] != '\0' ? LADDER_NO_ATTEMPT : "");
    } else {
        fprintf(out, "%.1f&nbsp;%% <small>%s of %s points</small>", ladder_points_score(&r->points),
                ladder_report_points(r->points.reached, points, sizeof points),
                ladder_report_points(r->points.most, most, sizeof most));
    }
    fputs("</p>\n", out);
    char changed[LADDER_POINTS_TEXT];
    if (ladder_points_text(&r->points, changed, sizeof changed)[0] != '\0')
        fprintf(out, "<p><strong>%s</strong></p>\n", changed);
    if (r->points.change.late_rule[0] != '\0')
        ladder_html(out, "<p>Late policy: %s</p>\n", r->points.change.late_rule);
}

// Beside a class alone: without one, the steps below say the same.
static void put_ladders(FILE *out, const ladder_report *report) {
    const ladder_distribution *class = report->beside.class;
    if (!class) return;
    fputs("<section class=\"card\"><h2>Beside the class</h2><div class=\"drawings\">"
          "<figure>\n",
          out);
    ladder_draw_points(report->lab, report->result, class, out);
    fprintf(out,
            "<figcaption>The kit's solution has all points of every step. %s</figcaption>"
            "</figure>\n<figure>\n",
            isfinite(class->shares[0].mid)
                ? "The middle half of the class lies in the boxes."
                : "The class is too small to be shown without telling who is who.");
    if (ladder_draw_times(report->lab, report->result, class, out))
        fputs("<figcaption>Times are those of the simulator's model of the device; a step that is "
              "not right yet has none.</figcaption>",
              out);
    fputs("</figure></div></section>\n", out);
}

static void put_next(FILE *out, const ladder_report *report) {
    ladder_next next;
    if (!ladder_report_next(report, &next)) return;
    fputs("<section class=\"next\"><h2>What to do next", out);
    if (next.step) ladder_html(out, ": step %d, %s", next.step->number, next.step->name);
    ladder_html(out, "</h2><p>%s</p>\n", next.text);
    if (next.command[0] != '\0') ladder_html(out, "<p><code>%s</code></p>", next.command);
    fputs("</section>\n", out);
}

static void put_footer(FILE *out, const ladder_report *report) {
    const ladder_result *r = report->result;
    fputs("<footer>", out);
    for (int i = 0; i < r->note_count; i++) ladder_html(out, "Note: %s<br>", r->notes[i]);
    ladder_html(out,
                "&ndash; in place of points: neither measured here nor modelled, and left out of "
                "the total.<br>Modelled times are those of the simulator's model of the device, "
                "not of a card.<br>Device: %s. Sandbox: %s (%s). Seed %llu. Kit %s. %.1f s.",
                report->device, report->sandbox, report->sandbox_text, (unsigned long long)r->seed,
                LADDER_VERSION, r->wall_s);
    double alone_s = ladder_result_alone_s(r);
    if (alone_s > 0) fprintf(out, " %.1f s of them with the GPU alone.", alone_s);
    if (!report->beside.shared) // a hash can be looked up in another list
        ladder_html(out, "<br>Files: sha256 %s", r->hash);
    fputs("</footer></body></html>\n", out);
}

void ladder_report_html(const ladder_report *report, FILE *out) {
    const ladder_result *r = report->result;
    char title[LADDER_TITLE + 80], predictions[256];
    snprintf(title, sizeof title, "%s: %s", report->lab->folder, r->title);
    ladder_page_begin(out, title);
    ladder_html(out, "<header><h1>%s</h1><p class=\"sub\">", report->lab->problem->title);
    if (report->beside.page) ladder_html(out, "<a href=\"%s\">", report->beside.page);
    ladder_html(out, "Lab %s", report->lab->folder);
    if (report->beside.page) fputs("</a>", out);
    ladder_html(out, " &middot; %s</p>\n", r->title);
    put_score(out, r);
    fputs("</header>\n<main>\n", out);
    if (!ladder_result_unreadable(r)) { // nothing of it was graded
        put_ladders(out, report);
        for (int i = 0; i < r->step_count; i++) ladder_put_step(out, report, i);
    }
    ladder_put_given(out, report);
    if (ladder_report_predictions(report, predictions, sizeof predictions)[0] != '\0')
        ladder_html(out, "<p>%s</p>\n", predictions);
    if (r->work_log[0] != '\0') {
        ladder_html(out,
                    "<details><summary>work log, as handed in</summary><pre tabindex=\"0\">"
                    "%s</pre></details>\n",
                    r->work_log);
    }
    put_next(out, report);
    fputs("</main>\n", out);
    put_footer(out, report);
}
