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

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

__device__ __forceinline__ float dot4(float4 a, float4 x) {
    return a.x * x.x + a.y * x.y + a.z * x.z + a.w * x.w;
}

// What lane `lane` of `lanes` adds up of n products of a row and x. aligned: both are multiples of
// 16 bytes.
template <int lanes, bool aligned>
__device__ __forceinline__ float dot(const float *row, const float *x, unsigned n, unsigned lane) {
    float sum = 0.0f;
    // SOLUTION BEGIN
    if (lanes == 1 && !aligned) { // neighbouring threads read the same sectors, one after the other
#pragma unroll 8
        for (unsigned j = 0; j < n; j++) {
            sum += row[j] * x[j];
        }
        return sum;
    }
    unsigned head = aligned ? 0 : (unsigned)((0 - (uintptr_t)row / sizeof(float)) & 3);
    head = head < n ? head : n;
    unsigned vectors = (n - head) / 4;
    const float4 *row4 = (const float4 *)(row + head);
    const float *from = x + head;
    // 16-byte loads in flight per thread; of 1024 threads, each has few registers.
    const unsigned wide = lanes == MOST_LANES ? 3 : 4;
    for (unsigned i = lane; i < vectors; i += wide * lanes) {
        float4 v[wide]; // all loads are issued before the first value is used
#pragma unroll
        for (unsigned k = 0; k < wide; k++) {
            v[k] = i + k * lanes < vectors ? __ldcs(row4 + i + k * lanes)
                                           : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
#pragma unroll
        for (unsigned k = 0; k < wide; k++) {
            if (i + k * lanes < vectors) { // 0 times an infinity would be NaN
                sum += dot4(v[k], load_x<aligned>(from, i + k * lanes));
            }
        }
    }
    unsigned tail = n - head - 4 * vectors;
    for (unsigned e = lane; e < head + tail; e += lanes) { // there may be fewer lanes than elements
        unsigned j = e < head ? e : 4 * vectors + e;
        sum += row[j] * x[j];
    }
    // SOLUTION TODO: as in step 6 with `lanes` for THREADS; but let the last vectors of a row be in
    // SOLUTION TODO: flight together, too: guard each of the 4 loads. With few lanes, one lane may
    // SOLUTION TODO: have several of the up to 6 elements that are no vectors. One lane alone, in
    // SOLUTION TODO: rows that are not aligned, is better off with loads of 4 bytes: why?
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
    // SOLUTION BEGIN
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence(); // the sum is there before the ticket is drawn
        // atomicInc wraps to 0 after gridDim.x - 1: the last block leaves the ticket as it was.
        is_last = atomicInc(&tickets[row], gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last || threadIdx.x >= WARP) return;
    sum = 0.0f; // the order of additions depends on gridDim.x alone
    for (unsigned p = threadIdx.x; p < gridDim.x; p += WARP) {
        sum += __ldcg(partial + p); // written by other SMs: not from this SM's L1 cache
    }
    sum = reduce<WARP>(sum);
    if (threadIdx.x == 0) {
        y[row] = sum;
    }
    // SOLUTION TODO: thread 0 stores the block's sum, then __threadfence(), then draws a ticket
    // SOLUTION TODO: with atomicInc (which must be 0 again afterwards). The block with the last
    // SOLUTION TODO: ticket of the row adds up the partial sums in an order that does not depend on
    // SOLUTION TODO: time. atomicAdd to y would be shorter: what would be lost?
}

// Threads per row: enough that the loads of a row are in flight at once, but no more than have
// work. The bounds are those that were fastest on an H200.
static int choose_lanes(int64_t m, int64_t n, bool aligned, int sms) {
    int lanes = WARP;
    // SOLUTION BEGIN
    bool many = m >= (int64_t)sms * 12; // a warp per row fills the SMs
    bool few = m <= (int64_t)sms * BLOCKS_PER_SM;
    if (n < 16) {
        lanes = 1; // neighbouring rows share sectors
    } else if (n <= 40) {
        lanes = 4;
    } else if (n <= 96) {
        lanes = 8;
    } else if (n <= 160) {
        lanes = 16;
    } else if (n <= 256 || (many && n <= (aligned ? 520 : 800))) {
        lanes = WARP;
    } else if (is_tall(m, n)) {
        lanes = n <= 1920 ? 128 : n <= 7680 ? 256 : 512;
    } else if (few && n > 1920) {
        lanes = 512;
    } else if (aligned && n > 1984 && n <= 4096) {
        lanes = 256;
    } else if (n <= 5000) {
        lanes = 128;
    } else if (aligned && m >= (int64_t)sms * 32 && n > 7200 && n <= 12288) {
        lanes = MOST_LANES; // a row in flight at once: at most 3 loads per thread
    } else {
        lanes = 512;
    }
    // SOLUTION TODO: 1, 4, 8, 16, 32, 128, 256, 512 or 1024. Begin with n alone; then ask what few
    // SOLUTION TODO: rows, very many, and rows that are not aligned, change.
    // SOLUTION STUB: (void)m, (void)n, (void)aligned, (void)sms;
    return lanes;
}

// Whether a block per row leaves many SMs idle at the end: 400 rows on 132 SMs take as long as 528.
static bool is_uneven(int64_t m, int sms) {
    bool uneven = false;
    // SOLUTION BEGIN
    int64_t slots = (int64_t)sms * SLOTS_PER_SM;
    int64_t at_once = m < slots ? sms : slots;
    int64_t rest = m % at_once;
    uneven = rest > 0 && 5 * rest < 4 * at_once;
    // SOLUTION TODO: which blocks run in the last round? This matters less than few rows do.
    // SOLUTION STUB: (void)m, (void)sms;
    return uneven;
}

// Pieces per row: 1 unless the rows alone leave SMs idle.
static int64_t choose_pieces(int64_t m, int64_t n, bool aligned, int sms) {
    int64_t pieces = 1;
    // SOLUTION BEGIN
    int64_t wanted = (int64_t)sms * BLOCKS_PER_SM / m;
    int64_t most = n / PIECE_LEAST;
    if (m > sms && n >= 3 * UNEVEN_PIECE) {
        bool long_rows = n >= UNEVEN_PIECE * (aligned ? UNEVEN_PIECES : 8);
        bool many = m > (int64_t)sms * SLOTS_PER_SM;
        // Rows that are not aligned load x element by element; a piece of it stays in the L1 cache.
        if (aligned ? long_rows && is_uneven(m, sms) : long_rows || (many && is_uneven(m, sms))) {
            wanted = UNEVEN_PIECES;
            most = n / UNEVEN_PIECE;
        }
    }
    if (m <= TICKETS) {
        pieces = wanted < most ? wanted : most;
        pieces = pieces < MOST_PIECES / m ? pieces : MOST_PIECES / m;
        pieces = pieces > 1 ? pieces : 1;
    }
    // SOLUTION TODO: enough pieces that sms * BLOCKS_PER_SM blocks run, none below PIECE_LEAST
    // SOLUTION TODO: columns; at most TICKETS rows and MOST_PIECES pieces of all rows are possible.
    // SOLUTION TODO: Later: where it pays, UNEVEN_PIECES of at least UNEVEN_PIECE columns.
    // SOLUTION STUB: (void)m, (void)n, (void)aligned, (void)sms, (void)is_uneven;
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
