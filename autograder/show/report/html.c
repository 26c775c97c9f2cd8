// Report of one submission as a page of HTML that loads nothing: style inline, pictures as SVG,
// every text escaped. No script, so a page opened from a mail or an LMS does nothing but show.
#include "show/report/report.h"
#include "ladder_config.h"
#include "utilities/kit.h"

// ---- one step -----------------------------------------------------------------------------------
// Points, what was expected and seen, the lines of source, the chapter to read, predictions,
// roofline.

static void put_paragraph(FILE *out, const char *kind, const char *text) {
    ladder_html(out, "<p class=\"%s\">%s</p>\n", kind, text);
}

// The line of the student's file that a count comes from.
static void put_line(FILE *out, const ladder_rubric_step *rubric, uint32_t line,
                     const char *source) {
    char code[240];
    if (line == 0) return;
    ladder_html(out, "<br>most of it in <code>%s:%u</code>", rubric->file, line);
    if (source && ladder_source_line(source, line, code, sizeof code))
        ladder_html(out, "<pre class=\"from\">%s</pre>", code);
}

static void put_criteria(FILE *out, const ladder_rubric_step *rubric,
                         const ladder_step_result *step, const char *source) {
    ladder_html_table(out, "criteria", "$points|for");
    for (int c = 0; c < step->criteria_count; c++) {
        const ladder_criterion_result *r = &step->criteria[c];
        char points[32], most[32], text[LADDER_CRITERION_TEXT];
        ladder_html_row(out, r->counted ? "$%s / %s|" : "$&ndash;|",
                        ladder_report_points(r->points, points, sizeof points),
                        ladder_report_points(r->points_max, most, sizeof most));
        ladder_put_html(out, ladder_report_criterion(&rubric->criteria[c], r, text, sizeof text));
        if (rubric->criteria[c].kind == LADDER_CRITERION_CORRECT && step->cases_total > 0)
            fprintf(out, " (%d of %d cases)", step->cases_right, step->cases_total);
        put_line(out, rubric, r->line, source);
        ladder_html_row_end(out);
    }
    ladder_html_table_end(out);
}

// What follows the numbers in the text of a wrong answer.
static const char *hint_of(const ladder_failure *f) {
    static const char mark[] = "): ";
    const char *at = strstr(f->text, mark);
    return at ? at + strlen(mark) : "";
}

// Expected and seen at the first wrong element of each case.
static void put_compared(FILE *out, const ladder_step_result *step, int kept) {
    bool any = false;
    for (int i = 0; i < kept; i++) any = any || step->failures[i].compared;
    if (!any) return;
    ladder_html_table(out, "wrong values",
                      "case|first wrong element|#expected|#seen|#allowed error");
    for (int i = 0; i < kept; i++) {
        const ladder_failure *f = &step->failures[i];
        char expected[32];
        if (!f->compared) continue;
        ladder_html_row(out, "%s|<code>%s[%llu]</code>|#%s|#%s|#%.3g", f->title, f->output,
                        (unsigned long long)f->first_wrong,
                        kl_value_text(f->expected, expected, sizeof expected), f->seen, f->bound);
        if (hint_of(f)[0] == '\0') continue;
        ladder_html(out, "<tr class=\"hint\"><td colspan=\"5\"><div>%s</div></td></tr>\n",
                    hint_of(f));
    }
    ladder_html_table_end(out);
}

// The small case as a terminal shows it, wrong values marked.
static void put_small(FILE *out, const char *small) {
    if (small[0] == '\0') return;
    fputs("<pre class=\"small\" tabindex=\"0\" aria-label=\"the smallest case that is wrong\">",
          out);
    for (const char *at = small; *at != '\0';) {
        char word[64];
        int length = (int)strcspn(at, " \n");
        bool wrong = length > 1 && at[length - 1] == '*';
        length = length > 0 ? length : 1;
        snprintf(word, sizeof word, "%.*s", length, at);
        fputs(wrong ? "<mark>" : "", out);
        ladder_put_html(out, word);
        fputs(wrong ? "</mark>" : "", out);
        at += strlen(word);
    }
    fputs("</pre>\n", out);
}

// Where the checker found what; the paragraphs are among the failures, of which some may be left
// out.
static void put_findings(FILE *out, const ladder_step_result *step) {
    const ladder_check_result *check = &step->check;
    if (check->finding_count == 0) return;
    fputs("<ul class=\"what-failed\">", out);
    for (int i = 0; i < check->finding_count && i < LADDER_FINDINGS_MAX; i++) {
        ladder_html(out, "<li>the checker found <b>%s</b> at <code>%s</code>%s%s</li>",
                    check->findings[i].kind, check->findings[i].place,
                    check->findings[i].text[0] ? ": " : "", check->findings[i].text);
    }
    fputs("</ul>\n", out);
}

static void put_failures(FILE *out, const ladder_step_result *step) {
    int kept =
        step->failure_count < LADDER_FAILURES_MAX ? step->failure_count : LADDER_FAILURES_MAX;
    put_small(out, step->small);
    put_compared(out, step, kept);
    put_findings(out, step);
    fputs("<ul class=\"what-failed\">", out);
    for (int i = 0; i < kept; i++) {
        if (step->failures[i].compared) continue;          // is in the table
        bool drawn = strchr(step->failures[i].text, '\n'); // lines of source, with marks below them
        ladder_html(out, "<li><b>%s", step->failures[i].title);
        fprintf(out, "</b>: <span%s>", drawn ? " class=\"drawn\"" : "");
        ladder_html(out, "%s</span></li>", step->failures[i].text);
    }
    if (step->failure_count > kept)
        fprintf(out, "<li>and %d more cases that failed</li>", step->failure_count - kept);
    if (step->cases_run < step->cases_total) {
        fprintf(out, "<li>%d of %d cases were not tried any more",
                step->cases_total - step->cases_run, step->cases_total);
        if (step->tried[0] != '\0') {
            ladder_html(out, "; of the %d that were tried %d %s right: %s", step->cases_run,
                        step->cases_right, step->cases_right == 1 ? "is" : "are", step->tried);
        }
        fputs("</li>", out);
    }
    fputs("</ul>\n", out);
}

static void put_predictions(FILE *out, const ladder_step_result *step) {
    if (step->prediction_count == 0) return;
    fputs("<details open><summary>predictions beside what was counted</summary><ul>\n", out);
    for (int i = 0; i < step->prediction_count; i++) {
        char text[256];
        ladder_html(out, "<li>%s</li>\n",
                    ladder_report_prediction(&step->predictions[i], text, sizeof text));
    }
    fputs("</ul></details>\n", out);
}

// Of the largest case that was counted.
static void put_roofline(FILE *out, const ladder_step_result *step) {
    const ladder_call *call = NULL;
    for (int i = 0; i < step->call_count; i++)
        if (!call || step->calls[i].size > call->size) call = &step->calls[i];
    ladder_roofline line;
    if (!call) return;
    const ladder_roofline_counts counts = {.fma = call->fma,
                                           .fma_pipe = call->fma_pipe,
                                           .instructions = call->instructions,
                                           .bytes = call->bytes,
                                           .time_us = call->busy_us};
    char time[32], size[32], point[32];
    snprintf(point, sizeof point, "step %d", step->step);
    ladder_html(out,
                "<details><summary>one call on the simulator: time and roofline</summary>\n"
                "<p>%s, size %s: %d launch%s, modelled time %s</p>\n",
                call->family, kl_format_size((long long)call->size, size, sizeof size),
                call->launches, call->launches == 1 ? "" : "es",
                kl_format_us(call->time_us, time, sizeof time));
    if (ladder_roofline_of(&counts, ladder_device_simulated(), &line)) {
        fputs("<figure>", out);
        ladder_roofline_draw(&line, point, out);
        fputs("<figcaption>intensity", out);
        ladder_roofline_tell(&line, LADDER_ROOF_DRAM, out);
        fputs("</figcaption></figure>\n", out);
    }
    fputs("</details>\n", out);
}

static void put_wrong(FILE *out, const ladder_step_result *step) {
    put_paragraph(out, "why", ladder_outcome_text(step->outcome));
    if (step->failure_count > 0 && step->outcome != LADDER_NOT_IMPLEMENTED) put_failures(out, step);
    else if (step->message[0] != '\0' &&
             (step->forgotten || step->outcome != LADDER_NOT_IMPLEMENTED))
        put_paragraph(out, "what-failed", step->message);
}

static void put_head(FILE *out, const ladder_report *report, int index, const kl_step_info *info) {
    static const char *const classes[] = {"right", "absent", "failed", "ungradable"};
    const ladder_step_result *step = &report->result->steps[index];
    const ladder_rubric_step *rubric = &report->lab->rubric->steps[index];
    char points[32], most[32], label[96];
    bool graded = !isnan(ladder_outcome_points(step->outcome, step->points));
    snprintf(label, sizeof label, "%s of %s points",
             ladder_report_points(step->points, points, sizeof points),
             ladder_report_points(step->points_max, most, sizeof most));
    bool part = ladder_outcome_kind_of(step->outcome) == LADDER_KIND_GOOD && graded &&
                step->points < step->points_max;
    ladder_html(out,
                "<section class=\"step %s%s\"><div class=\"head\"><h2>Step %d: %s%s</h2><span "
                "class=\"tag\">%s%s</span>",
                classes[ladder_outcome_kind_of(step->outcome)], part ? " part" : "", step->step,
                info ? info->name : rubric->file, rubric->given ? " (given)" : "",
                ladder_outcome_word(step->outcome), part ? ", points missing" : "");
    if (graded)
        ladder_put_share(out, step->points_max > 0 ? step->points / step->points_max : 0.0, label);
    fprintf(out, "<span class=\"pts\">%s / %s</span></div>\n", graded ? points : "&ndash;", most);
}

static void put_chapter(FILE *out, const ladder_report *report, int step) {
    char heading[160];
    if (!report->beside.lab_page ||
        !ladder_chapter_heading(report->beside.lab_page, step, heading, sizeof heading))
        return;
    fputs("<p class=\"sub\">read: ", out);
    if (report->beside.page) {
        char address[LADDER_PATH + 200];
        ladder_html(out, "<a href=\"%s\">%s</a></p>\n",
                    ladder_section_address(report->beside.page, report->lab, heading, address,
                                           sizeof address),
                    heading);
        return;
    }
    ladder_html(out, "\"%s\" in <code>labs/%s/README.md</code></p>\n", heading,
                report->lab->folder);
}

static void put_step(FILE *out, const ladder_report *report, int index) {
    const ladder_step_result *step = &report->result->steps[index];
    const ladder_rubric_step *rubric = &report->lab->rubric->steps[index];
    const kl_step_info *info = kl_problem_step(report->lab->problem, step->step);
    const char *const *sources = report->beside.sources;
    put_head(out, report, index, info);
    if (info) put_paragraph(out, "sub", info->reason);
    put_chapter(out, report, step->step);
    if (step->outcome == LADDER_CORRECT) {
        char check[384];
        put_criteria(out, rubric, step, sources ? sources[index] : NULL);
        if (ladder_report_check(&step->check, check, sizeof check)[0] != '\0')
            put_paragraph(out, "why", check);
        put_predictions(out, step);
    } else {
        put_wrong(out, step);
        if (sources && sources[index]) ladder_put_excerpt(step, rubric->file, sources[index], out);
    }
    put_roofline(out, step);
    if (step->log[0] != '\0') {
        ladder_html(out,
                    "<details%s><summary>what was printed</summary><pre tabindex=\"0\">%s</pre>"
                    "</details>\n",
                    step->outcome == LADDER_CORRECT ? "" : " open", step->log);
    }
    fputs("</section>\n", out);
}

// ---- what pages about grades begin with, and bars of points -------------------------------------

void ladder_page_head(FILE *out, const char *what, const char *title, const char *nonce) {
    ladder_html(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                     "<meta name=\"color-scheme\" content=\"light dark\">"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'");
    if (nonce) ladder_html(out, "; script-src 'nonce-%s'", nonce);
    ladder_html(out, "\"><title>%s%s</title>\n<style>", what, title);
    fputs(ladder_style_base, out);
}

void ladder_page_begin(FILE *out, const char *title) {
    ladder_page_head(out, "", title, NULL);
    fprintf(out, "%s</style></head><body>\n", ladder_style_report);
}

void ladder_page_end(FILE *out, const char *id, const char *data, const char *nonce,
                     const char *script) {
    fprintf(out, "<script type=\"application/json\" id=\"%s\">\n", id);
    for (; *data; data++) // no text of the data may end its element
        if (*data == '<') fputs("\\u003c", out);
        else fputc(*data, out);
    fprintf(out, "\n</script>\n<script nonce=\"%s\">%s</script></body></html>\n", nonce, script);
}

void ladder_put_share(FILE *out, double share, const char *label) {
    enum { WIDTH = 140 };
    int filled = (int)lround(WIDTH * (share > 0 ? share < 1 ? share : 1.0 : 0.0));
    ladder_html(out,
                "<svg class=\"share\" viewBox=\"0 0 142 14\" role=\"img\" aria-label=\"%s\"><rect "
                "x=\".5\" y=\".5\" width=\"141\" height=\"13\" rx=\"3\"/><rect class=\"part\" "
                "x=\"1\" y=\"1\" width=\"%d\" height=\"12\" rx=\"2\"/></svg>",
                label, filled);
}

// ---- what persons gave --------------------------------------------------------------------------
// Their criteria, and comments beside the lines that they are about.

static void put_given_criteria(FILE *out, const ladder_given *given) {
    ladder_html_table(out, "marks", "$points|for");
    for (int i = 0; i < given->count; i++) {
        const ladder_given_criterion *item = &given->items[i];
        char points[32], most[32];
        ladder_report_points(item->most, most, sizeof most);
        ladder_report_points(item->points, points, sizeof points);
        if (item->marked) ladder_html_row(out, "$%s / %s|", points, most);
        else ladder_html_row(out, "$&ndash;|");
        if (!item->marked) fprintf(out, "not marked yet, up to %s: ", most);
        ladder_put_html(out, item->text);
        if (item->comment[0] != '\0') ladder_html(out, "<br>%s", item->comment);
        ladder_html_row_end(out);
    }
    ladder_html_table_end(out);
}

// The source of a step's file as graded; NULL: not kept.
static const char *source_of(const ladder_report *report, const char *file) {
    const ladder_rubric *rubric = report->lab->rubric;
    for (int i = 0; report->beside.sources && i < rubric->step_count; i++)
        if (strcmp(rubric->steps[i].file, file) == 0) return report->beside.sources[i];
    return NULL;
}

static void put_comment(FILE *out, const ladder_report *report,
                        const ladder_line_comment *comment) {
    char code[240];
    const char *source = source_of(report, comment->file);
    ladder_html(out, "<li><code>%s:%u</code>", comment->file, comment->line);
    if (source && ladder_source_line(source, comment->line, code, sizeof code))
        ladder_html(out, "<pre class=\"from\">%s</pre>", code);
    else fputs(" ", out);
    ladder_html(out, "%s</li>\n", comment->text);
}

static void put_given(FILE *out, const ladder_report *report) {
    const ladder_given *given = &report->result->given;
    if (given->count + given->comment_count == 0) return;
    fputs("<section class=\"card\"><h2>Marked by a person</h2>\n", out);
    if (given->count > 0) put_given_criteria(out, given);
    if (given->comment_count > 0) {
        fputs("<ul class=\"what-failed\">", out);
        for (int i = 0; i < given->comment_count; i++)
            put_comment(out, report, &given->comments[i]);
        fputs("</ul>\n", out);
    }
    fputs("</section>\n", out);
}

// ---- the page -----------------------------------------------------------------------------------

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
    char title[LADDER_TITLE + 80], predictions[256], worth[LADDER_WORTH_TEXT];
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
        for (int i = 0; i < r->step_count; i++) put_step(out, report, i);
    }
    put_given(out, report);
    if (ladder_report_predictions(report, predictions, sizeof predictions)[0] != '\0')
        ladder_html(out, "<p>%s</p>\n", predictions);
    if (ladder_report_worth(report, worth, sizeof worth)[0] != '\0')
        ladder_html(out, "<p class=\"sub\">%s</p>\n", worth);
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
