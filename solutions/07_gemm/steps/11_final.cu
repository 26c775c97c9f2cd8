// SPDX-License-Identifier: MIT
// Lab 07, step 11: at the rate of the vendor's library, for any shape, with alpha and beta. What
// changed against step 10, each from a measurement (README, tuning log):
//
// - Large products: 16 x 8 elements a thread, 6 loads for 128 products; blocks of 256 x 128, warps
//   of 64 x 64.
// - The products go to and fro along the rows of a thread: a row's element stays in the operand
//   cache, so each product reads two registers, which the compiler can place in different banks.
// - Pointers that run along instead of addresses made anew for every copy, and no bounds in the
//   loop: rows and columns beyond the edge are copies of the last ones, whose sums nobody stores,
//   and the step along k that is short is the first one.
// - Where m is odd: copies of 4 bytes, lanes along the rows, and stores that are turned through
//   shared memory.
// - Products with few or ragged tiles: blocks of 128 x 64, or of as many elements in another shape
//   that leaves less of them empty, three a SM, and stream-K: every block gets an equal share of
//   the last tiles' steps along k. A block that has the end of a tile but not its beginning leaves
//   its sums in the workspace; the block with the beginning adds them. Where tiles have many
//   shares, all are left, and a second kernel adds them with all SMs.
// - Products of a few rows or columns or of depth 1 go to the kernels of gemm.cuh.
//
// A block waits for blocks of lower numbers only, and those leave their sums before they wait for
// anything.
#include "gemm.h"
#include "gemm.cuh"

#include <cuda_runtime.h>

// SOLUTION BEGIN
#define IMPLEMENTED 1
// SOLUTION TODO: set this to 1 when you have written the code below
// SOLUTION STUB: #define IMPLEMENTED 0
// SOLUTION END

#define DEPTH GEMM_TILE_DEPTH
#define WIDE  8 // columns of C a thread
// rows of tiles that stream-K works off together: they share columns of B in the L2
#define BAND         8
#define SHARE_LEAST  16  // steps of DEPTH, below which a share is not worth its beginning
#define PIECES_LEAST 4   // of a tile, from which on a kernel of its own adds them faster
#define ADDERS       256 // threads of a block of that kernel

// Everything that follows from the shape of a block's tile, the rows of a thread and the lanes of a
// warp along them.
template <int ROWS_, int COLUMNS_, int HIGH_, int DOWN_> struct tiling {
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
    static const int BLOCKS_AN_SM = HIGH == 16 ? 1 : 3;
    static const int STAGES = HIGH == 16 ? 4 : 3;
    static const int A_BYTES = ROWS * DEPTH / 4 < THREADS ? 4 : 16; // of a copy, where m allows it
    // B, not A, is what comes from memory: 32 bytes of a column a step.
    static const bool LOW = ROWS < 128;
};
typedef tiling<256, 128, 16, 4> large;
typedef tiling<128, GEMM_TILE_AREA / 128, 8, 8> small; // and for products of few columns or rows:
typedef tiling<256, GEMM_TILE_AREA / 256, 8, 8> slender;
typedef tiling<64, GEMM_TILE_AREA / 64, 8, 8> low;
typedef tiling<32, GEMM_TILE_AREA / 32, 8, 4> flat_tile;

// How the tiles are dealt to the blocks.
typedef struct plan {
    int down;  // tiles above each other
    int tiles; // in all
    // tiles 0 .. cut - 1 are cut into equal shares, one a block; the others are dealt whole
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

// What a thread copies of the next tiles: of A's rows 1 or 4 at several p, or several such at every
// p; of B's tile row t % DEPTH of several columns. Rows and columns beyond the edge are replaced by
// the last ones: their sums are not stored, so nothing needs a bound. Only k does, and there the
// first step is the short one, so that no later step has a bound at all.
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

template <class T, int A_BYTES>
__device__ __forceinline__ source<T, A_BYTES> source_at(const gemm_part *g, int i0, int j0,
                                                        int p0) {
    source<T, A_BYTES> s;
    int t = threadIdx.x;
    s.a_p = p0 + t / s.A_LANES;
    s.b_p = p0 + t % DEPTH;
#pragma unroll
    for (int q = 0; q < s.A_POINTERS; q++) {
        int i = i0 + (t % s.A_LANES + q % s.A_SIDE * T::THREADS) * s.A_WIDE;
        s.a[q] =
            g->d_a + ((s.a_p + q / s.A_SIDE * s.A_STEP) * g->ld + min(i, (int)g->m - s.A_WIDE));
    }
#pragma unroll
    for (int q = 0; q < T::B_PARTS; q++) {
        int j = min(j0 + t / DEPTH + q * T::B_STEP, (int)g->n - 1);
        s.b[q] = g->d_b + (j * g->k + s.b_p);
    }
    return s;
}

// Starts the copies of the next tiles into a stage. to_a, to_b: the thread's first places in it.
// FIRST: part of the depth may not exist; it becomes 0.
template <class T, int A_BYTES, bool FIRST>
__device__ __forceinline__ void copy_tiles(const gemm_part *g, source<T, A_BYTES> *s, unsigned to_a,
                                           unsigned to_b) {
#pragma unroll
    for (int q = 0; q < s->A_PARTS; q++) {
        unsigned to = to_a + q * T::THREADS * A_BYTES;
        if (FIRST && s->a_p + q / s->A_SIDE * s->A_STEP < 0) {
            copy_zeros<A_BYTES>(to);
        } else {
            copy<A_BYTES, false>(to, s->a[q % s->A_POINTERS]);
        }
        s->a[q % s->A_POINTERS] += s->A_STEP * (s->A_POINTERS / s->A_SIDE) * g->ld;
    }
#pragma unroll
    for (int q = 0; q < T::B_PARTS; q++) {
        if (FIRST && s->b_p < 0) {
            copy_zeros<4>(to_b + q * T::B_STEP * 4);
        } else {
            copy<4, T::LOW>(to_b + q * T::B_STEP * 4, s->b[q]);
        }
        s->b[q] += DEPTH;
    }
}

// ---- products ----

__device__ __forceinline__ void take4(unsigned from, float *to) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(from));
}

// What a thread multiplies at one p: quads of rows and of columns. at_a, at_b: the thread's first
// places in a stage.
template <class T>
__device__ __forceinline__ void take(unsigned at_a, unsigned at_b, int p, float *rows,
                                     float *columns) {
#pragma unroll
    for (int q = 0; q < T::HIGH; q += 4) {
        take4(at_a + (p * T::ROWS + q * T::DOWN) * 4, rows + q);
    }
#pragma unroll
    for (int q = 0; q < WIDE; q += 4) {
        take4(at_b + (p * T::PITCH + q * T::ACROSS) * 4, columns + q);
    }
}

template <class T>
__device__ __forceinline__ void multiply(float sum[WIDE][T::HIGH], const float *rows,
                                         const float *columns) {
#pragma unroll
    for (int w = 0; w < T::HIGH; w++) {
#pragma unroll
        for (int u = 0; u < WIDE; u++) {
            int v = w % 2 == 0 ? u : WIDE - 1 - u; // to and fro: both operands stay at the turn
            sum[v][w] = fmaf(rows[w], columns[v], sum[v][w]);
        }
    }
}

// Adds `steps` >= 1 tiles of depth DEPTH to the sums. shared: the stages; at_a, at_b: the thread's
// first places to read.
template <class T, int A_BYTES>
__device__ __forceinline__ void multiply_tiles(const gemm_part *g, source<T, A_BYTES> from,
                                               int steps, unsigned shared, unsigned at_a,
                                               unsigned at_b, float sum[WIDE][T::HIGH]) {
    const int stage_bytes = T::STAGE * 4;
    unsigned to_a = shared + threadIdx.x * A_BYTES;
    unsigned to_b =
        shared + (T::A_WORDS + threadIdx.x % DEPTH * T::PITCH + threadIdx.x / DEPTH) * 4;
    // SOLUTION BEGIN
    copy_tiles<T, A_BYTES, true>(g, &from, to_a, to_b);
    close_group();
#pragma unroll
    for (int s = 1; s < T::STAGES - 1; s++) {
        if (s < steps) {
            copy_tiles<T, A_BYTES, false>(g, &from, to_a + s * stage_bytes, to_b + s * stage_bytes);
        }
        close_group();
    }
    wait_stage<T>();
    float rows[2][T::HIGH];
    float columns[2][WIDE];
    take<T>(at_a, at_b, 0, rows[0], columns[0]);
    int stage = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        if (step + T::STAGES - 1 < steps) { // into the stage that was multiplied in the turn before
            int at = (stage == 0 ? T::STAGES - 1 : stage - 1) * stage_bytes;
            copy_tiles<T, A_BYTES, false>(g, &from, to_a + at, to_b + at);
        }
        close_group();
        stage = stage + 1 == T::STAGES ? 0 : stage + 1;
#pragma unroll
        for (int p = 0; p < DEPTH; p++) {
            if (p + 1 == DEPTH) { // what is taken now is the next step's
                int jump =
                    step + 1 == steps ? 0 : (stage == 0 ? -(T::STAGES - 1) : 1) * stage_bytes;
                at_a += jump;
                at_b += jump;
                if (step + 1 < steps) {
                    wait_stage<T>();
                }
            }
            take<T>(at_a, at_b, (p + 1) % DEPTH, rows[(p + 1) % 2], columns[(p + 1) % 2]);
            multiply<T>(sum, rows[p % 2], columns[p % 2]);
        }
    }
    // SOLUTION TODO: as in step 10: T::STAGES - 1 tiles under way, the next p's elements taken while this p's are
    // SOLUTION TODO: multiplied, one wait and barrier a tile.
    // SOLUTION END
}

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
    if (i >= g->m || j >= g->n) {
        return;
    }
    int64_t at = j * g->ld + i;
    *(float4 *)(g->d_c + at) = make_float4(with_d(g, at, value.x), with_d(g, at + 1, value.y),
                                           with_d(g, at + 2, value.z), with_d(g, at + 3, value.w));
}

// Writes the block's tile of C, the first element of which is (i0, j0). row, column: the thread's
// place in the tile.
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

// Place b of a block's sums in the workspace, behind the flags; element e of all threads together.
template <class T> __device__ __forceinline__ float4 *sums_of(const gemm_part *g, int b) {
    return (float4 *)(g->d_workspace + GEMM_MOST_BLOCKS) + (int64_t)b * (T::ROWS * T::COLUMNS / 4) +
           threadIdx.x;
}

template <class T>
__device__ __forceinline__ void write_sums(const gemm_part *g, int me,
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

template <class T>
__device__ __forceinline__ void add_sums(const gemm_part *g, int other, float sum[WIDE][T::HIGH]) {
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

// Place of a thread: first row and column of its warp's part of the tile, and of its quads in that
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

// One tile a block, along the rows of tiles. Whether the place is made of signed or unsigned
// numbers decides what the compiler keeps in which registers through the loop: 176 of 1024 products
// wait for a bank with signed ones where A is copied by 4 bytes, and 206 with unsigned ones; by 16
// bytes loads come 18 instructions before their use with signed ones, and 39 with unsigned ones.
template <class T, int A_BYTES>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS_AN_SM)
    tiles(const gemm_part g, const plan s) {
    extern __shared__ __align__(16) float stages[];
    unsigned shared = (unsigned)__cvta_generic_to_shared(stages);
    place at = A_BYTES == 16 ? place_of<T>(threadIdx.x) : place_of<T>((int)threadIdx.x);
    int across = s.tiles / s.down;
    int i0 = (int)blockIdx.x / across * T::ROWS;
    int j0 = (int)blockIdx.x % across * T::COLUMNS;
    float sum[WIDE][T::HIGH];
    clear<T>(sum);
    multiply_tiles<T, A_BYTES>(&g, source_at<T, A_BYTES>(&g, i0, j0, -s.missing), s.steps, shared,
                               shared + (at.warp_row + at.row) * 4,
                               shared + (T::A_WORDS + at.warp_column + at.column) * 4, sum);
    scale<T>(g.alpha, sum);
    store<T, A_BYTES>(&g, i0, j0, at.warp_row + at.row, at.warp_column + at.column, stages, sum);
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

// A fixed grid: first each block's share of the cut tiles, then whole ones. With s.pieces all tiles
// are cut, and what a block has of tile i stays in place b + i: no two blocks have the same, since
// each has another tile's end or none.
template <class T, int A_BYTES>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS_AN_SM)
    shares(const gemm_part g, const plan s) {
    extern __shared__ __align__(16) float stages[];
    unsigned shared = (unsigned)__cvta_generic_to_shared(stages);
    int me =
        (int)gridDim.x - 1 - (int)blockIdx.x; // waits for higher `me`, which are lower blockIdx
    place at = place_of<T>(threadIdx.x);
    int row = at.warp_row + at.row, column = at.warp_column + at.column;
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
        int i0, j0;
        corner<T>(&s, tile, &i0, &j0);
        float sum[WIDE][T::HIGH];
        clear<T>(sum);
        __syncthreads(); // the stages are free
        multiply_tiles<T, A_BYTES>(&g, source_at<T, A_BYTES>(&g, i0, j0, first * DEPTH - s.missing),
                                   last - first, shared, shared + row * 4,
                                   shared + (T::A_WORDS + column) * 4, sum);
        scale<T>(g.alpha, sum);
        if (s.pieces > 0) {
            write_sums<T>(&g, me + tile, sum);
            continue;
        }
        if (first > 0) {
            leave_sums<T>(&g, me, sum);
            continue;
        }
        if (last < s.steps) { // the rest of this tile is with the blocks after me
            for (int other = me + 1; share_begin(&s, other) < (tile + 1) * s.steps; other++) {
                add_sums<T>(&g, other, sum);
            }
        }
        store<T, A_BYTES>(&g, i0, j0, row, column, stages, sum);
    }
    // SOLUTION TODO: The share is steps next .. end - 1 of the cut tiles, counted tile after tile: part of one tile,
    // SOLUTION TODO: whole ones, the beginning of another. Sums without a tile's first step are left; a beginning
    // SOLUTION TODO: adds what the blocks after it have left, and stores. Then tiles whole, whole + gridDim.x, ..
    // SOLUTION END
}

// Adds up the pieces of tile blockIdx.x and writes it: ADDERS / groups quads of C a block, in the
// order of write_sums. Each of `groups` threads of a quad adds every groups-th piece.
template <class T>
__global__ void __launch_bounds__(ADDERS)
    add_pieces(const gemm_part g, const plan s, const int groups) {
    __shared__ float4 of_group[ADDERS];
    int tile = (int)blockIdx.x, quads = ADDERS / groups;
    int group = (int)threadIdx.x / quads, quad = (int)blockIdx.y * quads + (int)threadIdx.x % quads;
    const float4 *sums = (const float4 *)(g.d_workspace + GEMM_MOST_BLOCKS) + quad;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    // SOLUTION BEGIN
    int64_t all = (int64_t)s.tiles * s.steps, first = (int64_t)tile * s.steps;
    int from =
        (int)(((first + 1) * s.blocks - 1) / all); // the block that has the tile's first step,
    int to = (int)(((first + s.steps) * s.blocks - 1) / all); // and its last one
#pragma unroll 4
    for (int b = from + group; b <= to; b += groups) {
        float4 more = __ldcg(sums + (int64_t)(b + tile) * (T::ROWS * T::COLUMNS / 4));
        sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
    }
    of_group[threadIdx.x] = sum;
    __syncthreads();
    // SOLUTION TODO: blocks from .. to have a piece of this tile (share_begin); theirs are in places b + tile, of
    // SOLUTION TODO: ROWS * COLUMNS / 4 quads each. Leave the group's sum in of_group[threadIdx.x].
    // SOLUTION END
    if (group > 0) {
        return;
    }
    for (int o = 1; o < groups; o++) {
        float4 more = of_group[o * quads + threadIdx.x];
        sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
    }
    int i0, j0, part = quad / T::THREADS; // quad `part` of thread quad % THREADS
    place at = place_of<T>(quad % T::THREADS);
    corner<T>(&s, tile, &i0, &j0);
    int v = part / (T::HIGH / 4), q = part % (T::HIGH / 4) * 4;
    int i = i0 + at.warp_row + at.row + q * T::DOWN,
        j = j0 + at.warp_column + at.column + v % 4 + v / 4 * 4 * T::ACROSS;
    const float four[4] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
    for (int e = 0; e < 4; e++) {
        if (i + e < g.m && j < g.n) {
            g.d_c[j * g.ld + i + e] = with_d(&g, j * g.ld + i + e, four[e]);
        }
    }
}

// ---- host ----

typedef void kernel(const gemm_part, const plan);

template <class T> static plan plan_of(const gemm_part *g) {
    plan s;
    s.down = (int)((g->m + T::ROWS - 1) / T::ROWS);
    s.tiles = s.down * (int)((g->n + T::COLUMNS - 1) / T::COLUMNS);
    s.steps = (int)((g->k + DEPTH - 1) / DEPTH);
    s.missing = s.steps * DEPTH - (int)g->k;
    s.cut = s.blocks = s.pieces = 0;
    return s;
}

// Whether quads of rows can be copied and stored at once.
static bool is_aligned(const gemm_part *g) {
    return g->m % 4 == 0 && g->ld % 4 == 0 && (uintptr_t)g->d_a % 16 == 0 &&
           (uintptr_t)g->d_c % 16 == 0;
}

// wide: for aligned products.
template <class T>
static int launch(kernel *wide, kernel *narrow, const gemm_part *g, plan s, int blocks) {
    kernel *chosen = is_aligned(g) ? wide : narrow;
    const int shared_bytes = T::STAGES * T::STAGE * 4;
    cudaError_t code = cudaFuncSetAttribute(
        (const void *)chosen, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    if (code != cudaSuccess) {
        return code;
    }
    chosen<<<(unsigned)blocks, T::THREADS, shared_bytes>>>(*g, s);
    return cudaGetLastError();
}

static int launch_large(const gemm_part *g) {
    plan s = plan_of<large>(g);
    return launch<large>(tiles<large, 16>, tiles<large, 4>, g, s, s.tiles);
}

// Tiles in pieces where they are few, else in shares.
template <class T> static int launch_cut(const gemm_part *g, int sms) {
    plan s = plan_of<T>(g);
    int64_t all = (int64_t)s.tiles * s.steps;
    const int most = GEMM_MOST_BLOCKS * PIECES_LEAST / (PIECES_LEAST + 1); // blocks + tiles fit
    int blocks = T::BLOCKS_AN_SM * sms < most ? T::BLOCKS_AN_SM * sms : most;
    if (all < (int64_t)blocks * SHARE_LEAST) {
        blocks = all < SHARE_LEAST ? 1 : (int)(all / SHARE_LEAST);
    }
    s.blocks = blocks;
    if (blocks / s.tiles < PIECES_LEAST) {
        s.cut = s.tiles % blocks;
        if (s.cut > 0 && s.tiles > blocks) {
            s.cut +=
                blocks; // then a share is longer than a tile, and a tile has two blocks at most
        }
        return launch<T>(shares<T, T::A_BYTES>, shares<T, 4>, g, s, blocks);
    }
    s.cut = s.tiles;
    s.pieces = blocks / s.tiles + 1;
    int code = launch<T>(shares<T, T::A_BYTES>, shares<T, 4>, g, s, blocks);
    if (code == cudaSuccess) {
        int groups = s.pieces > 32 ? 8 : s.pieces > 16 ? 4 : s.pieces > 8 ? 2 : 1;
        dim3 grid((unsigned)s.tiles, (unsigned)(T::ROWS * T::COLUMNS / 4 * groups / ADDERS));
        add_pieces<T><<<grid, ADDERS>>>(*g, s, groups);
        code = cudaGetLastError();
    }
    return code;
}

// ---- which kernel: the least estimate, in multiply-adds of large tiles ----
//
// From an H100: the rates of the smaller tiles, of that of large ones, also where A is copied by 4
// bytes; what a slim product reads, at 45 multiply-adds a word; a launch costs what 65 million
// multiply-adds do.
#define LAUNCH_COST 65e6

// A shape of tile for the products that large ones do not suit.
typedef struct shape {
    int (*launch)(const gemm_part *g, int sms);
    int rows, columns;
    double aligned_rate, odd_rate;
} shape;

static const shape shapes[] = {
    {launch_cut<small>, small::ROWS, small::COLUMNS, 0.95, 0.87},
    {launch_cut<low>, low::ROWS, low::COLUMNS, 0.90, 0.83},
    {launch_cut<slender>, slender::ROWS, slender::COLUMNS, 0.92, 0.84},
    {launch_cut<flat_tile>, flat_tile::ROWS, flat_tile::COLUMNS, 0.62, 0.62},
};

static double cost_of(const shape *s, const gemm_part *g) {
    int64_t down = (g->m + s->rows - 1) / s->rows, across = (g->n + s->columns - 1) / s->columns;
    return (double)(down * across) * GEMM_TILE_AREA * (double)g->k /
           (is_aligned(g) ? s->aligned_rate : s->odd_rate);
}

static const shape *best_shape(const gemm_part *g) {
    const shape *best = &shapes[0];
    for (size_t i = 1; i < sizeof shapes / sizeof shapes[0]; i++) {
        best = cost_of(&shapes[i], g) < cost_of(best, g) ? &shapes[i] : best;
    }
    return best;
}

static double cost_large(const gemm_part *g, int sms) {
    int64_t rounds =
        (plan_of<large>(g).tiles + sms - 1) / sms; // of the SMs; the last one is not full
    return (double)(rounds * sms) * large::ROWS * large::COLUMNS * (double)g->k;
}

static double cost_small(const gemm_part *g) {
    if (is_slim(g)) {
        return 45.0 * (double)(g->m < g->n ? g->n : g->m) * (double)g->k + LAUNCH_COST;
    }
    return cost_of(best_shape(g), g) + LAUNCH_COST;
}

static int run_small(const gemm_part *g, int sms) {
    return is_slim(g) ? launch_slim(g, sms) : best_shape(g)->launch(g, sms);
}

// A product of many tiles. It may pay to compute the rows and columns beyond the last whole large
// tile by themselves.
static int run(const gemm_part *g, int sms) {
    int64_t rows[2] = {g->m, g->m / large::ROWS * large::ROWS};
    int64_t columns[2] = {g->n, g->n / large::COLUMNS * large::COLUMNS};
    double least = cost_small(g);
    gemm_part inner = *g, below = *g, beside = *g;
    bool is_large = false;
    for (int c = 0; c < 4; c++) {
        int64_t m = rows[c / 2], n = columns[c % 2];
        gemm_part in = gemm_part_of(g, 0, 0, m, n), low = gemm_part_of(g, m, 0, g->m - m, g->n),
                  side = gemm_part_of(g, 0, n, m, g->n - n);
        double cost = m == 0 || n == 0 ? least : cost_large(&in, sms);
        cost += low.m > 0 ? cost_small(&low) : 0.0;
        cost += side.n > 0 ? cost_small(&side) : 0.0;
        if (cost < least) {
            least = cost;
            inner = in;
            below = low;
            beside = side;
            is_large = true;
        }
    }
    if (!is_large) {
        return run_small(g, sms);
    }
    int code = launch_large(&inner);
    if (code == cudaSuccess && below.m > 0) {
        code = run_small(&below, sms);
    }
    if (code == cudaSuccess && beside.n > 0) {
        code = run_small(&beside, sms);
    }
    return code;
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
    const gemm_part whole = gemm_whole(task);
    int device = 0, sms = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess) {
        code = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    }
    if (code != cudaSuccess) {
        return code;
    }
    return is_slim(&whole) ? run_small(&whole, sms) : run(&whole, sms);
}
