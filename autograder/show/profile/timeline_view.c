// A timeline in columns: see timeline.c; and as a picture.
#include "show/profile/profile.h"

// Cycles of a column: the smallest round number with which all fit.
static uint32_t column_cycles(uint32_t cycles, uint32_t columns) {
    static const uint32_t tenths[] = {10, 12, 15, 20, 25, 30, 40, 50, 60, 80};
    uint32_t least = (cycles + columns - 1) / columns;
    if (least <= 10) return least > 0 ? least : 1;
    for (uint32_t decade = 1;; decade *= 10) {
        for (size_t i = 0; i < sizeof tenths / sizeof tenths[0]; i++)
            if (tenths[i] * decade >= least) return tenths[i] * decade;
    }
}

static void measure(ladder_timeline_view *v) {
    uint64_t sums[SIM_PHASE_COUNT] = {0};
    uint32_t cycles[SIM_PHASE_COUNT];
    const sim_timeline *t = v->timeline;
    double all = (double)v->cycles * t->row_count, slots = (double)v->cycles * t->schedulers;
    for (uint32_t r = 0; r < t->row_count; r++) {
        sim_timeline_count(&t->rows[r], 0, v->cycles, cycles);
        for (int i = 0; i < SIM_PHASE_COUNT; i++) sums[i] += cycles[i];
    }
    for (int i = 0; i < SIM_PHASE_COUNT; i++)
        v->phases[i] = all > 0 ? 100.0 * (double)sums[i] / all : 0;
    v->slots = slots > 0 ? 100.0 * (double)sums[SIM_PHASE_ISSUE] / slots : 0;
}

void ladder_timeline_view_make(const sim_timeline *timeline, uint32_t cycles, uint32_t columns,
                               ladder_timeline_view *out_view) {
    bool shorter = cycles > 0 && cycles < timeline->cycles;
    bool all = timeline->row_count <= LADDER_TIMELINE_ROWS || timeline->schedulers == 0;
    ladder_timeline_view v = {.timeline = timeline,
                              .cycles = shorter ? cycles : timeline->cycles,
                              .cut = shorter || timeline->cut,
                              .step = all ? 1 : timeline->schedulers};
    v.each = column_cycles(v.cycles, columns);
    v.columns = (v.cycles + v.each - 1) / v.each;
    v.rows = (timeline->row_count + v.step - 1) / v.step;
    if (v.rows > LADDER_TIMELINE_ROWS) v.rows = LADDER_TIMELINE_ROWS;
    measure(&v);
    *out_view = v;
}

// Of a column: its first cycle, and the first behind it.
static uint32_t from(const ladder_timeline_view *v, uint32_t column) { return column * v->each; }

static uint32_t to(const ladder_timeline_view *v, uint32_t column) {
    uint32_t end = (column + 1) * v->each;
    return end < v->cycles ? end : v->cycles;
}

// A row that is read column by column, each span once.
typedef struct reader {
    const sim_timeline_row *row;
    uint32_t span, start; // the first span that may reach on; its first cycle
} reader;

// Cycles in each phase within [begin, end); begin is never before that of the last call.
static void read_on(reader *r, uint32_t begin, uint32_t end, uint32_t cycles[SIM_PHASE_COUNT]) {
    for (int i = 0; i < SIM_PHASE_COUNT; i++) cycles[i] = 0;
    while (r->span < r->row->count && r->start + r->row->spans[r->span].cycles <= begin)
        r->start += r->row->spans[r->span++].cycles;
    uint32_t start = r->start;
    for (uint32_t i = r->span; i < r->row->count && start < end; i++) {
        uint32_t stop = start + r->row->spans[i].cycles;
        uint32_t first = start > begin ? start : begin, last = stop < end ? stop : end;
        if (last > first) cycles[r->row->spans[i].phase] += last - first;
        start = stop;
    }
}

static ladder_timeline_cell cell_of(const uint32_t cycles[SIM_PHASE_COUNT]) {
    uint32_t all = 0;
    sim_warp_phase most = SIM_PHASE_ABSENT;
    for (int i = 0; i < SIM_PHASE_COUNT; i++) {
        all += cycles[i];
        if (i != SIM_PHASE_ISSUE && cycles[i] > cycles[most]) most = (sim_warp_phase)i;
    }
    uint32_t issues = cycles[SIM_PHASE_ISSUE];
    bool issuing = issues > 0 && 20 * issues >= all;
    return (ladder_timeline_cell){issuing ? SIM_PHASE_ISSUE : most, issuing && 4 * issues < all};
}

void ladder_timeline_cells(const ladder_timeline_view *v, uint32_t row,
                           ladder_timeline_cell *out_cells) {
    uint32_t cycles[SIM_PHASE_COUNT];
    reader r = {.row = &v->timeline->rows[row * v->step]};
    for (uint32_t c = 0; c < v->columns; c++) {
        read_on(&r, from(v, c), to(v, c), cycles);
        out_cells[c] = cell_of(cycles);
    }
}

uint32_t ladder_timeline_warp(const ladder_timeline_view *v, uint32_t row) { return row * v->step; }

double ladder_timeline_issues(const ladder_timeline_view *v, uint32_t row) {
    uint32_t cycles[SIM_PHASE_COUNT];
    sim_timeline_count(&v->timeline->rows[row * v->step], 0, v->cycles, cycles);
    return v->cycles > 0 ? 100.0 * cycles[SIM_PHASE_ISSUE] / v->cycles : 0;
}

void ladder_timeline_slots(const ladder_timeline_view *v, double *out_shares) {
    const sim_timeline *t = v->timeline;
    uint32_t cycles[SIM_PHASE_COUNT];
    for (uint32_t c = 0; c < v->columns; c++) out_shares[c] = 0;
    for (uint32_t i = 0; i < t->row_count; i++) {
        reader r = {.row = &t->rows[i]};
        for (uint32_t c = 0; c < v->columns; c++) {
            double all = (double)(to(v, c) - from(v, c)) * t->schedulers;
            read_on(&r, from(v, c), to(v, c), cycles);
            if (all > 0) out_shares[c] += cycles[SIM_PHASE_ISSUE] / all;
        }
    }
}

sim_warp_phase ladder_timeline_worst(const ladder_timeline_view *v) {
    sim_warp_phase worst = SIM_PHASE_ABSENT;
    for (int i = SIM_PHASE_ABSENT + 1; i < SIM_PHASE_COUNT; i++)
        if (i != SIM_PHASE_ISSUE && v->phases[i] > 0 &&
            (worst == SIM_PHASE_ABSENT || v->phases[i] > v->phases[worst]))
            worst = (sim_warp_phase)i;
    return worst;
}

const char *ladder_timeline_absence(const sim_launch_report *report) {
    return sim_report_has_sm_time(report)
               ? NULL
               : "this time is that of the analytical model, which has bounds but no cycles; the "
                 "cycle-level model knows cards of compute capability 9.0 alone";
}

const char *ladder_timeline_title(const ladder_timeline_view *v, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "one SM, modelled: %s %u cycles", v->cut ? "its first" : "all its",
             v->cycles);
    return text;
}

const char *ladder_timeline_warps(const ladder_timeline_view *v, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "%u warp%s at once%s", v->timeline->row_count,
             v->timeline->row_count == 1 ? "" : "s",
             v->step > 1 ? "; shown are those of scheduler 0" : "");
    return text;
}

// ---- as a picture (common/drawing/drawing.h) ----------------------------------------------------

uint32_t ladder_timeline_kind(ladder_timeline_cell cell) {
    static const uint32_t kinds[SIM_PHASE_COUNT] = {
        [SIM_PHASE_ABSENT] = KL_TIMELINE_NOTHING,
        [SIM_PHASE_ISSUE] = KL_TIMELINE_ISSUES,
        [SIM_PHASE_READY] = KL_TIMELINE_READY,
        [SIM_PHASE_MEMORY] = KL_TIMELINE_FIRST_WAIT,
        [SIM_PHASE_SHORT] = KL_TIMELINE_FIRST_WAIT + 1,
        [SIM_PHASE_BARRIER] = KL_TIMELINE_FIRST_WAIT + 2,
        [SIM_PHASE_START] = KL_TIMELINE_FIRST_WAIT + 3,
        [SIM_PHASE_PIPE] = KL_TIMELINE_FIRST_WAIT + 4,
        [SIM_PHASE_WAIT] = KL_TIMELINE_FIRST_WAIT + 5,
        [SIM_PHASE_BRANCH] = KL_TIMELINE_FIRST_WAIT + 6,
        [SIM_PHASE_QUEUE] = KL_TIMELINE_FIRST_WAIT + 7,
        [SIM_PHASE_SHARED_QUEUE] = KL_TIMELINE_FIRST_WAIT + 8,
        [SIM_PHASE_FENCE] = KL_TIMELINE_FIRST_WAIT + 9,
        [SIM_PHASE_DISPATCH] = KL_TIMELINE_FIRST_WAIT + 10,
    };
    bool unknown = kinds[cell.phase] == KL_TIMELINE_NOTHING && cell.phase != SIM_PHASE_ABSENT;
    if (cell.seldom) return KL_TIMELINE_SELDOM;
    return unknown ? KL_TIMELINE_KINDS - 1 : kinds[cell.phase];
}

bool ladder_timeline_read(const ladder_timeline_view *v, ladder_timeline_picture *out) {
    ladder_timeline_cell *cells = calloc((size_t)v->columns + 1, sizeof *cells);
    *out = (ladder_timeline_picture){calloc((size_t)v->rows * v->columns + 1, sizeof *out->kinds),
                                     calloc((size_t)v->columns + 1, sizeof *out->used)};
    bool complete = cells && out->kinds && out->used;
    for (uint32_t r = 0; complete && r < v->rows; r++) {
        ladder_timeline_cells(v, r, cells);
        for (uint32_t c = 0; c < v->columns; c++)
            out->kinds[(size_t)r * v->columns + c] = (uint8_t)ladder_timeline_kind(cells[c]);
    }
    if (complete) ladder_timeline_slots(v, out->used);
    free(cells);
    if (!complete) ladder_timeline_picture_free(out);
    return complete;
}

void ladder_timeline_picture_free(ladder_timeline_picture *picture) {
    free(picture->kinds);
    free(picture->used);
    *picture = (ladder_timeline_picture){NULL, NULL};
}

enum { KEYS = SIM_PHASE_COUNT + 1, KEY_TEXT = 80 };
static uint32_t make_key(const ladder_timeline_view *v, kl_timeline_key keys[KEYS],
                         char texts[KEYS][KEY_TEXT]) {
    uint32_t count = 0;
    for (int i = 0; i < SIM_PHASE_COUNT; i++) {
        sim_warp_phase phase = (sim_warp_phase)i;
        if (!(v->phases[i] > 0)) continue;
        snprintf(texts[count], KEY_TEXT, "%.1f %% of the time: %s", v->phases[i],
                 sim_phase_text(phase));
        keys[count] = (kl_timeline_key){ladder_timeline_kind((ladder_timeline_cell){phase, false}),
                                        texts[count]};
        count++;
    }
    snprintf(texts[count], KEY_TEXT, "requests to global memory in flight: %.1f",
             v->timeline->in_flight);
    keys[count] = (kl_timeline_key){KL_TIMELINE_NOTHING, texts[count]};
    return count + 1;
}

void ladder_timeline_draw(const ladder_timeline_view *v, const char *title, bool key, FILE *out) {
    uint32_t labels[LADDER_TIMELINE_ROWS];
    kl_timeline_key keys[KEYS];
    char texts[KEYS][KEY_TEXT];
    ladder_timeline_picture picture;
    if (!ladder_timeline_read(v, &picture)) return;
    for (uint32_t r = 0; r < v->rows; r++) labels[r] = ladder_timeline_warp(v, r);
    const kl_timeline t = {.rows = v->rows,
                           .columns = v->columns,
                           .each = v->each,
                           .kinds = picture.kinds,
                           .labels = labels,
                           .used = picture.used,
                           .keys = keys,
                           .key_count = key ? make_key(v, keys, texts) : 0};
    kl_timeline_draw(out, &t, title);
    ladder_timeline_picture_free(&picture);
}
