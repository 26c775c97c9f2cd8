// SPDX-License-Identifier: MIT
// The larger of two numbers: of two cycles, the later one.
#ifndef SIM_BASE_LARGER_H
#define SIM_BASE_LARGER_H

// Not fmax, which is a call because of its rules for NaN; neither is one here.
static inline double sim_larger(double a, double b) {
    return a > b ? a : b;
}

#endif
