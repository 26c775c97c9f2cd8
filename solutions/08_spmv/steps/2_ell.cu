// SPDX-License-Identifier: MIT
// Lab 08, step 2: ELLPACK. Every row is padded to the longest one and stored column by column, so
// that 32 threads of 32 rows load 32 neighbours.
//
// What it fixes: no atomics, no row indices; every load of an entry is coalesced.
// What it costs: padding. One long row makes the format useless; the preparation says so.
#include "spmv.h"

#include <cuda_runtime.h>
#include <stdlib.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

typedef struct ell_plan {
    int64_t width; // entries of the longest row
} ell_plan;

// In the prepared memory: values first, which need the wider alignment, then columns.
template <typename T> static T *values_of(const spmv_prepared *p) {
    return (T *)p->d_memory;
}
template <typename T>
static int32_t *columns_of(const spmv_prepared *p, int64_t rows, int64_t width) {
    return (int32_t *)(values_of<T>(p) + rows * width);
}

// Entry e of row i goes to place e * rows + i; places behind a row's end get column -1.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    pad(const int32_t *ptr, const int32_t *csr_col, const T *csr_val, int64_t rows, int64_t width,
        int32_t *col, T *val) {
    // SOLUTION BEGIN
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < rows) {
        int32_t first = ptr[i];
        int32_t length = ptr[i + 1] - first;
        for (int64_t e = 0; e < width; e++) {
            col[e * rows + i] = e < length ? csr_col[first + e] : -1;
            val[e * rows + i] = e < length ? csr_val[first + e] : T(0);
        }
    }
    // SOLUTION TODO: one thread per row: copy its entries to their places, and mark the rest of the
    // SOLUTION TODO: row.
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    ell(const int32_t *col, const T *val, int64_t rows, int64_t width, const T *x, T *y) {
    // SOLUTION BEGIN
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < rows) {
        T sum = 0;
        for (int64_t e = 0; e < width; e++) {
            int32_t c = col[e * rows + i];
            if (c < 0) {
                break; // the padding is at the end
            }
            sum += val[e * rows + i] * x[c];
        }
        y[i] = sum;
    }
    // SOLUTION TODO: one thread per row: add up the products until the padding begins.
}

// The longest row, found on the host.
static int longest_row(const spmv_matrix *a, int64_t *out_width) {
    size_t bytes = (size_t)(a->rows + 1) * sizeof(int32_t);
    int32_t *ptr = (int32_t *)malloc(bytes);
    if (ptr == NULL) return cudaErrorMemoryAllocation;
    cudaError_t status = cudaMemcpy(ptr, a->ptr, bytes, cudaMemcpyDeviceToHost);
    int32_t width = 0;
    for (int64_t i = 0; i < a->rows && status == cudaSuccess; i++) {
        int32_t length = ptr[i + 1] - ptr[i];
        width = length > width ? length : width;
    }
    free(ptr);
    *out_width = width;
    return status;
}

template <typename T> static int prepare(const spmv_matrix *a, const spmv_prepared *prepared) {
    ell_plan *plan = (ell_plan *)prepared->h_plan;
    int status = longest_row(a, &plan->width);
    if (status != cudaSuccess || a->rows == 0 || plan->width == 0) return status;
    if ((double)a->rows * (double)plan->width * (sizeof(T) + sizeof(int32_t)) >
        (double)prepared->bytes) {
        return cudaErrorMemoryAllocation;
    }
    pad<<<(unsigned)((a->rows + THREADS - 1) / THREADS), THREADS>>>(
        a->ptr, a->col, (const T *)a->val, a->rows, plan->width,
        columns_of<T>(prepared, a->rows, plan->width), values_of<T>(prepared));
    return cudaGetLastError();
}

extern "C" int spmv_prepare2(const spmv_matrix *a, const spmv_prepared *prepared) {
    return a->type == SPMV_FLOAT ? prepare<float>(a, prepared) : prepare<double>(a, prepared);
}

template <typename T>
static int run(const spmv_matrix *a, const void *x, void *y, const spmv_prepared *prepared) {
    if (a->rows == 0) return cudaSuccess;
    int64_t width = ((const ell_plan *)prepared->h_plan)->width;
    ell<<<(unsigned)((a->rows + THREADS - 1) / THREADS), THREADS>>>(
        columns_of<T>(prepared, a->rows, width), values_of<T>(prepared), a->rows, width,
        (const T *)x, (T *)y);
    return cudaGetLastError();
}

extern "C" int spmv_step2(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared) {
    if (!IMPLEMENTED) return SPMV_NOT_IMPLEMENTED;
    return a->type == SPMV_FLOAT ? run<float>(a, x, y, prepared) : run<double>(a, x, y, prepared);
}
