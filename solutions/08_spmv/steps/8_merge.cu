// SPDX-License-Identifier: MIT
// Lab 08, step 8: merge path (Merrill and Garland, SC 2016). Going through a CSR matrix is merging
// two lists: the ends of the rows and the numbers of the entries. Every thread takes ITEMS steps of
// that merge, whatever rows they belong to.
//
// What it fixes: one giant row or a million empty ones: every thread has the same work.
// What it costs: searches, shared memory, and a second kernel for rows that cross tiles.
#include "spmv.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 128
#define ITEMS                                                                                      \
    7 // steps of the merge a thread; odd: neighbouring threads' entries lie in other banks
#define TILE      (THREADS * ITEMS) // a block
#define ALL_LANES 0xffffffffu

// A tile's part of the row in which it ends.
template <typename T> struct carry {
    T sum;
    int32_t row;
};

// Steps 0 .. diagonal - 1 of the merge take some row ends and some entries: how many row ends?
// ends: [rows]; those are the entries that come before each end.
__device__ int64_t split(int64_t diagonal, const int32_t *ends, int64_t rows, int64_t entries,
                         int64_t base) {
    int64_t low = diagonal > entries ? diagonal - entries : 0;
    // SOLUTION BEGIN
    int64_t high = diagonal < rows ? diagonal : rows;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (ends[middle] - base <= diagonal - middle - 1) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    // SOLUTION TODO: high is the smaller of diagonal and rows; halve low .. high: row end `middle`
    // SOLUTION TODO: is taken before entry diagonal - middle - 1 if not more than that many entries
    // SOLUTION TODO: stand before it (entries count from `base`).
    return low;
}

// For each thread: what earlier threads of the block leave of the row that it is in. `sum`: what a
// thread leaves itself; `cut`: it finished a row, so that nothing from before it reaches the
// threads behind.
// *out_last: what the last thread leaves.
template <typename T> __device__ T left_over(T sum, bool cut, T *sums, bool *cut_of, T *out_last) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 1; step < 32; step *= 2) { // an inclusive scan that stops at cuts
        T before = __shfl_up_sync(ALL_LANES, sum, step);
        bool before_cut = __shfl_up_sync(ALL_LANES, cut, step);
        if (lane >= step && !cut) {
            sum += before;
            cut = before_cut;
        }
    }
    T left = __shfl_up_sync(ALL_LANES, sum, 1); // what lane - 1 leaves
    bool left_cut = __shfl_up_sync(ALL_LANES, cut, 1);
    if (lane == 31) {
        sums[warp] = sum;
        cut_of[warp] = cut;
    }
    __syncthreads();
    T enters = 0; // this warp, from the warps before it
    for (int w = 0; w < warp; w++) {
        enters = cut_of[w] ? sums[w] : enters + sums[w];
    }
    *out_last = cut ? sum : enters + sum;
    if (lane == 0) return enters;
    return left_cut ? left : enters + left;
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    merge(const int32_t *ptr, const int32_t *col, const T *val, int64_t rows, int64_t nnz,
          const T *x, T *y, carry<T> *carries) {
    __shared__ T products[TILE];
    __shared__ int32_t ends[TILE + 1];
    __shared__ int64_t first_rows[2];
    __shared__ T sums[THREADS / 32];
    __shared__ bool cut_of[THREADS / 32];
    int64_t begin = (int64_t)blockIdx.x * TILE;
    int64_t stop = begin + TILE < rows + nnz ? begin + TILE : rows + nnz;
    if (threadIdx.x < 2) {
        first_rows[threadIdx.x] = split(threadIdx.x == 0 ? begin : stop, ptr + 1, rows, nnz, 0);
    }
    __syncthreads();
    int64_t row0 = first_rows[0], entry0 = begin - row0;
    int tile_rows = (int)(first_rows[1] - row0), tile_entries = (int)(stop - begin) - tile_rows;
    for (int k = (int)threadIdx.x; k < tile_entries; k += THREADS) {
        products[k] = val[entry0 + k] * x[col[entry0 + k]];
    }
    for (int r = (int)threadIdx.x; r < tile_rows; r += THREADS) {
        ends[r] = (int32_t)(ptr[row0 + r + 1] - entry0);
    }
    __syncthreads();

    int at = (int)threadIdx.x * ITEMS, length = (int)(stop - begin);
    at = at < length ? at : length;
    int until = at + ITEMS < length ? at + ITEMS : length;
    int r = (int)split(at, ends, tile_rows, tile_entries, 0);
    int k = at - r, first_row = -1;
    T sum = 0, first_sum = 0;
    // SOLUTION BEGIN
    for (; at < until; at++) {
        if (r < tile_rows && ends[r] <= k) { // row r is complete
            if (first_row < 0) {
                first_row = r; // earlier threads may have a part of it
                first_sum = sum;
            } else {
                y[row0 + r] = sum;
            }
            sum = 0;
            r++;
        } else {
            sum += products[k++];
        }
    }
    // SOLUTION TODO: from `at` to `until`: is row r complete? Then note it (the first one, whose
    // SOLUTION TODO: beginning earlier threads may have) or write it; else add the next product.
    // SOLUTION STUB: (void)until, (void)k, (void)r;
    T last = 0;
    T left = left_over(sum, first_row >= 0, sums, cut_of, &last);
    if (first_row >= 0) {
        y[row0 + first_row] = left + first_sum;
    }
    if (threadIdx.x == THREADS - 1) {
        carries[blockIdx.x] = {last, (int32_t)(row0 + tile_rows)};
    }
}

// Adds each tile's carry to the row in which the tile ended; some later tile has written it.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    add_carries(const carry<T> *carries, int64_t tiles, int64_t rows, T *y) {
    int64_t b = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int lane = threadIdx.x % 32;
    carry<T> mine = {0, -1};
    if (b < tiles) {
        mine = carries[b];
    }
    // Tiles of a giant row stand side by side: a warp adds them up first.
    for (int step = 1; step < 32; step *= 2) {
        T other = __shfl_down_sync(ALL_LANES, mine.sum, step);
        int32_t other_row = __shfl_down_sync(ALL_LANES, mine.row, step);
        if (lane + step < 32 && other_row == mine.row) {
            mine.sum += other;
        }
    }
    int32_t before = __shfl_up_sync(ALL_LANES, mine.row, 1);
    bool leads = lane == 0 || before != mine.row;
    if (leads && mine.row >= 0 && mine.row < rows && mine.sum != 0) {
        atomicAdd(&y[mine.row], mine.sum);
    }
}

template <typename T>
static int run(const spmv_matrix *a, const void *x, void *y, const spmv_prepared *prepared) {
    if (a->rows == 0) return cudaSuccess;
    int64_t tiles = (a->rows + a->nnz + TILE - 1) / TILE;
    carry<T> *carries = (carry<T> *)prepared->d_memory;
    if (prepared->bytes < (size_t)tiles * sizeof *carries) return cudaErrorMemoryAllocation;
    merge<<<(unsigned)tiles, THREADS>>>(a->ptr, a->col, (const T *)a->val, a->rows, a->nnz,
                                        (const T *)x, (T *)y, carries);
    add_carries<<<(unsigned)((tiles + THREADS - 1) / THREADS), THREADS>>>(carries, tiles, a->rows,
                                                                          (T *)y);
    return cudaGetLastError();
}

extern "C" int spmv_step8(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared) {
    if (!IMPLEMENTED) return SPMV_NOT_IMPLEMENTED;
    return a->type == SPMV_FLOAT ? run<float>(a, x, y, prepared) : run<double>(a, x, y, prepared);
}
