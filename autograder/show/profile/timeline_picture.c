// A timeline as a picture (common/drawing/drawing.h), for the page and for the documents. See
// timeline.c.
#include "show/profile/profile.h"

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
