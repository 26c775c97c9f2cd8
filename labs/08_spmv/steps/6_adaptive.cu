// SPDX-License-Identifier: MIT
// Lab 08, step 6: CSR-adaptive (Greathouse and Daga; the lecture's row blocks, with the last row
// counted). The host cuts the rows into blocks of about ENTRIES entries once for a matrix; each is
// the work of one thread block:
//   several short rows   stream: all threads load the block's entries side by side into shared
//                        memory, then one thread per row adds them up
//   one longer row       vector: all threads of the block on that row
//   one huge row         the same, in pieces of PIECE entries that meet in an atomic
//
// What it fixes: loads are coalesced whatever the rows' lengths are; no thread block has much more
// work than another.
// What it costs: a list made on the host, and products that pass through shared memory.
#include "spmv.h"

#include <cuda_runtime.h>
#include <stdlib.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define THREADS 256
#define ENTRIES 1024 // of a block of short rows: 4 KiB or 8 KiB of shared memory
#define PIECE   8192 // entries of a huge row that one thread block takes

// One thread block's work: rows first .. first + count - 1, or with count 1 the row's piece of this
// number.
typedef struct row_block {
    int32_t first, count, piece, pieces;
} row_block;

typedef struct adaptive_plan {
    int64_t blocks;
    int64_t has_pieces; // some row is shared by several blocks
} adaptive_plan;

template <typename T> __device__ T block_sum(T sum, T *scratch) {
    // TODO(student): each warp as in step 5, then all warps in shared memory (scratch)
    return sum;
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    adaptive(const row_block *blocks, const int32_t *ptr, const int32_t *col, const T *val,
             const T *x, T *y) {
    __shared__ T products[ENTRIES];
    row_block b = blocks[blockIdx.x];
    // TODO(student): several rows: products to shared memory, a barrier, then one thread per row.
    // One row: all threads, block_sum, and an atomic when other blocks have pieces
    // of the row.
    (void)b, (void)products;
}

// Cuts the rows into blocks; out may be NULL to count them.
static int64_t cut_rows(const int32_t *ptr, int64_t rows, row_block *out, int64_t *out_has_pieces) {
    int64_t count = 0;
    // TODO(student): take rows while their entries together are at most ENTRIES; a row that is
    // longer stands alone, and one of more than PIECE entries is listed once for
    // each piece.
    (void)ptr, (void)rows, (void)out, (void)out_has_pieces;
    return count;
}

static int make_blocks(const spmv_matrix *a, const int32_t *ptr, const spmv_prepared *prepared) {
    adaptive_plan *plan = (adaptive_plan *)prepared->h_plan;
    plan->blocks = cut_rows(ptr, a->rows, NULL, &plan->has_pieces);
    size_t bytes = (size_t)plan->blocks * sizeof(row_block);
    row_block *blocks = (row_block *)malloc(bytes + 1);
    if (blocks == NULL || bytes > prepared->bytes) {
        free(blocks);
        return cudaErrorMemoryAllocation;
    }
    cut_rows(ptr, a->rows, blocks, &plan->has_pieces);
    int status = cudaMemcpy(prepared->d_memory, blocks, bytes, cudaMemcpyHostToDevice);
    free(blocks);
    return status;
}

extern "C" int spmv_prepare6(const spmv_matrix *a, const spmv_prepared *prepared) {
    size_t bytes = (size_t)(a->rows + 1) * sizeof(int32_t);
    int32_t *ptr = (int32_t *)malloc(bytes);
    if (ptr == NULL) return cudaErrorMemoryAllocation;
    int status = cudaMemcpy(ptr, a->ptr, bytes, cudaMemcpyDeviceToHost);
    if (status == cudaSuccess) {
        status = make_blocks(a, ptr, prepared);
    }
    free(ptr);
    return status;
}

template <typename T>
static int run(const spmv_matrix *a, const void *x, void *y, const spmv_prepared *prepared) {
    const adaptive_plan *plan = (const adaptive_plan *)prepared->h_plan;
    if (plan->has_pieces) { // pieces add to what is there
        cudaError_t status = cudaMemsetAsync(y, 0, (size_t)a->rows * sizeof(T));
        if (status != cudaSuccess) return status;
    }
    if (plan->blocks > 0) {
        adaptive<<<(unsigned)plan->blocks, THREADS>>>((const row_block *)prepared->d_memory, a->ptr,
                                                      a->col, (const T *)a->val, (const T *)x,
                                                      (T *)y);
    }
    return cudaGetLastError();
}

extern "C" int spmv_step6(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared) {
    if (!IMPLEMENTED) return SPMV_NOT_IMPLEMENTED;
    return a->type == SPMV_FLOAT ? run<float>(a, x, y, prepared) : run<double>(a, x, y, prepared);
}
// ladder-skeleton 1e8e9bf82e898e7a (as it was handed out; any change makes this file yours)
