// SPDX-License-Identifier: MIT
// Lab 08, step 3: diagonals (DIA). Where all entries lie on few diagonals, columns need not be
// stored: that of row i on the diagonal with offset o is i + o.
//
// What it fixes: 4 of the 8 bytes of a single-precision entry; x is read along with the rows.
// What it costs: every diagonal is stored whole. Made for stencils and bands, useless elsewhere.
#include "spmv.h"

#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS        256
#define MOST_DIAGONALS 4096 // their offsets take the first 16 KiB of the prepared memory

typedef struct dia_plan {
    int64_t diagonals;
} dia_plan;

static int32_t *offsets_of(const spmv_prepared *p) {
    return (int32_t *)p->d_memory;
}
template <typename T> static T *values_of(const spmv_prepared *p) {
    return (T *)(offsets_of(p) + MOST_DIAGONALS);
}

// val: [diagonals][rows], all 0 before. offset ascends, so the place of an entry is found by
// halving.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    lay_out(const int32_t *ptr, const int32_t *col, const T *csr_val, int64_t rows,
            const int32_t *offset, int64_t diagonals, T *val) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= rows) return;
    for (int32_t k = ptr[i]; k < ptr[i + 1]; k++) {
        int64_t wanted = col[k] - i;
        int64_t low = 0, high = diagonals - 1;
        while (low < high) {
            int64_t middle = (low + high) / 2;
            if (offset[middle] < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        val[low * rows + i] += csr_val[k]; // equal columns add up
    }
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    dia(const int32_t *offset, int64_t diagonals, const T *val, int64_t rows, int64_t cols,
        const T *x, T *y) {
    // SOLUTION BEGIN
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < rows) {
        T sum = 0;
        for (int64_t d = 0; d < diagonals; d++) {
            int64_t c = i + offset[d];
            if (c >= 0 && c < cols) {
                sum += val[d * rows + i] * x[c];
            }
        }
        y[i] = sum;
    }
    // SOLUTION TODO: one thread per row: walk over the diagonals; some places of a diagonal lie
    // SOLUTION TODO: outside the matrix.
}

// Offsets of the diagonals that hold an entry, ascending. ptr, col: copies on the host.
static int64_t list_diagonals(const spmv_matrix *a, const int32_t *ptr, const int32_t *col,
                              unsigned char *seen, int32_t *offset) {
    for (int64_t i = 0; i < a->rows; i++) {
        for (int32_t k = ptr[i]; k < ptr[i + 1]; k++) {
            seen[col[k] - i + a->rows - 1] = 1;
        }
    }
    int64_t count = 0;
    for (int64_t d = 0; d < a->rows + a->cols; d++) {
        if (seen[d] && count++ < MOST_DIAGONALS) {
            offset[count - 1] = (int32_t)(d - (a->rows - 1));
        }
    }
    return count;
}

// offset: [MOST_DIAGONALS]
static int find_diagonals(const spmv_matrix *a, int32_t *offset, int64_t *out_count) {
    int32_t *ptr = (int32_t *)malloc((size_t)(a->rows + 1) * sizeof *ptr);
    int32_t *col = (int32_t *)malloc((size_t)(a->nnz + 1) * sizeof *col);
    unsigned char *seen = (unsigned char *)calloc((size_t)(a->rows + a->cols + 1), 1);
    cudaError_t status = cudaErrorMemoryAllocation;
    if (ptr != NULL && col != NULL && seen != NULL) {
        status =
            cudaMemcpy(ptr, a->ptr, (size_t)(a->rows + 1) * sizeof *ptr, cudaMemcpyDeviceToHost);
        if (status == cudaSuccess) {
            status = cudaMemcpy(col, a->col, (size_t)a->nnz * sizeof *col, cudaMemcpyDeviceToHost);
        }
    }
    if (status == cudaSuccess) {
        *out_count = list_diagonals(a, ptr, col, seen, offset);
    }
    free(ptr);
    free(col);
    free(seen);
    return status;
}

template <typename T> static int prepare(const spmv_matrix *a, const spmv_prepared *prepared) {
    dia_plan *plan = (dia_plan *)prepared->h_plan;
    int32_t offset[MOST_DIAGONALS];
    if (a->rows == 0 || a->nnz == 0) return cudaSuccess;
    int status = find_diagonals(a, offset, &plan->diagonals);
    if (status != cudaSuccess) return status;
    double bytes = (double)plan->diagonals * (double)a->rows * sizeof(T) + sizeof offset;
    if (plan->diagonals > MOST_DIAGONALS || bytes > (double)prepared->bytes) {
        return cudaErrorMemoryAllocation;
    }
    size_t values = (size_t)(plan->diagonals * a->rows) * sizeof(T);
    status = cudaMemcpy(offsets_of(prepared), offset, (size_t)plan->diagonals * sizeof *offset,
                        cudaMemcpyHostToDevice);
    if (status == cudaSuccess) {
        status = cudaMemset(values_of<T>(prepared), 0, values);
    }
    if (status != cudaSuccess) return status;
    lay_out<<<(unsigned)((a->rows + THREADS - 1) / THREADS), THREADS>>>(
        a->ptr, a->col, (const T *)a->val, a->rows, offsets_of(prepared), plan->diagonals,
        values_of<T>(prepared));
    return cudaGetLastError();
}

extern "C" int spmv_prepare3(const spmv_matrix *a, const spmv_prepared *prepared) {
    return a->type == SPMV_FLOAT ? prepare<float>(a, prepared) : prepare<double>(a, prepared);
}

template <typename T>
static int run(const spmv_matrix *a, const void *x, void *y, const spmv_prepared *prepared) {
    if (a->rows == 0) return cudaSuccess;
    int64_t diagonals = ((const dia_plan *)prepared->h_plan)->diagonals;
    dia<<<(unsigned)((a->rows + THREADS - 1) / THREADS), THREADS>>>(offsets_of(prepared), diagonals,
                                                                    values_of<T>(prepared), a->rows,
                                                                    a->cols, (const T *)x, (T *)y);
    return cudaGetLastError();
}

extern "C" int spmv_step3(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared) {
    if (!IMPLEMENTED) return SPMV_NOT_IMPLEMENTED;
    return a->type == SPMV_FLOAT ? run<float>(a, x, y, prepared) : run<double>(a, x, y, prepared);
}
