// SPDX-License-Identifier: MIT
// A launch's timeline (timeline.h of the simulator) for a terminal: a row a warp, a column some
// cycles. See profile.h.
#include <string.h>

#include "profile/profile.h"

enum {
    LABEL = 6,
    SHARE = 6,
    ROWS_MAX = 16
}; // columns of the warp's number and of its share; rows shown

static const char *tone_of(sim_warp_phase phase) {
    switch (phase) {
    case SIM_PHASE_ISSUE: return "\033[1;32m";
    case SIM_PHASE_MEMORY: return "\033[31m";
    case SIM_PHASE_OPERAND: return "\033[33m";
    case SIM_PHASE_BARRIER: return "\033[35m";
    default: return "\033[2m";
    }
}

// Cycles of a column: the smallest round number with which all fit.
static uint32_t column_cycles(uint32_t cycles, uint32_t columns) {
    static const uint32_t tenths[] = {10, 12, 15, 20, 25, 30, 40, 50, 60, 80};
    uint32_t least = (cycles + columns - 1) / columns;
    if (least <= 10) return least;
    for (uint32_t decade = 1;; decade *= 10) {
        for (size_t i = 0; i < sizeof tenths / sizeof tenths[0]; i++)
            if (tenths[i] * decade >= least) return tenths[i] * decade;
    }
}

// What a column shows of a warp: '#' when it issues in a quarter of the cycles or more, '+' in a
// twentieth, else what takes most of the others.
static char symbol_for(const uint32_t cycles[SIM_PHASE_COUNT], sim_warp_phase *out_phase) {
    uint32_t all = 0, issues = cycles[SIM_PHASE_ISSUE];
    sim_warp_phase most = SIM_PHASE_ABSENT;
    for (int i = 0; i < SIM_PHASE_COUNT; i++) {
        all += cycles[i];
        if (i != SIM_PHASE_ISSUE && cycles[i] > cycles[most]) most = (sim_warp_phase)i;
    }
    *out_phase = 20 * issues >= all ? SIM_PHASE_ISSUE : most;
    return *out_phase == SIM_PHASE_ISSUE && 4 * issues < all ? '+' : sim_phase_symbol(*out_phase);
}

static void put_row(const sim_timeline *t, uint32_t index, uint32_t each, const kl_style *style,
                    FILE *out) {
    const sim_timeline_row *row = &t->rows[index];
    uint32_t cycles[SIM_PHASE_COUNT], columns = (t->cycles + each - 1) / each;
    sim_warp_phase before = SIM_PHASE_ABSENT;
    fprintf(out, "%*u ", LABEL - 1, index);
    for (uint32_t c = 0; c < columns; c++) {
        sim_warp_phase phase;
        sim_timeline_count(row, c * each, (c + 1) * each, cycles);
        char symbol = symbol_for(cycles, &phase);
        if (style->colour && (phase != before || c == 0)) fprintf(out, "\033[0m%s", tone_of(phase));
        fputc(symbol, out);
        before = phase;
    }
    if (style->colour) fputs("\033[0m", out);
    sim_timeline_count(row, 0, t->cycles, cycles);
    fprintf(out, "%*.1f%%\n", SHARE - 1, 100.0 * cycles[SIM_PHASE_ISSUE] / t->cycles);
}

// Marks a column every ten columns with its first cycle.
static void put_scale(const sim_timeline *t, uint32_t each, FILE *out) {
    uint32_t columns = (t->cycles + each - 1) / each;
    int used = fprintf(out, "%-*s", LABEL, " warp");
    for (uint32_t c = 0; c + 8 < columns; c += 10)
        used += fprintf(out, "%*s%u", LABEL + (int)c - used, "", c * each);
    fprintf(out, "%*s\n", LABEL + (int)columns + SHARE - used, "issue");
}

// The share of the SM's issue slots that is used, in tenths, column by column.
static void put_slots(const sim_timeline *t, uint32_t each, FILE *out) {
    double used_in_all = 0;
    fprintf(out, "%-*s", LABEL, "slots");
    for (uint32_t from = 0; from < t->cycles; from += each) {
        uint32_t cycles[SIM_PHASE_COUNT], to = from + each < t->cycles ? from + each : t->cycles;
        double used = 0;
        for (uint32_t r = 0; r < t->row_count; r++) {
            sim_timeline_count(&t->rows[r], from, to, cycles);
            used += cycles[SIM_PHASE_ISSUE];
        }
        used_in_all += used;
        int tenths = (int)(10 * used / ((double)(to - from) * t->schedulers));
        fputc(tenths > 9 ? '9' : (char)('0' + tenths), out);
    }
    fprintf(out, "%*.1f%%\n", SHARE - 1, 100.0 * used_in_all / ((double)t->cycles * t->schedulers));
}

// Symbols and what they mean, as many a line as fit.
static void put_legend(const kl_style *style, FILE *out) {
    int used = 0;
    for (int i = SIM_PHASE_ABSENT + 1; i < SIM_PHASE_COUNT; i++) {
        sim_warp_phase phase = (sim_warp_phase)i;
        char item[80];
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

static void put_sums(const sim_timeline *t, const kl_style *style, FILE *out) {
    uint64_t sums[SIM_PHASE_COUNT] = {0};
    uint32_t cycles[SIM_PHASE_COUNT];
    for (uint32_t r = 0; r < t->row_count; r++) {
        sim_timeline_count(&t->rows[r], 0, t->cycles, cycles);
        for (int i = 0; i < SIM_PHASE_COUNT; i++) sums[i] += cycles[i];
    }
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "A warp's time, on average: ");
    double all = (double)t->cycles * t->row_count;
    const char *separator = "";
    for (int i = 0; i < SIM_PHASE_COUNT; i++) {
        if (sums[i] == 0) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.1f %%", separator,
                                 sim_phase_text((sim_warp_phase)i), 100.0 * (double)sums[i] / all);
        separator = ", ";
    }
    snprintf(text + used, sizeof text - used, ". Requests to global memory in flight: %.1f.",
             t->in_flight);
    kl_print_wrapped(out, style, 0, text);
}

void ladder_timeline_print(const sim_timeline *timeline, uint32_t cycles, const kl_style *style,
                           FILE *out) {
    sim_timeline cut = *timeline; // the rows' spans go on after the cut
    const sim_timeline *t = &cut;
    if (cycles > 0 && cycles < t->cycles) {
        cut.cycles = cycles;
        cut.cut = true;
    }
    int room = style->width - LABEL - SHARE;
    uint32_t each = column_cycles(t->cycles, room < 20 ? 20 : (uint32_t)room);
    bool all = t->row_count <= ROWS_MAX;
    fprintf(out, "timeline of SM 0, modelled: %s %u cycles, %u a column\n",
            t->cut ? "its first" : "all its", t->cycles, each);
    put_legend(style, out);
    put_scale(t, each, out);
    for (uint32_t r = 0, shown = 0; r < t->row_count && shown < ROWS_MAX;
         r += all ? 1 : t->schedulers, shown++)
        put_row(t, r, each, style, out);
    put_slots(t, each, out);
    char text[256];
    snprintf(text, sizeof text,
             "%u warps at once%s. slots: tenths of the issue slots of the SM's %u schedulers that "
             "were used.",
             t->row_count, all ? "" : "; shown are those of scheduler 0", t->schedulers);
    kl_print_wrapped(out, style, 0, text);
    put_sums(t, style, out);
    fputc('\n', out);
}
