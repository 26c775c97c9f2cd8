// SPDX-License-Identifier: MIT
// Lab 04, step 7: as many threads per row as the shape needs. Short rows: several rows per warp.
// Long rows: 128 to 512 threads. Few long rows: each is split into pieces over several blocks, and
// the last block of a row to finish adds its pieces up, always in the same order.
//
// What it fixes: idle threads with short rows, idle SMs with few rows. Large matrices of any order
// are limited by the memory alone.
#include "gemv_row.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define WARP          32
#define ALL_LANES     0xffffffffu
#define BLOCK         128   // threads of a block that has several rows, or one of up to 128 lanes
#define MOST_LANES    1024  // threads of a block
#define SPLIT_LANES   512   // threads per piece of a split row
#define PIECE_LEAST   8192  // columns: below that, a piece is not worth its block
#define BLOCKS_PER_SM 2     // of SPLIT_LANES, with split rows
#define SLOTS_PER_SM  4     // blocks of 512 threads that an SM can hold
#define UNEVEN_PIECE  16384 // columns of a piece, where whole rows do not divide evenly
#define UNEVEN_PIECES 5

// Layout of the workspace: a ticket counter per row, then partial sums, one per piece.
#define TICKETS     4096
#define MOST_PIECES 8192 // of all rows

__device__ __forceinline__ float dot4(float4 a, float4 x) {
    return a.x * x.x + a.y * x.y + a.z * x.z + a.w * x.w;
}

// Elements 4 k .. 4 k + 3 of x, which is aligned with A's rows, or not.
template <bool aligned> __device__ __forceinline__ float4 load_x(const float *x, unsigned k) {
    if (aligned) {
        return __ldg((const float4 *)x + k);
    }
    x += 4 * k;
    return make_float4(__ldg(x), __ldg(x + 1), __ldg(x + 2), __ldg(x + 3));
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

// The values of groups of `lanes` neighbouring threads added up, each group's in its first thread.
// All threads of the block must call it.
template <int lanes> __device__ __forceinline__ float reduce(float value) {
#pragma unroll
    for (int distance = (lanes < WARP ? lanes : WARP) / 2; distance >= 1; distance /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, distance);
    }
    if (lanes > WARP) { // then the group is the block
        __shared__ float partial[lanes > WARP ? lanes / WARP : 1];
        if (threadIdx.x % WARP == 0) {
            partial[threadIdx.x / WARP] = value;
        }
        __syncthreads();
        value = 0.0f;
        for (int w = 0; w < lanes / WARP; w++) {
            value += partial[w];
        }
    }
    return value;
}

// a: [m][n] row-major; x: [n]; y: [m]. Each group of `lanes` threads has a row. blocks: for how
// many per SM the compiler must leave registers (0: it is free to choose). With fewer blocks each
// thread can have more registers; which number is best was measured.
template <int lanes, bool aligned, int blocks>
__global__ void __launch_bounds__(lanes > BLOCK ? lanes : BLOCK, blocks)
    by_rows(const float *a, const float *x, float *y, unsigned m, unsigned n) {
    const unsigned rows = lanes > BLOCK ? 1 : BLOCK / lanes; // per block
    unsigned row = blockIdx.x * rows + threadIdx.x / lanes;
    unsigned lane = threadIdx.x % lanes;
    float sum = 0.0f;
    if (row < m) {
        sum = dot<lanes, aligned>(a + (size_t)row * n, x, n, lane);
    }
    sum = reduce<lanes>(sum);
    if (row < m && lane == 0) {
        y[row] = sum;
    }
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
    if (!is_last || threadIdx.x >= WARP) {
        return;
    }
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

template <int lanes, int per_sm>
static void launch(const gemv_row_matrix *matrix, const float *d_x, float *d_y, bool aligned) {
    unsigned threads = lanes > BLOCK ? lanes : BLOCK;
    unsigned rows = threads / lanes;
    unsigned m = (unsigned)matrix->m, n = (unsigned)matrix->n;
    unsigned blocks = (m + rows - 1) / rows;
    if (aligned) {
        by_rows<lanes, true, per_sm><<<blocks, threads>>>(matrix->a, d_x, d_y, m, n);
    } else {
        by_rows<lanes, false, per_sm><<<blocks, threads>>>(matrix->a, d_x, d_y, m, n);
    }
}

static bool is_tall(int64_t m, int64_t n) {
    return m >= 2 * n;
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

static void launch_by_rows(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                           bool aligned, int sms) {
    bool tall = is_tall(matrix->m, matrix->n);
    switch (choose_lanes(matrix->m, matrix->n, aligned, sms)) {
    case 1: launch<1, 0>(matrix, d_x, d_y, aligned); break;
    case 4: launch<4, 0>(matrix, d_x, d_y, aligned); break;
    case 8: launch<8, 0>(matrix, d_x, d_y, aligned); break;
    case 16: launch<16, 0>(matrix, d_x, d_y, aligned); break;
    case 128:
        if (tall) {
            launch<128, 0>(matrix, d_x, d_y, aligned);
        } else {
            launch<128, 8>(matrix, d_x, d_y, aligned);
        }
        break;
    case 256:
        if (tall) {
            launch<256, 0>(matrix, d_x, d_y, aligned);
        } else {
            launch<256, 4>(matrix, d_x, d_y, aligned);
        }
        break;
    case 512: launch<512, 4>(matrix, d_x, d_y, aligned); break;
    case MOST_LANES: launch<MOST_LANES, 2>(matrix, d_x, d_y, aligned); break;
    default: launch<WARP, 0>(matrix, d_x, d_y, aligned); break;
    }
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

static void launch_split(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                         void *d_workspace, int64_t pieces, bool aligned) {
    unsigned n = (unsigned)matrix->n;
    unsigned piece = (unsigned)((n + pieces - 1) / pieces + 3) / 4 * 4;
    dim3 blocks((n + piece - 1) / piece, (unsigned)matrix->m);
    unsigned *d_tickets = (unsigned *)d_workspace;
    float *d_partial = (float *)(d_tickets + TICKETS);
    if (aligned) {
        split<true><<<blocks, SPLIT_LANES>>>(matrix->a, d_x, d_y, n, piece, d_tickets, d_partial);
    } else {
        split<false><<<blocks, SPLIT_LANES>>>(matrix->a, d_x, d_y, n, piece, d_tickets, d_partial);
    }
}

extern "C" int gemv_row_step7(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes) {
    if (!IMPLEMENTED) {
        return GEMV_ROW_NOT_IMPLEMENTED;
    }
    if (!gemv_row_valid(matrix->m, matrix->n, workspace_bytes)) {
        return cudaErrorInvalidValue;
    }
    bool aligned = (matrix->n % 4 == 0 || matrix->m == 1) &&
                   ((uintptr_t)matrix->a | (uintptr_t)d_x) % sizeof(float4) == 0;
    int device = 0;
    int sms = 0;
    int code = cudaGetDevice(&device);
    if (code == cudaSuccess) {
        code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    }
    if (code != cudaSuccess) {
        return code;
    }
    int64_t pieces = choose_pieces(matrix->m, matrix->n, aligned, sms);
    if (pieces > 1) {
        launch_split(matrix, d_x, d_y, d_workspace, pieces, aligned);
    } else {
        launch_by_rows(matrix, d_x, d_y, aligned, sms);
    }
    return cudaGetLastError();
}
