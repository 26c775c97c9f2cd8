// Matrix products by tcgen05 in three kernels (docs/blackwell_gemm.md): a block for each tile of
// 128 x 128; a pair of blocks for each tile of 256 x 256, of whose six warps one loads, one
// multiplies and four store; and pairs that go from tile to tile, so that the sums of one tile
// leave while the next ones are formed. Right on the simulator, not run on a card. As arguments:
// the kernel, rows, columns, depth, and the most pairs that the last kernel may have.
// since: 12.8
// architectures: 100a
// environment: LADDER_SIM_DEVICE=b200
#include <cuda.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>

#include "../check.h"

enum { TILE = 128, DEPTH = 64, BOX_BYTES = TILE * DEPTH * 2 };

struct stage { // rows of 128 bytes, swizzled by the copy
    __half a[TILE * DEPTH], b[TILE * DEPTH];
};

static __device__ uint32_t shared(const void *at) { return uint32_t(__cvta_generic_to_shared(at)); }

// ---- Barriers and copies ------------------------------------------------------------------------

static __device__ void make_barriers(uint64_t *barriers, int count, int arrivals) {
    for (int i = 0; i < count; i++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                     :
                     : "r"(shared(&barriers[i])), "r"(arrivals)
                     : "memory");
}
static __device__ void show_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
// The phase before the first one counts as ended: waiting for -1 does not wait.
static __device__ void wait_for(uint64_t *barrier, int phase) {
    asm volatile("{ .reg .pred p;\n\t"
                 "W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t@!p bra W; }"
                 :
                 : "r"(shared(barrier)), "r"(phase & 1)
                 : "memory");
}
static __device__ void expect_bytes(uint64_t *barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared(barrier)), "r"(bytes)
                 : "memory");
}
// The bytes arrive at a barrier of the block, or with BLOCKS = 2 of either block of the pair.
template <int BLOCKS>
static __device__ void start_box(void *to, const CUtensorMap *map, int k, int row, uint32_t full) {
    asm volatile("cp.async.bulk.tensor.2d.cta_group::%5.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :
                 : "r"(shared(to)), "l"(map), "r"(k), "r"(row), "r"(full), "n"(BLOCKS)
                 : "memory");
}

// ---- Pairs of blocks ----------------------------------------------------------------------------

static __device__ int rank_in_pair() {
    int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void sync_pair() {
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}
// The address of that barrier of the first block.
static __device__ uint32_t of_first(const uint64_t *barrier) {
    uint32_t address;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(address) : "r"(shared(barrier)));
    return address;
}
static __device__ void arrive(uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" : : "r"(barrier) : "memory");
}

// ---- Tensor cores -------------------------------------------------------------------------------

// Columns of tensor memory, which one warp allocates and gives back; of a pair one warp of each
// block.
template <int BLOCKS, int COLUMNS> static __device__ void allocate(uint32_t *place) {
    asm volatile("tcgen05.alloc.cta_group::%1.sync.aligned.shared::cta.b32 [%0], %2;"
                 :
                 : "r"(shared(place)), "n"(BLOCKS), "n"(COLUMNS)
                 : "memory");
}
template <int BLOCKS, int COLUMNS> static __device__ void give_back(uint32_t place) {
    asm volatile("tcgen05.dealloc.cta_group::%1.sync.aligned.b32 %0, %2;"
                 :
                 : "r"(place), "n"(BLOCKS), "n"(COLUMNS));
}
// Around barriers between threads that work on tensor memory.
static __device__ void before_barrier() {
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
static __device__ void after_barrier() {
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// A tile whose rows of 128 bytes are swizzled; groups of eight rows are 1,024 bytes apart.
static __device__ uint64_t descriptor(const void *start) {
    return shared(start) >> 4 | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 46 |
           uint64_t(2) << 61;
}
// Adds the products of a stage to 128 x 128 sums, and of both blocks' stages to 256 x 256, of which
// each block has 128 rows; the first ones of a tile replace what was there.
template <int BLOCKS> static __device__ void multiply(uint32_t sums, const stage *s, bool first) {
    const uint32_t shape = 1 << 4 | BLOCKS * TILE / 8 << 17 | BLOCKS * TILE / 16 << 24; // of float
    for (int step = 0; step < DEPTH / 16; step++)                                       // 32 bytes
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\n\t"
                     "tcgen05.mma.cta_group::%5.kind::f16 [%0], %1, %2, %3, p; }"
                     :
                     : "r"(sums), "l"(descriptor(s->a) + step * 2),
                       "l"(descriptor(s->b) + step * 2), "r"(shape), "r"(int(step > 0 || !first)),
                       "n"(BLOCKS)
                     : "memory");
}
// The barrier, of a pair that of both blocks, is arrived at when the products of this thread so far
// have ended.
template <int BLOCKS> static __device__ void commit(uint64_t *barrier) {
    if (BLOCKS == 1)
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];"
                     :
                     : "r"(shared(barrier))
                     : "memory");
    else
        asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster"
                     ".multicast::cluster.b64 [%0], %1;"
                     :
                     : "r"(shared(barrier)), "h"(uint16_t(3))
                     : "memory");
}
// Eight columns of the thread's row; after wait_loads they are there.
static __device__ void load_sums(float *out, uint32_t address) {
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=f"(out[0]), "=f"(out[1]), "=f"(out[2]), "=f"(out[3]), "=f"(out[4]),
                   "=f"(out[5]), "=f"(out[6]), "=f"(out[7])
                 : "r"(address));
}
static __device__ void wait_loads() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }

// ---- 1: a block for each tile -------------------------------------------------------------------

enum { STAGES = 3, THREADS = 128 };

struct block_memory {
    stage stages[STAGES];
    uint64_t full[STAGES], empty[STAGES], done;
    uint32_t place;
};

// c: [rows][columns]; a: [rows][depth], b: [columns][depth], boxes of 128 rows x 64.
static __global__ void __launch_bounds__(THREADS)
    blocks(float *c, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
           int columns, int depth) {
    extern __shared__ __align__(1024) uint8_t memory[];
    block_memory *m = (block_memory *)memory;
    int warp = threadIdx.x / 32, row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    if (warp == 0) allocate<1, TILE>(&m->place);
    if (threadIdx.x == 32) {
        make_barriers(m->full, 2 * STAGES + 1, 1); // all of them
        show_barriers();
    }
    __syncthreads();
    uint32_t sums = m->place;
    if (threadIdx.x == 0) {
        for (int i = 0; i < depth / DEPTH; i++) {
            int s = i % STAGES;
            wait_for(&m->empty[s], i / STAGES - 1);
            expect_bytes(&m->full[s], 2 * BOX_BYTES);
            start_box<1>(m->stages[s].a, &a, i * DEPTH, row, shared(&m->full[s]));
            start_box<1>(m->stages[s].b, &b, i * DEPTH, column, shared(&m->full[s]));
        }
    } else if (threadIdx.x == 32) {
        for (int i = 0; i < depth / DEPTH; i++) {
            int s = i % STAGES;
            wait_for(&m->full[s], i / STAGES);
            after_barrier();
            multiply<1>(sums, &m->stages[s], i == 0);
            commit<1>(&m->empty[s]);
        }
        commit<1>(&m->done);
    }
    __syncwarp();
    wait_for(&m->done, 0);
    after_barrier();
    c += size_t(row + threadIdx.x) * columns + column;
    for (int i = 0; i < TILE; i += 8) {
        float out[8];
        load_sums(out, sums + (uint32_t(warp) << 21) + i);
        wait_loads();
        for (int j = 0; j < 8; j++) c[i + j] = out[j];
    }
    before_barrier();
    __syncthreads();
    if (warp == 0) give_back<1, TILE>(sums);
}

// ---- 2 and 3: pairs of blocks -------------------------------------------------------------------

enum {
    SIDE = 2 * TILE, // of a pair's tile
    PAIR_STAGES = 6,
    STORERS = 4,                       // warps: each reaches a quarter of the lanes
    PAIR_THREADS = (2 + STORERS) * 32, // behind the warps that load and multiply
    STRIP = 32                         // columns of sums that a warp stores at once: 128 bytes
};

template <int SUMS> struct pair_memory {
    stage stages[PAIR_STAGES];
    float strips[STORERS][2][32][STRIP]; // on their way to C, swizzled as boxes are
    uint64_t full[PAIR_STAGES];          // the boxes of both blocks have arrived: in the first one
    uint64_t empty[PAIR_STAGES];         // they have been multiplied
    uint64_t formed[SUMS];               // all products of a tile have ended
    uint64_t stored[SUMS];               // its sums have left tensor memory: in the first block
    uint32_t place;
};

// The tiles of a pair, one after the other; those with neighbouring numbers share their rows of A.
struct tiles {
    int across, count, rounds; // of the matrix; of each
    __device__ tiles(int rows, int columns, int depth)
        : across((columns + SIDE - 1) / SIDE), count((rows + SIDE - 1) / SIDE * across),
          rounds((depth + DEPTH - 1) / DEPTH) {}
    __device__ int first() const { return blockIdx.x / 2; }
    __device__ int step() const { return gridDim.x / 2; }
    // Of the block's half.
    __device__ int row(int t) const { return t / across * SIDE + rank_in_pair() * TILE; }
    __device__ int column(int t) const { return t % across * SIDE; }
};

// One thread of each block: its half of A's rows and of B's columns.
template <int SUMS>
static __device__ void load(pair_memory<SUMS> *m, const CUtensorMap *a, const CUtensorMap *b,
                            const tiles &w) {
    int use = 0, rank = rank_in_pair();
    for (int t = w.first(); t < w.count; t += w.step())
        for (int i = 0; i < w.rounds; i++, use++) {
            int s = use % PAIR_STAGES;
            uint32_t full = of_first(&m->full[s]);
            wait_for(&m->empty[s], use / PAIR_STAGES - 1);
            if (rank == 0) expect_bytes(&m->full[s], 4 * BOX_BYTES);
            start_box<2>(m->stages[s].a, a, i * DEPTH, w.row(t), full);
            start_box<2>(m->stages[s].b, b, i * DEPTH, w.column(t) + rank * TILE, full);
        }
    // The block stays until the commits of the other one have arrived.
    for (int i = 0; i < PAIR_STAGES; i++, use++)
        wait_for(&m->empty[use % PAIR_STAGES], use / PAIR_STAGES - 1);
}

// One thread of the first block, for both.
template <int SUMS>
static __device__ void multiply_tiles(pair_memory<SUMS> *m, uint32_t sums, const tiles &w) {
    int use = 0, n = 0;
    for (int t = w.first(); t < w.count; t += w.step(), n++) {
        wait_for(&m->stored[n % SUMS], n / SUMS - 1);
        for (int i = 0; i < w.rounds; i++, use++) {
            int s = use % PAIR_STAGES;
            wait_for(&m->full[s], use / PAIR_STAGES);
            after_barrier();
            multiply<2>(sums + n % SUMS * SIDE, &m->stages[s], i == 0);
            commit<2>(&m->empty[s]);
        }
        commit<2>(&m->formed[n % SUMS]);
    }
}

// A warp: 32 rows of each tile, from tensor memory to shared memory to C. While one strip leaves,
// the next is filled.
template <int SUMS>
static __device__ void store_tiles(pair_memory<SUMS> *m, uint32_t sums, const CUtensorMap *c,
                                   const tiles &w, int rows, int columns) {
    int quarter = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, n = 0;
    for (int t = w.first(); t < w.count; t += w.step(), n++) {
        int row = w.row(t) + quarter * 32;
        wait_for(&m->formed[n % SUMS], n / SUMS);
        after_barrier();
        for (int i = 0; i < SIDE; i += STRIP) {
            float(*strip)[STRIP] = m->strips[quarter][i / STRIP % 2], out[STRIP];
            int column = w.column(t) + i;
            for (int j = 0; j < STRIP; j += 8)
                load_sums(out + j, sums + (uint32_t(quarter) << 21) + n % SUMS * SIDE + i + j);
            wait_loads();
            if (lane == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            if (i + STRIP == SIDE) before_barrier(); // the last sums have been read
            __syncwarp();
            if (i + STRIP == SIDE && lane == 0) arrive(of_first(&m->stored[n % SUMS]));
            for (int j = 0; j < STRIP; j += 4) // chunk j / 4 of row r is at j / 4 ^ r % 8
                *(float4 *)&strip[lane][j ^ lane % 8 * 4] = *(float4 *)&out[j];
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncwarp();
            if (lane != 0) continue;
            if (row < rows && column < columns)
                asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
                             "[%0, {%1, %2}], [%3];"
                             :
                             : "l"(c), "r"(column), "r"(row), "r"(shared(strip))
                             : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (lane == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// As above, and boxes of c: 32 rows x 32. SUMS: how many tiles have sums in tensor memory.
template <int SUMS>
static __global__ void __cluster_dims__(2) __launch_bounds__(PAIR_THREADS)
    pairs(const __grid_constant__ CUtensorMap c, const __grid_constant__ CUtensorMap a,
          const __grid_constant__ CUtensorMap b, int rows, int columns, int depth) {
    extern __shared__ __align__(1024) uint8_t memory[];
    pair_memory<SUMS> *m = (pair_memory<SUMS> *)memory;
    const tiles w(rows, columns, depth);
    int warp = threadIdx.x / 32;
    if (warp == 0) allocate<2, SUMS * SIDE>(&m->place);
    if (threadIdx.x == 32) {
        make_barriers(m->full, 2 * PAIR_STAGES + SUMS, 1); // up to `formed`
        make_barriers(m->stored, SUMS, 2 * STORERS);
        show_barriers();
    }
    sync_pair(); // the barriers and columns of both are there
    uint32_t sums = m->place;
    if (threadIdx.x == 0) load(m, &a, &b, w);
    else if (threadIdx.x == 32 && rank_in_pair() == 0) multiply_tiles(m, sums, w);
    else if (warp >= 2) store_tiles(m, sums, &c, w, rows, columns);
    __syncwarp();
    before_barrier();
    sync_pair();
    if (warp == 0) give_back<2, SUMS * SIDE>(sums);
}

// ---- The host -----------------------------------------------------------------------------------

// at: [count][width], in boxes of `high` rows of 128 bytes, which are swizzled.
template <typename element>
static CUtensorMap describe(element *at, int count, int width, cuuint32_t high) {
    const CUtensorMapDataType type =
        sizeof *at == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    CUtensorMap map;
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                cudaEnableDefault, &result));
    const cuuint64_t dims[] = {cuuint64_t(width), cuuint64_t(count)};
    const cuuint64_t strides[] = {cuuint64_t(width) * sizeof *at};
    const cuuint32_t box[] = {128 / sizeof *at, high}, steps[] = {1, 1};
    EXPECT(((decltype(cuTensorMapEncodeTiled) *)function)(
               &map, type, 2, at, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

template <int SUMS>
static void start_pairs(float *c, __half *a, __half *b, int rows, int columns, int depth,
                        int most) {
    const int bytes = sizeof(pair_memory<SUMS>);
    int tiles = (rows + SIDE - 1) / SIDE * ((columns + SIDE - 1) / SIDE);
    CUDA_CHECK(
        cudaFuncSetAttribute(pairs<SUMS>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    pairs<SUMS><<<2 * std::min(tiles, most), PAIR_THREADS, bytes>>>(
        describe(c, rows, columns, 32), describe(a, rows, depth, TILE),
        describe(b, columns, depth, TILE), rows, columns, depth);
}

static int number(int row, int k) { return (row * 37 + k * 101) % 13 - 6; }

// [count][depth]
static std::vector<__half> factors(int count, int depth, int from) {
    std::vector<__half> all(size_t(count) * depth);
    for (size_t i = 0; i < all.size(); i++)
        all[i] = __float2half(float(number(int(i / depth) + from, int(i % depth))));
    return all;
}

static void multiply(int kernel, int rows, int columns, int depth, int most) {
    EXPECT(rows > 0 && columns > 0 && columns % 4 == 0 && depth > 0 && depth % 8 == 0);
    std::vector<__half> a = factors(rows, depth, 0), b = factors(columns, depth, 7);
    std::vector<float> c(size_t(rows) * columns);
    __half *d_a, *d_b;
    float *d_c;
    CUDA_CHECK(cudaMalloc(&d_a, a.size() * sizeof(__half)));
    CUDA_CHECK(cudaMalloc(&d_b, b.size() * sizeof(__half)));
    CUDA_CHECK(cudaMalloc(&d_c, c.size() * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_a, a.data(), a.size() * sizeof(__half), cudaMemcpyDefault));
    CUDA_CHECK(cudaMemcpy(d_b, b.data(), b.size() * sizeof(__half), cudaMemcpyDefault));
    if (kernel == 1) {
        const int bytes = sizeof(block_memory);
        EXPECT(rows % TILE == 0 && columns % TILE == 0 && depth % DEPTH == 0);
        CUDA_CHECK(
            cudaFuncSetAttribute(blocks, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        blocks<<<dim3(columns / TILE, rows / TILE), THREADS, bytes>>>(
            d_c, describe(d_a, rows, depth, TILE), describe(d_b, columns, depth, TILE), columns,
            depth);
    } else if (kernel == 2) start_pairs<1>(d_c, d_a, d_b, rows, columns, depth, INT_MAX);
    else start_pairs<2>(d_c, d_a, d_b, rows, columns, depth, most);
    CUDA_CHECK(cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDefault));
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            int64_t sum = 0;
            for (int k = 0; k < depth; k++) sum += number(row, k) * number(column + 7, k);
            EXPECT(c[size_t(row) * columns + column] == float(sum));
        }
    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_c));
}

int main(int count, char **words) {
    int processors = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    if (count >= 5) {
        multiply(atoi(words[1]), atoi(words[2]), atoi(words[3]), atoi(words[4]),
                 count > 5 ? atoi(words[5]) : processors / 2);
    } else {
        multiply(1, 256, 384, 320, 0);
        for (int kernel = 2; kernel <= 3; kernel++) {
            multiply(kernel, 256, 256, 512, 1);
            multiply(kernel, 300, 520, 200, 2); // six tiles, of which some have few rows or columns
            multiply(kernel, 1, 4, 8, 1);
        }
    }
    printf("ok\n");
    return 0;
}
