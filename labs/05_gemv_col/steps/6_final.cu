// SPDX-License-Identifier: MIT
// Lab 05, step 6: y = A x and y = A^T x at the speed of the memory, for any shape and alignment, in
// one launch and without atomic operations on y: the same call gives the same bits.
//
// What it fixes: 4-byte loads, few loads in flight, and blocks that are too few or too many for a
// shape. Where a matrix has too few rows (columns for A^T x) to fill the GPU, the sums are split
// over several blocks; each stores its partial sums and takes a ticket, and the one with the last
// ticket adds them up in a fixed order (CUDA C++ Programming Guide, "Memory Fence Functions").
#include "gemv_col.h"

#include <cuda_runtime.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define WARP      32
#define ALL_LANES 0xffffffffu

// `width` floats that one load brings: an address of a multiple of 4 * width bytes.
template <int width> struct __align__(4 * width) wide {
    float v[width];
};

// One of the matrix's elements is needed once only: it should not push others out of the caches.
template <int width> __device__ __forceinline__ wide<width> load(const float *from) {
    wide<width> w;
    if (width == 4) {
        *(float4 *)w.v = __ldcs((const float4 *)from);
    } else if (width == 2) {
        *(float2 *)w.v = __ldcs((const float2 *)from);
    } else {
        w.v[0] = __ldcs(from);
    }
    return w;
}

// True in all threads of the block that stored its partial sums last of the `blocks` that share
// this ticket. The ticket is 0 before and after.
__device__ __forceinline__ bool is_last_block(unsigned *ticket, unsigned blocks) {
    __shared__ bool is_last;
    // TODO(student): as in lab 02's last step: fence, ticket, and what the block must know.
    return is_last;
}

// The sum of partial[0], partial[stride], .. (count of them), eight loads in flight.
__device__ __forceinline__ float add_partial(const float *partial, int64_t stride, int count) {
    float sum = 0.0f;
    for (int k = 0; k < count; k += 8) {
        float p[8];
#pragma unroll
        for (int u = 0; u < 8; u++) {
            p[u] = k + u < count ? __ldcg(partial + (k + u) * stride) : 0.0f; // others wrote them
        }
        sum += ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
    }
    return sum;
}

// ---- y = A x -----------------------------------------------------------------------------------

// A block takes a tile of rows and the columns [blockIdx.y * columns, ..). Its warps stand
// warps_down x warps_across; `lanes` lanes of a warp lie along the rows, with V rows each, the
// other lanes take further columns. A thread has U columns in flight.
//
// shifted: m is not a multiple of 4, so each column starts at another place between two 16-byte
// boundaries; but columns that are 4 apart start alike. A thread stays with one kind of columns and
// shifts its rows back to a boundary, by 0 to 3; the block gives up 4 rows of its tile for that.
template <int V, int lanes, int warps_down, int warps_across, int U, bool shifted>
__global__ void __launch_bounds__(warps_down *warps_across *WARP)
    ax(int m, int n, const float *__restrict__ a, const float *__restrict__ x, float *y,
       int columns, float *partial, unsigned *tickets) {
    const int threads = warps_down * warps_across * WARP;
    const int span = lanes * warps_down * V;          // rows that the threads cover
    const int rows = shifted ? span - 4 : span;       // rows of the tile
    const int across = warps_across * (WARP / lanes); // columns at once
    __shared__ float sums[warps_across][span];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int down = warp % warps_down, list = warp / warps_down;
    int from = (down * lanes + lane % lanes) * V; // this thread's first row of the span
    int row0 = blockIdx.x * rows;
    int j = blockIdx.y * columns + list * (WARP / lanes) + lane / lanes;
    int end = n - (int)blockIdx.y * columns < columns ? n : (int)(blockIdx.y + 1) * columns;
    float sum[V];
#pragma unroll
    for (int v = 0; v < V; v++) {
        sum[v] = 0.0f;
    }
    int shift = 0;
    // TODO(student): element (row0 + from - shift, j) and the V - 1 below it, of U columns at
    // once: all loads first, then the multiply-adds. Then the next U columns,
    // `across` apart. Begin with shifted = false and whole groups of U.
#pragma unroll
    for (int distance = lanes; distance < WARP; distance *= 2) {
#pragma unroll
        for (int v = 0; v < V; v++) {
            sum[v] += __shfl_xor_sync(ALL_LANES, sum[v], distance);
        }
    }
    if (lane < lanes) {
#pragma unroll
        for (int v = 0; v < V; v++) {
            int r = from + v - shift;
            if (!shifted || (r >= 0 && r < rows)) {
                sums[list][r] = sum[v];
            }
        }
    }
    __syncthreads();
    float *to = gridDim.y == 1 ? y : partial + (int64_t)blockIdx.y * m;
    for (int r = threadIdx.x; r < rows && row0 + r < m; r += threads) {
        float total = sums[0][r];
#pragma unroll
        for (int k = 1; k < warps_across; k++) {
            total += sums[k][r];
        }
        to[row0 + r] = total;
    }
    if (gridDim.y == 1 || !is_last_block(tickets + blockIdx.x, gridDim.y)) return;
    // TODO(student): y[row0 + r] = partial[row0 + r] + partial[m + row0 + r] + ..: gridDim.y of
    // them. Share them among the threads; keep the order fixed.
}

// ---- y = A^T x ---------------------------------------------------------------------------------

// `width` elements of x. All columns use them: they should stay in the caches.
template <int width, bool unaligned>
__device__ __forceinline__ wide<width> load_factors(const float *from) {
    wide<width> w;
    if (unaligned) {
#pragma unroll
        for (int v = 0; v < width; v++) {
            w.v[v] = __ldg(from + v);
        }
    } else {
        w = *(const wide<width> *)from;
    }
    return w;
}

// `lanes` threads take the rows [blockIdx.y * rows, ..) of one column: U vectors of V elements in
// flight. peeled: columns are not aligned; what lies before the first 16-byte boundary and after
// the last one is done element by element.
template <int V, int lanes, int U, int threads, bool peeled>
__global__ void __launch_bounds__(threads)
    atx(int m, int n, const float *__restrict__ a, const float *__restrict__ x, float *y, int rows,
        float *partial, unsigned *tickets) {
    const int at_once = threads / lanes; // columns of a block
    int j = blockIdx.x * at_once + threadIdx.x / lanes, lane = threadIdx.x % lanes;
    int row0 = blockIdx.y * rows;
    float sum = 0.0f;
    // TODO(student): lane l of a column takes its vectors l, l + lanes, ..; U loads first, then the
    // multiply-adds. Begin with peeled = false.
#pragma unroll
    for (int distance = (lanes < WARP ? lanes : WARP) / 2; distance >= 1; distance /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, distance);
    }
    if (lanes > WARP) {
        __shared__ float of_warp[threads / WARP];
        if (threadIdx.x % WARP == 0) {
            of_warp[threadIdx.x / WARP] = sum;
        }
        __syncthreads();
        sum = of_warp[threadIdx.x / lanes * (lanes / WARP)];
#pragma unroll
        for (int k = 1; k < lanes / WARP; k++) {
            sum += of_warp[threadIdx.x / lanes * (lanes / WARP) + k];
        }
    }
    if (gridDim.y == 1) {
        if (lane == 0 && j < n) {
            y[j] = sum;
        }
        return;
    }
    if (lane == 0 && j < n) {
        partial[(int64_t)blockIdx.y * n + j] = sum;
    }
    if (!is_last_block(tickets + blockIdx.x, gridDim.y)) return;
    j = blockIdx.x * at_once + threadIdx.x;
    if (threadIdx.x < at_once && j < n) {
        y[j] = add_partial(partial + j, n, gridDim.y);
    }
}

// Short columns, m <= V * lanes * U: a column's vectors are all in flight at once. There is no
// loop, no tail and no split, so that few instructions have to be fetched before the loads: columns
// as short as these take little longer than a launch.
template <int V, int lanes, int U, int threads>
__global__ void __launch_bounds__(threads)
    atx_short(int m, int n, const float *__restrict__ a, const float *__restrict__ x, float *y, int,
              float *, unsigned *) {
    int j = blockIdx.x * (threads / lanes) + threadIdx.x / lanes, lane = threadIdx.x % lanes;
    float sum = 0.0f;
    // TODO(student): as in atx, without its loop: U vectors of the column and of x, where they
    // exist, then the multiply-adds.
#pragma unroll
    for (int distance = lanes / 2; distance >= 1; distance /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, distance);
    }
    if (lane == 0 && j < n) {
        y[j] = sum;
    }
}

// ---- which kernel, how many blocks --------------------------------------------------------------

// Both kernels have this type. length: columns (of A^T x: rows) of a block.
typedef void kernel(int m, int n, const float *a, const float *x, float *y, int length,
                    float *partial, unsigned *tickets);

typedef struct variant {
    kernel *run;
    int outputs; // elements of y of a block
    int step;    // products of an element that the block does at once, those in flight apart
    int threads;
    int in_flight;   // steps in flight
    int most_blocks; // that splitting may lead to
} variant;

#define AX(V, lanes, warps_down, warps_across, U, shifted, most)                                   \
    (variant) {                                                                                    \
        ax<V, lanes, warps_down, warps_across, U, shifted>,                                        \
            (lanes) * (warps_down) * (V) - ((shifted) ? 4 : 0), (warps_across) * (WARP / (lanes)), \
            (warps_down) * (warps_across)*WARP, U, most                                            \
    }
#define ATX(V, lanes, U, threads, peeled, most)                                                    \
    (variant) {                                                                                    \
        atx<V, lanes, U, threads, peeled>, (threads) / (lanes), (lanes) * (V), threads, U, most    \
    }
#define SHORT(V, lanes, U, threads)                                                                \
    (variant) {                                                                                    \
        atx_short<V, lanes, U, threads>, (threads) / (lanes), (lanes) * (V), threads, U, 1         \
    }

enum { MOST_TICKETS = GEMV_COL_COUNTER_BYTES / sizeof(unsigned) };

static bool is_aligned(const void *address, int floats) {
    return (uintptr_t)address % (floats * sizeof(float)) == 0;
}

// TODO(student): variants of your own, by shape and alignment; these work for every one.
static variant choose_ax(int m, int n, const float *a) {
    (void)m, (void)n, (void)a;
    return AX(1, 32, 1, 8, 4, false, 264);
}
// y = A^T x:
static variant choose_atx(int m, int n, const float *a, const float *x) {
    (void)m, (void)n, (void)a, (void)x;
    return ATX(1, 32, 4, 128, false, 264);
}

extern "C" int gemv_col_step6(const gemv_col_task *task) {
    if (!IMPLEMENTED) return GEMV_COL_NOT_IMPLEMENTED;
    if (!gemv_col_is_valid(task)) return cudaErrorInvalidValue;
    int m = (int)task->m, n = (int)task->n;
    bool transposed = task->op == GEMV_COL_ATX;
    variant v = transposed ? choose_atx(m, n, task->d_a, task->d_x) : choose_ax(m, n, task->d_a);
    int outputs = transposed ? n : m, products = transposed ? m : n;
    int blocks = (outputs + v.outputs - 1) / v.outputs;
    int steps = (products + v.step - 1) / v.step;
    int splits = blocks <= MOST_TICKETS ? v.most_blocks / blocks : 1;
    splits = splits < steps ? splits : steps;
    splits = splits > 1 ? splits : 1;
    int each = (steps + splits - 1) / splits;
    if (splits > 1 && each > v.in_flight) { // whole groups of loads
        each = (each + v.in_flight / 2) / v.in_flight * v.in_flight;
    }
    int length = each * v.step; // whole steps: columns stay aligned
    splits = (products + length - 1) / length;
    unsigned *d_tickets = (unsigned *)task->d_workspace;
    float *d_partial = (float *)((char *)task->d_workspace + GEMV_COL_COUNTER_BYTES);
    v.run<<<dim3((unsigned)blocks, (unsigned)splits), (unsigned)v.threads>>>(
        m, n, task->d_a, task->d_x, task->d_y, length, d_partial, d_tickets);
    return cudaGetLastError();
}
// ladder-skeleton fa2396d9f0b1c50e (as it was handed out; any change makes this file yours)
