// SPDX-License-Identifier: MIT
// A roofline: a rate over its operations per byte of device memory, below what the device's memory
// and its pipes allow. Operations are multiply-adds of float, two each, with the full width of a
// warp; warp instructions where there are none ("An Instruction Roofline Model for GPUs", Ding and
// Williams, 2019). Bytes are those of the timing model.
#ifndef LADDER_REPORT_ROOFLINE_H
#define LADDER_REPORT_ROOFLINE_H

#include <stdbool.h>
#include <stdio.h>

#include "device/device.h"

// What was counted of a launch or of a call.
typedef struct ladder_roofline_counts {
    double fma, fma_pipe; // multiply-adds; warp instructions of the pipe that does those of float
    double instructions;  // warp instructions
    double bytes;         // read from and written to device memory
    double time_us;
} ladder_roofline_counts;

typedef struct ladder_roofline {
    const char *what, *x_title, *y_title;
    const sim_device *device;
    double unit; // of y, in operations per second
    double operations, bytes, seconds;
    double peak; // operations per second that the pipes allow
} ladder_roofline;

// False where there is nothing to draw: no operations, no traffic to device memory, no time.
bool ladder_roofline_of(const ladder_roofline_counts *counts, const sim_device *device,
                        ladder_roofline *out_line);

// The picture (SVG). point: what is shown, such as "this launch".
void ladder_roofline_draw(const ladder_roofline *line, const char *point, FILE *out);

// ": 8 operations per byte. Rate: ..": the sentence behind the word "intensity", as HTML.
void ladder_roofline_tell(const ladder_roofline *line, FILE *out);

#endif
