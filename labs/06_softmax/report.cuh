// SPDX-License-Identifier: MIT
// Given to the bug hunts of lab 06: the program around a kernel of the report.
#pragma once

#include <cuda_runtime.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define ROWS    64
#define COLUMNS 1000

// x, y: [ROWS][COLUMNS]; a block of 32 threads computes `groups` rows.
typedef void report_kernel(const float *x, float *y);

static cudaError_t report_run(report_kernel *kernel, int groups, const float *h_x, float *h_y,
                              size_t bytes) {
    float *d_x = NULL, *d_y = NULL;
    cudaError_t code = cudaMalloc((void **)&d_x, bytes);
    if (code == cudaSuccess) code = cudaMalloc((void **)&d_y, bytes);
    if (code == cudaSuccess) code = cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) {
        kernel<<<ROWS / groups, 32>>>(d_x, d_y);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess) code = cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    return code;
}

// How many results of a row are off by more than 1e-5 of their value.
static int count_wrong(const float *x, const float *y) {
    double most = -INFINITY, sum = 0.0;
    int wrong = 0;
    for (int j = 0; j < COLUMNS; j++) most = fmax(most, x[j]);
    for (int j = 0; j < COLUMNS; j++) sum += exp(x[j] - most);
    for (int j = 0; j < COLUMNS; j++) {
        double want = exp(x[j] - most) / sum;
        wrong += !(fabs(y[j] - want) <= 1e-5 * want);
    }
    return wrong;
}

// The program's exit status.
static int report_main(report_kernel *kernel, int groups) {
    static float x[ROWS * COLUMNS], y[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)((i * 37) % 101) / 8.0f;
    cudaError_t code = report_run(kernel, groups, x, y, sizeof x);
    if (code != cudaSuccess) {
        printf("CUDA: %s\n", cudaGetErrorString(code));
        return 1;
    }
    int wrong = 0;
    for (int r = 0; r < ROWS; r++) wrong += count_wrong(x + r * COLUMNS, y + r * COLUMNS);
    printf("%d results, %d wrong; results %s\n", ROWS * COLUMNS, wrong,
           wrong == 0 ? "right" : "WRONG");
    return wrong == 0 ? 0 : 1;
}
