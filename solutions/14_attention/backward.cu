// SPDX-License-Identifier: MIT
// The backward pass of attention on tensor cores: see backward.h. Two launches of one kernel, so
// that each sum belongs to one warp and no atomics are needed: blocks of keys meet all queries and
// give dK and dV, blocks of queries meet all keys and give dQ. Scores are computed twice for that:
// seven products instead of five.
#include "backward.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define WARP      32
#define WARPS     4  // per block
#define TILE      64 // rows of the other kind at a time
#define CHUNK     32 // of these, whose scores are in registers
#define LOG2_OF_E 1.44269504f

// "Own" rows are those of the block: keys or queries; "others" are those that they meet.
struct operands {
    const __half *own1, *own2;       // [heads][own_rows][WIDTH]: K and V, or Q and dO
    const __half *others1, *others2; // [heads][other_rows][WIDTH]: Q and dO, or K and V
    __half *out1, *out2;             // dK and dV, or dQ and none
    const float *logs, *row_d;       // [heads][queries]
    int own_rows, other_rows;
    bool causal;
    int shift; // keys - queries
    float scale;
};

__device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

// ---- instructions ----

__device__ __forceinline__ void load_matrices(unsigned address, unsigned (&r)[4]) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

__device__ __forceinline__ void load_transposed(unsigned address, unsigned (&r)[4]) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

// d [16][8] += a [16][16] b [16][8]
__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                         unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// 16 bytes to shared memory; zeros unless `there`.
__device__ __forceinline__ void copy(unsigned to, const __half *from, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                 "r"(there ? 16 : 0)
                 : "memory");
}

__device__ __forceinline__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

__device__ __forceinline__ void wait_for_all() {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

__device__ __forceinline__ unsigned pack(float x, float y) {
    __half2 both = __floats2half2_rn(x, y);
    return *(unsigned *)&both;
}

// ---- tiles in shared memory: chunk c of 16 bytes of row r lies at index c ^ r % 8 ----

template <int WIDTH> __device__ __forceinline__ unsigned chunk_at(unsigned tile, int row, int c) {
    return tile + (unsigned)(row * WIDTH * 2 + (c ^ row % 8) * 16);
}

template <int WIDTH>
__device__ void copy_tile(unsigned tile, const __half *from, int first, int rows, int there) {
    const int chunks = WIDTH / 8;
    for (int i = threadIdx.x; i < rows * chunks; i += WARPS * WARP) {
        const int r = i / chunks, c = i % chunks;
        const bool in = first + r < there;
        copy(chunk_at<WIDTH>(tile, r, c), from + (int64_t)(in ? first + r : 0) * WIDTH + c * 8, in);
    }
}

// A fragment of a [16][16] part whose first row is `row` and whose first chunk is c: lanes 0..15
// point to the rows of its left half, 16..31 to those of its right half.
template <int WIDTH>
__device__ __forceinline__ void load_a(unsigned tile, int row, int c, unsigned (&a)[4]) {
    const int lane = threadIdx.x % WARP;
    load_matrices(chunk_at<WIDTH>(tile, row + lane % 16, c + lane / 16), a);
}

// B fragments of 16 rows of a tile as columns, 16 of whose elements are multiplied: b[0], b[1] of
// rows 0..7, b[2], b[3] of rows 8..15.
template <int WIDTH>
__device__ __forceinline__ void load_b(unsigned tile, int row, int c, unsigned (&b)[4]) {
    const int lane = threadIdx.x % WARP;
    load_matrices(chunk_at<WIDTH>(tile, row + lane % 8 + lane / 16 * 8, c + lane / 8 % 2), b);
}

// B fragments of 16 rows of a tile as rows: b[0], b[1] of columns 0..7, b[2], b[3] of 8..15.
template <int WIDTH>
__device__ __forceinline__ void load_b_rows(unsigned tile, int row, int c, unsigned (&b)[4]) {
    const int lane = threadIdx.x % WARP;
    load_transposed(chunk_at<WIDTH>(tile, row + lane % 16, c + lane / 16), b);
}

// ---- the kernel ----

template <int WIDTH> struct plan {
    static const int PARTS = WIDTH == 64 ? 2 : 1; // of 16 rows, per warp
    static const int OWN = WARPS * PARTS * 16;    // rows per block
    static const int OWN_BYTES = OWN * WIDTH * 2, TILE_BYTES = TILE * WIDTH * 2;
    static const int BYTES = 2 * OWN_BYTES + 2 * (2 * TILE_BYTES + 2 * TILE * (int)sizeof(float));
};

// Which others the own rows [first, first + OWN) meet.
struct range {
    int from, to;
};

template <int WIDTH, bool KEYS> __device__ range meets(const operands &o, int first) {
    range r = {0, o.other_rows};
    if (!o.causal) return r;
    if (KEYS) {
        r.from = max(0, first - o.shift) / TILE * TILE;
    } else {
        const int last = min(first + plan<WIDTH>::OWN, o.own_rows) - 1;
        r.to = min(max(last + o.shift + 1, 0), o.other_rows);
    }
    return r;
}

// Whether query and key of these two rows see each other.
template <bool KEYS> __device__ __forceinline__ bool sees(const operands &o, int own, int other) {
    const int i = KEYS ? other : own, j = KEYS ? own : other;
    return own < o.own_rows && other < o.other_rows && (!o.causal || j <= i + o.shift);
}

// A warp's sums, and what it meets at the moment.
template <int WIDTH> struct sums {
    float one[plan<WIDTH>::PARTS][WIDTH / 8][4], two[plan<WIDTH>::PARTS][WIDTH / 8][4];
};

// s = own1 others1^T, dp = own2 others2^T: of CHUNK others.
template <int WIDTH>
__device__ void scores(unsigned own, unsigned tile, int row, int column,
                       float (&s)[plan<WIDTH>::PARTS][CHUNK / 8][4],
                       float (&dp)[plan<WIDTH>::PARTS][CHUNK / 8][4]) {
    const int parts = plan<WIDTH>::PARTS;
#pragma unroll
    for (int k = 0; k < WIDTH / 16; k++) {
        unsigned a1[parts][4], a2[parts][4];
#pragma unroll
        for (int p = 0; p < parts; p++) {
            load_a<WIDTH>(own, row + 16 * p, 2 * k, a1[p]);
            load_a<WIDTH>(own + plan<WIDTH>::OWN_BYTES, row + 16 * p, 2 * k, a2[p]);
        }
#pragma unroll
        for (int n = 0; n < CHUNK / 16; n++) {
            unsigned b1[4], b2[4];
            load_b<WIDTH>(tile, column + 16 * n, 2 * k, b1);
            load_b<WIDTH>(tile + plan<WIDTH>::TILE_BYTES, column + 16 * n, 2 * k, b2);
#pragma unroll
            for (int p = 0; p < parts; p++) {
                multiply(s[p][2 * n], a1[p], b1[0], b1[1]);
                multiply(s[p][2 * n + 1], a1[p], b1[2], b1[3]);
                multiply(dp[p][2 * n], a2[p], b2[0], b2[1]);
                multiply(dp[p][2 * n + 1], a2[p], b2[2], b2[3]);
            }
        }
    }
}

// Element e of an accumulator: row e / 2 * 8 + lane / 4, column 2 (lane % 4) + e % 2. s becomes the
// probabilities, dp becomes dS. logs: in base 2.
template <int WIDTH, bool KEYS>
__device__ void probabilities(const operands &o, bool all, int own, int other, const float *logs,
                              const float *row_d, float (&s)[plan<WIDTH>::PARTS][CHUNK / 8][4],
                              float (&dp)[plan<WIDTH>::PARTS][CHUNK / 8][4]) {
    const int lane = threadIdx.x % WARP;
#pragma unroll
    for (int p = 0; p < plan<WIDTH>::PARTS; p++)
#pragma unroll
        for (int n = 0; n < CHUNK / 8; n++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int r = 16 * p + e / 2 * 8 + lane / 4, c = 8 * n + lane % 4 * 2 + e % 2;
                const int query = KEYS ? c : r;
                float x = exp2f(s[p][n][e] * (o.scale * LOG2_OF_E) - logs[query]);
                if (!all && !sees<KEYS>(o, own + r, other + c)) x = 0.0f;
                s[p][n][e] = x;
                dp[p][n][e] = x * (dp[p][n][e] - row_d[query]);
            }
}

// sum += x others, x: [16 PARTS][CHUNK] as halves.
template <int WIDTH>
__device__ void add(unsigned tile, int column, const float (&x)[plan<WIDTH>::PARTS][CHUNK / 8][4],
                    float (&sum)[plan<WIDTH>::PARTS][WIDTH / 8][4]) {
    const int parts = plan<WIDTH>::PARTS;
#pragma unroll
    for (int k = 0; k < CHUNK / 16; k++) {
        unsigned a[parts][4];
#pragma unroll
        for (int p = 0; p < parts; p++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                a[p][e] = pack(x[p][2 * k + e / 2][e % 2 * 2], x[p][2 * k + e / 2][e % 2 * 2 + 1]);
#pragma unroll
        for (int n = 0; n < WIDTH / 16; n++) {
            unsigned b[4];
            load_b_rows<WIDTH>(tile, column + 16 * k, 2 * n, b);
#pragma unroll
            for (int p = 0; p < parts; p++) {
                multiply(sum[p][2 * n], a[p], b[0], b[1]);
                multiply(sum[p][2 * n + 1], a[p], b[2], b[3]);
            }
        }
    }
}

template <int WIDTH>
__device__ void store(const operands &o, __half *out, int first, float scale,
                      const float (&sum)[plan<WIDTH>::PARTS][WIDTH / 8][4]) {
    const int lane = threadIdx.x % WARP;
#pragma unroll
    for (int p = 0; p < plan<WIDTH>::PARTS; p++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int r = first + 16 * p + 8 * half + lane / 4;
            if (r >= o.own_rows) continue;
#pragma unroll
            for (int n = 0; n < WIDTH / 8; n++)
                *(unsigned *)(out + (int64_t)r * WIDTH + 8 * n + lane % 4 * 2) =
                    pack(scale * sum[p][n][2 * half], scale * sum[p][n][2 * half + 1]);
        }
}

// Of queries [first, first + rows): logs in base 2 and D; 0 where there is none.
__device__ void copy_numbers(const float *logs, const float *row_d, int first, int rows, int there,
                             float *to) {
    for (int r = threadIdx.x; r < rows; r += WARPS * WARP) {
        const bool in = first + r < there;
        to[r] = in ? LOG2_OF_E * logs[first + r] : 0.0f;
        to[rows + r] = in ? row_d[first + r] : 0.0f;
    }
}

template <int WIDTH, bool KEYS>
__global__ void __launch_bounds__(WARPS *WARP, 2) backward(operands o) {
    typedef plan<WIDTH> plan;
    extern __shared__ __align__(128) char memory[];
    const unsigned own = shared_address(memory);
    const int block = KEYS ? blockIdx.x : gridDim.x - 1 - blockIdx.x; // the longest first
    const int first = block * plan::OWN, warp_row = threadIdx.x / WARP * 16 * plan::PARTS;
    const int64_t before = (int64_t)blockIdx.y * o.own_rows * WIDTH;
    const int64_t others_before = (int64_t)blockIdx.y * o.other_rows * WIDTH;
    const int queries = KEYS ? o.other_rows : o.own_rows;
    const float *logs = o.logs + (int64_t)blockIdx.y * queries;
    const float *row_d = o.row_d + (int64_t)blockIdx.y * queries;
    const range r = meets<WIDTH, KEYS>(o, first);
    // Two stages: two tiles each, then what belongs to queries, of the others or once of the own
    // rows.
    const int stage_bytes = 2 * plan::TILE_BYTES;
    const unsigned stages = own + 2 * plan::OWN_BYTES;
    float *numbers = (float *)(memory + 2 * plan::OWN_BYTES + 2 * stage_bytes);
    sums<WIDTH> sum = {};

    copy_tile<WIDTH>(own, o.own1 + before, first, plan::OWN, o.own_rows);
    copy_tile<WIDTH>(own + plan::OWN_BYTES, o.own2 + before, first, plan::OWN, o.own_rows);
    if (!KEYS) copy_numbers(logs, row_d, first, plan::OWN, queries, numbers);
    for (int t = r.from - TILE; t < r.to; t += TILE) { // the first iteration only copies
        const int next = t + TILE, stage = next / TILE % 2;
        wait_for_all();
        __syncthreads(); // tile t is there, and nobody reads the one before it any more
        if (next < r.to) {
            const unsigned to = stages + (unsigned)(stage * stage_bytes);
            copy_tile<WIDTH>(to, o.others1 + others_before, next, TILE, o.other_rows);
            copy_tile<WIDTH>(to + plan::TILE_BYTES, o.others2 + others_before, next, TILE,
                             o.other_rows);
            if (KEYS) copy_numbers(logs, row_d, next, TILE, queries, numbers + stage * 2 * TILE);
            commit();
        }
        if (t < r.from) continue;
        const unsigned tile = stages + (unsigned)((1 - stage) * stage_bytes);
        const float *of_tile = numbers + (1 - stage) * 2 * TILE;
        for (int c = 0; c < TILE; c += CHUNK) {
            float s[plan::PARTS][CHUNK / 8][4] = {}, dp[plan::PARTS][CHUNK / 8][4] = {};
            const int row = first + warp_row, column = t + c;
            const bool all = sees<KEYS>(o, KEYS ? row + 16 * plan::PARTS - 1 : row,
                                        KEYS ? column : column + CHUNK - 1) &&
                             row + 16 * plan::PARTS <= o.own_rows && column + CHUNK <= o.other_rows;
            scores<WIDTH>(own, tile, warp_row, c, s, dp);
            probabilities<WIDTH, KEYS>(o, all, row, column, KEYS ? of_tile + c : numbers + warp_row,
                                       KEYS ? of_tile + TILE + c : numbers + plan::OWN + warp_row,
                                       s, dp);
            add<WIDTH>(tile, c, dp, sum.one);
            if (KEYS) add<WIDTH>(tile + plan::TILE_BYTES, c, s, sum.two);
        }
    }
    store<WIDTH>(o, o.out1 + before, first + warp_row, o.scale, sum.one);
    if (KEYS) store<WIDTH>(o, o.out2 + before, first + warp_row, 1.0f, sum.two);
}

// D of each query, by a warp.
__global__ void rows_of_d(const __half *o, const __half *d_o, int64_t rows, int width,
                          float *row_d) {
    const int64_t r = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    if (r >= rows) return;
    float sum = 0.0f;
    for (int c = threadIdx.x % WARP * 2; c < width; c += 2 * WARP) {
        const float2 x = __half22float2(*(const __half2 *)(o + r * width + c));
        const float2 y = __half22float2(*(const __half2 *)(d_o + r * width + c));
        sum += x.x * y.x + x.y * y.y;
    }
    for (int d = WARP / 2; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % WARP == 0) row_d[r] = sum;
}

template <int WIDTH, bool KEYS> static int launch(const operands &o, int64_t heads) {
    if (o.own_rows == 0) return cudaSuccess;
    const int bytes = plan<WIDTH>::BYTES;
    cudaError_t code = cudaFuncSetAttribute(backward<WIDTH, KEYS>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (code != cudaSuccess) return code;
    const dim3 grid((unsigned)((o.own_rows + plan<WIDTH>::OWN - 1) / plan<WIDTH>::OWN),
                    (unsigned)heads);
    backward<WIDTH, KEYS><<<grid, WARPS * WARP, bytes>>>(o);
    return cudaGetLastError();
}

template <int WIDTH> static int both(const attention_backward_task *t) {
    const __half *q = (const __half *)t->d_q, *k = (const __half *)t->d_k,
                 *v = (const __half *)t->d_v, *d_o = (const __half *)t->d_do;
    const int queries = (int)t->queries, keys = (int)t->keys;
    const float scale = WIDTH == 64 ? 0.125f : 0.088388348f;
    const operands of_keys = {
        k,        v,        q,    d_o,     (__half *)t->d_dk, (__half *)t->d_dv,
        t->d_log, t->d_row, keys, queries, t->causal != 0,    keys - queries,
        scale};
    const operands of_queries = {
        q,        d_o,      k,       v,    (__half *)t->d_dq, NULL,
        t->d_log, t->d_row, queries, keys, t->causal != 0,    keys - queries,
        scale};
    const int64_t rows = t->heads * t->queries;
    if (rows > 0)
        rows_of_d<<<(unsigned)((rows + WARPS - 1) / WARPS), WARPS * WARP>>>(
            (const __half *)t->d_o, d_o, rows, WIDTH, t->d_row);
    const int code = launch<WIDTH, true>(of_keys, t->heads);
    return code != cudaSuccess ? code : launch<WIDTH, false>(of_queries, t->heads);
}

extern "C" int attention_backward(const attention_backward_task *t) {
    if ((t->width != 64 && t->width != 128) || t->heads < 0 || t->queries < 0 || t->keys < 0)
        return cudaErrorInvalidValue;
    if (t->heads == 0) return cudaSuccess;
    return t->width == 64 ? both<64>(t) : both<128>(t);
}
