// SPDX-License-Identifier: MIT
// A timeline (device/timeline.h) in columns: what its picture and its sentences are made of, for
// the terminal, for the page and for JSON alike.
#ifndef LADDER_PROFILE_TIMELINE_H
#define LADDER_PROFILE_TIMELINE_H

#include "device/report.h"
#include "table.h"
#include "warp_timeline.h"

enum { LADDER_TIMELINE_ROWS = 16 }; // shown at most

// A timeline as it is shown.
typedef struct ladder_timeline_view {
    const sim_timeline *timeline; // that is shown
    uint32_t cycles;              // that are shown, from the first
    bool cut;                     // the SM went on after them
    uint32_t each, columns;       // cycles of a column; how many cover all
    uint32_t step, rows;          // every step-th row of the timeline is shown; how many these are
    // Of all rows and cycles that are shown, in per cent: a warp's time by phase, and the SM's
    // issue slots that were used.
    double phases[SIM_PHASE_COUNT], slots;
} ladder_timeline_view;

// cycles: at most so many, 0: all. columns: at most so many. NULL timelines are not allowed.
void ladder_timeline_view_make(const sim_timeline *timeline, uint32_t cycles, uint32_t columns,
                               ladder_timeline_view *out_view);

// What a column shows of a warp.
typedef struct ladder_timeline_cell {
    sim_warp_phase phase; // ISSUE when it issues in a twentieth of the cycles or more, else what
                          // takes most of the others
    bool seldom;          // it issues, but in less than a quarter of the cycles
} ladder_timeline_cell;

// row: 0 .. rows - 1. out_cells: [columns].
void ladder_timeline_cells(const ladder_timeline_view *view, uint32_t row,
                           ladder_timeline_cell *out_cells);
// The warp of a row, as the SM numbers them.
uint32_t ladder_timeline_warp(const ladder_timeline_view *view, uint32_t row);
// Cycles in which it issues, in per cent.
double ladder_timeline_issues(const ladder_timeline_view *view, uint32_t row);
// Issue slots of each column that were used, 0 .. 1. out_shares: [columns].
void ladder_timeline_slots(const ladder_timeline_view *view, double *out_shares);

// What a warp does most of its time, but for issuing; SIM_PHASE_ABSENT when none was there.
sim_warp_phase ladder_timeline_worst(const ladder_timeline_view *view);

// How a picture draws a cell: KL_TIMELINE_.. of common/drawing/warp_timeline.h.
uint32_t ladder_timeline_kind(ladder_timeline_cell cell);
// What a picture is made of.
typedef struct ladder_timeline_picture {
    uint8_t *kinds; // [rows][columns], row-major
    double *used;   // [columns]: share of the issue slots, 0 .. 1
} ladder_timeline_picture;

// False without memory; then there is nothing to free.
bool ladder_timeline_read(const ladder_timeline_view *view, ladder_timeline_picture *out_picture);
void ladder_timeline_picture_free(ladder_timeline_picture *picture);

// The picture. key: with colours and a key of its own, which has a warp's time by phase; else for a
// page that has both. Draws nothing without memory.
void ladder_timeline_draw(const ladder_timeline_view *view, const char *title, bool key, FILE *out);

// Why a launch can have no timeline; NULL: it can. A constant.
const char *ladder_timeline_absence(const sim_launch_report *report);

// "one SM, modelled: its first 5000 cycles". Returns `text`.
const char *ladder_timeline_title(const ladder_timeline_view *view, char *text, size_t text_bytes);
// "64 warps at once; shown are those of scheduler 0". Returns `text`.
const char *ladder_timeline_warps(const ladder_timeline_view *view, char *text, size_t text_bytes);

// What each warp of one SM does, cycle by cycle, in style->width columns. cycles: at most so many;
// 0: all.
void ladder_timeline_print(const sim_timeline *timeline, uint32_t cycles, const kl_style *style,
                           FILE *out);

#endif
