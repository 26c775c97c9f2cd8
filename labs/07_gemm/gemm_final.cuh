// SPDX-License-Identifier: MIT
// Given to lab 07's last step: what its four parts are put together from. Shapes of tiles, copies
// to shared memory, stores of C, sums that blocks leave for each other, and the choice of a shape.
// Functions of the step itself, its kernels and its launches do not belong here.
#pragma once

#include "gemm.cuh"

#include <cuda_runtime.h>
#include <math.h>

#define DEPTH GEMM_TILE_DEPTH
#define WIDE  8 // columns of C per thread
// rows of tiles that stream-K works off together: they share columns of B in the L2
#define BAND         8
#define SHARE_LEAST  16    // steps of DEPTH, below which a share is not worth its beginning
#define PIECES_LEAST 5     // of a tile, from which on a kernel of its own adds them faster
#define ADDERS       256   // threads of a block of that kernel
#define CLUSTER      8     // blocks of a cluster at most
#define CLUSTER_MOST 4.3e8 // multiply-adds of a product up to which clusters are faster than shares
#define GPC          16    // SMs among which the blocks of a cluster are placed
#define EVEN_MOST    4e7   // multiply-adds that the SMs can do while sums of other blocks are added

// Everything that follows from the shape of a block's tile, the rows of a thread, the lanes of a
// warp along them, and the blocks per SM.
template <int ROWS_, int COLUMNS_, int HIGH_, int DOWN_, int BLOCKS_> struct tiling {
    static const int ROWS = ROWS_, COLUMNS = COLUMNS_, HIGH = HIGH_, DOWN = DOWN_;
    static const int ACROSS = 32 / DOWN; // lanes of a warp along the columns
    static const int WARP_ROWS = HIGH * DOWN;
    static const int WARPS_DOWN = ROWS / WARP_ROWS;
    static const int THREADS = 32 * WARPS_DOWN * (COLUMNS / (WIDE * ACROSS));
    static const int PITCH =
        COLUMNS + 4; // words from one p of B's tile to the next: 8 p x 4 columns in 32 banks
    static const int A_WORDS = DEPTH * ROWS;
    static const int STAGE =
        A_WORDS + DEPTH * PITCH; // words: A's tile [p][row], then B's [p][column]
    static const int B_PARTS = COLUMNS * DEPTH / THREADS;
    static const int B_STEP = THREADS / DEPTH; // columns from one of them to the next
    static const int BLOCKS_AN_SM = BLOCKS_;
    static const int STAGES = BLOCKS_AN_SM == 3 ? 3 : 4;
    static const int A_BYTES = ROWS * DEPTH / 4 < THREADS ? 4 : 16; // of a copy, where m allows it
    // B, not A, is what comes from memory: 32 bytes of a column per step.
    static const bool LOW = ROWS < 128;
};
typedef tiling<256, 128, 16, 4, 1> large;
typedef tiling<128, GEMM_TILE_AREA / 128, 8, 8, 3> small; // and for few columns or rows:
typedef tiling<256, GEMM_TILE_AREA / 256, 8, 8, 3> slender;
typedef tiling<32, GEMM_TILE_AREA / 64, 8, 4, 6> flat_tile;
typedef tiling<64, 64, 8, 8, 6> square; // for what leaves much of the others empty,
typedef tiling<64, 32, 4, 8, 4> tiny;   // and for short products,
typedef tiling<32, 64, 4, 8, 6> low;    // also of few rows

// How the tiles are dealt to the blocks.
typedef struct plan {
    int down;  // tiles above each other
    int tiles; // in all
    // tiles 0 .. cut - 1 are cut into equal shares, one per block; the others are dealt whole
    int cut;
    int steps;   // of DEPTH for each tile
    int blocks;  // with a share each; or, with `pieces`, with a piece of one tile or of several
    int pieces;  // of a tile, or one more; 0: they are not left for add_pieces
    int missing; // p of the first step that lie before the beginning of A and B, 0 .. DEPTH - 1
} plan;

// ---- copies: addresses of shared memory are 32-bit, as the instructions take them ----

// 16 or 4 bytes. AHEAD: the L2 fetches all of the 128 bytes that they lie in.
template <int BYTES, bool AHEAD>
__device__ __forceinline__ void copy(unsigned to, const float *from) {
    if (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    } else if (AHEAD) {
        asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4;" ::"r"(to), "l"(from)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
    }
}

template <int BYTES> __device__ __forceinline__ void copy_zeros(unsigned to) {
    if (BYTES == 16) {
        asm volatile("st.shared.v4.f32 [%0], {%1, %1, %1, %1};" ::"r"(to), "f"(0.0f) : "memory");
    } else {
        asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(0.0f) : "memory");
    }
}

__device__ __forceinline__ void close_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until the copies of the oldest stage are there, mine and everyone's.
template <class T> __device__ __forceinline__ void wait_stage() {
    asm volatile("cp.async.wait_group %0;" ::"n"(T::STAGES - 2) : "memory");
    __syncthreads();
}

// Which of `count` rows or columns is read for number i; `wide` neighbours are read at once. Beyond
// the edge it is one from the beginning: its sums are not stored, so nothing needs a bound. It is
// not always the last one: tiles whose lanes copied one word 32 times took much longer than others.
__device__ __forceinline__ int inside(int i, int count, int wide) {
    return i < count ? i : min(i - count, count - wide);
}

// What a thread copies of the next tiles: of A's rows 1 or 4 at several p, or several such at every
// p; of B's tile row t % DEPTH of several columns. Along k the first step is the short one, so that
// no later step has a bound at all.
template <class T, int A_BYTES> struct source {
    static const int A_WIDE = A_BYTES / 4;
    static const int A_LANES = T::ROWS / A_WIDE;                               // copies of one p
    static const int A_SIDE = A_LANES > T::THREADS ? A_LANES / T::THREADS : 1; // of them a thread
    static const int A_STEP =
        A_LANES > T::THREADS ? 1 : T::THREADS / A_LANES; // p from one to the next
    static const int A_PARTS = DEPTH / A_STEP * A_SIDE;
    static const int A_POINTERS =
        A_BYTES == 16 ? A_PARTS : A_SIDE; // they walk where there are many
    const float *a[A_POINTERS], *b[T::B_PARTS];
    int a_p, b_p; // of the first step; below 0: does not exist
};

// ---- results ----

// The sums times alpha. This also frees the compiler: sums that are stored as they are would have
// to lie in quads of registers from the beginning, and twice as many products would read two
// registers of one bank.
template <class T> __device__ __forceinline__ void scale(float alpha, float sum[WIDE][T::HIGH]) {
#pragma unroll
    for (int v = 0; v < WIDE; v++) {
#pragma unroll
        for (int w = 0; w < T::HIGH; w++) {
            sum[v][w] *= alpha;
        }
    }
}

// Writes four elements of a column, from (i, j) on, where they exist; m is a multiple of 4.
__device__ __forceinline__ void write4(const gemm_part *g, int i, int j, float4 value) {
    if (i >= g->m || j >= g->n) return;
    int64_t at = j * g->ld + i;
    *(float4 *)(g->d_c + at) = make_float4(with_d(g, at, value.x), with_d(g, at + 1, value.y),
                                           with_d(g, at + 2, value.z), with_d(g, at + 3, value.w));
}

// Writes the block's tile of C, the first element of which is (i0, j0). row, column: the thread's
// first ones in the tile.
template <class T>
__device__ __forceinline__ void store_quads(const gemm_part *g, int i0, int j0, int row, int column,
                                            const float sum[WIDE][T::HIGH]) {
#pragma unroll
    for (int v = 0; v < WIDE; v++) {
#pragma unroll
        for (int q = 0; q < T::HIGH; q += 4) {
            write4(g, i0 + row + q * T::DOWN, j0 + column + v % 4 + v / 4 * 4 * T::ACROSS,
                   make_float4(sum[v][q], sum[v][q + 1], sum[v][q + 2], sum[v][q + 3]));
        }
    }
}

// The same where m is odd, column by column through shared memory, so that the lanes of a store
// have neighbouring rows. The stages serve as room to turn the sums; no copy may be under way.
template <class T>
__device__ __forceinline__ void store_turned(const gemm_part *g, int i0, int j0, int row,
                                             int column, float *stages,
                                             const float sum[WIDE][T::HIGH]) {
    const int pitch = T::WARP_ROWS + 2 * T::DOWN; // 8 lanes that write together hit all banks
    int lane = threadIdx.x % 32;
    int in_row = row % T::WARP_ROWS, in_column = column % (WIDE * T::ACROSS); // in the warp's part
    float *own = stages + threadIdx.x / 32 * T::ACROSS * pitch;
    __syncthreads(); // others may still read the last stage
#pragma unroll
    for (int v = 0; v < WIDE; v++) {
        __syncwarp();
#pragma unroll
        for (int q = 0; q < T::HIGH; q += 4) {
            *(float4 *)(own + in_column / 4 * pitch + in_row + q * T::DOWN) =
                make_float4(sum[v][q], sum[v][q + 1], sum[v][q + 2], sum[v][q + 3]);
        }
        __syncwarp();
#pragma unroll
        for (int e = 0; e < T::WARP_ROWS * T::ACROSS; e += 32) {
            int c = (e + lane) / T::WARP_ROWS, r = (e + lane) % T::WARP_ROWS;
            int i = i0 + row - in_row + r;
            int j = j0 + column - in_column + 4 * c + v % 4 + v / 4 * 4 * T::ACROSS;
            if (i < g->m && j < g->n) {
                g->d_c[j * g->ld + i] = with_d(g, j * g->ld + i, own[c * pitch + r]);
            }
        }
    }
}

template <class T, int A_BYTES>
__device__ __forceinline__ void store(const gemm_part *g, int i0, int j0, int row, int column,
                                      float *stages, const float sum[WIDE][T::HIGH]) {
    if (A_BYTES == 16) {
        store_quads<T>(g, i0, j0, row, column, sum);
    } else {
        store_turned<T>(g, i0, j0, row, column, stages, sum);
    }
}

// Where the sums of number b lie in the workspace, behind the flags; element e of all threads
// together.
template <class T> __device__ __forceinline__ float4 *sums_of(const gemm_part *g, int b) {
    return (float4 *)(g->d_workspace + GEMM_MOST_BLOCKS) + (int64_t)b * (T::ROWS * T::COLUMNS / 4) +
           threadIdx.x;
}

// Leaves the thread's sums at `to`, the address of its first quad.
template <class T>
__device__ __forceinline__ void put_sums(float4 *to, const float sum[WIDE][T::HIGH]) {
#pragma unroll
    for (int v = 0; v < WIDE; v++) {
#pragma unroll
        for (int q = 0; q < T::HIGH; q += 4) {
            to[(v * T::HIGH + q) / 4 * T::THREADS] =
                make_float4(sum[v][q], sum[v][q + 1], sum[v][q + 2], sum[v][q + 3]);
        }
    }
}

template <class T>
__device__ __forceinline__ void write_sums(const gemm_part *g, int me,
                                           const float sum[WIDE][T::HIGH]) {
    put_sums<T>(sums_of<T>(g, me), sum);
}

// Writes the sums and raises the block's flag.
template <class T>
__device__ __forceinline__ void leave_sums(const gemm_part *g, int me,
                                           const float sum[WIDE][T::HIGH]) {
    write_sums<T>(g, me, sum);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicExch((int *)g->d_workspace + me, 1);
    }
}

// Adds what was left under number b.
template <class T>
__device__ __forceinline__ void add_left(const gemm_part *g, int b, float sum[WIDE][T::HIGH]) {
    const float4 *from = sums_of<T>(g, b);
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

// The same as soon as block `other` has raised its flag.
template <class T>
__device__ __forceinline__ void add_sums(const gemm_part *g, int other, float sum[WIDE][T::HIGH]) {
    if (threadIdx.x == 0) {
        while (atomicAdd((int *)g->d_workspace + other, 0) == 0) {
        }
        __threadfence();
        atomicExch((int *)g->d_workspace + other, 0); // for the next call
    }
    __syncthreads();
    add_left<T>(g, other, sum);
}

// ---- which thread, which tile, which share ----

// Where a thread is: first row and column of its warp's part of the tile, and of its quads in that
// part, where lanes go down the rows first.
typedef struct place {
    int warp_row, warp_column, row, column;
} place;

template <class T, class NUMBER> __device__ __forceinline__ place place_of(NUMBER t) {
    int warp = t / 32, lane = t % 32;
    return {warp % T::WARPS_DOWN * T::WARP_ROWS, warp / T::WARPS_DOWN * WIDE * T::ACROSS,
            4 * (lane % T::DOWN), 4 * (lane / T::DOWN)};
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

// First row and column of a tile that is cut: in bands of BAND rows of tiles, each from left to
// right.
template <class T>
__device__ __forceinline__ void corner(const plan *s, int tile, int *out_i0, int *out_j0) {
    int across = s->tiles / s->down;
    int band = tile / (BAND * across);
    int height = min(BAND, s->down - band * BAND);
    int in_band = tile - band * BAND * across;
    *out_i0 = (band * BAND + in_band % height) * T::ROWS;
    *out_j0 = in_band / height * T::COLUMNS;
}

// First step of block b's share of the tiles that are cut.
__device__ __forceinline__ int share_begin(const plan *s, int b) {
    return (int)((int64_t)s->cut * s->steps * b / s->blocks);
}

// Writes quad `quad` of a tile, in the order of write_sums.
template <class T>
__device__ __forceinline__ void store_piece(const gemm_part *g, const plan *s, int tile, int quad,
                                            float4 sum) {
    int i0, j0, part = quad / T::THREADS; // quad `part` of thread quad % THREADS
    place at = place_of<T>(quad % T::THREADS);
    corner<T>(s, tile, &i0, &j0);
    int v = part / (T::HIGH / 4), q = part % (T::HIGH / 4) * 4;
    int i = i0 + at.warp_row + at.row + q * T::DOWN,
        j = j0 + at.warp_column + at.column + v % 4 + v / 4 * 4 * T::ACROSS;
    const float four[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
    for (int e = 0; e < 4; e++) {
        if (i + e < g->m && j < g->n) {
            g->d_c[j * g->ld + i + e] = with_d(g, j * g->ld + i + e, four[e]);
        }
    }
}

// ---- how many blocks ----

template <class T> static plan plan_of(const gemm_part *g) {
    plan s;
    s.down = (int)((g->m + T::ROWS - 1) / T::ROWS);
    s.tiles = s.down * (int)((g->n + T::COLUMNS - 1) / T::COLUMNS);
    s.steps = (int)((g->k + DEPTH - 1) / DEPTH);
    s.missing = s.steps * DEPTH - (int)g->k;
    s.cut = s.blocks = s.pieces = 0;
    return s;
}

// The blocks of a cluster with which the SMs have as little time without work as possible, 2 to
// `most` blocks on each; 0: none. All blocks of a cluster are placed among the same GPC SMs. Of
// equal sizes the larger one is taken, if SMs are idle and have at most 4 blocks.
static int cluster_size(const plan *s, int most, int sms) {
    int best = 0, fullest = 0, groups = sms < GPC ? 1 : sms / GPC;
    int clusters = (s->tiles + groups - 1) / groups; // in a group of SMs
    for (int size = 1; size <= CLUSTER; size++) {
        int blocks = (clusters * size + GPC - 1) / GPC;    // on an SM
        int full = 100 * s->tiles * size / (blocks * sms); // per cent
        bool is_better = full > fullest || (full == fullest && full < 95 && blocks <= 4);
        if (blocks >= 2 && blocks <= most && is_better) {
            fullest = full;
            best = size;
        }
    }
    return best;
}

// The most blocks, at most `blocks`, of which each has an equal part of one tile; or `blocks`, if
// that would leave SMs idle for longer than it takes to add sums.
static int even_blocks(const plan *s, int blocks, double products, int sms) {
    int best = blocks;
    double least = EVEN_MOST;
    for (int even = s->tiles; even <= blocks; even += s->tiles) {
        int rounds = (even + sms - 1) / sms;
        double idle = products * (1.0 - (double)even / (rounds * sms));
        if (idle <= least) {
            least = idle;
            best = even;
        }
    }
    return best;
}

// Sets blocks; and pieces where each tile is computed by a cluster.
template <class T> static void set_blocks(plan *s, double products, int sms) {
    const int sums = GEMM_MOST_SUMS / (T::ROWS * T::COLUMNS); // there is room for
    const int capacity = sums < GEMM_MOST_BLOCKS ? sums : GEMM_MOST_BLOCKS;
    const int most = capacity * PIECES_LEAST / (PIECES_LEAST + 1); // blocks + tiles fit
    int64_t shares = (int64_t)s->tiles * s->steps / SHARE_LEAST;
    shares = shares < s->tiles ? s->tiles : shares;
    int blocks = T::BLOCKS_AN_SM * sms < most ? T::BLOCKS_AN_SM * sms : most;
    blocks = shares < blocks ? (int)shares : blocks;
    bool is_idle = 2 * blocks < sms && s->tiles * CLUSTER <= T::BLOCKS_AN_SM * sms;
    bool is_short = products < CLUSTER_MOST && s->steps <= CLUSTER * SHARE_LEAST;
    int size = is_short && !is_idle && s->tiles * CLUSTER > sms
                   ? cluster_size(s, T::BLOCKS_AN_SM, sms)
               : is_short || is_idle ? CLUSTER
                                     : 0;
    s->pieces = size < (s->steps + 1) / 2 ? size : (s->steps + 1) / 2;
    s->blocks = size == 1 ? s->tiles : even_blocks(s, blocks, products, sms);
}

// Products of medium depth: deeper than SPLIT_SHALLOW steps, at most SPLIT_DEEP. And small ones
// that are too deep for clusters. Their tiles are tiny or low ones, each in several pieces, and all
// SMs have equally many blocks.
#define SPLIT_SHALLOW 100
#define SPLIT_DEEP    320
#define SPLIT_LEAST   8e7 // multiply-adds; a product with fewer is small:
#define SMALL_SHALLOW (CLUSTER * SHARE_LEAST)
#define SMALL_DEEP    640
#define SPLIT_MOST    5e8
#define SPLIT_PIECES  32
#define SPLIT_BLOCKS  6 // on an SM, which could hold eight: each further one slows down the others
#define SPLIT_SUMS    (GEMM_MOST_SUMS / (tiny::ROWS * tiny::COLUMNS)) // pieces that have room

static bool is_medium(const gemm_part *g) {
    double products = (double)g->m * (double)g->n * (double)g->k;
    plan s = plan_of<tiny>(g);
    bool is_small = products < SPLIT_LEAST;
    return s.steps > (is_small ? SMALL_SHALLOW : SPLIT_SHALLOW) &&
           s.steps <= (is_small ? SMALL_DEEP : SPLIT_DEEP) && products <= SPLIT_MOST &&
           s.tiles <= GEMM_MOST_BLOCKS; // each has a word of the workspace
}

typedef struct split {
    int pieces; // of a tile
    double time;
} split;

// The pieces with which the fullest SM needs least time, in microseconds on an H200. Its blocks, of
// two warps, alternate: an odd one leaves schedulers without work, and two do not hide how long
// memory takes to answer. Another piece costs its sums.
static split best_split(const plan *s, int sms) {
    split best = {1, INFINITY};
    for (int pieces = 1; pieces <= SPLIT_PIECES && s->tiles * pieces <= SPLIT_SUMS; pieces++) {
        int blocks = (s->tiles * pieces + sms - 1) / sms; // on an SM
        double step = 0.036 + 0.22 * ((blocks + 1) / 2);
        double time = step * ((s->steps + pieces - 1) / pieces) + 0.19 * pieces;
        if (time < best.time && (pieces == 1 || blocks <= SPLIT_BLOCKS)) {
            best = {pieces, time};
        }
    }
    return best;
}

static int split_pieces(const plan *s, int sms) {
    return best_split(s, sms).pieces;
}

// Fewer where many pieces would have to be added.
static int piece_blocks(const plan *s, int sms) {
    int most = (s->tiles < 4 ? 2 : 4) * sms;
    return s->blocks < most ? s->blocks : most;
}

// ---- which kernel: the least estimate, in multiply-adds of large tiles ----

// What a launch costs, and a word that a slim product reads.
#define LAUNCH_COST     100e6
#define WORD_COST       45.0
#define THIN_COST       28.0 // where the product is of few columns,
#define ODD_THIN_COST   26.0 // and where columns of A do not begin at 16 bytes
#define ODD_THIN_LAUNCH 250e6

// A shape of tile, with its rates on an H100 as parts of that of large tiles: of products whose A
// is copied by 16 bytes, and of others.
typedef struct shape {
    int (*launch)(const gemm_part *g, int sms);
    int rows, columns;
    double aligned_rate, odd_rate;
    bool is_whole; // each block computes one tile; else all have equal shares
} shape;

// The shapes of the step, those for short products last: square, tiny, low.
typedef struct launches {
    const shape *shapes; // [shape_count]
    int shape_count;
    int (*split[2])(const gemm_part *g, int sms); // in pieces, of tiny and of low tiles
} launches;

static double cost_of(const shape *s, const gemm_part *g, int sms) {
    int64_t down = (g->m + s->rows - 1) / s->rows, across = (g->n + s->columns - 1) / s->columns;
    int64_t tiles = down * across;
    if (s->is_whole) {
        tiles = (tiles + sms - 1) / sms * sms; // the last round of the SMs is not full
    }
    return (double)tiles * s->rows * s->columns * (double)g->k /
               (is_aligned(g) ? s->aligned_rate : s->odd_rate) +
           LAUNCH_COST;
}

static const shape *best_shape(const launches *with, const gemm_part *g, int sms) {
    const shape *best = &with->shapes[0];
    for (int i = 1; i < with->shape_count; i++) {
        best = cost_of(&with->shapes[i], g, sms) < cost_of(best, g, sms) ? &with->shapes[i] : best;
    }
    return best;
}

// Of a part that may be empty.
static double cost_part(const launches *with, const gemm_part *g, int sms) {
    if (g->m == 0 || g->n == 0) return 0.0;
    if (!is_slim(g)) return cost_of(best_shape(with, g, sms), g, sms);
    double words = (double)(g->m < g->n ? g->n : g->m) * (double)g->k;
    if (g->n > GEMM_THIN_MOST) return WORD_COST * words + LAUNCH_COST;
    bool is_odd = g->m > GEMM_FLAT_MOST && !is_aligned(g);
    return is_odd ? ODD_THIN_COST * words + ODD_THIN_LAUNCH : THIN_COST * words + LAUNCH_COST;
}

static int run_part(const launches *with, const gemm_part *g, int sms) {
    if (g->m == 0 || g->n == 0) return cudaSuccess;
    return is_slim(g) ? launch_slim(g, sms) : best_shape(with, g, sms)->launch(g, sms);
}

// Whether tiles of 32 x 64 cover C better than those of 64 x 32.
static bool is_low(const gemm_part *g) {
    return plan_of<low>(g).tiles < plan_of<tiny>(g).tiles;
}

// Whether pieces of them take less time.
static bool is_low_split(const gemm_part *g, int sms) {
    plan lows = plan_of<low>(g), tinies = plan_of<tiny>(g);
    return lows.tiles <= GEMM_MOST_BLOCKS &&
           best_split(&lows, sms).time < best_split(&tinies, sms).time;
}

// The shape for a short product, whose time is that of one block: half as large as the next one;
// NULL if it is not short.
static const shape *short_shape(const launches *with, const gemm_part *g, int sms) {
    plan s = plan_of<small>(g);
    double products = (double)g->m * (double)g->n * (double)g->k;
    bool fits_small = g->m > tiny::ROWS && g->n > tiny::COLUMNS;
    if (products >= CLUSTER_MOST || s.steps > CLUSTER * SHARE_LEAST || s.tiles > sms ||
        (fits_small && s.tiles >= CLUSTER && s.tiles < 2 * CLUSTER)) {
        return NULL;
    }
    bool is_slender = g->m <= low::ROWS || g->n <= tiny::COLUMNS;
    bool is_tiny = is_slender ||
                   (4 * s.tiles * s.steps < 7 * sms * SHARE_LEAST && s.tiles * CLUSTER < 3 * sms);
    return &with->shapes[with->shape_count - (!is_tiny ? 3 : is_low(g) ? 1 : 2)];
}

// A product of many tiles. It may pay to compute the rows and columns beyond the last whole tile by
// themselves, if few rows or one column remain or the tiles are large.
static int run(const launches *with, const gemm_part *g, int sms) {
    if (is_medium(g)) return with->split[is_low_split(g, sms)](g, sms);
    const shape *of_short = short_shape(with, g, sms);
    if (of_short != NULL) return of_short->launch(g, sms);
    double least = INFINITY;
    gemm_part inner = *g, below = *g, beside = *g;
    const shape *best = NULL;
    for (int c = 0; c < 4 * with->shape_count; c++) {
        const shape *s = &with->shapes[c / 4];
        int64_t m = c % 2 == 0 ? g->m : g->m / s->rows * s->rows;
        int64_t n = c / 2 % 2 == 0 ? g->n : g->n / s->columns * s->columns;
        gemm_part in = gemm_part_of(g, 0, 0, m, n), low = gemm_part_of(g, m, 0, g->m - m, g->n),
                  side = gemm_part_of(g, 0, n, m, g->n - n);
        bool is_allowed =
            m > 0 && n > 0 &&
            (s->is_whole || ((low.m == 0 || is_slim(&low)) && (side.n == 0 || is_slim(&side))));
        double cost = cost_part(with, &low, sms) + cost_part(with, &side, sms);
        if (is_allowed && cost + cost_of(s, &in, sms) < least) {
            cost += cost_of(s, &in, sms);
            least = cost;
            best = s;
            inner = in;
            below = low;
            beside = side;
        }
    }
    int code = best->launch(&inner, sms);
    if (code == cudaSuccess) {
        code = run_part(with, &below, sms);
    }
    return code == cudaSuccess ? run_part(with, &beside, sms) : code;
}

// Computes the product of the task with the step's launches. m and n must not be 0.
static int run_task(const launches *with, const gemm_task *task) {
    const gemm_part whole = gemm_whole(task);
    int device = 0, sms = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess) {
        code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    }
    if (code != cudaSuccess) return code;
    return is_slim(&whole) ? launch_slim(&whole, sms) : run(with, &whole, sms);
}
