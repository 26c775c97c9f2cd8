// SPDX-License-Identifier: MIT
// Lab 04, step 7: as many threads per row as the shape needs. Short rows: several rows per warp.
// Long rows: 128 to 512 threads. Few long rows: each is split into pieces over several blocks, and
// the last block of a row to finish adds its pieces up, always in the same order.
//
// What it fixes: idle threads with short rows, idle SMs with few rows. Large matrices of any order
// are limited by the memory alone.
//
// gemv_row_shapes.cuh, given, has the kernel with a group of threads per row, and the launches.
#include "gemv_row.h"
#include "gemv_row_shapes.cuh"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

__device__ __forceinline__ float dot4(float4 a, float4 x) {
    return a.x * x.x + a.y * x.y + a.z * x.z + a.w * x.w;
}

// What lane `lane` of `lanes` adds up of n products of a row and x. aligned: both are multiples of
// 16 bytes.
template <int lanes, bool aligned>
__device__ __forceinline__ float dot(const float *row, const float *x, unsigned n, unsigned lane) {
    float sum = 0.0f;
    // TODO(student): as in step 6 with `lanes` for THREADS; but let the last vectors of a row be in
    // flight together, too: guard each of the 4 loads. With few lanes, one lane may
    // have several of the up to 6 elements that are no vectors. One lane alone, in
    // rows that are not aligned, is better off with loads of 4 bytes: why?
    return sum;
}

// Block (p, row) has columns p * piece .. of the row, gridDim.x blocks each. piece: a multiple of
// 4. tickets: [rows], 0 before and after; partial: [rows][gridDim.x].
template <bool aligned>
__global__ void __launch_bounds__(SPLIT_LANES)
    split(const float *a, const float *x, float *y, unsigned n, unsigned piece, unsigned *tickets,
          float *partial) {
    __shared__ bool is_last;
    unsigned row = blockIdx.y;
    unsigned first = blockIdx.x * piece;
    unsigned length = n - first < piece ? n - first : piece;
    float sum =
        dot<SPLIT_LANES, aligned>(a + (size_t)row * n + first, x + first, length, threadIdx.x);
    sum = reduce<SPLIT_LANES>(sum);
    partial += (size_t)row * gridDim.x;
    // TODO(student): thread 0 stores the block's sum, then __threadfence(), then draws a ticket
    // with atomicInc (which must be 0 again afterwards). The block with the last
    // ticket of the row adds up the partial sums in an order that does not depend on
    // time. atomicAdd to y would be shorter: what would be lost?
}

// Threads per row: enough that the loads of a row are in flight at once, but no more than have
// work. The bounds are those that were fastest on an H200.
static int choose_lanes(int64_t m, int64_t n, bool aligned, int sms) {
    int lanes = WARP;
    // TODO(student): 1, 4, 8, 16, 32, 128, 256, 512 or 1024. Begin with n alone; then ask what few
    // rows, very many, and rows that are not aligned, change.
    (void)m, (void)n, (void)aligned, (void)sms;
    return lanes;
}

// Whether a block per row leaves many SMs idle at the end: 400 rows on 132 SMs take as long as 528.
static bool is_uneven(int64_t m, int sms) {
    bool uneven = false;
    // TODO(student): which blocks run in the last round? This matters less than few rows do.
    (void)m, (void)sms;
    return uneven;
}

// Pieces per row: 1 unless the rows alone leave SMs idle.
static int64_t choose_pieces(int64_t m, int64_t n, bool aligned, int sms) {
    int64_t pieces = 1;
    // TODO(student): enough pieces that sms * BLOCKS_PER_SM blocks run, none below PIECE_LEAST
    // columns; at most TICKETS rows and MOST_PIECES pieces of all rows are possible.
    // Later: where it pays, UNEVEN_PIECES of at least UNEVEN_PIECE columns.
    (void)m, (void)n, (void)aligned, (void)sms, (void)is_uneven;
    return pieces;
}

extern "C" int gemv_row_step7(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) return GEMV_ROW_NOT_IMPLEMENTED;
    if (!gemv_row_valid(matrix->m, matrix->n, workspace_bytes)) return cudaErrorInvalidValue;
    bool aligned = (matrix->n % 4 == 0 || matrix->m == 1) &&
                   ((uintptr_t)matrix->a | (uintptr_t)d_x) % sizeof(float4) == 0;
    int device = 0;
    int sms = 0;
    int code = cudaGetDevice(&device);
    if (code == cudaSuccess) {
        code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    }
    if (code != cudaSuccess) return code;
    int64_t pieces = choose_pieces(matrix->m, matrix->n, aligned, sms);
    if (pieces > 1) {
        launch_split(matrix, d_x, d_y, d_workspace, pieces, aligned);
    } else {
        launch_by_rows(matrix, d_x, d_y, aligned, sms);
    }
    return cudaGetLastError();
}
// ladder-skeleton 4562933ba9ad346a (as it was handed out; any change makes this file yours)
