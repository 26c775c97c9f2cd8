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

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

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
    // SOLUTION BEGIN
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    }
    if (threadIdx.x % 32 == 0) {
        scratch[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    T total = 0;
    for (int w = 0; w < THREADS / 32; w++) {
        total += scratch[w];
    }
    return total;
    // SOLUTION TODO: each warp as in step 5, then all warps in shared memory (scratch)
    // SOLUTION STUB: return sum;
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    adaptive(const row_block *blocks, const int32_t *ptr, const int32_t *col, const T *val,
             const T *x, T *y) {
    __shared__ T products[ENTRIES];
    row_block b = blocks[blockIdx.x];
    // SOLUTION BEGIN
    uint32_t begin = (uint32_t)ptr[b.first]; // unsigned, as in step 5
    uint32_t end = (uint32_t)ptr[b.first + b.count];
    if (b.count > 1) {
        for (uint32_t k = begin + threadIdx.x; k < end; k += THREADS) {
            products[k - begin] = val[k] * x[col[k]];
        }
        __syncthreads();
        for (int32_t r = (int32_t)threadIdx.x; r < b.count; r += THREADS) {
            T sum = 0;
            for (int32_t k = ptr[b.first + r]; k < ptr[b.first + r + 1]; k++) {
                sum += products[k - begin];
            }
            y[b.first + r] = sum;
        }
        return;
    }
    if (b.pieces > 1) {
        begin += b.piece * PIECE;
        end = end - begin > PIECE ? begin + PIECE : end;
    }
    T sum = 0;
    for (uint32_t k = begin + threadIdx.x; k < end; k += THREADS) {
        sum += val[k] * x[col[k]];
    }
    sum = block_sum(sum, products);
    if (threadIdx.x == 0) {
        if (b.pieces > 1) {
            atomicAdd(&y[b.first], sum);
        } else {
            y[b.first] = sum;
        }
    }
    // SOLUTION TODO: several rows: products to shared memory, a barrier, then one thread per row.
    // SOLUTION TODO: One row: all threads, block_sum, and an atomic when other blocks have pieces
    // SOLUTION TODO: of the row.
    // SOLUTION STUB: (void)b, (void)products;
}

// Cuts the rows into blocks; out may be NULL to count them.
static int64_t cut_rows(const int32_t *ptr, int64_t rows, row_block *out, int64_t *out_has_pieces) {
    int64_t count = 0;
    // SOLUTION BEGIN
    int64_t i = 0;
    while (i < rows) {
        int64_t first = i;
        while (i < rows && ptr[i + 1] - ptr[first] <= ENTRIES && i - first < ENTRIES) {
            i++;
        }
        int32_t pieces = 1;
        if (i == first) { // this row alone is too long to stream
            i++;
            pieces = (int32_t)(((int64_t)ptr[i] - ptr[first] + PIECE - 1) / PIECE);
        }
        for (int32_t piece = 0; piece < pieces; piece++, count++) {
            if (out != NULL) {
                out[count] = {(int32_t)first, (int32_t)(i - first), piece, pieces};
            }
        }
        *out_has_pieces |= pieces > 1;
    }
    // SOLUTION TODO: take rows while their entries together are at most ENTRIES; a row that is
    // SOLUTION TODO: longer stands alone, and one of more than PIECE entries is listed once for
    // SOLUTION TODO: each piece.
    // SOLUTION STUB: (void)ptr, (void)rows, (void)out, (void)out_has_pieces;
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
