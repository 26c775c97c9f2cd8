// SPDX-License-Identifier: MIT
// Curves in a frame with axes, on paper (paper.h). What the numbers are
// is the caller's business.
#ifndef KL_CHART_H
#define KL_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "paper.h"

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

#endif
