// SPDX-License-Identifier: MIT
// Lab 10, step 4: weights and mask become CSR. Where entry k of a row goes is known only when the
// entries of all rows before are counted: count, add up, fill.
//
// A warp per row, in both kernels: neighbouring lanes read neighbouring bytes of the mask, and the
// entries that they find lie side by side in col and val. A thread per row would read 32 rows at
// once, a sector for each byte.
#include "pruning.cuh"
#include "pruning.h"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256
#define WARPS   (THREADS / 32)

// mask: [rows][cols], counts: [rows].
__global__ void __launch_bounds__(THREADS)
    count_rows(int rows, int cols, const uint8_t *mask, int32_t *counts) {
    // SOLUTION BEGIN
    int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, entries = 0;
    if (row >= rows) return; // the whole warp
    const uint8_t *own = mask + (int64_t)row * cols;
    for (int first = 0; first < cols; first += 32) {
        int c = first + lane;
        entries += __popc(__ballot_sync(0xffffffffu, c < cols && own[c]));
    }
    if (lane == 0) counts[row] = entries;
    // SOLUTION TODO: a warp per row, 32 columns per iteration; __popc of the ballot counts.
}

// ptr: [rows + 1], col and val: [nnz].
__global__ void __launch_bounds__(THREADS)
    fill_rows(int rows, int cols, const float *w, const uint8_t *mask, const int32_t *ptr,
              int32_t *col, float *val) {
    // SOLUTION BEGIN
    int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return; // the whole warp
    const uint8_t *own = mask + (int64_t)row * cols;
    int next = ptr[row];
    for (int first = 0; first < cols; first += 32) {
        int c = first + lane;
        bool stays = c < cols && own[c];
        uint32_t all = __ballot_sync(0xffffffffu, stays);
        if (stays) {
            int k = next + __popc(all & ((1u << lane) - 1));
            col[k] = c;
            val[k] = w[(int64_t)row * cols + c];
        }
        next += __popc(all);
    }
    // SOLUTION TODO: as above; an entry's index is ptr[row], plus the entries of the iterations
    // SOLUTION TODO: before, plus the set bits of the ballot below the lane's own.
}

extern "C" int pruning_step4(const pruning_task *task) {
    if (!IMPLEMENTED) return PRUNING_NOT_IMPLEMENTED;
    if (pruning_refuses(task) || task->op != PRUNING_CSR) return cudaErrorInvalidValue;
    int rows = (int)task->shape.rows, cols = (int)task->shape.cols;
    unsigned blocks = (unsigned)((rows + WARPS - 1) / WARPS);
    count_rows<<<blocks, THREADS>>>(rows, cols, task->d_mask_in, task->d_ptr_out);
    pruning_sums(task->d_ptr_out, rows, task->d_ptr_out);
    if (task->shape.nnz > 0)
        fill_rows<<<blocks, THREADS>>>(rows, cols, task->d_w, task->d_mask_in, task->d_ptr_out,
                                       task->d_col_out, task->d_val_out);
    return cudaGetLastError();
}
