// SPDX-License-Identifier: MIT
// The kernel that `ladder tune gemm` compiles once for each configuration: C = alpha A B + beta D
// for shapes made of whole tiles. tune.def says what each TUNE_ macro means and which combinations
// make sense. Built like step 11, which has what was found with it, but without edges: it must not
// be asked for other shapes.
#include "gemm.h"

#include <cuda_runtime.h>

#define DOWN       (TUNE_WM / TUNE_TM) // lanes of a warp along the rows,
#define ACROSS     (32 / DOWN)         // and along the columns
#define TN         (TUNE_WN / ACROSS)  // columns of C a thread
#define WARPS_DOWN (TUNE_BM / TUNE_WM)
#define THREADS    (32 * WARPS_DOWN * (TUNE_BN / TUNE_WN))
// words from one p of B's tile to the next: 8 p x 4 columns in 32 banks
#define PITCH   (TUNE_BN + 4)
#define A_WORDS (TUNE_BK * TUNE_BM)
#define STAGE   (A_WORDS + TUNE_BK * PITCH)   // words: A's tile [p][row], then B's [p][column]
#define A_PARTS (A_WORDS / 4 / THREADS)       // quads of A that a thread copies per tile,
#define A_STEP  (THREADS * 4 / TUNE_BM)       // p from one of them to the next
#define B_PARTS (TUNE_BN * TUNE_BK / THREADS) // elements of B that a thread copies per tile,
#define B_STEP  (THREADS / 8)                 // columns from one of them to the next
#define FLAG_WORDS(tiles)                                                                          \
    (((tiles) + 63) / 64 * 64) // of the workspace, before the parts of a split

// What a thread copies: quads of 4 rows of A; of B elements of row t % 8 and, with deeper tiles, of
// rows 8 below.
typedef struct source {
    const float *a[A_PARTS], *b[B_PARTS]; // the next ones
} source;

// A tile's elements between memory and shared memory, where they pass through registers.
typedef struct held {
    float4 a[A_PARTS];
    float b[B_PARTS];
} held;

__device__ __forceinline__ void copy16(unsigned to, const float *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

__device__ __forceinline__ void copy4(unsigned to, const float *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}

// Place of part q of B in a tile: row p0 + t % 8, column t / 8 + c0.
__device__ __forceinline__ constexpr int part_row(int q) {
    return q * B_STEP / TUNE_BN * 8;
}
__device__ __forceinline__ constexpr int part_column(int q) {
    return q * B_STEP % TUNE_BN;
}

__device__ __forceinline__ source source_at(const gemm_task *g, int i0, int j0, int p0) {
    source s;
    int t = threadIdx.x;
#pragma unroll
    for (int q = 0; q < A_PARTS; q++) {
        s.a[q] =
            g->d_a + (p0 + t / (TUNE_BM / 4) + q * A_STEP) * g->m + i0 + 4 * (t % (TUNE_BM / 4));
    }
#pragma unroll
    for (int q = 0; q < B_PARTS; q++) {
        s.b[q] = g->d_b + (j0 + t / 8 + part_column(q)) * g->k + p0 + t % 8 + part_row(q);
    }
    return s;
}

// Starts the copies of the next tiles into the stage that begins `stage_bytes` behind the first.
__device__ __forceinline__ void copy_tiles(const gemm_task *g, source *s, unsigned to_a,
                                           unsigned to_b, int stage_bytes) {
#pragma unroll
    for (int q = 0; q < A_PARTS; q++) {
        copy16(to_a + stage_bytes + q * THREADS * 16, s->a[q]);
        s->a[q] += TUNE_BK * g->m;
    }
#pragma unroll
    for (int q = 0; q < B_PARTS; q++) {
        copy4(to_b + stage_bytes + (part_row(q) * PITCH + part_column(q)) * 4, s->b[q]);
        s->b[q] += TUNE_BK;
    }
}

__device__ __forceinline__ void hold_tiles(const gemm_task *g, source *s, held *h) {
#pragma unroll
    for (int q = 0; q < A_PARTS; q++) {
        h->a[q] = *(const float4 *)s->a[q];
        s->a[q] += TUNE_BK * g->m;
    }
#pragma unroll
    for (int q = 0; q < B_PARTS; q++) {
        h->b[q] = *s->b[q];
        s->b[q] += TUNE_BK;
    }
}

__device__ __forceinline__ void put_tiles(float *stage, const held *h) {
    int t = threadIdx.x;
#pragma unroll
    for (int q = 0; q < A_PARTS; q++) {
        ((float4 *)stage)[t + q * THREADS] = h->a[q];
    }
#pragma unroll
    for (int q = 0; q < B_PARTS; q++) {
        stage[A_WORDS + (t % 8 + part_row(q)) * PITCH + t / 8 + part_column(q)] = h->b[q];
    }
}

__device__ __forceinline__ void close_group(void) {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until the copies of the oldest stage are there, mine and everyone's.
__device__ __forceinline__ void wait_stage(void) {
    if (TUNE_COPY == 1) {
        asm volatile("cp.async.wait_group %0;" ::"n"(TUNE_STAGES - 2) : "memory");
    }
    __syncthreads();
}

__device__ __forceinline__ void take4(unsigned from, float *to) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(from)
                 : "memory");
}

__device__ __forceinline__ void take_rows(unsigned at_a, int p, float *rows) {
#pragma unroll
    for (int q = 0; q < TUNE_TM / 4; q++) {
        take4(at_a + (p * TUNE_BM + q * 4 * DOWN) * 4, rows + 4 * q);
    }
}

// What a thread multiplies at one p. at_a, at_b: its first places in a stage.
__device__ __forceinline__ void take(unsigned at_a, unsigned at_b, int p, float *rows,
                                     float *columns) {
    if (TUNE_TAKE == 0) {
        take_rows(at_a, p, rows);
    }
#pragma unroll
    for (int q = 0; q < TN / 4; q++) {
        take4(at_b + (p * PITCH + q * 4 * ACROSS) * 4, columns + 4 * q);
    }
    if (TUNE_TAKE == 1) {
        take_rows(at_a, p, rows);
    }
}

// The order decides which operands stay in the reuse caches and which registers the compiler can
// choose for the sums.
__device__ __forceinline__ void multiply(float sum[TN][TUNE_TM], const float *rows,
                                         const float *columns) {
    const int outer = TUNE_ORDER == 2 ? TUNE_TM : TN, inner = TUNE_ORDER == 2 ? TN : TUNE_TM;
#pragma unroll
    for (int o = 0; o < outer; o++) {
#pragma unroll
        for (int i = 0; i < inner; i++) {
            int turned = TUNE_ORDER == 0 || o % 2 == 0 ? i : inner - 1 - i;
            int v = TUNE_ORDER == 2 ? turned : o, w = TUNE_ORDER == 2 ? o : turned;
            sum[v][w] = fmaf(rows[w], columns[v], sum[v][w]);
        }
    }
}

// Adds `steps` tiles to the sums. at_a, at_b: the thread's first places to read in stage 0.
__device__ __forceinline__ void multiply_tiles(const gemm_task *g, source from, int steps,
                                               float *stages, unsigned at_a, unsigned at_b,
                                               float sum[TN][TUNE_TM]) {
    unsigned shared = (unsigned)__cvta_generic_to_shared(stages);
    unsigned to_a = shared + threadIdx.x * 16;
    unsigned to_b = shared + (A_WORDS + threadIdx.x % 8 * PITCH + threadIdx.x / 8) * 4;
    held next;
    if (TUNE_COPY == 0) {
        hold_tiles(g, &from, &next);
        put_tiles(stages, &next);
    }
#pragma unroll
    for (int s = 0; s < TUNE_STAGES - 1 && TUNE_COPY == 1; s++) {
        if (s < steps) {
            copy_tiles(g, &from, to_a, to_b, s * STAGE * 4);
        }
        close_group();
    }
    wait_stage();
    float rows[2][TUNE_TM], columns[2][TN];
    take(at_a, at_b, 0, rows[0], columns[0]);
    int stage = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        if (TUNE_COPY == 0 && step + 1 < steps) {
            hold_tiles(g, &from, &next);
        }
        if (TUNE_COPY == 1 && step + TUNE_STAGES - 1 < steps) { // into the stage of the turn before
            copy_tiles(g, &from, to_a, to_b,
                       (stage == 0 ? TUNE_STAGES - 1 : stage - 1) * STAGE * 4);
        }
        if (TUNE_COPY == 1) {
            close_group();
        }
        stage = stage + 1 == TUNE_STAGES ? 0 : stage + 1;
#pragma unroll
        for (int p = 0; p < TUNE_BK; p++) {
            if (p + 1 < TUNE_BK) {
                take(at_a, at_b, p + 1, rows[(p + 1) % 2], columns[(p + 1) % 2]);
            } else {
                int jump =
                    step + 1 == steps ? 0 : (stage == 0 ? -(TUNE_STAGES - 1) : 1) * STAGE * 4;
                at_a += jump;
                at_b += jump;
                if (step + 1 < steps) {
                    if (TUNE_COPY == 0) {
                        put_tiles(stages + stage * STAGE, &next);
                    }
                    wait_stage();
                }
                take(at_a, at_b, 0, rows[0], columns[0]);
            }
            multiply(sum, rows[p % 2], columns[p % 2]);
        }
    }
}

// Where the other blocks of a split tile leave their sums: element e of all threads together.
__device__ __forceinline__ float4 *part_of(const gemm_task *g, int tiles, int tile, int rank) {
    float *parts = g->d_workspace + FLAG_WORDS(tiles);
    return (float4 *)parts + (int64_t)(tile * TUNE_SPLIT + rank) * (TUNE_BM * TUNE_BN / 4) +
           threadIdx.x;
}

// The last of a tile's blocks adds the parts in the order of their ranks, so that results repeat;
// false for the others.
__device__ __forceinline__ bool join_parts(const gemm_task *g, int tiles, int tile, int rank,
                                           float sum[TN][TUNE_TM]) {
    __shared__ int arrived;
    float4 *mine = part_of(g, tiles, tile, rank);
#pragma unroll
    for (int v = 0; v < TN; v++) {
#pragma unroll
        for (int q = 0; q < TUNE_TM; q += 4) {
            mine[(v * TUNE_TM + q) / 4 * THREADS] =
                make_float4(sum[v][q], sum[v][q + 1], sum[v][q + 2], sum[v][q + 3]);
        }
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        arrived = atomicAdd((int *)g->d_workspace + tile, 1);
        __threadfence();
    }
    __syncthreads();
    if (arrived != TUNE_SPLIT - 1) return false;
    if (threadIdx.x == 0) {
        ((int *)g->d_workspace)[tile] = 0; // for the next call
    }
#pragma unroll
    for (int v = 0; v < TN; v++) {
#pragma unroll
        for (int q = 0; q < TUNE_TM; q += 4) {
            float4 all = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
            for (int r = 0; r < TUNE_SPLIT; r++) { // past the L1, which may hold older ones
                float4 part = __ldcg(part_of(g, tiles, tile, r) + (v * TUNE_TM + q) / 4 * THREADS);
                all = make_float4(all.x + part.x, all.y + part.y, all.z + part.z, all.w + part.w);
            }
            sum[v][q] = all.x;
            sum[v][q + 1] = all.y;
            sum[v][q + 2] = all.z;
            sum[v][q + 3] = all.w;
        }
    }
    return true;
}

// Four elements of a column of C, from row i on.
__device__ __forceinline__ void store4(const gemm_task *g, int i, int j, float4 value) {
    int64_t at = j * g->m + i;
    if (g->beta != 0.0f) {
        float4 d = *(const float4 *)(g->d_d + at);
        value = make_float4(value.x + g->beta * d.x, value.y + g->beta * d.y,
                            value.z + g->beta * d.z, value.w + g->beta * d.w);
    }
    *(float4 *)(g->d_c + at) = value;
}

// Writes the thread's elements; (i, j) is its first one.
__device__ __forceinline__ void store_straight(const gemm_task *g, int i, int j,
                                               float sum[TN][TUNE_TM]) {
#pragma unroll
    for (int v = 0; v < TN; v++) {
#pragma unroll
        for (int q = 0; q < TUNE_TM; q += 4) {
            store4(g, i + q * DOWN, j + v % 4 + v / 4 * 4 * ACROSS,
                   make_float4(sum[v][q], sum[v][q + 1], sum[v][q + 2], sum[v][q + 3]));
        }
    }
}

// Writes ACROSS whole columns of the warp's tile at a time. (i, j): first element of the warp's
// tile; row, column: of the thread in it; stage: the warp's own [ACROSS][WM + 4].
__device__ __forceinline__ void store_staged(const gemm_task *g, int i, int j, int row, int column,
                                             float *stage, float sum[TN][TUNE_TM]) {
    const int pitch = TUNE_WM + 4, quads = TUNE_WM / 4;
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int v = 0; v < TN; v++) {
        __syncwarp();
#pragma unroll
        for (int q = 0; q < TUNE_TM; q += 4) {
            *(float4 *)(stage + column / 4 * pitch + row + q * DOWN) =
                make_float4(sum[v][q], sum[v][q + 1], sum[v][q + 2], sum[v][q + 3]);
        }
        __syncwarp();
#pragma unroll
        for (int e = 0; e < quads * ACROSS; e += 32) {
            int c = (e + lane) / quads, r = 4 * ((e + lane) % quads);
            store4(g, i + r, j + 4 * c + v % 4 + v / 4 * 4 * ACROSS,
                   *(const float4 *)(stage + c * pitch + r));
        }
    }
}

// The thread's first row and column in its warp's tile.
__device__ __forceinline__ void place(int *out_row, int *out_column) {
    int lane = threadIdx.x % 32;
    int along = lane % DOWN, beside = lane / DOWN;
    if (TUNE_LANES == 1) { // lanes i and i ^ 1 want the same of one side, i and i ^ 2 of the other
        int four = lane % 2 + lane / 16 * 2, eight = lane / 2 % 8;
        along = DOWN == 8 ? eight : four;
        beside = DOWN == 8 ? four : eight;
    }
    *out_row = 4 * along;
    *out_column = 4 * beside;
}

__global__ void __launch_bounds__(THREADS, TUNE_BLOCKS) product(const gemm_task g) {
    extern __shared__ __align__(16) float stages[];
    int down = (int)(g.m / TUNE_BM), across = (int)(g.n / TUNE_BN);
    int tile = (int)blockIdx.x / TUNE_SPLIT, rank = (int)blockIdx.x % TUNE_SPLIT;
    int band = tile / (TUNE_BAND * across);
    int height = min(TUNE_BAND, down - band * TUNE_BAND);
    int in_band = tile - band * TUNE_BAND * across;
    int i0 = (band * TUNE_BAND + in_band % height) * TUNE_BM;
    int j0 = in_band / height * TUNE_BN;
    int steps = (int)(g.k / (TUNE_BK * TUNE_SPLIT));
    int warp = threadIdx.x / 32;
    int warp_row = warp % WARPS_DOWN * TUNE_WM, warp_column = warp / WARPS_DOWN * TUNE_WN;
    int row, column;
    place(&row, &column);
    float sum[TN][TUNE_TM];
#pragma unroll
    for (int v = 0; v < TN; v++) {
#pragma unroll
        for (int w = 0; w < TUNE_TM; w++) {
            sum[v][w] = 0.0f;
        }
    }
    unsigned shared = (unsigned)__cvta_generic_to_shared(stages);
    multiply_tiles(&g, source_at(&g, i0, j0, rank * steps * TUNE_BK), steps, stages,
                   shared + (warp_row + row) * 4, shared + (A_WORDS + warp_column + column) * 4,
                   sum);
#pragma unroll
    for (int v = 0; v < TN;
         v++) { // also frees the compiler from keeping the sums in quads of registers
#pragma unroll
        for (int w = 0; w < TUNE_TM; w++) {
            sum[v][w] *= g.alpha;
        }
    }
    if (TUNE_SPLIT > 1 && !join_parts(&g, down * across, tile, rank, sum)) return;
    if (TUNE_STORE == 0) {
        store_straight(&g, i0 + warp_row + row, j0 + warp_column + column, sum);
    } else {
        __syncthreads(); // the stages are read
        store_staged(&g, i0 + warp_row, j0 + warp_column, row, column,
                     stages + warp * ACROSS * (TUNE_WM + 4), sum);
    }
}

extern "C" int gemm_tuned(const gemm_task *task) {
    const int shared_bytes = TUNE_STAGES * STAGE * 4;
    if (task->m % TUNE_BM != 0 || task->n % TUNE_BN != 0 || task->k % (TUNE_BK * TUNE_SPLIT) != 0 ||
        task->m * task->n * task->k <= 0 || (uintptr_t)task->d_a % 16 != 0) {
        return cudaErrorInvalidValue;
    }
    cudaError_t code =
        cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    if (code != cudaSuccess) return code;
    unsigned blocks = (unsigned)(task->m / TUNE_BM * (task->n / TUNE_BN) * TUNE_SPLIT);
    product<<<blocks, THREADS, shared_bytes>>>(*task);
    return cudaGetLastError();
}
