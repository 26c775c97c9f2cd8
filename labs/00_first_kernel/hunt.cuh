// SPDX-License-Identifier: MIT
// Given to the bug hunts 2 to 5 of lab 00: the program around a call that makes y: [n] of x: [n].
#pragma once

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct hunt {
    int n;                                                   // elements
    float (*input)(int i);                                   // x[i]
    cudaError_t (*call)(const float *d_x, float *d_y);       // what holds the bug
    bool (*is_right)(const float *x, const float *y, int i); // whether y[i] is
} hunt;

static cudaError_t hunt_run(const hunt *h, const float *h_x, float *h_y) {
    float *d_x = NULL, *d_y = NULL;
    size_t bytes = sizeof(float) * h->n;
    cudaError_t code = cudaMalloc((void **)&d_x, bytes);
    if (code == cudaSuccess) code = cudaMalloc((void **)&d_y, bytes);
    if (code == cudaSuccess) code = cudaMemcpy(d_x, h_x, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) code = h->call(d_x, d_y);
    if (code == cudaSuccess) code = cudaMemcpy(h_y, d_y, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    return code;
}

// The program's exit status.
static int hunt_main(const hunt *h) {
    float *x = (float *)malloc(sizeof(float) * h->n), *y = (float *)calloc(h->n, sizeof(float));
    for (int i = 0; i < h->n; i++) x[i] = h->input(i);
    cudaError_t code = hunt_run(h, x, y);
    int wrong = 0;
    for (int i = 0; code == cudaSuccess && i < h->n; i++) wrong += !h->is_right(x, y, i);
    if (code != cudaSuccess)
        printf("CUDA: %s\n", cudaGetErrorString(code));
    else
        printf("%d elements, %d wrong; results %s\n", h->n, wrong, wrong == 0 ? "right" : "WRONG");
    free(x);
    free(y);
    return code == cudaSuccess && wrong == 0 ? 0 : 1;
}
