// SPDX-License-Identifier: MIT
// Report of one submission as a page of HTML that loads nothing: style inline, bars as SVG, every
// text escaped. No script, so a page opened from a mail or an LMS does nothing but show.
#include "report/report.h"

#include <math.h>
#include <string.h>

#include "ladder_config.h"
#include "kit/text.h"

static const char style_sheet[] =
    "*{box-sizing:border-box}"
    "body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1.5rem;"
    "color:#1c2330;background:#fff}"
    "h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:0}"
    ".sub{color:#5a6475;margin:.2rem 0 1.2rem}"
    ".score{font-size:2.6rem;font-weight:700}.score small{font-size:1rem;font-weight:400;"
    "color:#5a6475}"
    "section{border:1px solid #d8dde6;border-left:6px solid #98a2b3;border-radius:6px;"
    "margin:.8rem 0;padding:.7rem 1rem}"
    "section.good{border-left-color:#2e8b57}section.bad{border-left-color:#c0392b}"
    "section.ungradable{border-left-color:#d68910}"
    ".head{display:flex;gap:1rem;align-items:center;flex-wrap:wrap}.head h2{flex:1 1 14rem}"
    ".tag{border-radius:999px;padding:.05rem .7rem;font-size:.85rem;background:#e8ebf0}"
    ".good .tag{background:#d9f0e3;color:#14532d}.bad .tag{background:#fadbd8;color:#7b1e14}"
    ".ungradable .tag{background:#fdebd0;color:#7e5109}"
    ".why{color:#5a6475;margin:.3rem 0}"
    "table{border-collapse:collapse;width:100%;margin:.4rem 0;font-size:.95rem}"
    "td{padding:.2rem .5rem .2rem 0;vertical-align:top}td.n{white-space:nowrap;width:6.5rem;"
    "text-align:right;padding-right:1rem;font-variant-numeric:tabular-nums}"
    "pre{background:#f4f6f9;border-radius:4px;padding:.6rem;overflow:auto;max-height:24rem;"
    "font-size:.85rem;white-space:pre-wrap;overflow-wrap:anywhere}"
    "footer{color:#5a6475;font-size:.85rem;margin-top:1.5rem;overflow-wrap:anywhere}"
    "svg{flex:none}.pts{min-width:4.5rem;text-align:right}li{white-space:pre-line}"
    "@media(prefers-color-scheme:dark){body{background:#14181f;color:#dfe4ec}"
    ".sub,.why,footer,.score small{color:#97a1b2}section{border-color:#323a47}"
    "pre{background:#1d232d}.tag{background:#2b323e}}";

// A bar of `share` of its width.
static void put_bar(FILE *out, double share, const char *label) {
    int filled = (int)lround(140.0 * (share > 0 ? share < 1 ? share : 1.0 : 0.0));
    fputs("<svg width=\"142\" height=\"14\" role=\"img\" aria-label=\"", out);
    ladder_put_html(out, label);
    fprintf(out,
            "\"><rect x=\".5\" y=\".5\" width=\"141\" height=\"13\" rx=\"3\" fill=\"none\" "
            "stroke=\"#98a2b3\"/><rect x=\"1\" y=\"1\" width=\"%d\" height=\"12\" rx=\"2\" "
            "fill=\"%s\"/></svg>",
            filled,
            share >= 1.0 - 1e-9 ? "#2e8b57"
            : share > 0         ? "#d68910"
                                : "#c0392b");
}

static void put_criteria(FILE *out, const ladder_rubric_step *rubric,
                         const ladder_step_result *step) {
    fputs("<table>", out);
    for (int c = 0; c < step->criteria_count; c++) {
        const ladder_criterion_result *r = &step->criteria[c];
        char points[32], most[32], text[LADDER_CRITERION_TEXT];
        if (r->counted) {
            fprintf(out, "<tr><td class=\"n\">%s / %s</td><td>",
                    ladder_report_points(r->points, points, sizeof points),
                    ladder_report_points(r->points_max, most, sizeof most));
        } else {
            fputs("<tr><td class=\"n\">&ndash;</td><td>", out);
        }
        ladder_put_html(out, ladder_report_criterion(&rubric->criteria[c], r, text, sizeof text));
        if (rubric->criteria[c].kind == LADDER_CRITERION_CORRECT && step->cases_total > 0)
            fprintf(out, " (%d of %d cases)", step->cases_right, step->cases_total);
        fputs("</td></tr>", out);
    }
    fputs("</table>\n", out);
}

static void put_failures(FILE *out, const ladder_step_result *step) {
    int kept =
        step->failure_count < LADDER_FAILURES_MAX ? step->failure_count : LADDER_FAILURES_MAX;
    fputs("<ul>", out);
    for (int i = 0; i < kept; i++) {
        fputs("<li><b>", out);
        ladder_put_html(out, step->failures[i].title);
        fputs("</b>: ", out);
        ladder_put_html(out, step->failures[i].text);
        fputs("</li>", out);
    }
    if (step->failure_count > kept)
        fprintf(out, "<li>and %d more cases that failed</li>", step->failure_count - kept);
    if (step->cases_run < step->cases_total) {
        fprintf(out, "<li>%d of %d cases were not tried any more</li>",
                step->cases_total - step->cases_run, step->cases_total);
    }
    fputs("</ul>\n", out);
}

static void put_predictions(FILE *out, const ladder_step_result *step) {
    if (step->prediction_count == 0) return;
    fputs("<details><summary>predictions</summary><ul>\n", out);
    for (int i = 0; i < step->prediction_count; i++) {
        char text[256];
        fputs("<li>", out);
        ladder_put_html(out, ladder_report_prediction(&step->predictions[i], text, sizeof text));
        fputs("</li>\n", out);
    }
    fputs("</ul></details>\n", out);
}

static void put_step(FILE *out, const ladder_report *report, int index) {
    static const char *const classes[] = {"good", "absent", "bad", "ungradable"};
    const ladder_step_result *step = &report->result->steps[index];
    const ladder_rubric_step *rubric = &report->lab->rubric->steps[index];
    const kl_step_info *info = kl_problem_step(report->lab->problem, step->step);
    char points[32], most[32], label[96];
    snprintf(label, sizeof label, "%s of %s points",
             ladder_report_points(step->points, points, sizeof points),
             ladder_report_points(step->points_max, most, sizeof most));
    fprintf(out, "<section class=\"%s\"><div class=\"head\"><h2>Step %d: ",
            classes[ladder_outcome_kind_of(step->outcome)], step->step);
    ladder_put_html(out, info != NULL ? info->name : rubric->file);
    fprintf(out, "%s</h2><span class=\"tag\">%s</span>", rubric->given ? " (given)" : "",
            ladder_outcome_word(step->outcome));
    put_bar(out, step->points_max > 0 ? step->points / step->points_max : 0.0, label);
    fprintf(out, "<span class=\"pts\">%s / %s</span></div>\n", points, most);
    if (step->outcome == LADDER_CORRECT) {
        put_criteria(out, rubric, step);
        char check[384];
        if (ladder_report_check(&step->check, check, sizeof check)[0] != '\0') {
            fputs("<p class=\"why\">", out);
            ladder_put_html(out, check);
            fputs("</p>\n", out);
        }
        put_predictions(out, step);
    } else {
        fputs("<p class=\"why\">", out);
        ladder_put_html(out, ladder_outcome_text(step->outcome));
        fputs("</p>\n", out);
        if (step->failure_count > 0 && step->outcome != LADDER_NOT_IMPLEMENTED) {
            put_failures(out, step);
        } else if (step->message[0] != '\0' &&
                   (step->forgotten || step->outcome != LADDER_NOT_IMPLEMENTED)) {
            fputs("<p>", out);
            ladder_put_html(out, step->message);
            fputs("</p>\n", out);
        }
    }
    if (step->log[0] != '\0') {
        fprintf(out, "<details%s><summary>what was printed</summary><pre>",
                step->outcome == LADDER_CORRECT ? "" : " open");
        ladder_put_html(out, step->log);
        fputs("</pre></details>\n", out);
    }
    fputs("</section>\n", out);
}

void ladder_report_html(const ladder_report *report, FILE *out) {
    const ladder_result *r = report->result;
    char points[32], most[32];
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\"><title>",
          out);
    ladder_put_html(out, report->lab->folder);
    fputs(": ", out);
    ladder_put_html(out, r->title);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>", style_sheet);
    ladder_put_html(out, report->lab->problem->title);
    fputs("</h1><p class=\"sub\">Lab ", out);
    ladder_put_html(out, report->lab->folder);
    fputs(" &middot; ", out);
    ladder_put_html(out, r->title);
    fputs("</p>\n<p class=\"score\">", out);
    if (ladder_result_unreadable(r)) {
        fputs("no score <small>what was handed in cannot be read</small>", out);
    } else if (r->ungradable) {
        fputs("no score yet <small>a part could not be graded, through no fault of the "
              "submission; it has to be graded again</small>",
              out);
    } else {
        fprintf(out, "%.1f&nbsp;%% <small>%s of %s points</small>", r->score,
                ladder_report_points(r->points, points, sizeof points),
                ladder_report_points(r->points_max, most, sizeof most));
    }
    fputs("</p>\n", out);
    char changed[LADDER_MARK_TEXT];
    ladder_mark mark = ladder_result_mark(r);
    if (ladder_mark_text(&mark, changed, sizeof changed)[0] != '\0')
        fprintf(out, "<p><strong>%s</strong></p>\n", changed);
    for (int i = 0; i < r->step_count; i++) put_step(out, report, i);
    char predictions[256];
    if (ladder_report_predictions(report, predictions, sizeof predictions)[0] != '\0') {
        fputs("<p>", out);
        ladder_put_html(out, predictions);
        fputs("</p>\n", out);
    }
    const kl_step_info *next = ladder_report_next(report);
    if (next != NULL && !r->ungradable) {
        fprintf(out, "<p>Next: step %d, ", next->number);
        ladder_put_html(out, next->name);
        fputs(" &ndash; ", out);
        ladder_put_html(out, next->reason);
        fprintf(out, ". <code>ladder run %s %d</code>, <code>ladder hint %s %d</code></p>\n",
                report->lab->problem->name, next->number, report->lab->problem->name, next->number);
    }
    fputs("<footer>", out);
    for (int i = 0; i < r->note_count; i++) {
        fputs("Note: ", out);
        ladder_put_html(out, r->notes[i]);
        fputs("<br>", out);
    }
    fputs(
        "&ndash; in place of points: neither measured here nor modelled, and left out of the total."
        "<br>Modelled times are those of the simulator's model of the device, not of a card.<br>"
        "Device: ",
        out);
    ladder_put_html(out, report->device);
    fputs(". Sandbox: ", out);
    ladder_put_html(out, report->sandbox);
    fputs(" (", out);
    ladder_put_html(out, report->sandbox_text);
    fputs(")", out);
    fprintf(out, ". Seed %llu. Kit %s. %.1f s.<br>Files: sha256 ", (unsigned long long)r->seed,
            LADDER_VERSION, r->wall_s);
    ladder_put_html(out, r->hash);
    fputs("</footer></body></html>\n", out);
}
