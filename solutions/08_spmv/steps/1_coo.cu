// SPDX-License-Identifier: MIT
// Lab 08, step 1: coordinates (COO). One thread per entry; threads of one row meet in an atomic.
//
// What it fixes: nothing depends on how long rows are; loads of entries are neighbours.
// What it costs: a row index for every entry, and an atomic for every entry.
#include "spmv.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256

// row: [nnz], the row of each entry. One thread per row writes those of its entries.
__global__ void __launch_bounds__(THREADS)
    spread_rows(const int32_t *ptr, int64_t rows, int32_t *row) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < rows) {
        for (int32_t k = ptr[i]; k < ptr[i + 1]; k++) {
            row[k] = (int32_t)i;
        }
    }
}

template <typename T> __global__ void __launch_bounds__(THREADS) clear(T *y, int64_t rows) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < rows) {
        y[i] = 0;
    }
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    coo(const int32_t *row, const int32_t *col, const T *val, int64_t nnz, const T *x, T *y) {
    // SOLUTION BEGIN
    int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k < nnz) {
        atomicAdd(&y[row[k]], val[k] * x[col[k]]);
    }
    // SOLUTION TODO: which entry is this thread's? Add its product to its row's element of y; other
    // SOLUTION TODO: threads add to the same element at the same time.
}

static unsigned blocks_for(int64_t items) {
    return (unsigned)((items + THREADS - 1) / THREADS);
}

extern "C" int spmv_prepare1(const spmv_matrix *a, const spmv_prepared *prepared) {
    if (a->nnz == 0) return cudaSuccess;
    if (prepared->bytes < (size_t)a->nnz * sizeof(int32_t)) return cudaErrorMemoryAllocation;
    spread_rows<<<blocks_for(a->rows), THREADS>>>(a->ptr, a->rows, (int32_t *)prepared->d_memory);
    return cudaGetLastError();
}

template <typename T>
static int run(const spmv_matrix *a, const void *x, void *y, const spmv_prepared *prepared) {
    if (a->rows == 0) return cudaSuccess;
    clear<<<blocks_for(a->rows), THREADS>>>((T *)y, a->rows);
    if (a->nnz > 0) {
        coo<<<blocks_for(a->nnz), THREADS>>>((const int32_t *)prepared->d_memory, a->col,
                                             (const T *)a->val, a->nnz, (const T *)x, (T *)y);
    }
    return cudaGetLastError();
}

extern "C" int spmv_step1(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared) {
    if (!IMPLEMENTED) return SPMV_NOT_IMPLEMENTED;
    return a->type == SPMV_FLOAT ? run<float>(a, x, y, prepared) : run<double>(a, x, y, prepared);
}
