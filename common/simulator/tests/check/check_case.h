// Small kernels, each with one bug or its near miss (then its name ends in _not), chosen by name:
// PROGRAM NAME. A program includes this once and ends with its rows, CASE(name, what it does), or
// PAIR(name, what it does) for name, in which `right` is false, and its near miss name_not, in
// which it is true; comments before a row say what `ladder check` must find then
// (autograder/tests/checks/run.sh):
//   // finds CLASS: REGEX      the class of all findings, and what follows it in the output
//   // finds CLASS, CLASS      classes, each once, in alphabetical order; `nothing`
//   //   ~ REGEX               what the output has after that, in order
//   //     REGEX               the line before goes on
//   //   $ OPTIONS             of ladder check; for all rows `checked: OPTIONS` in the heading
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

static struct check_case *check_cases; // all rows

struct check_case {
    const char *name;
    void (*run)();
    check_case *next;
    check_case(const char *name, void (*run)()) : name(name), run(run), next(check_cases) {
        check_cases = this;
    }
};

#define CASE(name, ...) static check_case name##_case(#name, [] { __VA_ARGS__; })
#define PAIR(name, ...)                                                                            \
    CASE(name, const bool right = false; __VA_ARGS__);                                             \
    CASE(name##_not, const bool right = true; __VA_ARGS__)

#ifndef BEFORE_CUDA
#define BEFORE_CUDA(name)
#endif

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    BEFORE_CUDA(name);
    float x[N];
    bool found = false;
    for (int i = 0; i < N; i++) x[i] = (float)(i % 100);
    cudaMalloc(&d_x, sizeof x);
    cudaMalloc(&d_y, sizeof x);
    cudaMalloc(&d_z, sizeof x);
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemset(d_y, 0, sizeof x);
    for (check_case *row = check_cases; row; row = row->next) {
        if (strcmp(row->name, name) != 0) continue;
        row->run();
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
