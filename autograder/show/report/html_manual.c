// SPDX-License-Identifier: MIT
// What persons gave, on the page of a grade: their criteria, and comments beside the lines that
// they are about. See html.c.
#include <string.h>

#include "show/report/report.h"
#include "utilities/text.h"

static void put_criteria(FILE *out, const ladder_given *given) {
    fputs("<table class=\"wide-table\"><thead><tr><th scope=\"col\" class=\"points\">points</th>"
          "<th scope=\"col\">for</th></tr></thead><tbody>",
          out);
    for (int i = 0; i < given->count; i++) {
        const ladder_given_criterion *item = &given->items[i];
        char points[32], most[32];
        ladder_report_points(item->most, most, sizeof most);
        if (item->marked)
            fprintf(out, "<tr><td class=\"points\">%s / %s</td><td>",
                    ladder_report_points(item->points, points, sizeof points), most);
        else
            fprintf(out,
                    "<tr><td class=\"points\">&ndash;</td><td>not marked yet, up to %s: ", most);
        ladder_put_html(out, item->text);
        if (item->comment[0] != '\0') {
            fputs("<br>", out);
            ladder_put_html(out, item->comment);
        }
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
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
    fputs("<li><code>", out);
    ladder_put_html(out, comment->file);
    fprintf(out, ":%u</code>", comment->line);
    if (source && ladder_source_line(source, comment->line, code, sizeof code)) {
        fputs("<pre class=\"from\">", out);
        ladder_put_html(out, code);
        fputs("</pre>", out);
    } else {
        fputs(" ", out);
    }
    ladder_put_html(out, comment->text);
    fputs("</li>\n", out);
}

void ladder_put_given(FILE *out, const ladder_report *report) {
    const ladder_given *given = &report->result->given;
    if (given->count + given->comment_count == 0) return;
    fputs("<section class=\"card\"><h2>Marked by a person</h2>\n", out);
    if (given->count > 0) put_criteria(out, given);
    if (given->comment_count > 0) {
        fputs("<ul class=\"what-failed\">", out);
        for (int i = 0; i < given->comment_count; i++)
            put_comment(out, report, &given->comments[i]);
        fputs("</ul>\n", out);
    }
    fputs("</section>\n", out);
}
