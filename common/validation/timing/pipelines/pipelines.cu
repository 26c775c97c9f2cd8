// Times ten kernels with bulk copies and products of warp groups (bench.cuh). None of the model's
// constants is from them, but they were looked at while it was written.
#include "bench.cuh"

enum { SIZE = 2048, FLOATS = 4096 }; // rows and columns of the matrices of halves, and of floats

// ---- C = A B: A [M][K], B [N][K], C [M][N], halves in, floats out ----

// GROUPS warp groups of 64 rows each; with PRODUCER one warp more that issues the copies; with
// CLUSTER blocks of a cluster that lie below each other and share the tile of B, each loading a
// part of it for all.
template <int GROUPS, int N, int K, int STAGES, bool PRODUCER, int CLUSTER>
static __device__ inline void matrix_product(const CUtensorMap *map_a, const CUtensorMap *map_b,
                                             float *c, int size) {
    extern __shared__ uint8_t raw[];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    constexpr int ROWS = 64 * GROUPS, A_BYTES = ROWS * K * 2, B_BYTES = N * K * 2,
                  STAGE = A_BYTES + B_BYTES;
    constexpr int SPAN = K * 2, PART = N / CLUSTER;
    uint8_t *tiles = raw + (1024 - shared_of(raw) % 1024) % 1024;
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), group = warp / 4, steps = size / K;
    const int row = blockIdx.y * ROWS, column = blockIdx.x * N;
    uint32_t rank = 0;
    float d[N / 2];
    for (int i = 0; i < N / 2; i++) d[i] = 0;
    if (CLUSTER > 1) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            bar_init(&full[s], 1);
            bar_init(&empty[s], GROUPS * CLUSTER);
        }
        bar_fence();
    }
    __syncthreads();
    if (CLUSTER > 1)
        asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::
                         : "memory");
    auto load = [&](int step) {
        int s = step % STAGES;
        uint8_t *a = tiles + s * STAGE, *b = a + A_BYTES;
        bar_expect(&full[s], STAGE);
        load_box(a, map_a, step * K, row, &full[s]);
        if (CLUSTER == 1) load_box(b, map_b, step * K, column, &full[s]);
        else
            load_box_for((1 << CLUSTER) - 1, b + rank * PART * SPAN, map_b, step * K,
                         column + rank * PART, &full[s]);
    };
    auto compute = [&](int step) {
        int s = step % STAGES;
        const uint8_t *a = tiles + s * STAGE + group * 64 * SPAN, *b = tiles + s * STAGE + A_BYTES;
        bar_wait(&full[s], step / STAGES % 2);
        product_fence();
        for (int k = 0; k < K / 16; k++)
            product<N>(d, descriptor<SPAN>(a) + 2 * k, descriptor<SPAN>(b) + 2 * k);
        product_commit();
    };
    auto release = [&](int step, bool wanted) {
        for (int r = 0; r < CLUSTER; r++)
            if (CLUSTER == 1) bar_arrive(&empty[step % STAGES], wanted);
            else bar_arrive_at(&empty[step % STAGES], r, wanted);
    };
    if (PRODUCER && warp == 4 * GROUPS) {
        if (threadIdx.x % 32 == 0)
            for (int step = 0; step < steps; step++) {
                if (step >= STAGES) bar_wait(&empty[step % STAGES], (step / STAGES + 1) % 2);
                load(step);
            }
    } else if (PRODUCER) {
        for (int step = 0; step < steps; step++) {
            compute(step);
            product_wait<1>(); // the one before has ended
            release(step + STAGES - 1,
                    step > 0 && threadIdx.x % 128 == 0); // the stage of the step before
        }
        product_wait<0>();
    } else {
        if (threadIdx.x == 0)
            for (int step = 0; step < STAGES && step < steps; step++) load(step);
        for (int step = 0; step < steps; step++) {
            compute(step);
            product_wait<0>();
            __syncthreads();
            if (threadIdx.x == 0 && step + STAGES < steps) load(step + STAGES);
        }
    }
    if (!PRODUCER || warp < 4 * GROUPS) {
        float *to = c + (size_t)(row + warp * 16 + threadIdx.x % 32 / 4) * size + column +
                    threadIdx.x % 4 * 2;
        for (int i = 0; i < N / 8; i++)
            for (int half = 0; half < 2; half++)
                *(float2 *)(to + (size_t)half * 8 * size + i * 8) =
                    make_float2(d[4 * i + 2 * half], d[4 * i + 2 * half + 1]);
    }
    if (CLUSTER > 1)
        asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::
                         : "memory");
}

#define ARGUMENTS                                                                                  \
    const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y,                  \
        const float *from, float *to, int size

#define PRODUCT(name, groups, n, k, stages, producer)                                              \
    static __global__ void __launch_bounds__(128 * groups + 32 * producer) name(ARGUMENTS) {       \
        matrix_product<groups, n, k, stages, producer, 1>(&x, &y, to, size);                       \
    }
#define PRODUCT_OF_CLUSTERS(name, groups, n, k, stages, cluster)                                   \
    static __global__ void __cluster_dims__(1, cluster, 1) __launch_bounds__(128 * groups + 32)    \
        name(ARGUMENTS) {                                                                          \
        matrix_product<groups, n, k, stages, true, cluster>(&x, &y, to, size);                     \
    }
PRODUCT(product_1_stage, 2, 128, 64, 1, false)
PRODUCT(product_2_stages, 1, 128, 64, 2, false)
PRODUCT(product_3_stages, 1, 64, 64, 3, true)
PRODUCT(product_4_stages, 2, 128, 64, 4, true)
PRODUCT(product_5_stages, 1, 128, 16, 5, true)
PRODUCT(product_6_stages, 2, 128, 32, 6, true)
PRODUCT_OF_CLUSTERS(product_multicast_2, 2, 128, 64, 4, 2)
PRODUCT_OF_CLUSTERS(product_multicast_4, 1, 64, 64, 4, 4)

// ---- Without products ----

// Sums of rows of 1,024 floats: a block's copies of 4 KiB, four under way.
static __global__ void sums_of_rows(ARGUMENTS) {
    enum { STAGES = 4, ROW = 1024 };
    __shared__ __align__(128) float rows[STAGES][ROW];
    __shared__ uint64_t full[STAGES];
    __shared__ float sums[8];
    const int count = size * size / ROW, first = blockIdx.x, each = gridDim.x;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) bar_init(&full[s], 1);
        bar_fence();
    }
    __syncthreads();
    auto load = [&](int i) {
        bar_expect(&full[i % STAGES], ROW * 4);
        load_bytes(rows[i % STAGES], from + (size_t)(first + i * each) * ROW, ROW * 4,
                   &full[i % STAGES]);
    };
    const int mine = (count - first + each - 1) / each;
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES && i < mine; i++) load(i);
    for (int i = 0; i < mine; i++) {
        bar_wait(&full[i % STAGES], i / STAGES % 2);
        float sum = 0;
        for (int k = threadIdx.x; k < ROW; k += 256) sum += rows[i % STAGES][k];
        for (int off = 16; off > 0; off /= 2) sum += __shfl_xor_sync(~0u, sum, off);
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < 8; w++) sum += sums[w];
            to[first + i * each] = sum;
            if (i + STAGES < mine) load(i + STAGES);
        }
        __syncthreads();
    }
}

// A matrix is copied by boxes of 32 x 64 floats through shared memory, doubled on the way.
static __global__ void doubled_by_boxes(ARGUMENTS) {
    enum { ROWS = 64, COLUMNS = 32 };
    __shared__ __align__(128) float box[ROWS * COLUMNS];
    __shared__ uint64_t full;
    const int column = blockIdx.x * COLUMNS, row = blockIdx.y * ROWS;
    if (threadIdx.x == 0) {
        bar_init(&full, 1);
        bar_fence();
        bar_expect(&full, sizeof box);
        load_box(box, &x, column, row, &full);
    }
    __syncthreads();
    bar_wait(&full, 0);
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += 128) box[i] *= 2;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_box(&y, column, row, box);
        store_commit();
        store_wait<0>();
    }
}

// ---- Host ----

// The matrices, and their boxes.
typedef struct matrices {
    bool halves;
    int columns, rows_of_x, rows_of_y, span; // of boxes
} matrices;

#define OF_HALVES(groups, n, k, cluster)                                                           \
    { true, k, 64 * groups, n / cluster, 2 * k }
static const matrices boxes[] = {
    OF_HALVES(2, 128, 64, 1), OF_HALVES(1, 128, 64, 1), OF_HALVES(1, 64, 64, 1),
    OF_HALVES(2, 128, 64, 1), OF_HALVES(1, 128, 16, 1), OF_HALVES(2, 128, 32, 1),
    OF_HALVES(2, 128, 64, 2), OF_HALVES(1, 64, 64, 4),  {false, 32, 64, 64, 0},
};

#define ROW(name, boxes, groups, n, k, stages, producer)                                           \
    {                                                                                              \
#name, (const void *)name, boxes, dim3(SIZE / n, SIZE / (64 * groups)),                    \
            128 * groups + 32 * producer, 1024 + stages *(64 * groups + n) * k * 2                 \
    }
static const pipeline rows[] = {
    ROW(product_1_stage, &boxes[0], 2, 128, 64, 1, 0),
    ROW(product_2_stages, &boxes[1], 1, 128, 64, 2, 0),
    ROW(product_3_stages, &boxes[2], 1, 64, 64, 3, 1),
    ROW(product_4_stages, &boxes[3], 2, 128, 64, 4, 1),
    ROW(product_5_stages, &boxes[4], 1, 128, 16, 5, 1),
    ROW(product_6_stages, &boxes[5], 2, 128, 32, 6, 1),
    ROW(product_multicast_2, &boxes[6], 2, 128, 64, 4, 1),
    ROW(product_multicast_4, &boxes[7], 1, 64, 64, 4, 1),
    {"sums_of_rows", (const void *)sums_of_rows, &boxes[8], dim3(264), 256, 0},
    {"doubled_by_boxes", (const void *)doubled_by_boxes, &boxes[8], dim3(FLOATS / 32, FLOATS / 64),
     128, 0},
};

static void fill(const bench *b, const pipeline *) {
    static bool filled; // they all read the same
    if (filled) return;
    filled = true;
    __half *values = (__half *)calloc(1, b->bytes);
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < SIZE * SIZE; i++) values[i] = __float2half(element(side ? ~i : i));
        CHECK(cudaMemcpy(side ? d_y : d_x, values, b->bytes, cudaMemcpyHostToDevice));
    }
    free(values);
}

static void arguments(const bench *b, const pipeline *p, void **to) {
    static CUtensorMap x, y;
    static int size;
    static const void *from, *out;
    const matrices *m = (const matrices *)p->matrices;
    size = m->halves ? SIZE : FLOATS;
    from = d_x;
    out = b->out;
    x = map_of(d_x, m->halves, size, size, m->rows_of_x, m->columns, m->span);
    y = map_of(m->halves ? d_y : b->out, m->halves, size, size, m->rows_of_y, m->columns, m->span);
    void *all[] = {&x, &y, (void *)&from, (void *)&out, &size};
    memcpy(to, all, sizeof all);
}

static bool right(const bench *, const pipeline *p, const void *out, uint32_t number) {
    if (!((const matrices *)p->matrices)->halves) return true;
    uint32_t at = (uint32_t)((number * 2654435761ull) % (SIZE * SIZE));
    float want = 0;
    for (uint32_t k = 0; k < SIZE; k++)
        want += element(at / SIZE * SIZE + k) * element(~(at % SIZE * SIZE + k));
    return ((const float *)out)[at] == want;
}

int main(int argc, char **argv) {
    const pipelines all = {rows, sizeof rows / sizeof *rows, fill, arguments, right};
    return time_pipelines(&all, sizeof(float) * FLOATS * FLOATS, argc, argv);
}
