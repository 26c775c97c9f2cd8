// SPDX-License-Identifier: MIT
// A roofline: a rate over its operations per byte, once of device memory and, where its traffic is
// known, once of the L2, below what each of them and the pipes allow ("Hierarchical Roofline
// Analysis for GPUs", Yang, Kurth and Williams, 2020). Operations are multiply-adds of float, two
// each, with the full width of a warp; warp instructions where there are none ("An Instruction
// Roofline Model for GPUs", Ding and Williams, 2019). Where tensor cores do more,
// operations are those of products of halves that take as many of their cycles. Bytes are those of
// the timing model.
#ifndef LADDER_REPORT_ROOFLINE_H
#define LADDER_REPORT_ROOFLINE_H

#include <stdbool.h>
#include <stdio.h>

#include "device/device.h"

// What was counted of a launch or of a call.
typedef struct ladder_roofline_counts {
    double fma, fma_pipe; // multiply-adds; warp instructions of the pipe that does those of float
    double tensor_cycles; // of the tensor cores of an SM, all SMs together; 0: none, or not known
    double instructions;  // warp instructions
    double bytes;         // read from and written to device memory
    double l2_bytes;      // read from and written to the L2, atomics too; 0: not known
    double time_us;       // modelled
} ladder_roofline_counts;

// A roofline, ready to be drawn.
typedef struct ladder_roofline {
    const char *what, *x_title, *y_title; // kind of operation; titles of the axes
    const sim_device *device;             // whose roofs these are
    double unit;                          // of y, in operations per second
    double operations, seconds;           // of the launch or call
    double bytes, l2_bytes;               // of device memory; of the L2, 0: not known
    double peak;                          // operations per second that the pipes allow
} ladder_roofline;

// False where there is nothing to draw: no operations, no traffic to device memory, no time.
bool ladder_roofline_of(const ladder_roofline_counts *counts, const sim_device *device,
                        ladder_roofline *out_line);

// Which memory a roof is of.
typedef enum ladder_roof { LADDER_ROOF_DRAM, LADDER_ROOF_L2, LADDER_ROOFS } ladder_roof;

// What a picture of it shows, in its units.
typedef struct ladder_roofline_numbers {
    double rate, peak;              // of the launch or call; what the pipes allow
    double intensity[LADDER_ROOFS]; // operations per byte of each memory; NaN: not known
    double slope[LADDER_ROOFS];     // what a memory allows, per operation per byte
} ladder_roofline_numbers;

// The numbers of the picture; of the L2 only where its traffic is known.
ladder_roofline_numbers ladder_roofline_numbers_of(const ladder_roofline *line);

// The picture (SVG). point: what is shown, such as "this launch".
void ladder_roofline_draw(const ladder_roofline *line, const char *point, FILE *out);

// ": 8 operations per byte. Rate: ..": the sentence behind the word "intensity", as HTML.
void ladder_roofline_tell(const ladder_roofline *line, ladder_roof roof, FILE *out);

#endif
