// The sweep of lab 04 over orders of square matrices (sweep.c) and its pictures (sweep_chart.c):
// the paper's figure 3 for today's steps and library.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "table.h"

enum {
    SWEEP_SERIES = 4, // three steps at most, and the vendor's library
    SWEEP_POINTS = 1024,
    SWEEP_FROM = 16, // orders of the paper
    SWEEP_TO = 12800
};

// Orders without gaps, of the enlargement in the picture.
typedef struct sweep_zoom {
    int first, last;
} sweep_zoom;

typedef struct sweep_series {
    char name[48];
    int step; // -1: the vendor's library
} sweep_series;

typedef struct sweep_result {
    const char *device;
    bool simulated;
    double ceiling_gbs; // read
    int series_count;   // the library, if it ran, is the last
    sweep_series series[SWEEP_SERIES];
    bool has_vendor;
    sweep_zoom zoom;
    int count;               // points
    int order[SWEEP_POINTS]; // ascending
    double us[SWEEP_POINTS][SWEEP_SERIES];
} sweep_result;

// The orders of a sweep, ascending and each once; returns how many. simulated: few small ones.
int sweep_orders(bool simulated, int out_orders[SWEEP_POINTS], sweep_zoom *out_zoom);

// 10^9 multiplications and additions per second at a point; half of the GB/s of A.
double sweep_gflops(const sweep_result *result, int point, int series);

// Orders at which a step was faster and slower than the library, and of the ratio of the library's
// time to the step's the least, the largest and the geometric mean over all orders.
typedef struct sweep_score {
    int won, lost, equal;
    double least, most, mean;
} sweep_score;
sweep_score sweep_score_of(const sweep_result *result, int series);

// The picture as SVG.
void sweep_draw(const sweep_result *result, FILE *out);

// The whole range in characters: each series by its number in the legend, '*' where several meet.
void sweep_draw_text(const sweep_result *result, const kl_style *style, FILE *out);
