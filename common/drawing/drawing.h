// Pictures (SVG) on paper (paper.h). What the numbers in them are is the caller's business.
#pragma once

#include "error.h"
#include "paper.h"

// ---- chart.c ------------------------------------------------------------------------------------
// Curves in a frame with axes, on paper (paper.h). What the numbers are
// is the caller's business.

enum { KL_CHART_CURVES = KL_PAPER_SERIES };

// An axis: where it begins and ends, where its marks are.
typedef struct kl_axis {
    const char *title;        // with the unit
    double first, last, step; // step: between marks; a factor when logarithmic
    bool logarithmic;         // both ends are above 0, marks stand at powers of `step`
} kl_axis;

// From a multiple of 1, 2 or 5 times a power of ten to another, with at most `marks` + 1 of them,
// around least .. most. Numbers that are not finite give 0 .. 1.
kl_axis kl_axis_over(const char *title, double least, double most, int marks);
// From a power of ten to another. Both are above 0.
kl_axis kl_axis_decades(const char *title, double least, double most);

// One curve. The arrays belong to the caller.
typedef struct kl_curve {
    const char *name; // at its right end, and in the key of the text form
    int count;        // points in x and y
    // [count], x ascending; a y that is not finite, or outside the axis, is a gap.
    const double *x, *y;
} kl_curve;

// A chart with all that it shows; the caller may change what kl_axis_over proposed.
typedef struct kl_chart {
    const char *title;                // above the frame
    kl_axis x, y;                     // what the values are drawn against
    double left, top, width, height;  // of the frame, px; names of curves take 100 px to its right
    int count;                        // curves, at most KL_CHART_CURVES
    kl_curve curves[KL_CHART_CURVES]; // [count], coloured s0, s1, .. in this order
} kl_chart;

// On paper that is begun.
void kl_chart_draw(const kl_chart *chart, FILE *out);

// ---- access_map.c -------------------------------------------------------------------------------
// A warp's access to memory as a picture: its words in the banks of shared memory, its bytes in the
// sectors of global memory, its lanes at a branch; the chunks of a tile in the banks. What an
// access costs is the caller's to say: nothing is counted here.

enum { KL_MAP_LANES = 32, KL_MAP_BANKS = 32, KL_MAP_WORDS = 4, KL_MAP_PARTS = 8 };

// When a bank serves a word.
typedef struct kl_bank_service {
    uint32_t wavefront; // that does, from 0
    bool waits;         // for another word of its bank
    bool shares;        // the word of a lane before it: a broadcast
} kl_bank_service;

// An access to shared memory.
typedef struct kl_bank_access {
    uint32_t lanes;              // bit i: lane i takes part
    uint32_t words;              // of 4 bytes that a lane moves, 1 .. KL_MAP_WORDS
    uint32_t banks;              // that the memory has, up to KL_MAP_BANKS; 0: KL_MAP_BANKS
    uint64_t word[KL_MAP_LANES]; // of each lane: the number of its first word
    kl_bank_service served[KL_MAP_LANES][KL_MAP_WORDS]; // each word of each lane
} kl_bank_access;

// Words in the order of addresses: a column per bank, a row per word of each bank; every word once,
// green when it is served at once, orange when it waits. Left and top edge at (x, y).
void kl_bank_words_draw(FILE *out, double x, double y, double cell, int rows,
                        const kl_bank_access *access);

// Lanes: a column per bank, a row per lane, with the number of the wavefront that serves it, and
// "=" where the lane gets another's word. A whole picture, on the page's own paper.
void kl_bank_map_draw(FILE *out, const kl_bank_access *access, const char *title);

// An access to global or local memory.
typedef struct kl_sector_access {
    uint32_t lanes;                 // bit i: lane i takes part
    uint32_t bytes;                 // that a lane moves, up to 4 * KL_MAP_PARTS
    uint32_t apart;                 // bytes from a lane's word of 4 bytes to its next one, as in
                                    // local memory; 0: a lane's bytes lie together
    uint64_t address[KL_MAP_LANES]; // of each lane, a multiple of `bytes` up to 16
} kl_sector_access;

enum { KL_SECTOR_BYTES = 32, KL_LINE_BYTES = 128 };

// A row per cache line of 128 bytes that is touched, its four sectors, the lanes at their bytes:
// green what is used, orange what is moved with it. A whole picture.
void kl_sector_map_draw(FILE *out, const kl_sector_access *access, const char *title);

enum { KL_TILE_LINES = 8, KL_TILE_CHUNKS = 8 };

// 16 bytes of a row of a tile.
typedef struct kl_tile_chunk {
    bool is_used;        // else nothing of the tile lies here
    uint32_t row, chunk; // from 0
} kl_tile_chunk;

// A tile in shared memory, as lines of 128 bytes, the width of the banks.
typedef struct kl_tile_map {
    uint32_t lines;                                  // of `at`
    kl_tile_chunk at[KL_TILE_LINES][KL_TILE_CHUNKS]; // what lies in each four banks of a line
} kl_tile_map;

// A row per line, a column per four banks, in each cell the row and chunk that lie there; a colour
// per chunk. A whole picture.
void kl_tile_map_draw(FILE *out, const kl_tile_map *tile, const char *title);

// The lanes of a warp at a branch: those that jump, those that go on, those that are not there. A
// whole picture of one row.
void kl_split_draw(FILE *out, uint32_t lanes, uint32_t jumped, const char *title);

// ---- warp_timeline.c ----------------------------------------------------------------------------
// What the warps of an SM do, as a picture: a row per warp, a column per some cycles, a thick bar
// where the warp issues, a thin one in the colour and the dashes of its reason where it waits. What
// the kinds mean, and what is shown of a column, is the caller's to say.

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

// ---- pixels.c -----------------------------------------------------------------------------------
// A picture of pixels inside a drawing: as PNG in the text itself, so that a file needs no other.

// channels: 1 (grey) or 3 (red, green, blue). pixels: [channels][height][width]. Each pixel is
// drawn as a square, however large. title: what it shows. Sides of at most 1024.
void kl_pixels_draw(FILE *out, double x, double y, double shown_width, double shown_height,
                    int channels, int height, int width, const uint8_t *pixels, const char *title);

// The end of every picture: was it written?

// Ends the paper. KL_ERROR_SYSTEM when anything of the picture could not be written.
kl_status kl_picture_end(FILE *out, kl_error *err);
