// SPDX-License-Identifier: MIT
// Lab 07, step 11: at the rate of the vendor's library, for any shape, with alpha and beta. What changed against
// step 10, each from a measurement (README, tuning log):
//
// - Large products: 16 x 8 elements a thread, 6 loads for 128 products; blocks of 256 x 128, warps of 64 x 64.
// - The products walk a thread's rows up and down, column by column: the column's element stays in the operand
//   cache, so each product reads two registers, which the compiler can place in different banks.
// - Pointers that run along instead of addresses made anew for every copy; no bounds where all tiles are whole.
// - Products with few or ragged tiles: blocks of 128 x 64, three a SM, and stream-K: every block gets an equal
//   share of the last tiles' steps along k. A block that has the end of a tile but not its beginning leaves its
//   sums in the workspace; the block with the beginning adds them.
//
// A block waits for blocks of lower numbers only, and those leave their sums before they wait for anything.
#include "gemm.h"

#include <cuda_runtime.h>

// SOLUTION BEGIN
#define IMPLEMENTED 1
// SOLUTION TODO: set this to 1 when you have written the code below
// SOLUTION STUB: #define IMPLEMENTED 0
// SOLUTION END

#define DEPTH       8
#define STAGES      4
#define WIDE        8  // columns of C a thread
#define WARP_ROWS   64 // of C a warp
#define BAND        8 // rows of tiles that stream-K works off together: they share columns of B in the L2
#define SHARE_LEAST 16 // steps of DEPTH, below which a share is not worth its beginning

// Everything that follows from the shape of a block's tile and the rows of a thread.
template <int ROWS_, int COLUMNS_, int HIGH_> struct tiling {
    static const int ROWS = ROWS_, COLUMNS = COLUMNS_, HIGH = HIGH_;
    static const int DOWN = WARP_ROWS / HIGH; // lanes of a warp along the rows,
    static const int ACROSS = 32 / DOWN;      // and along the columns
    static const int WARPS_DOWN = ROWS / WARP_ROWS;
    static const int THREADS = 32 * WARPS_DOWN * (COLUMNS / (WIDE * ACROSS));
    static const int PITCH =
        COLUMNS + 4; // words from one p of B's tile to the next: 8 p x 4 columns in 32 banks
    static const int A_WORDS = DEPTH * ROWS;
    static const int STAGE =
        A_WORDS + DEPTH * PITCH; // words: A's tile [p][row], then B's [p][column]
    static const int A_PARTS = A_WORDS / 4 / THREADS; // copies of 16 bytes a thread and tile
    static const int A_STEP = THREADS * 4 / ROWS;     // p from one of them to the next
    static const int B_PARTS = COLUMNS * DEPTH / THREADS;
    static const int B_STEP = THREADS / DEPTH; // columns from one of them to the next
    static const int BLOCKS_AN_SM = HIGH == 16 ? 1 : 3;
};
typedef tiling<256, 128, 16> large;
typedef tiling<128, 64, 8> small;

// How the tiles are dealt to the blocks.
typedef struct plan {
    int down;  // tiles above each other
    int tiles; // in all
    int cut; // tiles 0 .. cut - 1 are cut into equal shares, one a block; the others are dealt whole
    int steps; // of DEPTH for each tile
} plan;

// ---- copies: addresses of shared memory are 32-bit, as the instructions take them ----

// bytes: how many of the 16 (or 4) exist; the others become 0.
__device__ __forceinline__ void copy16(unsigned to, const float *from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void copy4(unsigned to, const float *from, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void close_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until the copies of the oldest stage are there, mine and everyone's.
__device__ __forceinline__ void wait_stage() {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
}

// What a thread copies: of A's tile quads of 4 rows; of B's tile row t % DEPTH of several columns.
template <class T> struct source {
    const float *a[T::A_PARTS], *b[T::B_PARTS]; // the next ones
    int rows, columns;                          // that exist from my first ones on
    int a_depth, b_depth;                       // likewise along k, from the next tile on
};

template <class T>
__device__ __forceinline__ source<T> source_at(const gemm_task *g, int i0, int j0, int p0) {
    int t = threadIdx.x;
    int i = i0 + 4 * (t % (T::ROWS / 4)), a_p = p0 + t / (T::ROWS / 4);
    int j = j0 + t / DEPTH, b_p = p0 + t % DEPTH;
    source<T> s;
#pragma unroll
    for (int q = 0; q < T::A_PARTS; q++) {
        s.a[q] = g->d_a + (a_p + q * T::A_STEP) * g->m + i;
    }
#pragma unroll
    for (int q = 0; q < T::B_PARTS; q++) {
        s.b[q] = g->d_b + (j + q * T::B_STEP) * g->k + b_p;
    }
    s.rows = (int)g->m - i;
    s.columns = (int)g->n - j;
    s.a_depth = (int)g->k - a_p;
    s.b_depth = (int)g->k - b_p;
    return s;
}

// Starts the copies of the next tiles into a stage. to_a, to_b: the thread's first places in it.
// A_BYTES 16: the columns of A begin at multiples of 16 bytes. GUARDED: part of the tiles may not exist.
template <class T, int A_BYTES, bool GUARDED>
__device__ __forceinline__ void copy_tiles(const gemm_task *g, source<T> *s, unsigned to_a,
                                           unsigned to_b) {
#pragma unroll
    for (int q = 0; q < T::A_PARTS; q++) {
        int rows = !GUARDED ? 4 : s->a_depth > q * T::A_STEP ? s->rows : 0;
        unsigned to = to_a + q * T::THREADS * 16;
        if (A_BYTES == 16) {
            copy16(to, rows > 0 ? s->a[q] : g->d_a, rows > 0 ? 16 : 0);
        } else {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                copy4(to + 4 * e, rows > e ? s->a[q] + e : g->d_a, rows > e ? 4 : 0);
            }
        }
        s->a[q] += DEPTH * g->m;
    }
    int columns = !GUARDED ? T::COLUMNS : s->b_depth > 0 ? s->columns : 0;
#pragma unroll
    for (int q = 0; q < T::B_PARTS; q++) {
        bool exists = columns > q * T::B_STEP;
        copy4(to_b + q * T::B_STEP * 4, exists ? s->b[q] : g->d_b, exists ? 4 : 0);
        s->b[q] += DEPTH;
    }
    s->a_depth -= DEPTH;
    s->b_depth -= DEPTH;
}

// ---- products ----

__device__ __forceinline__ void take4(unsigned from, float *to) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(from));
}

// What a thread multiplies at one p. at_a, at_b: its first places in a stage.
template <class T>
__device__ __forceinline__ void take(unsigned at_a, unsigned at_b, int p, float *rows,
                                     float *columns) {
#pragma unroll
    for (int q = 0; q < T::HIGH / 4; q++) {
        take4(at_a + (p * T::ROWS + q * 4 * T::DOWN) * 4, rows + 4 * q);
    }
#pragma unroll
    for (int q = 0; q < WIDE / 4; q++) {
        take4(at_b + (p * T::PITCH + q * 4 * T::ACROSS) * 4, columns + 4 * q);
    }
}

template <class T>
__device__ __forceinline__ void multiply(float sum[WIDE][T::HIGH], const float *rows,
                                         const float *columns) {
#pragma unroll
    for (int v = 0; v < WIDE; v++) {
#pragma unroll
        for (int u = 0; u < T::HIGH; u++) {
            int w = v % 2 == 0 ? u : T::HIGH - 1 - u; // up and down: one operand stays
            sum[v][w] = fmaf(rows[w], columns[v], sum[v][w]);
        }
    }
}

// Adds `steps` tiles of depth DEPTH to the sums. shared: the stages; at_a, at_b: the thread's first places to read.
template <class T, int A_BYTES, bool GUARDED>
__device__ __forceinline__ void multiply_tiles(const gemm_task *g, source<T> from, int steps,
                                               unsigned shared, unsigned at_a, unsigned at_b,
                                               float sum[WIDE][T::HIGH]) {
    const int stage_bytes = T::STAGE * 4;
    unsigned to_a = shared + threadIdx.x * 16;
    unsigned to_b =
        shared + (T::A_WORDS + threadIdx.x % DEPTH * T::PITCH + threadIdx.x / DEPTH) * 4;
    // SOLUTION BEGIN
    if (steps == 0) { // k is 0
        return;
    }
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) {
            copy_tiles<T, A_BYTES, GUARDED>(g, &from, to_a + s * stage_bytes,
                                            to_b + s * stage_bytes);
        }
        close_group();
    }
    wait_stage();
    float rows[2][T::HIGH];
    float columns[2][WIDE];
    take<T>(at_a, at_b, 0, rows[0], columns[0]);
    int stage = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        if (step + STAGES - 1 < steps) { // into the stage that was multiplied in the turn before
            int at = (stage == 0 ? STAGES - 1 : stage - 1) * stage_bytes;
            copy_tiles<T, A_BYTES, GUARDED>(g, &from, to_a + at, to_b + at);
        }
        close_group();
        stage = stage + 1 == STAGES ? 0 : stage + 1;
#pragma unroll
        for (int p = 0; p < DEPTH; p++) {
            if (p + 1 < DEPTH) {
                take<T>(at_a, at_b, p + 1, rows[(p + 1) % 2], columns[(p + 1) % 2]);
            } else {
                int jump = step + 1 == steps ? 0 : (stage == 0 ? -(STAGES - 1) : 1) * stage_bytes;
                at_a += jump;
                at_b += jump;
                if (step + 1 < steps) {
                    wait_stage();
                }
                take<T>(at_a, at_b, 0, rows[0], columns[0]);
            }
            multiply<T>(sum, rows[p % 2], columns[p % 2]);
        }
    }
    // SOLUTION TODO: as in step 10: STAGES - 1 tiles under way, the next p's elements taken while this p's are
    // SOLUTION TODO: multiplied, one wait and barrier a tile.
    // SOLUTION END
}

// ---- results ----

// The sums times alpha. This also frees the compiler: sums that are stored as they are would have to lie in quads of
// registers from the beginning, and twice as many products would read two registers of one bank.
template <class T> __device__ __forceinline__ void scale(float alpha, float sum[WIDE][T::HIGH]) {
#pragma unroll
    for (int v = 0; v < WIDE; v++) {
#pragma unroll
        for (int w = 0; w < T::HIGH; w++) {
            sum[v][w] *= alpha;
        }
    }
}

// Writes the thread's elements of C, sum + beta D; its first one is (i, j).
template <class T>
__device__ __forceinline__ void store(const gemm_task *g, int i, int j, float sum[WIDE][T::HIGH],
                                      bool wide) {
#pragma unroll
    for (int v = 0; v < WIDE; v++) {
        int column = j + v % 4 + v / 4 * 4 * T::ACROSS;
#pragma unroll
        for (int q = 0; q < T::HIGH / 4; q++) {
            int row = i + q * 4 * T::DOWN;
            int64_t at = column * g->m + row;
            float out[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                out[e] = sum[v][4 * q + e];
                if (g->beta != 0.0f && column < g->n && row + e < g->m) {
                    out[e] += g->beta * g->d_d[at + e];
                }
            }
            if (wide && column < g->n && row < g->m) {
                *(float4 *)(g->d_c + at) = make_float4(out[0], out[1], out[2], out[3]);
            }
#pragma unroll
            for (int e = 0; e < 4; e++) {
                if (!wide && column < g->n && row + e < g->m) {
                    g->d_c[at + e] = out[e];
                }
            }
        }
    }
}

// The place of block b's sums in the workspace, behind the flags; element e of all threads together.
template <class T> __device__ __forceinline__ float4 *sums_of(const gemm_task *g, int b) {
    return (float4 *)(g->d_workspace + GEMM_MOST_BLOCKS) + (int64_t)b * (T::ROWS * T::COLUMNS / 4) +
           threadIdx.x;
}

template <class T>
__device__ __forceinline__ void leave_sums(const gemm_task *g, int me,
                                           const float sum[WIDE][T::HIGH]) {
    float4 *to = sums_of<T>(g, me);
#pragma unroll
    for (int v = 0; v < WIDE; v++) {
#pragma unroll
        for (int q = 0; q < T::HIGH; q += 4) {
            to[(v * T::HIGH + q) / 4 * T::THREADS] =
                make_float4(sum[v][q], sum[v][q + 1], sum[v][q + 2], sum[v][q + 3]);
        }
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicExch((int *)g->d_workspace + me, 1);
    }
}

template <class T>
__device__ __forceinline__ void add_sums(const gemm_task *g, int other, float sum[WIDE][T::HIGH]) {
    if (threadIdx.x == 0) {
        while (atomicAdd((int *)g->d_workspace + other, 0) == 0) {
        }
        __threadfence();
        atomicExch((int *)g->d_workspace + other, 0); // for the next call
    }
    __syncthreads();
    const float4 *from = sums_of<T>(g, other);
#pragma unroll
    for (int v = 0; v < WIDE; v++) {
#pragma unroll
        for (int q = 0; q < T::HIGH; q += 4) {
            float4 part =
                __ldcg(from + (v * T::HIGH + q) / 4 * T::THREADS); // the L1 may hold older ones
            sum[v][q] += part.x;
            sum[v][q + 1] += part.y;
            sum[v][q + 2] += part.z;
            sum[v][q + 3] += part.w;
        }
    }
}

// ---- kernels ----

// The thread's first row and column in a tile: lanes i and i ^ 1 want the same of one side, i and i ^ 2 of the other.
template <class T> __device__ __forceinline__ void place(int *out_row, int *out_column) {
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int four = lane % 2 + lane / 16 * 2;
    int eight = lane / 2 % 8;
    *out_row = warp % T::WARPS_DOWN * WARP_ROWS + 4 * (T::DOWN == 8 ? eight : four);
    *out_column = warp / T::WARPS_DOWN * WIDE * T::ACROSS + 4 * (T::DOWN == 8 ? four : eight);
}

template <class T> __device__ __forceinline__ void clear(float sum[WIDE][T::HIGH]) {
#pragma unroll
    for (int v = 0; v < WIDE; v++) {
#pragma unroll
        for (int w = 0; w < T::HIGH; w++) {
            sum[v][w] = 0.0f;
        }
    }
}

// One tile a block, along the rows of tiles.
template <class T, int A_BYTES, bool GUARDED>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS_AN_SM)
    tiles(const gemm_task g, const plan s, bool wide_c) {
    extern __shared__ __align__(16) float stages[];
    unsigned shared = (unsigned)__cvta_generic_to_shared(stages);
    int row, column;
    place<T>(&row, &column);
    int across = s.tiles / s.down;
    int i0 = (int)blockIdx.x / across * T::ROWS;
    int j0 = (int)blockIdx.x % across * T::COLUMNS;
    float sum[WIDE][T::HIGH];
    clear<T>(sum);
    multiply_tiles<T, A_BYTES, GUARDED>(&g, source_at<T>(&g, i0, j0, 0), s.steps, shared,
                                        shared + row * 4, shared + (T::A_WORDS + column) * 4, sum);
    scale<T>(g.alpha, sum);
    store<T>(&g, i0 + row, j0 + column, sum, wide_c);
}

// First step of block b's share of the tiles that are cut.
__device__ __forceinline__ int share_begin(const plan *s, int b) {
    return (int)((int64_t)s->cut * s->steps * b / gridDim.x);
}

// A fixed grid: first each block's share of the cut tiles, then whole ones.
template <class T, int A_BYTES, bool GUARDED>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS_AN_SM)
    shares(const gemm_task g, const plan s, bool wide_c) {
    extern __shared__ __align__(16) float stages[];
    unsigned shared = (unsigned)__cvta_generic_to_shared(stages);
    int me =
        (int)gridDim.x - 1 - (int)blockIdx.x; // waits for higher `me`, which are lower blockIdx
    int row, column;
    place<T>(&row, &column);
    int across = s.tiles / s.down;
    int next = share_begin(&s, me);
    int end = share_begin(&s, me + 1);
    int whole = s.cut + me;
    // SOLUTION BEGIN
#pragma unroll 1
    while (next < end || whole < s.tiles) {
        int tile = whole, first = 0, last = s.steps; // steps of this tile that are mine
        if (next < end) {
            tile = next / s.steps;
            first = next - tile * s.steps;
            last = min(s.steps, first + end - next);
            next += last - first;
        } else {
            whole += (int)gridDim.x;
        }
        int band = tile / (BAND * across);
        int height = min(BAND, s.down - band * BAND);
        int in_band = tile - band * BAND * across;
        int i0 = (band * BAND + in_band % height) * T::ROWS;
        int j0 = in_band / height * T::COLUMNS;
        float sum[WIDE][T::HIGH];
        clear<T>(sum);
        __syncthreads(); // the stages are free
        multiply_tiles<T, A_BYTES, GUARDED>(&g, source_at<T>(&g, i0, j0, first * DEPTH),
                                            last - first, shared, shared + row * 4,
                                            shared + (T::A_WORDS + column) * 4, sum);
        scale<T>(g.alpha, sum);
        if (first > 0) {
            leave_sums<T>(&g, me, sum);
            continue;
        }
        if (last < s.steps) { // the rest of this tile is with the blocks after me
            for (int other = me + 1; share_begin(&s, other) < (tile + 1) * s.steps; other++) {
                add_sums<T>(&g, other, sum);
            }
        }
        store<T>(&g, i0 + row, j0 + column, sum, wide_c);
    }
    // SOLUTION TODO: The share is steps next .. end - 1 of the cut tiles, counted tile after tile: part of one tile,
    // SOLUTION TODO: whole ones, the beginning of another. Sums without a tile's first step are left; a beginning
    // SOLUTION TODO: adds what the blocks after it have left, and stores. Then tiles whole, whole + gridDim.x, ..
    // SOLUTION END
}

// ---- host ----

typedef void kernel(const gemm_task, const plan, bool);

template <class T> static plan plan_of(const gemm_task *task) {
    plan s;
    s.down = (int)((task->m + T::ROWS - 1) / T::ROWS);
    s.tiles = s.down * (int)((task->n + T::COLUMNS - 1) / T::COLUMNS);
    s.steps = (int)((task->k + DEPTH - 1) / DEPTH);
    s.cut = 0;
    return s;
}

template <class T>
static int launch(kernel *whole, kernel *guarded, kernel *narrow, const gemm_task *task, plan s,
                  int blocks) {
    bool wide_c = task->m % 4 == 0;
    bool wide_a = wide_c && (uintptr_t)task->d_a % 16 == 0;
    bool ragged = task->m % T::ROWS != 0 || task->n % T::COLUMNS != 0 || task->k % DEPTH != 0;
    kernel *chosen = !wide_a ? narrow : ragged ? guarded : whole;
    const int shared_bytes = STAGES * T::STAGE * 4;
    cudaError_t code = cudaFuncSetAttribute(
        (const void *)chosen, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    if (code != cudaSuccess) {
        return code;
    }
    chosen<<<(unsigned)blocks, T::THREADS, shared_bytes>>>(*task, s, wide_c);
    return cudaGetLastError();
}

// Large tiles where they fill whole rounds of SMs nearly as well as equal shares would: an SM's rate with the
// small tiles and their shares is about 0.945 of that with large ones.
static int choose(const gemm_task *task, int sms) {
    plan s = plan_of<large>(task);
    int64_t rounds = (s.tiles + sms - 1) / sms;
    double filled =
        (double)task->m * (double)task->n / ((double)(rounds * sms) * large::ROWS * large::COLUMNS);
    plan t = plan_of<small>(task);
    double shared_work =
        (double)task->m * (double)task->n / ((double)t.tiles * small::ROWS * small::COLUMNS);
    if (filled >= 0.945 * shared_work) {
        return launch<large>(tiles<large, 16, false>, tiles<large, 16, true>, tiles<large, 4, true>,
                             task, s, s.tiles);
    }
    int blocks =
        small::BLOCKS_AN_SM * sms < GEMM_MOST_BLOCKS ? small::BLOCKS_AN_SM * sms : GEMM_MOST_BLOCKS;
    int64_t all = (int64_t)t.tiles * t.steps;
    if (all < (int64_t)blocks * SHARE_LEAST) {
        blocks = all < SHARE_LEAST ? 1 : (int)(all / SHARE_LEAST);
    }
    t.cut = t.tiles % blocks;
    if (t.cut > 0 && t.tiles > blocks) {
        t.cut += blocks; // then a share is longer than a tile, and a tile has two blocks at most
    }
    return launch<small>(shares<small, 16, false>, shares<small, 16, true>, shares<small, 4, true>,
                         task, t, blocks);
}

extern "C" int gemm_step11(const gemm_task *task) {
    if (!IMPLEMENTED) {
        return GEMM_NOT_IMPLEMENTED;
    }
    if (task->m < 0 || task->n < 0 || task->k < 0) {
        return cudaErrorInvalidValue;
    }
    if (task->m == 0 || task->n == 0) {
        return cudaSuccess; // a launch of no blocks would be an error
    }
    int device = 0, sms = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess) {
        code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    }
    return code != cudaSuccess ? code : choose(task, sms);
}
