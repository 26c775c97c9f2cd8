// Small kernels, each with one bug or its near miss (then its name ends in _not), chosen by name:
// PROGRAM NAME. A program includes this once and ends with its table, check_PROGRAM.def, in which
// comments say before a row what `ladder check` must find then (autograder/tests/checks/run.sh):
//   // finds CLASS: REGEX      the class of all findings, and what follows it in the output
//   // finds CLASS, CLASS      classes, each once, in alphabetical order; `nothing`
//   //   ~ REGEX               what the output has after that, in order
//   //     REGEX               the line before goes on
//   //   $ OPTIONS             of ladder check; before all rows `options: OPTIONS` for each
//   //   runs N, M warp instructions   how often it is run, and what all runs but the first take
// A row without such lines is a near miss when its name ends in _not, in which nothing may be
// found, and else the business of another test. Several for one row: `finds .. as NAME`. Tests are
// checks/PROGRAM/NAME.
#pragma once

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 128
#define N     512
#define GRID  (N / BLOCK)

static float *d_x, *d_y, *d_z; // N each: 0 .. 99 over and over; 0; nothing

// The words of one of them, as zeros.
static inline int *cleared(float *flag) {
    cudaMemset(flag, 0, N * sizeof(int));
    return (int *)flag;
}

typedef struct check_case {
    const char *name;
    void (*run)(void);
} check_case;

#define CASE(name, ...) {#name, [] { __VA_ARGS__; }},

static int run_check_case(const check_case *cases, size_t count, const char *name) {
    float x[N];
    bool found = false;
    for (int i = 0; i < N; i++) x[i] = (float)(i % 100);
    cudaMalloc(&d_x, sizeof x);
    cudaMalloc(&d_y, sizeof x);
    cudaMalloc(&d_z, sizeof x);
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemset(d_y, 0, sizeof x);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(cases[i].name, name) != 0) continue;
        cases[i].run();
        found = true;
    }
    cudaDeviceSynchronize();
    cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost);
    cudaMemcpy(x, d_y, sizeof x, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_z);
    if (!found) fprintf(stderr, "there is no case '%s'\n", name);
    return found ? 0 : 3;
}
