// SPDX-License-Identifier: MIT
// Given to lab 13's step 11: the kinds of blocks, what they share, which jobs there are and where
// each lies; what D's strips need; and on the host the plans, the copies of factors, and launches
// that follow each other closely. Copies, products, stores and the choice of a plan are the step's.
#pragma once

#include "boxes.cuh"

#define DEPTH      BOX_COLUMNS // of a tile: rows of 128 bytes
#define PART       16          // depth of a product
#define ROWS       64          // of a product
#define GROUP      128         // threads of a warp group
#define WARPS      (GROUP / WARP)
#define CONSUMERS  2
#define THREADS    ((CONSUMERS + 1) * GROUP) // group 0 is the producer
#define STRIP_ROWS 16                        // rows of D that a warp has the sums of, and
#define STRIP(out) (128 / (int)sizeof(out))  // columns of them that leave at once
#define ADDERS     256                       // threads of a block that adds up parts
#define SECTOR     16                        // elements in 32 bytes, the least that a cache reads
#define BAND       8 // rows of tiles that follow each other, column by column

// A kind of block, with tiles of HEIGHT x WIDTH sums. Both consumers work TOGETHER at a tile, each
// with half of its rows; or they alternate, and have whole tiles. What is left of 227 KiB of shared
// memory beside the strips is for stages. PLAIN: rows in memory lie along k, and D has floats.
// Other blocks can do that as well, but their code is twice as long, and has to be fetched: at
// 1,536 rows an H200 took a seventh longer with it. Of the blocks of a CLUSTER so many DOWN share
// what they copy of B, and so many ACROSS what they copy of A; or, SPLIT, a tile: each has a part
// of its depth.
template <int height, int width, bool together, bool plain, int down, int across, int deep>
struct kind {
    static constexpr int HEIGHT = height, WIDTH = width, DOWN = down, ACROSS = across;
    static constexpr int CLUSTER = down * across * deep;
    static constexpr bool TOGETHER = together, PLAIN = plain, SPLIT = deep > 1;
    static constexpr int SHARERS = down + across - 1;        // blocks that a stage's boxes go to
    static constexpr int USERS = together ? CONSUMERS : 1;   // consumers of a stage
    static constexpr int EMPTIERS = USERS * SHARERS * WARPS; // warps that empty it
    static constexpr int HALVES = height / ROWS / USERS;     // times ROWS rows that each multiplies
    static constexpr int SUMS = HALVES * width / 2;          // per thread
    static constexpr int STRIPS = 2;                         // per warp
    // Of so many rounds the products may be under way when those of the next one begin: a consumer
    // hears 200 cycles later that they are done, and a small tile's round takes no longer.
    static constexpr int BEHIND = height * width < 128 * 112 ? 2 : 1;
    static constexpr int STAGE_BYTES = (height + width) * DEPTH * 2;
    static constexpr int FOR_STAGES = 227 * 1024 - CONSUMERS * WARPS * STRIPS * 2048 - 1024;
    static constexpr int STAGES = FOR_STAGES / STAGE_BYTES < 8 ? FOR_STAGES / STAGE_BYTES : 8;
    // Whether the first product of a tile overwrites sum. (With 192 sums registers run out.)
    static constexpr bool OVERWRITES = SUMS <= 128;
};

// A box of A and one of B.
template <typename element, typename K> struct stage {
    element a[K::HEIGHT][DEPTH], b[K::WIDTH][DEPTH];
};

template <typename element, typename K> struct shared {
    stage<element, K> stages[K::STAGES];
    // on their way to D, swizzled as boxes are
    float strips[CONSUMERS][WARPS][K::STRIPS][STRIP_ROWS][STRIP(float)];
    barrier full[K::STAGES];     // a phase: both boxes of a round have arrived
    barrier empty[K::STAGES];    // a phase: its consumers have multiplied them
    barrier handover[CONSUMERS]; // a phase: the other one needs no more boxes for its tile, if
                                 // they alternate
};

// What has to be done: tiles of a kind's height and width, of so many rounds. The first `whole`
// tiles are jobs, and so are the `parts` parts of each other one, whose sums go to `sums`. d: D,
// m x n; the last tiles may reach beyond it. boxes: it can be stored in boxes. narrow: of elements
// as the factors have. per_..: 1 over the tiles of a band, the rows of a last band that is lower,
// the cut tiles, parts.
struct work {
    int rows, columns, rounds, whole, parts, m, n;
    float per_band, per_last, per_cut, per_parts;
    float *sums;
    void *d;
    bool boxes, narrow, a_by_columns, b_by_rows;
};

// What a block does next: a tile, or a part of one, from a round on. to: the row where its sums
// are stored, of D, or of the parts of tiles, which lie below each other.
struct job {
    int row, column, first, rounds, to;
    bool is_part;
};

// Where sums go that m rows and n columns have.
struct target {
    const tensor_gemm_map *map;
    int m, n;
};

// The threads of one consumer, of which no other may call it, wait for each other.
__device__ __forceinline__ void sync_group() {
    asm volatile("bar.sync 1, %0;" : : "n"(GROUP) : "memory");
}

template <int registers> __device__ __forceinline__ void give_registers_back() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(registers));
}
template <int registers> __device__ __forceinline__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(registers));
}

// The next kernel that launch_after starts may do what does not depend on this one.
__device__ __forceinline__ void let_the_next_start() {
    asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
}

// Fetches a map before a box needs it.
__device__ __forceinline__ void fetch_map(const tensor_gemm_map *map) {
    asm volatile("prefetch.tensormap [%0];" : : "l"(map) : "memory");
}

// Waits for the kernel before to be done, where launch_after has started this one.
__device__ __forceinline__ void wait_for_the_one_before() {
    asm volatile("griddepcontrol.wait;" : : : "memory");
}

__host__ __device__ __forceinline__ int cut_tiles(work w) {
    return w.rows * w.columns - w.whole;
}

__host__ __device__ __forceinline__ int jobs_of(work w) {
    return w.whole + cut_tiles(w) * w.parts;
}

// number / x, where per_x is 1 / x, for numbers below 2^22. (The first box waits for it; a division
// of integers takes 30 instructions, which with a cold L2 have to be fetched from memory.)
__device__ __forceinline__ int quotient(int number, float per_x) {
    return (int)(((float)number + 0.5f) * per_x);
}

// Row and column of a tile, in tiles. They follow each other in bands, as in step 10.
__device__ __forceinline__ int2 place_of(work w, int tile) {
    int band = quotient(tile, w.per_band), inside = tile - band * BAND * w.columns;
    int rows = min(BAND, w.rows - band * BAND); // the last band may be lower
    int column = rows == BAND ? inside / BAND : quotient(inside, w.per_last);
    return make_int2(band * BAND + inside - column * rows, column);
}

__device__ __forceinline__ float4 add(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Stores the first `count` of four sums, at most all.
template <typename out> __device__ __forceinline__ void put(out *to, int count, float4 sum) {
    if (sizeof(out) == sizeof(sum.x) && (uintptr_t)to % sizeof sum == 0 && count >= 4) {
        *(float4 *)to = sum;
        return;
    }
    const float each[] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i < count) to[i] = (out)each[i];
}

// The whole tiles, then part after part of the others.
template <typename K> __device__ __forceinline__ job find_job(work w, int number) {
    int tile = number, first = 0, end = w.rounds, i = number - w.whole;
    if (i >= 0) {
        int part = quotient(i, w.per_cut);
        tile = number - part * cut_tiles(w);
        first = quotient(w.rounds * part, w.per_parts);
        end = quotient(w.rounds * (part + 1), w.per_parts);
    }
    if (K::SPLIT) {
        int rank = rank_in_cluster(), rounds = end - first;
        end = first + rounds * (rank + 1) / K::CLUSTER;
        first += rounds * rank / K::CLUSTER;
    }
    int2 at = place_of(w, tile);
    int beside = at.x / K::DOWN % K::ACROSS; // in a cluster: column by column
    int row = (at.x / (K::DOWN * K::ACROSS) * K::DOWN + at.x % K::DOWN) * K::HEIGHT;
    return {row,
            (at.y * K::ACROSS + beside) * K::WIDTH,
            first,
            end - first,
            i < 0 ? row : i * K::HEIGHT,
            i >= 0};
}

// The block for which this lane empties stages, of those that copy to this one's: of the same
// columns, then of the same rows. -1: for none.
template <typename K> __device__ __forceinline__ int block_to_tell() {
    int lane = threadIdx.x % WARP, rank = K::CLUSTER > 1 ? rank_in_cluster() : 0;
    int column = rank / K::DOWN, i = lane - K::DOWN;
    if (lane >= K::SHARERS) return -1;
    return i < 0 ? column * K::DOWN + lane : rank % K::DOWN + (i + (i >= column)) * K::DOWN;
}

// The warp has multiplied the stage *at, which goes on. tell: as block_to_tell gives it.
template <typename element, typename K>
__device__ __forceinline__ void empty_stage(shared<element, K> *s, unsigned *at, int tell) {
    if (tell >= 0 && K::SHARERS == 1) arrive(&s->empty[*at]);
    if (tell >= 0 && K::SHARERS > 1) arrive_at(&s->empty[*at], tell);
    if (++*at == K::STAGES) *at = 0;
}

template <typename K> __device__ __forceinline__ void sync_blocks() {
    if (K::SHARERS > 1)
        sync_cluster();
    else
        __syncthreads();
}

// Puts a strip of a warp's sums, from column 8 first on, where a box has them. A pair of sums
// lies in chunk 2 w + lane % 4 / 2. Lanes of odd rows store their pairs in another order, w ^ 2 for
// w: in one order rows 0 and 1 would meet, whose chunks the swizzle only exchanges.
template <int width>
__device__ __forceinline__ void fill_strip(float (&strip)[STRIP_ROWS][STRIP(float)], int first,
                                           const float (&sum)[width / 2]) {
    int lane = threadIdx.x % WARP, row = lane / 4;
    bool odd = row % 2;
#pragma unroll
    for (int w = 0; w < STRIP(float) / 8; w++) {
        const int e = (first + w) * 4, f = (first + (w ^ 2)) * 4;
        int chunk = ((odd ? w ^ 2 : w) * 2 + lane % 4 / 2) ^ row % 8, at = chunk * 4 + lane % 2 * 2;
        *(float2 *)&strip[row][at] =
            make_float2(odd ? sum[f] : sum[e], odd ? sum[f + 1] : sum[e + 1]);
        *(float2 *)&strip[row + 8][at] =
            make_float2(odd ? sum[f + 2] : sum[e + 2], odd ? sum[f + 3] : sum[e + 3]);
    }
}

// The first column of a strip. The last one may begin in the strip before it, and stores some of
// its columns again.
template <int width, int strip> __device__ constexpr int first_of_strip(int i) {
    return i * strip < width - strip ? i * strip : width - strip;
}

template <int halves, int count>
__device__ __forceinline__ void set_to_0(float (&sum)[halves][count]) {
#pragma unroll
    for (int h = 0; h < halves; h++)
#pragma unroll
        for (int e = 0; e < count; e++) sum[h][e] = 0;
}

// Rows of `length` elements, which are to become rows of `pitch`, a multiple of EACH.
struct copy {
    const uint16_t *from;
    uint16_t *to;
    int64_t rows, length, pitch;
};

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

// The kinds of blocks, and what the host knows of each: height, width, whether both consumers work
// together, whether it is for plain layouts only (others would need more registers than there are,
// or are hardly ever better); how many blocks of a cluster share columns of B, rows of A, and the
// depth of a tile; and cycles on an H200, fitted to the times of the kinds over 90 to 5,300 shapes,
// of those that share rows of A to such whose rows begin within a sector: of a round, in which the
// tensor cores or the L2 are busy; of storing a tile; and more of them where no box can store its
// ragged rows.
#define KINDS(ROW)                                                                                 \
    ROW(128, 256, true, false, 1, 1, 1, 1202, 4341, 3874)                                          \
    ROW(128, 256, true, true, 2, 1, 1, 1198, 6140, 3592)                                           \
    ROW(128, 224, true, true, 2, 1, 1, 1088, 4590, 3592)                                           \
    ROW(256, 160, true, true, 1, 2, 1, 1551, 6250, 3874)                                           \
    ROW(192, 112, false, true, 1, 1, 1, 814, 5976, 1890)                                           \
    ROW(128, 192, false, true, 1, 1, 1, 900, 4713, 1897)                                           \
    ROW(128, 192, false, true, 2, 1, 1, 992, 4571, 2547)                                           \
    ROW(128, 160, false, true, 2, 2, 1, 800, 5385, 2430)                                           \
    ROW(128, 128, false, true, 4, 2, 1, 645, 4509, 1876)                                           \
    ROW(128, 176, false, true, 1, 1, 1, 823, 5889, 1578)                                           \
    ROW(128, 168, false, true, 1, 1, 1, 800, 5680, 1578)                                           \
    ROW(128, 160, true, true, 1, 1, 1, 777, 3200, 2430)                                            \
    ROW(128, 160, false, true, 1, 1, 1, 761, 4385, 2430)                                           \
    ROW(128, 144, false, true, 1, 1, 1, 718, 4593, 3077)                                           \
    ROW(128, 128, false, false, 1, 1, 1, 642, 3509, 1876)                                          \
    ROW(128, 112, false, true, 1, 1, 1, 599, 3764, 1890)                                           \
    ROW(128, 96, true, true, 1, 1, 1, 612, 1047, 765)                                              \
    ROW(128, 64, true, false, 1, 1, 1, 456, 1186, 1009)                                            \
    ROW(64, 160, false, true, 1, 1, 1, 541, 1650, 823)                                             \
    ROW(64, 128, false, false, 1, 1, 1, 433, 1325, 1808)                                           \
    ROW(64, 128, false, true, 1, 1, 4, 489, 4552, 0)                                               \
    ROW(64, 96, false, true, 1, 1, 1, 404, 1069, 524)                                              \
    ROW(64, 64, false, false, 1, 1, 1, 345, 889, 303)                                              \
    ROW(64, 64, false, true, 1, 1, 4, 345, 3558, 0)                                                \
    ROW(64, 64, false, true, 1, 1, 8, 360, 4273, 0)                                                \
    ROW(64, 32, false, true, 1, 1, 1, 269, 612, 158)

// Blocks of that kind that run at once. (Clusters of more than two leave 12 of an H200's
// 132 SMs without work: each lies in one part of the chip, and the parts differ in size.)
static int most_blocks(int cluster, int processors) {
    return (cluster > 2 ? processors * 10 / 11 : processors) / cluster * cluster;
}

struct offer {
    int height, width;
    bool together, plain_only;
    int down, across, deep;
    double round, store, ragged;
};

#define OFFER(...) {__VA_ARGS__},
static const offer offers[] = {KINDS(OFFER)};

// How D is formed: by blocks of which kind, how many tiles are computed whole, and into how many
// parts the others are cut, as in work.
struct plan {
    const offer *of;
    int64_t whole;
    int parts;
    double cycles;
};

// Whether rows in memory lie along k, and D has floats.
static bool is_plain(const tensor_gemm_task *g) {
    return !g->a_by_columns && !g->b_by_rows && !g->narrow;
}

// With blocks that share boxes tiles without elements of D may be among them.
static int64_t tiles_of(const tensor_gemm_task *g, const offer *o) {
    return divide_up(g->m, o->height * o->down) * o->down * divide_up(g->n, o->width * o->across) *
           o->across;
}

// Whether rows of factors begin within a sector.
static bool is_shifted(const tensor_gemm_task *g) {
    return is_plain(g) && g->k % SECTOR == EACH;
}

// Cycles of a round. Rows that begin within a sector arrive more slowly, 32 bytes per cycle.
static double round_of(const tensor_gemm_task *g, const offer *o) {
    double rows = o->height / (double)o->across + o->width / (double)o->down;
    double slow = rows * DEPTH * 2 / 32;
    return is_shifted(g) && slow > o->round ? slow : o->round;
}

// Cycles of a job that takes so many to store. Alternating consumers hide most of them.
static double cycles_of_job(const tensor_gemm_task *g, const offer *o, int64_t rounds,
                            double store) {
    double products = (double)rounds * round_of(g, o);
    if (o->together || o->deep > 1) return products + store;
    return products > 0.7 * store ? products : 0.7 * store;
}

// The fewer parts that are worth a try: those that give the busiest SM one job less, or, where it
// has one only, three quarters.
static int64_t fewer_parts(int64_t parts, int64_t cut, int processors) {
    int64_t jobs = divide_up(parts * cut, processors);
    return jobs > 1 ? (jobs - 1) * processors / cut : parts * 3 / 4;
}

// A or B as boxes find it: so many rows in memory. transposed: they do not lie along k.
struct factor {
    const uint16_t *first;
    int64_t rows, length;
    bool transposed;
};

// Whether its rows are copied to rows that are multiples of a box's: where boxes cannot start from
// their own; and, in other layouts than the plain one, where every second row of a box would begin
// within a sector, if a product reads it often enough.
static bool pays_to_repack(const tensor_gemm_task *g, const factor *f) {
    return f->length % EACH != 0 ||
           (f->length % SECTOR != 0 && !is_plain(g) && g->m * g->n > 1024 * (g->m + g->n));
}

// The copy of a factor that is copied, of 0 rows of one that is not. *f becomes what is multiplied;
// *free: where the workspace has room.
static copy copy_of(const tensor_gemm_task *g, factor *f, uint16_t **free) {
    if (!pays_to_repack(g, f)) return {NULL, NULL, 0, 0, 0};
    int64_t pitch = divide_up(f->length, BOX_COLUMNS) * BOX_COLUMNS;
    copy c = {f->first, *free, f->rows, f->length, pitch};
    f->first = *free;
    f->length = pitch;
    *free += f->rows * pitch;
    return c;
}

// Launches a kernel behind that of the last launch. after: it calls wait_for_the_one_before, and
// may start before that one is done. cluster: blocks of one.
template <typename... parameters, typename... values>
static int launch_after(bool after, int cluster, dim3 blocks, dim3 threads, size_t shared_bytes,
                        void (*kernel)(parameters...), values... v) {
    cudaLaunchAttribute with[2] = {};
    with[0].id = cudaLaunchAttributeClusterDimension;
    with[0].val.clusterDim = {(unsigned)cluster, 1, 1};
    with[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    with[1].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = blocks;
    c.blockDim = threads;
    c.dynamicSmemBytes = shared_bytes;
    c.attrs = cluster > 1 ? with : with + 1;
    c.numAttrs = (cluster > 1) + after;
    return cudaLaunchKernelEx(&c, kernel, parameters(v)...);
}
