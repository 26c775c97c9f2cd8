// SPDX-License-Identifier: MIT
// Programs of micro-ladders (`ladder run LAB --micro`): given kernels, one thing of which is
// varied. One table for each sweep: on the simulator with what was counted and modelled, on a GPU
// with what was measured.
#ifndef KL_MICRO_LAB_H
#define KL_MICRO_LAB_H

#include <stddef.h>

#include "device.h"

// What every kernel of a micro-ladder gets.
typedef struct kl_micro {
    kl_device device; // on which it runs
    const void *d_x;  // [input_bytes], every byte 0x3F: as float 0.747.., finite; as uint8 63
    float *d_sink;    // [1], for results that must not be optimised away
} kl_micro;

// One sweep: a table with a row for each value of the parameter.
typedef struct kl_micro_sweep {
    const char *name;          // key in the JSON
    const char *title;         // of the table
    const char *parameter;     // what varies: title of the first column, and key in the JSON
    int first, last;           // its values
    const char *const *labels; // [last - first + 1], shown for them; NULL: the numbers themselves
    // scale x over / under, two sums of counters (counts.h); ratio is the column's title, NULL:
    // nothing is counted
    const char *ratio, *over, *under;
    double scale;
    int (*call)(const kl_micro *m, int value); // launches; returns a cudaError_t
    // Bytes that the threads ask for; NULL: no rate is shown.
    double (*wanted_bytes)(const kl_micro *m, int value);
} kl_micro_sweep;

// The program of a lab; static data.
typedef struct kl_micro_lab {
    const char *name, *folder;                      // "transpose", and "01_transpose"
    const kl_micro_sweep *sweeps;                   // [sweep_count], in the order of the tables
    int sweep_count;                                // of `sweeps`
    size_t (*input_bytes)(const kl_device *device); // how much memory kl_micro.d_x has on this
                                                    // device
} kl_micro_lab;

// The whole program: arguments, device, tables, --json (schema ladder.micro/1). Returns its exit
// status.
int kl_micro_main(int argc, char **argv, const kl_micro_lab *lab);

#endif
