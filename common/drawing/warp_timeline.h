// SPDX-License-Identifier: MIT
// What the warps of an SM do, as a picture: a row per warp, a column per some cycles, a thick bar
// where the warp issues, a thin one in the colour and the dashes of its reason where it waits. What
// the kinds mean, and what is shown of a column, is the caller's to say.
#ifndef KL_WARP_TIMELINE_H
#define KL_WARP_TIMELINE_H

#include <stdint.h>
#include <stdio.h>

enum {
    KL_TIMELINE_NOTHING,   // nothing is drawn
    KL_TIMELINE_ISSUES,    // a thick bar
    KL_TIMELINE_SELDOM,    // less thick: it issues in few cycles of the column
    KL_TIMELINE_READY,     // could issue: thin
    KL_TIMELINE_FIRST_WAIT // and KL_TIMELINE_WAITS - 1 more reasons to wait
};
enum { KL_TIMELINE_WAITS = 11, KL_TIMELINE_KINDS = KL_TIMELINE_FIRST_WAIT + KL_TIMELINE_WAITS };

// What a kind means.
typedef struct kl_timeline_key {
    uint32_t kind;    // KL_TIMELINE_..
    const char *text; // "waiting for memory: 84.5 %"
} kl_timeline_key;

// A picture's contents.
typedef struct kl_timeline {
    uint32_t rows, columns;      // warps that are shown, and columns of `each` cycles
    uint32_t each;               // cycles of a column; the last one may have fewer
    const uint8_t *kinds;        // [rows][columns], row-major: KL_TIMELINE_.. of a warp in a column
    const uint32_t *labels;      // [rows]: the warp's number
    const double *used;          // [columns]: share of the issue slots that are used, 0 .. 1
    const kl_timeline_key *keys; // [key_count]
    uint32_t key_count;          // 0: for a page that has the colours and a key of its own
} kl_timeline;

// A whole picture with a scale in cycles, and below the rows the issue slots that are used; below
// them the key, where there is one.
void kl_timeline_draw(FILE *out, const kl_timeline *timeline, const char *title);

// A short piece of a kind, for a key. A whole picture that says nothing to those who cannot see it.
void kl_timeline_key_draw(FILE *out, uint32_t kind);

#endif
