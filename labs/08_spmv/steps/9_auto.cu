// SPDX-License-Identifier: MIT
// Lab 08, step 9: the preparation looks at the matrix once and chooses. The kernels are those of
// earlier steps, in spmv_auto.cuh, which is given.
//   few diagonals, well filled     step 3's: half the bytes
//   rows of about one length       step 2's: no work but the entries
//   small, or nearly empty         step 7's: nothing to look up but the row pointers
//   anything else                  step 6's: even work whatever the lengths
//
// What it fixes: no kernel is best for all matrices.
// What it costs: one pass over the matrix on the device, and for row blocks one over the row
// pointers on the host.
#include "spmv.h"
#include "spmv_auto.cuh"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

// The limits lie where an H100 changed its mind among 40 matrices in both precisions (README.md,
// "Which one?").
static void choose(const spmv_matrix *a, const findings *found, auto_plan *plan) {
    double mean = (double)a->nnz / (double)a->rows;
    int64_t longest = found->longest;
    plan->diagonals = found->diagonals;
    plan->width = longest;
    // TODO(student): compare the places of the diagonals with the entries, and the longest row with
    // the mean; this takes row blocks for all
    (void)mean;
    plan->kernel = BLOCKS;
}

template <typename T>
static int store(const spmv_matrix *a, const int32_t *offset, auto_plan *plan,
                 const spmv_prepared *prepared) {
    switch ((enum kernel)plan->kernel) {
    case DIAGONALS: return store_diagonals<T>(a, offset, plan->diagonals, prepared);
    case PADDED:
    case PADDED_8: return store_padded<T>(a, plan->width, prepared);
    case BLOCKS: return store_blocks<T>(a, plan, prepared);
    default: return cudaSuccess; // the lanes take the matrix as it is
    }
}

extern "C" int spmv_prepare9(const spmv_matrix *a, const spmv_prepared *prepared) {
    auto_plan *plan = (auto_plan *)prepared->h_plan;
    findings found;
    plan->kernel = LANES_2;
    if (a->rows == 0 || a->nnz == 0) {
        return cudaSuccess;
    }
    int status = look_at(a, prepared, &found);
    if (status != cudaSuccess) {
        return status;
    }
    choose(a, &found, plan);
    return a->type == SPMV_FLOAT ? store<float>(a, found.offset, plan, prepared)
                                 : store<double>(a, found.offset, plan, prepared);
}

template <typename T>
static int run(const spmv_matrix *a, const void *x, void *y, const spmv_prepared *prepared) {
    const auto_plan *plan = (const auto_plan *)prepared->h_plan;
    const T *d_x = (const T *)x;
    T *d_y = (T *)y;
    if (a->rows == 0) {
        return cudaSuccess;
    }
    switch ((enum kernel)plan->kernel) {
    case DIAGONALS:
        dia<<<blocks_for(a->rows), THREADS>>>(offsets_of(prepared), (int)plan->diagonals,
                                              values_of<T>(prepared), a->rows, a->cols, d_x, d_y);
        return cudaGetLastError();
    case PADDED: return run_padded<T, 4>(a, d_x, d_y, plan, prepared);
    case PADDED_8: return run_padded<T, 8>(a, d_x, d_y, plan, prepared);
    case LANES_2: return run_lanes<T, 2>(a, d_x, d_y);
    case LANES_4: return run_lanes<T, 4>(a, d_x, d_y);
    case LANES_8: return run_lanes<T, 8>(a, d_x, d_y);
    case LANES_16: return run_lanes<T, 16>(a, d_x, d_y);
    case LANES_32: return run_lanes<T, 32>(a, d_x, d_y);
    case BLOCKS: return run_blocks(a, d_x, d_y, plan, prepared);
    }
    return cudaErrorInvalidValue;
}

extern "C" int spmv_step9(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared) {
    if (!IMPLEMENTED) {
        return SPMV_NOT_IMPLEMENTED;
    }
    return a->type == SPMV_FLOAT ? run<float>(a, x, y, prepared) : run<double>(a, x, y, prepared);
}
// ladder-skeleton 032c8e5632d1ca3d (as it was handed out; any change makes this file yours)
