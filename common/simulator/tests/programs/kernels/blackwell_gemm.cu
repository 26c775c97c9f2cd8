// A matrix product by tcgen05, one block for each tile of 128 x 128 (docs/blackwell_gemm.md):
// boxes of A and B come by bulk tensor copies, one thread multiplies them stage by stage, the sums
// lie in tensor memory and leave it by rows. Right on the simulator, not run on a card. Sizes as
// arguments: rows, columns, depth.
// since: 12.8
// architectures: 100a
// environment: LADDER_SIM_DEVICE=b200
#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "../check.h"

enum { TILE = 128, DEPTH = 64, STAGES = 3, THREADS = 128, BOX_BYTES = TILE * DEPTH * 2 };

struct stage { // rows of 128 bytes, swizzled by the copy
    __half a[TILE * DEPTH], b[TILE * DEPTH];
};

static __device__ uint32_t shared(const void *at) { return uint32_t(__cvta_generic_to_shared(at)); }

// ---- Barriers and copies ------------------------------------------------------------------------

static __device__ void make_barrier(uint64_t *barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(shared(barrier)) : "memory");
}
static __device__ void wait_for(uint64_t *barrier, int phase) {
    asm volatile("{ .reg .pred p;\n\t"
                 "W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t@!p bra W; }"
                 :
                 : "r"(shared(barrier)), "r"(phase & 1)
                 : "memory");
}
static __device__ void start_box(void *to, const CUtensorMap *map, int k, int row, uint64_t *full) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 :
                 : "r"(shared(to)), "l"(map), "r"(k), "r"(row), "r"(shared(full))
                 : "memory");
}

// ---- Tensor cores -------------------------------------------------------------------------------

// A tile whose rows of 128 bytes are swizzled; groups of eight rows are 1,024 bytes apart.
static __device__ uint64_t descriptor(const void *start) {
    return shared(start) >> 4 | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 46 |
           uint64_t(2) << 61;
}
// Sums of float, factors of half, 128 x 128.
static const uint32_t SHAPE = 1 << 4 | TILE / 8 << 17 | TILE / 16 << 24;

static __device__ void multiply(uint32_t sums, uint64_t a, uint64_t b, int adds) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\n\t"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }"
                 :
                 : "r"(sums), "l"(a), "l"(b), "r"(SHAPE), "r"(adds)
                 : "memory");
}
// The barrier is arrived at when the products of this thread so far have ended.
static __device__ void commit(uint64_t *barrier) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];"
                 :
                 : "r"(shared(barrier))
                 : "memory");
}
// Eight columns of the thread's row.
static __device__ void load_sums(float *out, uint32_t address) {
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=f"(out[0]), "=f"(out[1]), "=f"(out[2]), "=f"(out[3]), "=f"(out[4]),
                   "=f"(out[5]), "=f"(out[6]), "=f"(out[7])
                 : "r"(address));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

// c: [rows][columns]; a: [rows][depth], b: [columns][depth], boxes of 128 rows x 64.
static __global__ void product(float *c, const __grid_constant__ CUtensorMap a,
                               const __grid_constant__ CUtensorMap b, int columns, int depth) {
    extern __shared__ uint8_t memory[];
    __shared__ uint64_t full[STAGES], empty[STAGES], done;
    __shared__ uint32_t place;
    stage *stages = (stage *)(memory + (1024 - shared(memory) % 1024) % 1024);
    int warp = threadIdx.x / 32, row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    if (warp == 0)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;"
                     :
                     : "r"(shared(&place))
                     : "memory");
    if (threadIdx.x == 32) {
        for (int s = 0; s < STAGES; s++) make_barrier(&full[s]);
        for (int s = 0; s < STAGES; s++) make_barrier(&empty[s]);
        make_barrier(&done);
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    uint32_t sums = place;
    if (threadIdx.x == 0) {
        for (int i = 0; i < depth / DEPTH; i++) {
            int s = i % STAGES;
            if (i >= STAGES) wait_for(&empty[s], i / STAGES - 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                         :
                         : "r"(shared(&full[s])), "r"(2 * BOX_BYTES)
                         : "memory");
            start_box(stages[s].a, &a, i * DEPTH, row, &full[s]);
            start_box(stages[s].b, &b, i * DEPTH, column, &full[s]);
        }
    } else if (threadIdx.x == 32) {
        for (int i = 0; i < depth / DEPTH; i++) {
            int s = i % STAGES;
            wait_for(&full[s], i / STAGES);
            asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
            for (int step = 0; step < DEPTH / 16; step++) // of 32 bytes
                multiply(sums, descriptor(stages[s].a) + step * 2,
                         descriptor(stages[s].b) + step * 2, i + step > 0);
            commit(&empty[s]);
        }
        commit(&done);
    }
    __syncwarp();
    wait_for(&done, 0);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    c += size_t(row + threadIdx.x) * columns + column;
    for (int i = 0; i < TILE; i += 8) {
        float out[8];
        load_sums(out, sums + (uint32_t(warp) << 21) + i);
        for (int j = 0; j < 8; j++) c[i + j] = out[j];
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (warp == 0)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" : : "r"(sums));
}

// ---- The host -----------------------------------------------------------------------------------

// rows: [count][depth], in boxes of 128 rows x 64 whose rows are swizzled.
static CUtensorMap describe(__half *rows, int count, int depth) {
    CUtensorMap map;
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                cudaEnableDefault, &result));
    const cuuint64_t dims[] = {cuuint64_t(depth), cuuint64_t(count)};
    const cuuint64_t strides[] = {cuuint64_t(depth) * sizeof(__half)};
    const cuuint32_t box[] = {DEPTH, TILE}, steps[] = {1, 1};
    EXPECT(((decltype(cuTensorMapEncodeTiled) *)function)(
               &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, rows, dims, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

static int number(int row, int k) { return (row * 37 + k * 101) % 13 - 6; }

int main(int count, char **words) {
    int rows = 256, columns = 384, depth = 320;
    if (count == 4) rows = atoi(words[1]), columns = atoi(words[2]), depth = atoi(words[3]);
    EXPECT(rows > 0 && rows % TILE == 0 && columns > 0 && columns % TILE == 0);
    EXPECT(depth > 0 && depth % DEPTH == 0);
    std::vector<__half> a(size_t(rows) * depth), b(size_t(columns) * depth);
    for (size_t i = 0; i < a.size(); i++)
        a[i] = __float2half(float(number(int(i / depth), int(i % depth))));
    for (size_t i = 0; i < b.size(); i++)
        b[i] = __float2half(float(number(int(i / depth) + 7, int(i % depth))));
    std::vector<float> c(size_t(rows) * columns);
    __half *d_a, *d_b;
    float *d_c;
    CUDA_CHECK(cudaMalloc(&d_a, a.size() * sizeof(__half)));
    CUDA_CHECK(cudaMalloc(&d_b, b.size() * sizeof(__half)));
    CUDA_CHECK(cudaMalloc(&d_c, c.size() * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_a, a.data(), a.size() * sizeof(__half), cudaMemcpyDefault));
    CUDA_CHECK(cudaMemcpy(d_b, b.data(), b.size() * sizeof(__half), cudaMemcpyDefault));
    int bytes = STAGES * int(sizeof(stage)) + 1024;
    CUDA_CHECK(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    product<<<dim3(columns / TILE, rows / TILE), THREADS, bytes>>>(
        d_c, describe(d_a, rows, depth), describe(d_b, columns, depth), columns, depth);
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
    printf("ok\n");
    return 0;
}
