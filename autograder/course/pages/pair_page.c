// A pair of submissions side by side: see pages.h.
#include "course/pages/pages.h"
#include "learn/lesson/lesson.h"

char *ladder_pair_file(int index, char *out) {
    snprintf(out, 32, "pair_%d.html", index + 1);
    return out;
}

static void put_text(FILE *out, const char *text, int bytes) {
    char line[400];
    snprintf(line, sizeof line, "%.*s", bytes < 390 ? bytes : 390, text);
    ladder_put_html(out, line);
}

static void put_cells(FILE *out, int number, const char *text, int bytes, bool there) {
    if (!there) {
        fputs("<td class=\"no\"></td><td class=\"code\"></td>", out);
        return;
    }
    fprintf(out, "<td class=\"no\">%d</td><td class=\"code\">", number);
    put_text(out, text, bytes);
    fputs("</td>", out);
}

static void put_line(FILE *out, const ladder_diff_line *line) {
    bool left = line->edit != LADDER_ADDED, right = line->edit != LADDER_REMOVED;
    fprintf(out, "<tr%s>", line->edit == LADDER_SAME ? "" : " class=\"hit\"");
    put_cells(out, line->left, line->before ? line->before : line->text,
              line->before ? line->before_bytes : line->bytes, left);
    put_cells(out, line->right, line->text, line->bytes, right);
    fputs("</tr>\n", out);
}

static void put_step(FILE *out, const ladder_pair_page *p, int index) {
    const char *a = p->sources[0][index], *b = p->sources[1][index];
    ladder_diff diff;
    if (!a || !b || ladder_diff_make(a, b, NULL, &diff, NULL) != KL_OK) return;
    int same = (int)diff.count - diff.removed - diff.added;
    ladder_html(out,
                "<section class=\"card\"><h2>%s</h2>\n<p class=\"sub\">%d lines are the same "
                "without layout and comments; %d are only in the first, %d only in the second "
                "(marked).</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                "aria-label=\"both files\"><table class=\"excerpt pair\">",
                p->lab->rubric->steps[index].file, same, diff.removed, diff.added);
    for (size_t i = 0; i < diff.count; i++) put_line(out, &diff.lines[i]);
    fputs("</table></div></section>\n", out);
    ladder_diff_free(&diff);
}

void ladder_pair_html(const ladder_pair_page *page, FILE *out) {
    char title[160];
    snprintf(title, sizeof title, "%s: two submissions", page->lab->folder);
    ladder_page_begin(out, title);
    fputs("<header><h1>", out);
    for (int k = 0; k < 2; k++) {
        if (k > 0) fputs(" and ", out);
        ladder_html(out, "<a href=\"%s\">%s</a>", page->pages[k], page->shown[k]);
    }
    ladder_html(out,
                "</h1><p class=\"sub\">%.0f %% alike. Short right kernels are always similar: "
                "this is a reason to read both, not a proof. <a href=\"class.html\">The class</a>"
                "</p>\n<p>%s</p></header>\n<main>\n",
                100 * page->pair->alike, page->pair->shared);
    for (int i = 0; i < page->lab->rubric->step_count; i++) put_step(out, page, i);
    fputs("</main></body></html>\n", out);
}
