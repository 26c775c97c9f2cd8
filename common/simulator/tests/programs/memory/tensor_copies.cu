// Bulk tensor copies as programs use them: a transpose through swizzled tiles; a product of
// matrices whose tiles come through a ring of buffers; a tile that all blocks of a cluster get from
// one of them, which they tell when they have read it. Boxes in every position are cases of
// operands/tensor_program.cu.
// since: 13.0
// architectures: 90a
#include "../check.h"

#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <vector>

namespace ptx = cuda::ptx;
typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

// [height][width] row-major floats, in boxes of [rows][columns].
static CUtensorMap describe(void *d_matrix, int width, int height, int columns, int rows,
                            CUtensorMapSwizzle swizzle) {
    CUtensorMap map;
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                cudaEnableDefault, &result));
    EXPECT(function && result == cudaDriverEntryPointSuccess);
    const cuuint64_t dims[] = {(cuuint64_t)width, (cuuint64_t)height};
    const cuuint64_t strides[] = {width * sizeof(float)};
    const cuuint32_t box[] = {(cuuint32_t)columns, (cuuint32_t)rows}, steps[] = {1, 1};
    EXPECT(((decltype(cuTensorMapEncodeTiled) *)function)(
               &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d_matrix, dims, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

static std::vector<float> numbers(int count) {
    std::vector<float> out(count);
    for (int i = 0; i < count; i++) out[i] = (float)(i * 37 % 101 - 50);
    return out;
}

static float *upload(const std::vector<float> &data) {
    float *d_data;
    CUDA_CHECK(cudaMalloc(&d_data, data.size() * sizeof(float)));
    CUDA_CHECK(
        cudaMemcpy(d_data, data.data(), data.size() * sizeof(float), cudaMemcpyHostToDevice));
    return d_data;
}

static std::vector<float> download(const float *d_data, size_t count) {
    std::vector<float> out(count);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(out.data(), d_data, count * sizeof(float), cudaMemcpyDeviceToHost));
    return out;
}

// ---- Transpose: rows of 128 bytes, whose 16-byte pieces the copies swizzle ----

enum { TILE = 32 };

__device__ static float &swizzled(float *tile, int row, int column) {
    return tile[row * TILE + ((column / 4 ^ row % 8) * 4 | column % 4)];
}

__global__ void transpose(const __grid_constant__ CUtensorMap in,
                          const __grid_constant__ CUtensorMap out) {
    __shared__ alignas(1024) float from[TILE * TILE], to[TILE * TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ block_barrier barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
        asm volatile("prefetch.tensormap [%0];" ::"l"(&out) : "memory");
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&in),
                     "r"(0), "r"(0)
                     : "memory");
    }
    __syncthreads();
    int x = (int)blockIdx.x * TILE, y = (int)blockIdx.y * TILE;
    block_barrier::arrival_token token;
    if (threadIdx.x == 0) {
        const int32_t at[] = {x, y};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, from, &in, at,
                                  cuda::device::barrier_native_handle(barrier));
        token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof from);
    } else {
        token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    for (int i = (int)threadIdx.x; i < TILE * TILE; i += (int)blockDim.x)
        swizzled(to, i / TILE, i % TILE) = swizzled(from, i % TILE, i / TILE);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x != 0) return;
    const int32_t at[] = {y, x};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, at, to);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

static void check_transpose(void) {
    const int width = 100, height = 68; // not multiples of a tile
    std::vector<float> in = numbers(width * height);
    float *d_in = upload(in), *d_out = upload(std::vector<float>(width * height, -1));
    CUtensorMap from = describe(d_in, width, height, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_128B);
    CUtensorMap to = describe(d_out, height, width, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_128B);
    transpose<<<dim3(4, 3), 128>>>(from, to);
    std::vector<float> out = download(d_out, in.size());
    for (int i = 0; i < width * height; i++) EXPECT(out[i % width * height + i / width] == in[i]);
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
}

// ---- Product: one warp loads, the others compute ----

enum { SIZE = 64, STAGES = 3, STEP = 8, CONSUMERS = 64 };

__global__ void product(float *c, const __grid_constant__ CUtensorMap a,
                        const __grid_constant__ CUtensorMap b) {
    __shared__ alignas(128) float a_tile[STAGES][SIZE][STEP], b_tile[STAGES][STEP][SIZE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            ptx::mbarrier_init(&full[i], 1);
            ptx::mbarrier_init(&empty[i], CONSUMERS);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    const int iterations = SIZE / STEP;
    if (threadIdx.x >= CONSUMERS) {
        for (int i = 0; i < iterations && threadIdx.x == CONSUMERS; i++) {
            int stage = i % STAGES, parity = i / STAGES & 1;
            const int32_t a_at[] = {i * STEP, 0}, b_at[] = {0, i * STEP};
            while (!ptx::mbarrier_try_wait_parity(&empty[stage], parity ^ 1)) {}
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full[stage], sizeof a_tile[0] + sizeof b_tile[0]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, a_tile[stage], &a,
                                      a_at, &full[stage]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, b_tile[stage], &b,
                                      b_at, &full[stage]);
        }
        return;
    }
    float sums[SIZE] = {};
    for (int i = 0; i < iterations; i++) {
        int stage = i % STAGES;
        while (!ptx::mbarrier_try_wait_parity(&full[stage], i / STAGES & 1)) {}
        for (int k = 0; k < STEP; k++)
            for (int row = 0; row < SIZE; row++)
                sums[row] += a_tile[stage][row][k] * b_tile[stage][k][threadIdx.x];
        ptx::mbarrier_arrive(&empty[stage]);
    }
    for (int row = 0; row < SIZE; row++) c[row * SIZE + threadIdx.x] = sums[row];
}

static void check_product(void) {
    std::vector<float> a = numbers(SIZE * SIZE), b = numbers(SIZE * SIZE);
    float *d_a = upload(a), *d_b = upload(b), *d_c = upload(std::vector<float>(SIZE * SIZE));
    product<<<1, CONSUMERS + 32>>>(
        d_c, describe(d_a, SIZE, SIZE, STEP, SIZE, CU_TENSOR_MAP_SWIZZLE_NONE),
        describe(d_b, SIZE, SIZE, SIZE, STEP, CU_TENSOR_MAP_SWIZZLE_NONE));
    std::vector<float> c = download(d_c, a.size());
    for (int i = 0; i < SIZE * SIZE; i++) {
        float sum = 0;
        for (int k = 0; k < SIZE; k++) sum += a[i / SIZE * SIZE + k] * b[k * SIZE + i % SIZE];
        EXPECT(c[i] == sum);
    }
    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_c));
}

// ---- Cluster: rank 0 loads each tile for all; they tell it when they have read it ----

enum { BLOCKS = 4, ROUNDS = 5, WIDTH = 64 };

__global__ void __cluster_dims__(BLOCKS, 1, 1)
    broadcast(float *out, const __grid_constant__ CUtensorMap in) {
    __shared__ alignas(128) float tile[WIDTH];
    __shared__ uint64_t full, empty;
    unsigned rank = blockIdx.x % BLOCKS;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, BLOCKS);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    for (int round = 0; round < ROUNDS; round++) {
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full, sizeof tile);
            if (rank == 0) {
                const int32_t at[] = {0, round};
                while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &empty,
                                                      (round & 1) ^ 1)) {}
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &in, at,
                                          &full, (uint16_t)((1 << BLOCKS) - 1));
            }
        }
        while (!ptx::mbarrier_try_wait_parity(&full, round & 1)) {}
        out[(round * gridDim.x + blockIdx.x) * WIDTH + threadIdx.x] = tile[threadIdx.x] + rank;
        __syncthreads();
        if (threadIdx.x != 0) continue;
        uint64_t *first = cooperative_groups::this_cluster().map_shared_rank(&empty, 0);
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, first);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

__global__ void aim(CUtensorMap *map, const float *at) {
    asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(map),
                 "l"(at)
                 : "memory");
}

// A map of the output, which a kernel makes one of the input.
static void check_cluster(void) {
    const int grid = 2 * BLOCKS;
    std::vector<float> in = numbers(ROUNDS * WIDTH);
    float *d_in = upload(in), *d_out = upload(std::vector<float>(ROUNDS * grid * WIDTH, -1));
    CUtensorMap map = describe(d_out, WIDTH, ROUNDS, WIDTH, 1, CU_TENSOR_MAP_SWIZZLE_NONE), *d_map;
    CUDA_CHECK(cudaMalloc(&d_map, sizeof map));
    CUDA_CHECK(cudaMemcpy(d_map, &map, sizeof map, cudaMemcpyHostToDevice));
    aim<<<1, 1>>>(d_map, d_in);
    CUDA_CHECK(cudaMemcpy(&map, d_map, sizeof map, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_map));
    broadcast<<<grid, WIDTH>>>(d_out, map);
    std::vector<float> out = download(d_out, ROUNDS * grid * WIDTH);
    for (int i = 0; i < ROUNDS * grid * WIDTH; i++)
        EXPECT(out[i] == in[i / (grid * WIDTH) * WIDTH + i % WIDTH] + i / WIDTH % BLOCKS);
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
}

// ---- Phases: warps that do not wait for each other, and see each of them on a card ----

enum { PHASES = 6, ROUND_FLOATS = 64, PHASE_THREADS = 128 };

static __global__ void phases(const float *in, float *sums) {
    __shared__ alignas(16) float rounds[PHASES][ROUND_FLOATS];
    __shared__ uint64_t arrived;
    float sum = 0;
    if (threadIdx.x == 0) ptx::mbarrier_init(&arrived, 1);
    __syncthreads();
    for (int r = 0; r < PHASES; r++) {
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &arrived, sizeof rounds[r]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, rounds[r],
                               in + r * ROUND_FLOATS, sizeof rounds[r], &arrived);
        }
        while (!ptx::mbarrier_try_wait_parity(&arrived, r % 2)) continue;
        sum += rounds[r][threadIdx.x % ROUND_FLOATS];
    }
    sums[threadIdx.x] = sum;
}

static void check_phases() {
    std::vector<float> in = numbers(PHASES * ROUND_FLOATS);
    float *d_in = upload(in), *d_sums = upload(numbers(PHASE_THREADS));
    phases<<<1, PHASE_THREADS>>>(d_in, d_sums);
    std::vector<float> sums = download(d_sums, PHASE_THREADS);
    for (int i = 0; i < PHASE_THREADS; i++) {
        float sum = 0;
        for (int r = 0; r < PHASES; r++) sum += in[r * ROUND_FLOATS + i % ROUND_FLOATS];
        EXPECT(sums[i] == sum);
    }
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_sums));
}

int main() {
    CUDA_CHECK(cudaFree(0));
    check_phases();
    check_transpose();
    check_product();
    check_cluster();
    printf("ok\n");
    return 0;
}
