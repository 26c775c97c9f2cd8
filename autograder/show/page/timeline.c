// The warp timeline of a launch: a warp's time by what it does, and a picture of one SM's warps
// (common/drawing/drawing.h). Its figures are the terminal's (show/profile/profile.h).
#include "show/page/internal.h"

// Columns of a picture, and of what a script draws, with the bytes that these may take: fewer where
// there are many pictures.
enum {
    COLUMNS = 160,
    COLUMNS_OF_MANY = 90,
    FINE = 2560,
    FINE_BYTES = 40000,
    FINE_BYTES_OF_MANY = 8000
};

// ---- The picture, and what chart.js makes of it ----

// Lists of a view: of each row the kinds of its columns, and the issue slots in per cent.
static void put_view(FILE *out, const ladder_timeline_view *v, const ladder_timeline_picture *p) {
    page_runs runs = {.out = out};
    fprintf(out, " data-each=\"%u\" data-slots=\"", v->each);
    for (uint32_t c = 0; c < v->columns; c++)
        page_runs_add_number(&runs, (long long)(100 * p->used[c] + 0.5));
    page_runs_end(&runs);
    fputs("\" data-rows=\"", out);
    for (uint32_t r = 0; r < v->rows; r++) {
        if (r > 0) fputc(',', out);
        for (uint32_t c = 0; c < v->columns; c++)
            page_runs_add_number(&runs, p->kinds[(size_t)r * v->columns + c]);
        page_runs_end(&runs);
    }
    fputc('"', out);
}

// The same as a new string; NULL without memory.
static char *lists_of(const ladder_timeline_view *v, size_t *out_bytes) {
    char *text = NULL;
    ladder_timeline_picture picture;
    if (!ladder_timeline_read(v, &picture)) return NULL;
    FILE *out = open_memstream(&text, out_bytes);
    if (out) put_view(out, v, &picture);
    ladder_timeline_picture_free(&picture);
    if (out && fclose(out) == 0) return text;
    free(text);
    return NULL;
}

// As many columns as there is room for: what can be seen by zooming in.
static void put_lists(FILE *out, const ladder_timeline_view *shown, bool of_many) {
    for (uint32_t columns = FINE; columns >= shown->columns; columns /= 2) {
        ladder_timeline_view fine;
        size_t bytes = 0;
        ladder_timeline_view_make(shown->timeline, shown->cycles, columns, &fine);
        char *text = lists_of(&fine, &bytes);
        bool fits = text && bytes <= (of_many ? FINE_BYTES_OF_MANY : FINE_BYTES);
        if (fits) fwrite(text, 1, bytes, out);
        free(text);
        if (fits) return;
    }
}

static void put_picture(FILE *out, const ladder_timeline_view *v, const char *title, bool of_many) {
    fputs("<figure class=\"scroll chart\" tabindex=\"0\" data-chart=\"timeline\"", out);
    fprintf(out, " data-cycles=\"%u\" data-warps=\"", v->cycles);
    for (uint32_t r = 0; r < v->rows; r++)
        fprintf(out, "%s%u", r > 0 ? " " : "", ladder_timeline_warp(v, r));
    fputc('"', out);
    put_lists(out, v, of_many);
    fputc('>', out);
    ladder_timeline_draw(v, title, false, out);
    fputs("</figure>\n", out);
}

// ---- The table ----

static void put_share(FILE *out, double percent, bool most) {
    fprintf(out,
            "<td class=\"num\">%.1f %%</td><td class=\"track\"><span class=\"bar%s\" "
            "style=\"width:%.1f%%\"></span></td></tr>\n",
            percent, most ? " most" : "", percent);
}

static void put_phases(FILE *out, ladder_glossary *g, const ladder_timeline_view *v) {
    sim_warp_phase worst = ladder_timeline_worst(v);
    fputs("<table class=\"bars phases\" data-beside=\", of a warp's time\">"
          "<caption>a warp's time, on average</caption>\n",
          out);
    for (int i = 0; i < SIM_PHASE_COUNT; i++) {
        sim_warp_phase phase = (sim_warp_phase)i;
        if (!(v->phases[i] > 0)) continue;
        uint32_t kind = ladder_timeline_kind((ladder_timeline_cell){phase, false});
        fprintf(out,
                "<tr data-phase=\"%s\" data-kind=\"%u\" data-value=\"%.17g\">"
                "<th scope=\"row\">",
                sim_phase_name(phase), kind, v->phases[i]);
        kl_timeline_key_draw(out, kind);
        page_html(out, g, "[[%s|%s]]</th>", ladder_phase_term(phase), sim_phase_text(phase));
        put_share(out, v->phases[i], phase == worst);
    }
    fputs("</table>\n", out);
}

static void put_slots(FILE *out, ladder_glossary *g, const ladder_timeline_view *v) {
    page_html(out, g,
              "<table class=\"facts\">\n<tr data-phase=\"slots\"><th scope=\"row\">[[Issue "
              "slot|issue slots used]]</th><td>%.1f %% of the SM's %u [[Warp "
              "scheduler|schedulers]]</td></tr>\n<tr data-phase=\"in_flight\"><th scope=\"row\">"
              "[[In flight|in flight]]</th><td>%.1f requests to global memory, on average</td>"
              "</tr>\n</table>\n",
              v->slots, v->timeline->schedulers, v->timeline->in_flight);
}

// What the picture says, for those who look and for those who cannot. The script's chart has other
// columns, which it tells itself.
static void put_words(FILE *out, ladder_glossary *g, const ladder_timeline_view *v) {
    char warps[128];
    fputs("<p class=\"why\">", out);
    ladder_glossary_ask_words(out, g, ladder_timeline_warps(v, warps, sizeof warps));
    fprintf(out, ". <span class=\"static\">A column is %u cycle%s. </span>", v->each,
            v->each == 1 ? "" : "s");
    ladder_glossary_ask_words(
        out, g,
        "A thick bar: the warp issues in a quarter of the cycles or more; less thick: in fewer. A "
        "thin one: what it waits for most. The strip below is the share of the issue slots that "
        "is used.");
    fputs("</p>\n", out);
}

static bool is_there(const sim_timeline *t) { return t && t->cycles > 0 && t->row_count > 0; }

// Where other launches have a timeline: why has this one none?
static void put_absent(FILE *out, const page_launch *launch) {
    const ladder_profile *p = launch->part->profile;
    bool some = false;
    const char *reason = ladder_timeline_absence(page_report(launch));
    for (uint32_t i = 0; i < p->count; i++) some |= is_there(p->launches[i]->timeline);
    if (reason) fprintf(out, "<p class=\"sub\">No warp timeline: %s.</p>\n", reason);
    else if (some)
        fprintf(out,
                "<p class=\"sub\">No warp timeline: it is made of the first %d launches.</p>\n",
                LADDER_TIMELINES_MAX);
}

void page_put_timeline(FILE *out, ladder_glossary *g, const page_launch *launch, bool of_many) {
    const sim_timeline *t = page_report(launch)->timeline;
    char title[128], whole[160];
    ladder_timeline_view v;
    if (!is_there(t)) {
        put_absent(out, launch);
        return;
    }
    ladder_timeline_view_make(t, launch->part->profile->timeline_cycles,
                              of_many ? COLUMNS_OF_MANY : COLUMNS, &v);
    page_html(out, g,
              "<section class=\"timeline\"><h3>[[Warp timeline|Warp timeline]] <small>%s</small>"
              "</h3>\n",
              ladder_timeline_title(&v, title, sizeof title));
    put_words(out, g, &v);
    fputs("<div class=\"beside\"><div>\n", out);
    put_phases(out, g, &v);
    put_slots(out, g, &v);
    fputs("</div>\n", out);
    snprintf(whole, sizeof whole, "Warp timeline of %s", title);
    put_picture(out, &v, whole, of_many);
    fputs("</div></section>\n", out);
}
