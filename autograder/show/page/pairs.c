// Before and after: see internal.h.
#include "show/page/internal.h"

static bool is_before(const page_launch *l, const ladder_page_part *parts) {
    return l->part == &parts[0];
}

static void pair(page_launch *a, page_launch *b) {
    a->pair = b->number;
    b->pair = a->number;
}

// With the first launch after the change that has no partner yet and, when names count, this name.
static bool pair_one(page_launch *launches, int count, const ladder_page_part *parts, int at,
                     bool by_name) {
    for (int k = 0; k < count; k++) {
        page_launch *other = &launches[k];
        if (is_before(other, parts) || other->pair != 0) continue;
        if (by_name && strcmp(page_report(other)->kernel, page_report(&launches[at])->kernel) != 0)
            continue;
        pair(&launches[at], other);
        return true;
    }
    return false;
}

void page_pair(page_launch *launches, int count, const ladder_page_part *parts) {
    bool some = false;
    for (int i = 0; i < count; i++)
        if (is_before(&launches[i], parts)) some |= pair_one(launches, count, parts, i, true);
    for (int i = 0; i < count && !some; i++)
        if (is_before(&launches[i], parts)) pair_one(launches, count, parts, i, false);
}

static void put_kernel(FILE *out, const page_launch *l) {
    char name[512];
    ladder_demangle(page_report(l)->kernel, name, sizeof name);
    name[strcspn(name, "(")] = '\0';
    ladder_html(out, "launch %d: <code>%s</code>", l->number, name);
}

static void put_row(FILE *out, const page_launch *a, const page_launch *b) {
    char before[32], after[32];
    double from = page_report(a)->time_us, to = page_report(b)->time_us;
    fputs("<tr><td class=\"kernel\">", out);
    put_kernel(out, a);
    fputs("</td><td class=\"kernel\">", out);
    put_kernel(out, b);
    fprintf(out, "</td><td class=\"num\">%s</td><td class=\"num\">%s</td><td class=\"num\">",
            kl_format_us(from, before, sizeof before), kl_format_us(to, after, sizeof after));
    if (from > 0) fputs(kl_format_factor(to / from, before, sizeof before), out);
    fputs("</td></tr>\n", out);
}

static void put_alone(FILE *out, const page_launch *launches, int count,
                      const ladder_page_part *parts) {
    for (int i = 0; i < count; i++) {
        const page_launch *l = &launches[i];
        if (l->pair != 0) continue;
        fputs("<p class=\"sub alone\">", out);
        put_kernel(out, l);
        fprintf(out, " is only %s the change</p>\n", is_before(l, parts) ? "before" : "after");
    }
}

// How many pairs have the same kernel on both sides; *out_count: all.
static int count_pairs(const page_launch *launches, int count, const ladder_page_part *parts,
                       int *out_count) {
    int same = 0;
    *out_count = 0;
    for (int i = 0; i < count; i++) {
        const page_launch *l = &launches[i];
        if (!is_before(l, parts) || l->pair == 0) continue;
        ++*out_count;
        same += strcmp(page_report(l)->kernel, page_report(&launches[l->pair - 1])->kernel) == 0;
    }
    return same;
}

void page_put_pairs(FILE *out, ladder_glossary *g, const page_launch *launches, int count,
                    const ladder_page_part *parts) {
    enum { PAIRS = 100 }; // rows; the page has a limit
    int pairs, same = count_pairs(launches, count, parts, &pairs), rows = 0;
    fputs("<section class=\"card\"><h2>Before and after</h2><p class=\"sub\">", out);
    fputs(same > 0 ? "Launches of one kernel are compared in order."
                   : "No kernel has the same name in both: launches are compared in order.",
          out);
    page_html(out, g,
              "</p><div class=\"scroll\" tabindex=\"0\"><table class=\"list pairs\"><thead><tr>"
              "<th scope=\"col\">before</th><th scope=\"col\">after</th><th scope=\"col\" "
              "class=\"num\">[[Launch|time before]]</th><th scope=\"col\" class=\"num\">"
              "[[Launch|time after]]</th><th scope=\"col\" class=\"num\">[[Change|change]]</th>"
              "</tr></thead><tbody>\n");
    for (int i = 0; i < count && rows < PAIRS; i++) {
        if (!is_before(&launches[i], parts) || launches[i].pair == 0) continue;
        put_row(out, &launches[i], &launches[launches[i].pair - 1]);
        rows++;
    }
    fputs("</tbody></table></div>\n", out);
    if (rows < pairs) fprintf(out, "<p class=\"sub\">and %d more pairs</p>\n", pairs - rows);
    put_alone(out, launches, count, parts);
    fputs("</section>\n", out);
}
