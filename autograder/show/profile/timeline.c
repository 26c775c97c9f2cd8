// A launch's timeline for a terminal: a row per warp, a column some cycles. See profile.h.
#include "show/profile/profile.h"

enum { LABEL = 6, SHARE = 6 }; // columns of the warp's number and of its share

static const char *tone_of(sim_warp_phase phase) {
    switch (phase) {
    case SIM_PHASE_ISSUE: return "\033[1;32m";
    case SIM_PHASE_MEMORY: return "\033[31m";
    case SIM_PHASE_SHORT:
    case SIM_PHASE_WAIT: return "\033[33m";
    case SIM_PHASE_BARRIER: return "\033[35m";
    default: return "\033[2m";
    }
}

static void put_row(const ladder_timeline_view *v, uint32_t row, const kl_style *style, FILE *out) {
    sim_warp_phase before = SIM_PHASE_ABSENT;
    fprintf(out, "%*u ", LABEL - 1, ladder_timeline_warp(v, row));
    ladder_timeline_cell *cells = calloc((size_t)v->columns + 1, sizeof *cells);
    if (cells) ladder_timeline_cells(v, row, cells);
    for (uint32_t c = 0; cells && c < v->columns; c++) {
        ladder_timeline_cell cell = cells[c];
        if (style->colour && (cell.phase != before || c == 0))
            fprintf(out, "\033[0m%s", tone_of(cell.phase));
        fputc(cell.seldom ? '+' : sim_phase_symbol(cell.phase), out);
        before = cell.phase;
    }
    free(cells);
    if (style->colour) fputs("\033[0m", out);
    fprintf(out, "%*.1f%%\n", SHARE - 1, ladder_timeline_issues(v, row));
}

// Marks a column every ten columns with its first cycle.
static void put_scale(const ladder_timeline_view *v, FILE *out) {
    int used = fprintf(out, "%-*s", LABEL, " warp");
    for (uint32_t c = 0; c + 8 < v->columns; c += 10)
        used += fprintf(out, "%*s%u", LABEL + (int)c - used, "", c * v->each);
    fprintf(out, "%*s\n", LABEL + (int)v->columns + SHARE - used, "issue");
}

// The share of the SM's issue slots that is used, in tenths, column by column.
static void put_slots(const ladder_timeline_view *v, FILE *out) {
    fprintf(out, "%-*s", LABEL, "slots");
    double *shares = calloc((size_t)v->columns + 1, sizeof *shares);
    if (shares) ladder_timeline_slots(v, shares);
    for (uint32_t c = 0; shares && c < v->columns; c++) {
        int tenths = (int)(10 * shares[c] + 1e-9);
        fputc(tenths > 9 ? '9' : (char)('0' + tenths), out);
    }
    free(shares);
    fprintf(out, "%*.1f%%\n", SHARE - 1, v->slots);
}

// The symbols that occur and what they mean, as many a line as fit.
static void put_legend(const ladder_timeline_view *v, const kl_style *style, FILE *out) {
    int used = 0;
    for (int i = SIM_PHASE_ABSENT + 1; i < SIM_PHASE_COUNT; i++) {
        sim_warp_phase phase = (sim_warp_phase)i;
        char item[80];
        if (!(v->phases[i] > 0)) continue;
        int bytes = snprintf(item, sizeof item, "   %c %s%s", sim_phase_symbol(phase),
                             sim_phase_text(phase),
                             phase == SIM_PHASE_ISSUE ? "   + in less than a quarter" : "");
        if (used > 0 && used + bytes > style->width) {
            fputc('\n', out);
            used = 0;
        }
        used += fprintf(out, "%s", item);
    }
    fputc('\n', out);
}

static void put_sums(const ladder_timeline_view *v, const kl_style *style, FILE *out) {
    char text[512] = "";
    for (int i = 0; i < SIM_PHASE_COUNT; i++)
        if (v->phases[i] > 0)
            kl_append(text, sizeof text, "%s%s %.1f %%", text[0] != '\0' ? ", " : "",
                      sim_phase_text((sim_warp_phase)i), v->phases[i]);
    kl_print_text(out, style, 0,
                  "A warp's time, on average: %s. Requests to global memory in flight: %.1f.", text,
                  v->timeline->in_flight);
}

void ladder_timeline_print(const sim_timeline *timeline, uint32_t cycles, const kl_style *style,
                           FILE *out) {
    int available = style->width - LABEL - SHARE;
    ladder_timeline_view v;
    ladder_timeline_view_make(timeline, cycles, available < 20 ? 20 : (uint32_t)available, &v);
    char title[128], warps[128];
    fprintf(out, "timeline of %s, %u per column\n", ladder_timeline_title(&v, title, sizeof title),
            v.each);
    put_legend(&v, style, out);
    put_scale(&v, out);
    for (uint32_t r = 0; r < v.rows; r++) put_row(&v, r, style, out);
    put_slots(&v, out);
    kl_print_text(out, style, 0,
                  "%s. slots: tenths of the issue slots of the SM's %u schedulers that were used.",
                  ladder_timeline_warps(&v, warps, sizeof warps), timeline->schedulers);
    put_sums(&v, style, out);
    fputc('\n', out);
}
