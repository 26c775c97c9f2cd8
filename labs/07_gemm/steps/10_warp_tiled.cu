// SPDX-License-Identifier: MIT
// Lab 07, step 10: warp tiles and asynchronous copies. A warp has 64 x 32 neighbouring elements of
// C, so that its lanes share what they load; the copies to shared memory go past the registers and
// run STAGES - 1 tiles ahead; the elements of the next p are loaded while those of this one are
// multiplied.
//
// What it fixes: registers and instructions of the copies; waiting at the barrier for a copy just
// issued; waiting for shared memory before the first product of each p.
// Why it is slow: loads, and the copies' own instructions; and every multiply-add that reads two
// registers of one bank waits. See the tuning log in the README.
#include "gemm_step.cuh"

#include <cuda_pipeline.h>

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define TILE         128 // rows and columns of C a block
#define DEPTH        8
#define STAGES       4
#define THREADS      256
#define WARP_ROWS    64 // of C a warp: 8 lanes with two quads each
#define WARP_COLUMNS 32 // 4 lanes with two quads each
// words from one p of B's tile to the next: 8 p x 4 columns in 32 banks
#define PITCH (TILE + 4)
#define CHUNK (THREADS / DEPTH) // columns of B that the block copies at once

typedef struct stage {
    float a[DEPTH][TILE];  // [p][row]
    float b[DEPTH][PITCH]; // [p][column]
} stage;

// What a thread copies of each pair of tiles: a quad of A's, and row t % DEPTH of B's in 4 columns,
// CHUNK apart. So 8 lanes read one sector of B; lanes in 32 columns would make the L1 look up 32
// lines for every copy.
typedef struct source {
    const float *a, *b; // the next ones
    int a_rows;         // rows of A that exist from mine on
    int b_columns;      // columns of B likewise
    int a_depth;        // columns of A that exist from my next one on
    int b_depth;        // rows of B likewise
} source;

__device__ __forceinline__ source first_source(const gemm_task *g, int64_t i0, int64_t j0) {
    int t = threadIdx.x;
    int64_t i = i0 + 4 * (t % (TILE / 4));
    int64_t j = j0 + t / DEPTH;
    int a_p = t / (TILE / 4);
    int b_p = t % DEPTH;
    return source{g->d_a + a_p * g->m + i, g->d_b + j * g->k + b_p, (int)(g->m - i),
                  (int)(g->n - j),         (int)g->k - a_p,         (int)g->k - b_p};
}

// Starts the thread's copies of the next tiles into `to`; what lies outside the matrices becomes 0.
// wide: A's columns begin at multiples of 16 bytes.
__device__ __forceinline__ void copy_tiles(stage *to, const gemm_task *g, source *from, bool wide) {
    int t = threadIdx.x;
    // TODO(student): __pipeline_memcpy_async(to, from, bytes, zeros) copies bytes - zeros bytes and
    // fills the rest with 0. It copies 4, 8 or 16 bytes; both addresses must be
    // multiples of that. `from` must be a valid address even where nothing is
    // copied. A's quad lies in shared memory as in memory. B's tile is turned on the
    // way: one copy of 4 bytes for each of your columns. Then move `from` on by
    // DEPTH.
}

__device__ __forceinline__ void take4(const float *from, float *to) {
    float4 v = *(const float4 *)from;
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

// What a thread multiplies at one p: its 8 rows, its 8 columns. row, column: its first ones in the
// tile.
__device__ __forceinline__ void take(const stage *from, int p, int row, int column, float *rows,
                                     float *columns) {
    take4(&from->a[p][row], rows);
    take4(&from->a[p][row + WARP_ROWS / 2], rows + 4);
    take4(&from->b[p][column], columns);
    take4(&from->b[p][column + WARP_COLUMNS / 2], columns + 4);
}

// Writes 4 rows of column j from row i on. wide: C's columns begin at multiples of 16 bytes.
__device__ __forceinline__ void store4(const gemm_task *g, int64_t i, int64_t j, const float *sum,
                                       bool wide) {
    float *to = g->d_c + j * g->m + i;
    if (wide && i < g->m && j < g->n) {
        *(float4 *)to = make_float4(sum[0], sum[1], sum[2], sum[3]);
    }
#pragma unroll
    for (int e = 0; e < 4; e++) {
        if (!wide && i + e < g->m && j < g->n) {
            to[e] = sum[e];
        }
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    warp_tiled(const gemm_task g, bool wide_a, bool wide_c) {
    __shared__ __align__(16) stage stages[STAGES];
    int64_t i0 = (int64_t)blockIdx.x * TILE;
    int64_t j0 = (int64_t)blockIdx.y * TILE;
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    // TODO(student): 1. Give each warp 64 x 32 elements of the tile. A load of 16 bytes per lane
    //    takes 4 shared-memory wavefronts, but 2 when lanes i and i ^ 1, or i and i
    //    ^ 2, want the same.
    // 2. Start the copies of STAGES - 1 tiles, each a group (__pipeline_commit).
    //    Wait for the first: __pipeline_wait_prior(n) leaves at most n groups under
    //    way. Barrier.
    // 3. For each tile: start the copies of the tile STAGES - 1 further, into the
    //    stage that is free. Commit, even if there is none. For each p: take the
    //    next p's elements into the other half of the registers, then add 64
    //    products. Before the next tile's first elements: wait, barrier.
    // 4. store4 two quads of each of the 8 columns.
}

extern "C" int gemm_step10(const gemm_task *task) {
    int code;
    if (!IMPLEMENTED) return GEMM_NOT_IMPLEMENTED;
    if (!gemm_has_work(task, &code)) return code;
    bool wide_c = task->m % 4 == 0;
    bool wide_a = wide_c && (uintptr_t)task->d_a % 16 == 0;
    dim3 blocks = gemm_blocks(task, TILE, TILE);
    warp_tiled<<<blocks, THREADS>>>(*task, wide_a, wide_c);
    return cudaGetLastError();
}
// ladder-skeleton 7f0851da7bbd3b5d (as it was handed out; any change makes this file yours)
