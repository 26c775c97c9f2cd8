// What blocks of compute capability 10 do to each other: launches of clusters that are cancelled by
// those that run (clusterlaunchcontrol), and boxes whose mbarrier is in the other block of a pair
// (.cta_group::2). From the manual, not compared with a card. With an argument: what must fail.
// since: 12.8
// architectures: 100a
// environment: LADDER_SIM_DEVICE=b200
#include <cuda.h>

#include <algorithm>
#include <cstdint>

#include "../check.h"

static __device__ uint32_t shared_address(const void *at) {
    return uint32_t(__cvta_generic_to_shared(at));
}
static __device__ void make_barrier(uint64_t *barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(shared_address(barrier)));
}
static __device__ void expect(uint64_t *barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}
static __device__ void wait_for(uint64_t *barrier, int phase) {
    asm volatile("{ .reg .pred p;\n\t"
                 "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n\t"
                 "@!p bra W; }"
                 :
                 : "r"(shared_address(barrier)), "r"(phase)
                 : "memory");
}
static __device__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ uint32_t cluster_rank() {
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// ---- Launches that are cancelled ----------------------------------------------------------------

#define CANCEL(words)                                                                              \
    asm volatile(                                                                                  \
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes" words     \
        ".b128 [%0], [%1];"                                                                        \
        :                                                                                          \
        : "r"(shared_address(answer)), "r"(shared_address(barrier))                                \
        : "memory")

// Whether a launch was cancelled, and the index of its first block.
static __device__ bool read_answer(const ulonglong2 *answer, uint3 *out, bool all_at_once) {
    uint32_t cancelled;
    asm volatile("{ .reg .pred p; .reg .b128 q; mov.b128 q, {%1, %2};\n\t"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q;\n\t"
                 "selp.b32 %0, 1, 0, p; }"
                 : "=r"(cancelled)
                 : "l"(answer->x), "l"(answer->y));
    if (!cancelled) return false;
    if (all_at_once)
        asm volatile("{ .reg .b128 q; mov.b128 q, {%3, %4};\n\t"
                     "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
                     "{%0, %1, %2, _}, q; }"
                     : "=r"(out->x), "=r"(out->y), "=r"(out->z)
                     : "l"(answer->x), "l"(answer->y));
    else
        asm volatile("{ .reg .b128 q; mov.b128 q, {%3, %4};\n\t"
                     "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, q;\n\t"
                     "clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %1, q;\n\t"
                     "clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %2, q; }"
                     : "=r"(out->x), "=r"(out->y), "=r"(out->z)
                     : "l"(answer->x), "l"(answer->y));
    return true;
}

// Each block does its tile of `sums`, and those of blocks that have not started: those need more
// work the later they come. doers: by tile, the block that has done it, and 1; begun: how many
// blocks have run.
static __global__ void steal(const uint32_t *numbers, uint32_t *sums, uint32_t *doers,
                             uint32_t *begun) {
    extern __shared__ uint32_t large[]; // so that one block of an SM runs at a time
    __shared__ ulonglong2 answer[1];
    __shared__ uint64_t barrier[1];
    __shared__ uint32_t sum;
    uint32_t rank = cluster_rank(), size;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    if (threadIdx.x == 0) {
        make_barrier(barrier);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        atomicAdd(begun, 1);
        large[0] = 0;
    }
    __syncthreads();
    if (size > 1) sync_cluster();
    uint3 at = blockIdx, self = blockIdx;
    for (int phase = 0;; phase ^= 1) {
        if (threadIdx.x == 0) {
            sum = 0;
            expect(barrier, 16);
            if (size == 1) CANCEL("");
            else if (rank == 0) CANCEL(".multicast::cluster::all");
        }
        __syncthreads();
        uint32_t tile = (at.z * gridDim.y + at.y) * gridDim.x + at.x;
        for (uint32_t i = threadIdx.x; i < tile; i += blockDim.x) atomicAdd(&sum, numbers[i]);
        __syncthreads();
        if (threadIdx.x == 0) {
            sums[tile] = sum;
            doers[tile] += (self.z * gridDim.y + self.y) * gridDim.x + self.x + 1;
        }
        wait_for(barrier, phase);
        if (!read_answer(answer, &at, tile % 2)) break;
        at.x += rank; // clusters lie along x
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (size > 1) sync_cluster(); // all have read the answer
    }
    if (size > 1) sync_cluster();
}

static std::vector<uint32_t> run_steal(dim3 grid, unsigned cluster, uint32_t *out_begun) {
    size_t tiles = size_t(grid.x) * grid.y * grid.z;
    std::vector<uint32_t> numbers(tiles), sums(tiles), doers(tiles);
    for (size_t i = 0; i < tiles; i++) numbers[i] = uint32_t(i * 7 % 11);
    uint32_t *d_numbers, *d_sums, *d_doers, *d_begun;
    CUDA_CHECK(cudaMalloc(&d_numbers, tiles * 4));
    CUDA_CHECK(cudaMalloc(&d_sums, tiles * 4));
    CUDA_CHECK(cudaMalloc(&d_doers, tiles * 4));
    CUDA_CHECK(cudaMalloc(&d_begun, 4));
    CUDA_CHECK(cudaMemcpy(d_numbers, numbers.data(), tiles * 4, cudaMemcpyDefault));
    CUDA_CHECK(cudaMemset(d_doers, 0, tiles * 4));
    CUDA_CHECK(cudaMemset(d_begun, 0, 4));
    enum { LARGE = 200 * 1024 };
    CUDA_CHECK(cudaFuncSetAttribute(steal, cudaFuncAttributeMaxDynamicSharedMemorySize, LARGE));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(64);
    config.dynamicSmemBytes = LARGE;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA_CHECK(
        cudaLaunchKernelEx(&config, steal, (const uint32_t *)d_numbers, d_sums, d_doers, d_begun));
    CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, tiles * 4, cudaMemcpyDefault));
    CUDA_CHECK(cudaMemcpy(doers.data(), d_doers, tiles * 4, cudaMemcpyDefault));
    CUDA_CHECK(cudaMemcpy(out_begun, d_begun, 4, cudaMemcpyDefault));
    uint32_t sum = 0, others = 0;
    for (size_t i = 0; i < tiles; i++) {
        EXPECT(sums[i] == sum);
        EXPECT(doers[i] >= 1 && doers[i] <= tiles);
        others += doers[i] != i + 1;
        sum += numbers[i];
    }
    EXPECT(*out_begun + others == tiles); // a tile of each block that has not run
    for (uint32_t *array : {d_numbers, d_sums, d_doers, d_begun}) CUDA_CHECK(cudaFree(array));
    return doers;
}

static void check_launches() {
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    uint32_t fit = uint32_t(properties.multiProcessorCount), begun, again;
    std::vector<uint32_t> doers = run_steal(dim3(20, 10, 2), 1, &begun);
    EXPECT(begun >= fit && begun < 400);
    EXPECT(run_steal(dim3(20, 10, 2), 1, &again) == doers && again == begun);
    run_steal(dim3(400), 2, &begun);
    EXPECT(begun % 2 == 0 && begun < 400);
    run_steal(dim3(20), 1, &begun); // all run at once: nothing is left to cancel
    EXPECT(begun == 20);
}

// ---- Boxes for a pair ---------------------------------------------------------------------------

enum { CLUSTER = 4, PITCH = 64, BOX = 8 };

// Row r of the array goes to block r of the cluster, and the last row to each of them: the even
// block of each pair waits for what both get.
static __global__ void pairs(__grid_constant__ const CUtensorMap map, uint32_t *out) {
    __shared__ alignas(128) uint32_t tile[2][32];
    __shared__ alignas(8) uint64_t barrier;
    uint32_t rank = cluster_rank(), even;
    if (threadIdx.x == 0) make_barrier(&barrier);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    sync_cluster();
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(even)
        : "r"(shared_address(&barrier)), "r"(rank & ~1u));
    if (threadIdx.x == 0) {
        if (rank % 2 == 0) expect(&barrier, 2 * 2 * BOX * 4);
        asm volatile("cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.tile"
                     ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     :
                     : "r"(shared_address(tile[0])), "l"(&map), "r"(0), "r"(rank), "r"(even)
                     : "memory");
        if (rank == 3)
            asm volatile("cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.tile"
                         ".mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], "
                         "[%4], %5;"
                         :
                         : "r"(shared_address(tile[1])), "l"(&map), "r"(BOX), "r"(CLUSTER),
                           "r"(even), "h"(uint16_t(15))
                         : "memory");
        if (rank % 2 == 0) wait_for(&barrier, 0);
    }
    sync_cluster();
    if (threadIdx.x < 2 * BOX)
        out[rank * 2 * BOX + threadIdx.x] = tile[threadIdx.x / BOX][threadIdx.x % BOX];
}

static void check_pairs() {
    std::vector<uint32_t> rows(PITCH * (CLUSTER + 1)), found(CLUSTER * 2 * BOX);
    for (size_t i = 0; i < rows.size(); i++) rows[i] = uint32_t(i * 3);
    uint32_t *d_rows, *d_out;
    CUDA_CHECK(cudaMalloc(&d_rows, rows.size() * 4));
    CUDA_CHECK(cudaMalloc(&d_out, found.size() * 4));
    CUDA_CHECK(cudaMemcpy(d_rows, rows.data(), rows.size() * 4, cudaMemcpyDefault));
    CUtensorMap map;
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                cudaEnableDefault, &result));
    const cuuint64_t dims[] = {PITCH, CLUSTER + 1}, strides[] = {PITCH * 4};
    const cuuint32_t box[] = {BOX, 1}, steps[] = {1, 1};
    EXPECT(((decltype(cuTensorMapEncodeTiled) *)function)(
               &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, d_rows, dims, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = CLUSTER;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(CLUSTER);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, pairs, map, d_out));
    CUDA_CHECK(cudaMemcpy(found.data(), d_out, found.size() * 4, cudaMemcpyDefault));
    for (size_t rank = 0; rank < CLUSTER; rank++)
        for (size_t i = 0; i < BOX; i++) {
            EXPECT(found[rank * 2 * BOX + i] == rows[rank * PITCH + i]);
            EXPECT(found[rank * 2 * BOX + BOX + i] == rows[CLUSTER * PITCH + BOX + i]);
        }
    CUDA_CHECK(cudaFree(d_rows));
    CUDA_CHECK(cudaFree(d_out));
}

// ---- What must fail -----------------------------------------------------------------------------

static __global__ void wrong(int what, uint32_t *out) {
    __shared__ ulonglong2 answer[2];
    __shared__ uint64_t barrier[1];
    make_barrier(barrier);
    for (int phase = 0; phase < 2; phase++) {
        expect(barrier, 16);
        CANCEL("");
        wait_for(barrier, phase);
        uint3 at;
        if (what == 1) read_answer(answer, &at, true); // the second request comes after a refusal
        if (what == 0)
            asm volatile("{ .reg .b128 q; mov.b128 q, {%1, %2};\n\t"
                         "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, q; }"
                         : "=r"(*out)
                         : "l"(answer->x), "l"(answer->y));
    }
}

int main(int count, char **words) {
    if (count > 1) {
        uint32_t *d_out;
        CUDA_CHECK(cudaMalloc(&d_out, 4));
        wrong<<<1, 1>>>(atoi(words[1]), d_out);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    return run_parts({check_launches, check_pairs});
}
