// Times ten more kernels with bulk copies and products of warp groups (bench.cuh): other tiles,
// types, clusters and ways to store than pipelines.cu. The modelled times of modelled_fresh_*.csv
// were stored before a card had run them.
#include "bench.cuh"

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <math.h>

typedef __half half;
typedef __nv_bfloat16 brain;
typedef __nv_fp8_e4m3 byte;
typedef float tf32;

// ---- Products by type ----

#define D128(d)  D32(d, 0), D32(d, 32), D32(d, 64), D32(d, 96)
#define NAMES_32 "{" REGISTERS_32 "}"
#define NAMES_64 "{" REGISTERS_64 "}"
#define NAMES_128                                                                                  \
    "{" REGISTERS_64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,"   \
    "%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,"      \
    "%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,"   \
    "%121,%122,%123,%124,%125,%126,%127}"

#define WGMMA(type, n, shape, names, tail, ...)                                                    \
    static __device__ inline void multiply(type, float(&d)[n / 2], uint64_t a, uint64_t b) {       \
        asm volatile("wgmma.mma_async.sync.aligned." shape " " names tail:__VA_ARGS__              \
                     : "l"(a), "l"(b));                                                            \
    }
WGMMA(half, 64, "m64n64k16.f32.f16.f16", NAMES_32, ", %32, %33, 1, 1, 1, 0, 0;", D32(d, 0))
WGMMA(half, 128, "m64n128k16.f32.f16.f16", NAMES_64, ", %64, %65, 1, 1, 1, 0, 0;", D32(d, 0),
      D32(d, 32))
WGMMA(half, 256, "m64n256k16.f32.f16.f16", NAMES_128, ", %128, %129, 1, 1, 1, 0, 0;", D128(d))
WGMMA(brain, 128, "m64n128k16.f32.bf16.bf16", NAMES_64, ", %64, %65, 1, 1, 1, 0, 0;", D32(d, 0),
      D32(d, 32))
WGMMA(brain, 256, "m64n256k16.f32.bf16.bf16", NAMES_128, ", %128, %129, 1, 1, 1, 0, 0;", D128(d))
WGMMA(byte, 128, "m64n128k32.f32.e4m3.e4m3", NAMES_64, ", %64, %65, 1, 1, 1;", D32(d, 0),
      D32(d, 32))
WGMMA(tf32, 128, "m64n128k8.f32.tf32.tf32", NAMES_64, ", %64, %65, 1, 1, 1;", D32(d, 0), D32(d, 32))

// B, whose rows lie along N, is transposed.
static __device__ inline void multiply_values(float (&d)[32], const uint32_t (&a)[4], uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NAMES_32
                 ", {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : D32(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

static __device__ inline void cluster_barrier(void) {
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

static __device__ inline uint8_t *aligned(uint8_t *raw) {
    return raw + (1024 - shared_of(raw) % 1024) % 1024;
}

template <int COUNT> static __device__ inline void clear(float (&d)[COUNT]) {
    for (int i = 0; i < COUNT; i++) d[i] = 0;
}

// A warp group's sums into rows of `pitch` floats, the first of them at `to`.
template <int N>
static __device__ inline void store_sums(const float (&d)[N / 2], float *to, int pitch) {
    const int thread = threadIdx.x % 128, row = thread / 32 * 16 + thread % 32 / 4;
    for (int i = 0; i < N / 8; i++)
        for (int lower = 0; lower < 2; lower++)
            *(float2 *)(to + (size_t)(row + 8 * lower) * pitch + 8 * i + thread % 4 * 2) =
                make_float2(d[4 * i + 2 * lower], d[4 * i + 2 * lower + 1]);
}

#define ARGUMENTS                                                                                  \
    const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y,                  \
        const __grid_constant__ CUtensorMap z, float *to, int m, int n, int k

// ---- Without a producer warp ----

// C = A B: A [M][K], B [N][K]; the stage just read is filled again by a thread of the last warp.
template <class T, int GROUPS, int N, int STAGES>
static __device__ inline void filled_by_readers(const CUtensorMap *a_map, const CUtensorMap *b_map,
                                                float *c, int n, int k) {
    extern __shared__ uint8_t raw[];
    __shared__ uint64_t full[STAGES];
    enum {
        K = 128 / sizeof(T),
        A_BYTES = GROUPS * 64 * 128,
        STAGE = A_BYTES + N * 128,
        LOADER = GROUPS * 128 - 32
    };
    uint8_t *tiles = aligned(raw);
    const int row = blockIdx.y * 64 * GROUPS, column = blockIdx.x * N, steps = k / K;
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    float d[N / 2];
    clear(d);
    if (threadIdx.x == LOADER) {
        for (int s = 0; s < STAGES; s++) bar_init(&full[s], 1);
        bar_fence();
    }
    __syncthreads();
    auto load = [&](int step, int s) {
        bar_expect(&full[s], STAGE);
        load_box(tiles + s * STAGE, a_map, step * K, row, &full[s]);
        load_box(tiles + s * STAGE + A_BYTES, b_map, step * K, column, &full[s]);
    };
    if (threadIdx.x == LOADER)
        for (int step = 0; step < STAGES; step++) load(step, step);
    for (int step = 0, s = 0, parity = 0; step < steps; step++) {
        const uint8_t *a = tiles + s * STAGE + group * 64 * 128, *b = tiles + s * STAGE + A_BYTES;
        bar_wait(&full[s], parity);
        product_fence();
        for (int i = 0; i < 4; i++)
            multiply(T(), d, descriptor<128>(a) + 2 * i, descriptor<128>(b) + 2 * i);
        product_commit();
        product_wait<0>();
        __syncthreads();
        if (threadIdx.x == LOADER && step + STAGES < steps) load(step + STAGES, s);
        if (++s == STAGES) {
            s = 0;
            parity ^= 1;
        }
    }
    store_sums<N>(d, c + (size_t)(row + 64 * group) * n + column, n);
}

static __global__ void __launch_bounds__(128) brain_1_stage(ARGUMENTS) {
    filled_by_readers<brain, 1, 256, 1>(&x, &y, to, n, k);
}
static __global__ void __launch_bounds__(256) tf32_2_stages(ARGUMENTS) {
    filled_by_readers<tf32, 2, 128, 2>(&x, &y, to, n, k);
}

// ---- With a producer warp ----

// A ring of stages, as its producer and its readers go through it.
typedef struct ring {
    int stage, parity;
} ring;
template <int STAGES> static __device__ inline void next(ring *at) {
    if (++at->stage < STAGES) return;
    at->stage = 0;
    at->parity ^= 1;
}

template <int STAGES>
static __device__ inline void start(uint64_t *full, uint64_t *empty, int readers) {
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            bar_init(&full[s], 1);
            bar_init(&empty[s], readers);
        }
        bar_fence();
    }
    __syncthreads();
}

// In clusters of CX x CY blocks those of a row share the tile of A and those of a column that of B;
// each loads a part of both for all of them. A thread for each of these blocks says that a stage
// has been read.
template <class T, int GROUPS, int N, int STAGES, int CX, int CY>
static __device__ inline void fed_by_a_warp(const CUtensorMap *a_map, const CUtensorMap *b_map,
                                            float *c, int n, int k) {
    extern __shared__ uint8_t raw[];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    enum {
        K = 128 / sizeof(T),
        A_ROWS = GROUPS * 64,
        A_BYTES = A_ROWS * 128,
        STAGE = A_BYTES + N * 128,
        CLUSTER = CX * CY,
        RECEIVERS = CX + CY - 1
    };
    uint8_t *tiles = aligned(raw);
    const int row = blockIdx.y * A_ROWS, column = blockIdx.x * N, steps = k / K;
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0), thread = threadIdx.x % 128;
    const int rx = blockIdx.x % CX, ry = blockIdx.y % CY;
    start<STAGES>(full, empty, GROUPS * RECEIVERS);
    if (CLUSTER > 1) cluster_barrier();
    if (group == GROUPS) {
        ring at = {0, 1};
        for (int step = 0; thread == 0 && step < steps; step++, next<STAGES>(&at)) {
            uint64_t *bar = &full[at.stage];
            uint8_t *a = tiles + at.stage * STAGE, *b = a + A_BYTES;
            bar_wait(&empty[at.stage], at.parity);
            bar_expect(bar, STAGE);
            if (CX == 1) load_box(a, a_map, step * K, row, bar);
            else
                load_box_for(((1 << CX) - 1) << ry * CX, a + rx * A_BYTES / CX, a_map, step * K,
                             row + rx * A_ROWS / CX, bar);
            if (CY == 1) load_box(b, b_map, step * K, column, bar);
            else
                load_box_for(((1 << CLUSTER) - 1) / ((1 << CX) - 1) << rx, b + ry * N * 128 / CY,
                             b_map, step * K, column + ry * N / CY, bar);
        }
    } else {
        // The thread's block: of its row, then of its column.
        const int below = thread - CX + (thread - CX >= ry);
        const int receiver = thread >= RECEIVERS ? 0
                             : thread < CX       ? ry * CX + thread
                                                 : below * CX + rx;
        float d[N / 2];
        clear(d);
        ring at = {0, 0}, before = {0, 0};
        for (int step = 0; step < steps; step++, next<STAGES>(&at)) {
            const uint8_t *a = tiles + at.stage * STAGE + group * 64 * 128,
                          *b = tiles + at.stage * STAGE + A_BYTES;
            bar_wait(&full[at.stage], at.parity);
            product_fence();
            for (int i = 0; i < 4; i++)
                multiply(T(), d, descriptor<128>(a) + 2 * i, descriptor<128>(b) + 2 * i);
            product_commit();
            product_wait<1>();
            const bool wanted = step > 0 && thread < RECEIVERS;
            if (CLUSTER > 1) bar_arrive_at(&empty[before.stage], receiver, wanted);
            else bar_arrive(&empty[before.stage], wanted);
            before = at;
        }
        product_wait<0>();
        store_sums<N>(d, c + (size_t)(row + 64 * group) * n + column, n);
    }
    if (CLUSTER > 1) cluster_barrier();
}

static __global__ void __launch_bounds__(288) bytes_3_stages(ARGUMENTS) {
    fed_by_a_warp<byte, 2, 128, 3, 1, 1>(&x, &y, to, n, k);
}
static __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(288)
    half_3_stages_cluster_2(ARGUMENTS) {
    fed_by_a_warp<half, 2, 128, 3, 2, 1>(&x, &y, to, n, k);
}
static __global__ void __cluster_dims__(2, 2, 1) __launch_bounds__(160)
    brain_5_stages_cluster_4(ARGUMENTS) {
    fed_by_a_warp<brain, 1, 128, 5, 2, 2>(&x, &y, to, n, k);
}

// Blocks that stay: tiles of 128 x 256, a producer that gives registers to its readers.
static __global__ void __launch_bounds__(384) half_4_stages_stays(ARGUMENTS) {
    extern __shared__ uint8_t raw[];
    enum { STAGES = 4, K = 64, A_BYTES = 128 * 128, STAGE = A_BYTES + 256 * 128 };
    __shared__ uint64_t full[STAGES], empty[STAGES];
    uint8_t *tiles = aligned(raw);
    const int count = m / 128 * (n / 256), steps = k / K;
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    start<STAGES>(full, empty, 2);
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x) return;
        ring at = {0, 1};
        for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
            const int row = tile % (m / 128) * 128, column = tile / (m / 128) * 256;
            for (int step = 0; step < steps; step++, next<STAGES>(&at)) {
                uint8_t *a = tiles + at.stage * STAGE;
                bar_wait(&empty[at.stage], at.parity);
                bar_expect(&full[at.stage], STAGE);
                load_box(a, &x, step * K, row, &full[at.stage]);
                load_box(a + A_BYTES, &y, step * K, column, &full[at.stage]);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    ring at = {0, 0};
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
        const int row = tile % (m / 128) * 128, column = tile / (m / 128) * 256;
        float d[128];
        clear(d);
        for (int step = 0; step < steps; step++, next<STAGES>(&at)) {
            const uint8_t *a = tiles + at.stage * STAGE + (group - 1) * 64 * 128,
                          *b = tiles + at.stage * STAGE + A_BYTES;
            bar_wait(&full[at.stage], at.parity);
            product_fence();
            for (int i = 0; i < 4; i++)
                multiply(half(), d, descriptor<128>(a) + 2 * i, descriptor<128>(b) + 2 * i);
            product_commit();
            product_wait<0>();
            bar_arrive(&empty[at.stage], threadIdx.x % 128 == 0);
        }
        store_sums<256>(d, to + (size_t)(row + 64 * (group - 1)) * n + column, n);
    }
}

// A is read from shared memory, halved, and multiplied from registers.
static __global__ void __launch_bounds__(160) half_5_stages_registers(ARGUMENTS) {
    extern __shared__ uint8_t raw[];
    enum { STAGES = 5, K = 64, A_BYTES = 64 * 128, STAGE = A_BYTES + 128 * 128 };
    __shared__ uint64_t full[STAGES], empty[STAGES];
    uint8_t *tiles = aligned(raw);
    const int row = blockIdx.y * 64, column = blockIdx.x * 128, steps = k / K;
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
    start<STAGES>(full, empty, 4);
    if (warp == 4) {
        ring at = {0, 1};
        for (int step = 0; lane == 0 && step < steps; step++, next<STAGES>(&at)) {
            uint8_t *a = tiles + at.stage * STAGE;
            bar_wait(&empty[at.stage], at.parity);
            bar_expect(&full[at.stage], STAGE);
            load_box(a, &x, step * K, row, &full[at.stage]);
            load_box(a + A_BYTES, &y, step * K, column, &full[at.stage]);
        }
        return;
    }
    float d[64];
    clear(d);
    ring at = {0, 0};
    for (int step = 0; step < steps; step++, next<STAGES>(&at)) {
        const uint8_t *a = tiles + at.stage * STAGE, *b = a + A_BYTES;
        uint32_t words[4][4];
        bar_wait(&full[at.stage], at.parity);
        for (int i = 0; i < 4; i++) { // the row's 16-byte chunks are swizzled
            uint32_t from = shared_of(a) + (warp * 16 + lane % 16) * 128 +
                            ((2 * i + lane / 16) ^ lane % 8) * 16;
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(words[i][0]), "=r"(words[i][1]), "=r"(words[i][2]),
                           "=r"(words[i][3])
                         : "r"(from));
            for (int w = 0; w < 4; w++)
                asm volatile("mul.f16x2 %0, %0, %1;" : "+r"(words[i][w]) : "r"(0x38003800));
        }
        product_fence();
        for (int i = 0; i < 4; i++)
            product_of_registers<128>(d, words[i], descriptor<128>(b) + 2 * i);
        product_commit();
        product_wait<0>();
        bar_arrive(&empty[at.stage], lane == 0);
    }
    store_sums<128>(d, to + (size_t)row * n + column, n);
}

// Small tiles, rows of 64 bytes, a long sum in few blocks; the sums leave by boxes.
static __global__ void __launch_bounds__(160) half_6_stages_long(ARGUMENTS) {
    extern __shared__ uint8_t raw[];
    enum { STAGES = 6, K = 32, A_BYTES = 64 * 64, STAGE = 2 * A_BYTES };
    __shared__ uint64_t full[STAGES], empty[STAGES];
    uint8_t *tiles = aligned(raw);
    const int row = blockIdx.y * 64, column = blockIdx.x * 64, steps = k / K;
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    start<STAGES>(full, empty, 1);
    if (group == 1) {
        ring at = {0, 1};
        for (int step = 0; threadIdx.x == 128 && step < steps; step++, next<STAGES>(&at)) {
            uint8_t *a = tiles + at.stage * STAGE;
            bar_wait(&empty[at.stage], at.parity);
            bar_expect(&full[at.stage], STAGE);
            load_box(a, &x, step * K, row, &full[at.stage]);
            load_box(a + A_BYTES, &y, step * K, column, &full[at.stage]);
        }
        return;
    }
    float d[32];
    clear(d);
    ring at = {0, 0}, before = {0, 0};
    for (int step = 0; step < steps; step++, next<STAGES>(&at)) {
        const uint8_t *a = tiles + at.stage * STAGE, *b = a + A_BYTES;
        bar_wait(&full[at.stage], at.parity);
        product_fence();
        for (int i = 0; i < 2; i++)
            multiply(half(), d, descriptor<64>(a) + 2 * i, descriptor<64>(b) + 2 * i);
        product_commit();
        product_wait<1>();
        bar_arrive(&empty[before.stage], step > 0 && threadIdx.x == 0);
        before = at;
    }
    product_wait<0>();
    float *sums = (float *)tiles; // [64][64]: the last stages have been read
    asm volatile("bar.sync 1, 128;" ::: "memory");
    store_sums<64>(d, sums, 64);
    proxy_fence();
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x) return;
    store_box(&z, column, row, sums);
    store_commit();
    store_wait<0>();
}

// ---- Attention ----

enum { HEADS = 16, ROWS_OF_HEAD = 1024 };

// softmax(Q K^T / 8) V of a head: 128 rows of Q, two warp groups; stages of 64 keys and values.
static __global__ void __launch_bounds__(288) attention_3_stages(ARGUMENTS) {
    extern __shared__ uint8_t raw[];
    enum { STAGES = 3, KEYS = 64, HALF = KEYS * 128, STAGE = 2 * HALF, Q_BYTES = 128 * 128 };
    __shared__ uint64_t full[STAGES], empty[STAGES], q_full;
    uint8_t *q = aligned(raw), *tiles = q + Q_BYTES;
    const int row = blockIdx.x * 128, first_key = row / ROWS_OF_HEAD * ROWS_OF_HEAD;
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0), steps = ROWS_OF_HEAD / KEYS;
    if (threadIdx.x == 0) bar_init(&q_full, 1);
    start<STAGES>(full, empty, 2);
    if (group == 2) {
        if (threadIdx.x % 128) return;
        ring at = {0, 1};
        bar_expect(&q_full, Q_BYTES);
        load_box(q, &x, 0, row, &q_full);
        for (int step = 0; step < steps; step++, next<STAGES>(&at)) {
            uint8_t *keys = tiles + at.stage * STAGE;
            bar_wait(&empty[at.stage], at.parity);
            bar_expect(&full[at.stage], STAGE);
            load_box(keys, &y, 0, first_key + step * KEYS, &full[at.stage]);
            load_box(keys + HALF, &z, 0, first_key + step * KEYS, &full[at.stage]);
        }
        return;
    }
    const float scale = 0.125f * 1.44269504f; // of powers of 2
    float o[32], most[2] = {-1e30f, -1e30f}, sum[2] = {0, 0};
    clear(o);
    ring at = {0, 0};
    bar_wait(&q_full, 0);
    for (int step = 0; step < steps; step++, next<STAGES>(&at)) {
        const uint8_t *keys = tiles + at.stage * STAGE;
        float s[32], factor[2];
        uint32_t p[4][4];
        clear(s);
        bar_wait(&full[at.stage], at.parity);
        product_fence();
        for (int i = 0; i < 4; i++)
            multiply(half(), s, descriptor<128>(q + group * 64 * 128) + 2 * i,
                     descriptor<128>(keys) + 2 * i);
        product_commit();
        product_wait<0>();
        for (int h = 0; h < 2; h++) {
            float now = most[h], part = 0;
            for (int i = 0; i < 8; i++)
                now = fmaxf(now, fmaxf(s[4 * i + 2 * h], s[4 * i + 2 * h + 1]));
            now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
            now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
            factor[h] = exp2f((most[h] - now) * scale);
            most[h] = now;
            for (int i = 0; i < 8; i++)
                for (int e = 0; e < 2; e++) {
                    float value = exp2f((s[4 * i + 2 * h + e] - now) * scale);
                    s[4 * i + 2 * h + e] = value;
                    part += value;
                }
            sum[h] = sum[h] * factor[h] + part;
        }
        for (int i = 0; i < 32; i++) o[i] *= factor[i / 2 % 2];
        for (int i = 0; i < 16; i++)
            asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;"
                         : "=r"(p[i / 4][i % 4])
                         : "f"(s[2 * i + 1]), "f"(s[2 * i]));
        product_fence();
        for (int i = 0; i < 4; i++) // 16 keys are 16 rows of 128 bytes
            multiply_values(o, p[i], descriptor<128>(keys + HALF) + i * (16 * 128 / 16));
        product_commit();
        product_wait<0>();
        bar_arrive(&empty[at.stage], threadIdx.x % 128 == 0);
    }
    for (int h = 0; h < 2; h++) {
        sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
        sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
    }
    for (int i = 0; i < 32; i++) o[i] /= sum[i / 2 % 2];
    store_sums<64>(o, to + (size_t)(row + 64 * group) * 64, 64);
}

// ---- Without products ----

// z = 2 x + y by boxes of 32 x 32 floats: 3 stages in, and out from where x was.
static __global__ void __launch_bounds__(128) add_3_stages_stores(ARGUMENTS) {
    enum { STAGES = 3, SIDE = 32, BOX = SIDE * SIDE };
    __shared__ __align__(1024) float boxes[STAGES][2][BOX];
    __shared__ uint64_t full[STAGES];
    const int wide = n / SIDE, count = m / SIDE * wide, each = gridDim.x;
    const int mine = (count - (int)blockIdx.x + each - 1) / each;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) bar_init(&full[s], 1);
        bar_fence();
    }
    __syncthreads();
    auto load = [&](int i) {
        const int s = i % STAGES, box = blockIdx.x + i * each;
        bar_expect(&full[s], 2 * BOX * 4);
        load_box(boxes[s][0], &x, box % wide * SIDE, box / wide * SIDE, &full[s]);
        load_box(boxes[s][1], &y, box % wide * SIDE, box / wide * SIDE, &full[s]);
    };
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES - 1 && i < mine; i++) load(i);
    for (int i = 0; i < mine; i++) {
        const int s = i % STAGES, box = blockIdx.x + i * each;
        bar_wait(&full[s], i / STAGES % 2);
        for (int e = threadIdx.x; e < BOX; e += 128)
            boxes[s][0][e] = 2 * boxes[s][0][e] + boxes[s][1][e];
        proxy_fence();
        __syncthreads();
        if (threadIdx.x) continue;
        store_box(&z, box % wide * SIDE, box / wide * SIDE, boxes[s][0]);
        store_commit();
        store_wait_read<1>(); // the stage of the box before is free
        if (i + STAGES - 1 < mine) load(i + STAGES - 1);
    }
    if (threadIdx.x == 0) store_wait<0>();
}

// ---- Host ----

typedef enum element_type { HALF, BRAIN, BYTE, TF32 } element_type;
static const struct {
    CUtensorMapDataType type;
    int bytes;
} types[] = {{CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2},
             {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2},
             {CU_TENSOR_MAP_DATA_TYPE_UINT8, 1},
             {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4}};

typedef enum result { PRODUCT_OF_BOTH, HALF_OF_IT, ATTENTION, SUM } result;

// x [m][k], y [n][k], z [m][n] of floats; boxes of span bytes in so many rows.
typedef struct matrices {
    result computes;
    element_type type;
    int m, n, k, rows_of_x, rows_of_y, span;
} matrices;

static const matrices shapes[] = {
    {PRODUCT_OF_BOTH, BRAIN, 2048, 2048, 1024, 64, 256, 128},
    {PRODUCT_OF_BOTH, TF32, 2048, 1024, 2048, 128, 128, 128},
    {PRODUCT_OF_BOTH, BYTE, 2048, 2048, 2048, 128, 128, 128},
    {PRODUCT_OF_BOTH, HALF, 4096, 2048, 1024, 128, 256, 128},
    {HALF_OF_IT, HALF, 2048, 1024, 2048, 64, 128, 128},
    {PRODUCT_OF_BOTH, HALF, 512, 512, 4096, 64, 64, 64},
    {PRODUCT_OF_BOTH, HALF, 2048, 2048, 1024, 64, 128, 128},
    {PRODUCT_OF_BOTH, BRAIN, 1024, 2048, 2048, 32, 64, 128},
    {ATTENTION, HALF, HEADS *ROWS_OF_HEAD, HEADS *ROWS_OF_HEAD, 64, 128, 64, 128},
    {SUM, TF32, 3072, 4096, 4096, 32, 32, 0},
};
#define ROW(i, name, grid, block, shared)                                                          \
    { #name, (const void *)name, &shapes[i], grid, block, shared }
static const pipeline rows[] = {
    ROW(0, brain_1_stage, dim3(8, 32), 128, 1024 + 40960),
    ROW(1, tf32_2_stages, dim3(8, 16), 256, 1024 + 2 * 32768),
    ROW(2, bytes_3_stages, dim3(16, 16), 288, 1024 + 3 * 32768),
    ROW(3, half_4_stages_stays, dim3(132), 384, 1024 + 4 * 49152),
    ROW(4, half_5_stages_registers, dim3(8, 32), 160, 1024 + 5 * 24576),
    ROW(5, half_6_stages_long, dim3(8, 8), 160, 1024 + 6 * 8192),
    ROW(6, half_3_stages_cluster_2, dim3(16, 16), 288, 1024 + 3 * 32768),
    ROW(7, brain_5_stages_cluster_4, dim3(16, 16), 160, 1024 + 5 * 24576),
    ROW(8, attention_3_stages, dim3(HEADS *ROWS_OF_HEAD / 128), 288, 1024 + 16384 + 3 * 16384),
    ROW(9, add_3_stages_stores, dim3(264), 128, 0),
};

static __global__ void fill_with_elements(void *to, element_type type, uint32_t count, bool of_y) {
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        float value = element(of_y ? ~i : i);
        if (type == HALF) ((half *)to)[i] = __float2half(value);
        if (type == BRAIN) ((brain *)to)[i] = __float2bfloat16(value);
        if (type == BYTE) ((byte *)to)[i] = byte(value);
        if (type == TF32) ((tf32 *)to)[i] = value;
    }
}

static void fill(const bench *b, const pipeline *p) {
    const matrices *m = (const matrices *)p->matrices;
    const uint32_t height = m->computes == SUM ? m->m : m->n;
    fill_with_elements<<<264, 256>>>(d_x, m->type, m->m * m->k, false);
    fill_with_elements<<<264, 256>>>(d_y, m->type, height * m->k, true);
    if (m->computes == ATTENTION) // values: the second half of y
        fill_with_elements<<<264, 256>>>((half *)d_y + m->n * m->k, m->type, m->n * m->k, false);
    CHECK(cudaGetLastError());
}

static void arguments(const bench *b, const pipeline *p, void **to) {
    static CUtensorMap x, y, z;
    static const void *out;
    const matrices *m = (const matrices *)p->matrices;
    const CUtensorMapDataType type = types[m->type].type;
    const int bytes = types[m->type].bytes, columns = (m->span ? m->span : 128) / bytes;
    const int height = m->computes == SUM ? m->m : m->n;
    out = b->out;
    x = map_of_type(d_x, type, bytes, m->m, m->k, m->rows_of_x, columns, m->span);
    y = map_of_type(d_y, type, bytes, height, m->k, m->rows_of_y, columns, m->span);
    if (m->computes == ATTENTION)
        z = map_of((half *)d_y + m->n * m->k, true, m->n, m->k, m->rows_of_y, columns, m->span);
    else if (m->computes == SUM) z = map_of(b->out, false, m->m, m->n, m->rows_of_x, columns, 0);
    else z = map_of(b->out, false, m->m, m->n, 64, 64, 0);
    const void *all[] = {&x, &y, &z, &out, &m->m, &m->n, &m->k};
    memcpy(to, all, sizeof all);
}

static double attention_at(int row, int column) {
    const int first = row / ROWS_OF_HEAD * ROWS_OF_HEAD;
    double sum = 0, weighed = 0;
    for (int key = first; key < first + ROWS_OF_HEAD; key++) {
        double score = 0;
        for (int i = 0; i < 64; i++) score += element(row * 64 + i) * element(~(key * 64 + i));
        sum += exp(score / 8);
        weighed += exp(score / 8) * element(key * 64 + column);
    }
    return weighed / sum;
}

static bool right(const bench *, const pipeline *p, const void *out, uint32_t number) {
    const matrices *m = (const matrices *)p->matrices;
    const int columns = m->computes == ATTENTION ? m->k : m->n;
    const uint32_t at = (uint32_t)(number * 2654435761ull % ((uint64_t)m->m * columns));
    const int row = at / columns, column = at % columns;
    const double got = ((const float *)out)[at];
    if (m->computes == SUM) return got == 2 * element(at) + element(~at);
    if (m->computes == ATTENTION)
        return number >= 64 || fabs(got - attention_at(row, column)) <= 2e-3;
    double want = 0;
    for (int i = 0; i < m->k; i++) want += element(row * m->k + i) * element(~(column * m->k + i));
    if (m->computes == HALF_OF_IT) want /= 2;
    // Sums of 8-bit floats keep 14 bits, which are cut at each step.
    return m->type == BYTE ? fabs(got - want) <= 0.02 * want : got == want;
}

int main(int argc, char **argv) {
    const pipelines all = {rows, sizeof rows / sizeof *rows, fill, arguments, right};
    return time_pipelines(&all, (size_t)64 << 20, argc, argv);
}
