// SPDX-License-Identifier: MIT
// The warp timeline of a launch: a warp's time by what it does, and a picture of one SM's warps
// (common/drawing/warp_timeline.h). Its figures are the terminal's (profile/timeline.h).
#include <stdlib.h>

#include "kit/text.h"
#include "page/inside.h"
#include "profile/timeline.h"
#include "warp_timeline.h"

// Columns of a picture: fewer where there are many of them.
enum { COLUMNS = 160, COLUMNS_OF_MANY = 90 };

static uint8_t kind_of(sim_warp_phase phase) {
    static const uint8_t kinds[SIM_PHASE_COUNT] = {
        [SIM_PHASE_ABSENT] = KL_TIMELINE_NOTHING,
        [SIM_PHASE_ISSUE] = KL_TIMELINE_ISSUES,
        [SIM_PHASE_READY] = KL_TIMELINE_READY,
        [SIM_PHASE_MEMORY] = KL_TIMELINE_FIRST_WAIT,
        [SIM_PHASE_OPERAND] = KL_TIMELINE_FIRST_WAIT + 1,
        [SIM_PHASE_BARRIER] = KL_TIMELINE_FIRST_WAIT + 2,
        [SIM_PHASE_START] = KL_TIMELINE_FIRST_WAIT + 3,
    };
    bool unknown = kinds[phase] == KL_TIMELINE_NOTHING && phase != SIM_PHASE_ABSENT;
    return unknown ? KL_TIMELINE_KINDS - 1 : kinds[phase];
}

// ---- The picture ----

static void fill(const ladder_timeline_view *v, uint8_t *kinds, uint32_t *labels, double *used) {
    for (uint32_t r = 0; r < v->rows; r++) {
        labels[r] = ladder_timeline_warp(v, r);
        for (uint32_t c = 0; c < v->columns; c++) {
            ladder_timeline_cell cell = ladder_timeline_cell_of(v, r, c);
            kinds[(size_t)r * v->columns + c] =
                cell.seldom ? KL_TIMELINE_SELDOM : kind_of(cell.phase);
        }
    }
    for (uint32_t c = 0; c < v->columns; c++) used[c] = ladder_timeline_slots(v, c);
}

static void put_picture(FILE *out, const ladder_timeline_view *v, const char *title) {
    uint8_t *kinds = calloc((size_t)v->rows * v->columns + 1, sizeof *kinds);
    double *used = calloc((size_t)v->columns + 1, sizeof *used);
    uint32_t labels[LADDER_TIMELINE_ROWS];
    if (kinds != NULL && used != NULL) {
        fill(v, kinds, labels, used);
        const kl_timeline t = {v->rows, v->columns, v->each, kinds, labels, used};
        fputs("<figure class=\"scroll\" tabindex=\"0\">", out);
        kl_timeline_draw(out, &t, title);
        fputs("</figure>\n", out);
    }
    free(kinds);
    free(used);
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
    fputs("<table class=\"bars phases\"><caption>a warp's time, on average</caption>\n", out);
    for (int i = 0; i < SIM_PHASE_COUNT; i++) {
        sim_warp_phase phase = (sim_warp_phase)i;
        if (!(v->phases[i] > 0)) continue;
        fprintf(out, "<tr data-phase=\"%s\" data-value=\"%.17g\"><th scope=\"row\">",
                sim_phase_name(phase), v->phases[i]);
        kl_timeline_key_draw(out, kind_of(phase));
        ladder_glossary_ask(out, g, ladder_phase_term(phase), sim_phase_text(phase));
        fputs("</th>", out);
        put_share(out, v->phases[i], phase == worst);
    }
    fputs("</table>\n", out);
}

static void put_slots(FILE *out, ladder_glossary *g, const ladder_timeline_view *v) {
    fputs("<table class=\"facts\">\n<tr data-phase=\"slots\"><th scope=\"row\">", out);
    ladder_glossary_ask(out, g, "Issue slot", "issue slots used");
    fprintf(out, "</th><td>%.1f %% of the SM's %u ", v->slots, v->timeline->schedulers);
    ladder_glossary_ask(out, g, "Warp scheduler", "schedulers");
    fputs("</td></tr>\n<tr data-phase=\"in_flight\"><th scope=\"row\">", out);
    ladder_glossary_ask(out, g, "In flight", "in flight");
    fprintf(out, "</th><td>%.1f requests to global memory, on average</td></tr>\n</table>\n",
            v->timeline->in_flight);
}

// What the picture says, for those who look and for those who cannot.
static void put_words(FILE *out, const ladder_timeline_view *v) {
    char warps[128];
    fputs("<p class=\"why\">", out);
    ladder_put_html(out, ladder_timeline_warps(v, warps, sizeof warps));
    fprintf(out,
            ". A column is %u cycle%s. A thick bar: the warp issues in a quarter of them or more; "
            "less thick: in fewer. A thin one: what it waits for most. The strip below is the "
            "share of the issue slots that is used.</p>\n",
            v->each, v->each == 1 ? "" : "s");
}

static bool is_there(const sim_timeline *t) {
    return t != NULL && t->cycles > 0 && t->row_count > 0;
}

// Where other launches have a timeline: why has this one none?
static void put_absent(FILE *out, const page_launch *launch) {
    const ladder_profile *p = launch->part->profile;
    bool some = false;
    for (uint32_t i = 0; i < p->count; i++) some |= is_there(p->launches[i]->timeline);
    if (some)
        fprintf(out,
                "<p class=\"sub\">No warp timeline: it is made of the first %d launches, where "
                "SM 0 has a block.</p>\n",
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
    fputs("<section class=\"timeline\"><h3>", out);
    ladder_glossary_ask(out, g, "Warp timeline", "Warp timeline");
    fprintf(out, " <small>%s</small></h3>\n", ladder_timeline_title(&v, title, sizeof title));
    put_words(out, &v);
    fputs("<div class=\"beside\"><div>\n", out);
    put_phases(out, g, &v);
    put_slots(out, g, &v);
    fputs("</div>\n", out);
    snprintf(whole, sizeof whole, "Warp timeline of %s", title);
    put_picture(out, &v, whole);
    fputs("</div></section>\n", out);
}
