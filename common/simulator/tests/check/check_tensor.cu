// Bulk tensor copies: see check_case.h.
// since: 13.0
// architectures: 90a
#include <cuda.h>
#include <cuda/ptx>

#include "check_case.h"

namespace ptx = cuda::ptx;

enum { COLUMNS = 32, ROWS = 4, TILE_BYTES = ROWS * COLUMNS * (int)sizeof(float) };

// Rows of 32 floats, in boxes of four rows.
static CUtensorMap tensor(float *d_data, int rows) {
    CUtensorMap map;
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                     &result);
    const cuuint64_t dims[] = {COLUMNS, (cuuint64_t)rows}, strides[] = {COLUMNS * sizeof(float)};
    const cuuint32_t box[] = {COLUMNS, ROWS}, steps[] = {1, 1};
    CUresult made = ((decltype(cuTensorMapEncodeTiled) *)function)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d_data, dims, strides, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made != CUDA_SUCCESS) printf("no map\n");
    return map;
}

__global__ void store(const __grid_constant__ CUtensorMap to, bool fence) {
    __shared__ alignas(128) float tile[BLOCK];
    tile[threadIdx.x] = (float)threadIdx.x;
    if (fence) ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x != 0) return;
    const int32_t at[] = {0, 0};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

// The one thread that copies may fence for all.
__global__ void bulk_store(float *to, bool fence) {
    __shared__ alignas(128) float tile[BLOCK];
    tile[threadIdx.x] = (float)threadIdx.x;
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (fence) ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

__device__ static void begin(uint64_t *barrier) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
}

__device__ static void load_tile(float *tile, const CUtensorMap *map, int row, uint64_t *barrier,
                                 int bytes) {
    const int32_t at[] = {0, row};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                   bytes);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, barrier);
}

__global__ void load(float *y, const __grid_constant__ CUtensorMap from, int row, int bytes,
                     bool wait) {
    __shared__ alignas(128) float tile[BLOCK];
    __shared__ uint64_t full;
    tile[threadIdx.x] = 0;
    ptx::fence_proxy_async(ptx::space_shared);
    begin(&full);
    if (threadIdx.x == 0) load_tile(tile, &from, row, &full, bytes);
    while (wait && !ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    y[threadIdx.x] = tile[threadIdx.x];
    while (!wait && !ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
}

// A box begins at a multiple of 128 bytes.
__global__ void misplaced(const __grid_constant__ CUtensorMap from) {
    __shared__ alignas(128) float tile[BLOCK + 4];
    __shared__ uint64_t full;
    begin(&full);
    if (threadIdx.x == 0) load_tile(tile + 4, &from, 0, &full, TILE_BYTES);
}

// The second phase needs a copy of its own.
__global__ void load_twice(float *y, const __grid_constant__ CUtensorMap from, bool twice) {
    __shared__ alignas(128) float tile[BLOCK];
    __shared__ uint64_t full;
    begin(&full);
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0 && (i == 0 || twice)) load_tile(tile, &from, i, &full, TILE_BYTES);
        while (!ptx::mbarrier_try_wait_parity(&full, i)) {
        }
        y[i * BLOCK + threadIdx.x] = tile[threadIdx.x];
        __syncthreads();
    }
}

// When a thread that has used a tile says so: before, after, one lane for its warp, that in order.
enum class when_empty { EARLY, READ, LANE_READ, WARP_READ };

// A warp loads two tiles, the second one when all others have used the first.
__global__ void load_in_turn(float *y, const __grid_constant__ CUtensorMap from, bool alternates,
                             int arrivals, when_empty when = when_empty::READ) {
    __shared__ alignas(128) float tile[BLOCK];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) ptx::mbarrier_init(&empty, BLOCK - 32);
    begin(&full);
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0) {
            while (!ptx::mbarrier_try_wait_parity(&empty, 1 - i)) {
            }
            load_tile(tile, &from, i, &full, TILE_BYTES);
        } else if (threadIdx.x >= 32) {
            while (!ptx::mbarrier_try_wait_parity(&full, alternates ? i : 0)) {
            }
            if (when == when_empty::EARLY) ptx::mbarrier_arrive(&empty);
            y[i * BLOCK + threadIdx.x] = tile[threadIdx.x];
            if (when == when_empty::EARLY || i >= arrivals) continue;
            if (when == when_empty::READ) ptx::mbarrier_arrive(&empty);
            if (when == when_empty::WARP_READ) __syncwarp();
            if (when != when_empty::READ && threadIdx.x % 32 == 0) // for all lanes
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty,
                                     32);
        }
    }
    __syncthreads();
}

// Two boxes in one phase, which expects so many bytes.
__global__ void load_both(float *y, const __grid_constant__ CUtensorMap from, int bytes) {
    __shared__ alignas(128) float tiles[2][BLOCK];
    __shared__ uint64_t full;
    begin(&full);
    if (threadIdx.x == 0) {
        const int32_t at[] = {0, ROWS};
        load_tile(tiles[0], &from, 0, &full, bytes);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tiles[1], &from, at,
                                  &full);
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    y[threadIdx.x] = tiles[0][threadIdx.x] + tiles[1][threadIdx.x];
}

// All lanes of a warp make the mbarrier, of as many arrivals or not.
__global__ void made_by_warp(float *y, bool alike) {
    __shared__ uint64_t full;
    if (threadIdx.x < 32) ptx::mbarrier_init(&full, alike || threadIdx.x != 5 ? BLOCK : 1);
    __syncthreads();
    y[threadIdx.x] = ptx::mbarrier_test_wait_parity(&full, 0);
}

// Thread 0 makes an mbarrier and arrives at it; the others wait for that phase. Its arrival passes
// on that it has made it, but they may look before.
__global__ void made_for_others(float *y, bool meet) {
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    if (meet) __syncthreads();
    if (threadIdx.x == 0) ptx::mbarrier_arrive(&full);
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    y[threadIdx.x] = 1;
}

// Block 0 loads for both, which must have started.
__global__ void __cluster_dims__(2, 1, 1)
    broadcast(float *y, const __grid_constant__ CUtensorMap from, bool meet) {
    __shared__ alignas(128) float tile[BLOCK];
    __shared__ uint64_t full;
    begin(&full);
    if (threadIdx.x == 0)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full,
                                       TILE_BYTES);
    if (meet) {
        ptx::barrier_cluster_arrive();
        ptx::barrier_cluster_wait();
    }
    const int32_t at[] = {0, 0};
    if (threadIdx.x == 0 && blockIdx.x == 0)
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &full,
                                  (uint16_t)3);
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    y[blockIdx.x * BLOCK + threadIdx.x] = tile[threadIdx.x];
    if (meet) {
        ptx::barrier_cluster_arrive();
        ptx::barrier_cluster_wait();
    }
}

// finds race: tile.threadIdx.x. = .*cp_async_bulk_tensor.*: tile.0.\n.*fence.proxy.async
PAIR(store_unfenced, store<<<1, BLOCK>>>(tensor(d_y, 16), right));
// finds race: tile.threadIdx.x. = .*cp_async_bulk.ptx.*fence.proxy.async
PAIR(bulk_unfenced, bulk_store<<<1, BLOCK>>>(d_y, right));
// finds race: cp_async_bulk_tensor.*read at check_tensor.cu:[0-9]+\n.*= tile.threadIdx.x.
//   ~ mbarrier[ \n]+that counts them
PAIR(read_early, load<<<1, BLOCK>>>(d_y, tensor(d_x, 16), 0, TILE_BYTES, right));
// finds deadlock: 16 bytes more[ \n]+have come than it was told to expect
CASE(few_bytes, load<<<1, BLOCK>>>(d_y, tensor(d_x, 16), 0, TILE_BYTES - 16, true));
// finds deadlock: 16 bytes that[ \n]+it was told to expect have not come
CASE(many_bytes, load<<<1, BLOCK>>>(d_y, tensor(d_x, 16), 0, TILE_BYTES + 16, true));
// finds misaligned: misaligned write of 512 bytes at byte [0-9]+ of[ \n]+shared[ \n]+memory
CASE(misplaced, misplaced<<<1, BLOCK>>>(tensor(d_x, 16)));
// finds deadlock: the wait names the wrong parity
PAIR(parity, load_twice<<<1, BLOCK>>>(d_y, tensor(d_x, 16), right));
// finds barrier-phase, race
//   ~ race: .*this[ \n]+wait[ \n]+orders[ \n]+nothing.*barrier-phase:
//   ~ .*try_wait_parity.&full.*at check_tensor.cu:[0-9]+\n.*try_wait_parity.&full
//   ~ the second wait is for the[ \n]+same phase
//   advice NEXT_PARITY
PAIR(phase_twice, load_in_turn<<<1, BLOCK>>>(d_y, tensor(d_x, 16), right, 1));
// finds barrier-phase, deadlock
//   ~ barrier-phase: .*try_wait_parity.&full.*at check_tensor.cu:[0-9]+\n.*try_wait_parity.&full
//   ~ the second wait is for the[ \n]+same phase
CASE(phase_stuck, load_in_turn<<<1, BLOCK>>>(d_y, tensor(d_x, 16), false, 2));
// finds race: = tile.threadIdx.x.*arrive when the[ \n]+read[ \n]+is done
//   advice ARRIVE_AFTER_READ by phase_twice_not
CASE(emptied_early, load_in_turn<<<1, BLOCK>>>(d_y, tensor(d_x, 16), true, 1, when_empty::EARLY));
// finds race: = tile.threadIdx.x.*put[ \n]+__syncwarp.. between the[ \n]+access and the arrival
//   advice ARRIVE_FOR_WARP
CASE(lane_arrives,
     load_in_turn<<<1, BLOCK>>>(d_y, tensor(d_x, 16), true, 1, when_empty::LANE_READ));
CASE(lane_arrives_not,
     load_in_turn<<<1, BLOCK>>>(d_y, tensor(d_x, 16), true, 1, when_empty::WARP_READ));
// finds race: tiles.1.*fewer bytes than come
//   advice EXPECT_ALL_BYTES
CASE(one_of_two, load_both<<<1, BLOCK>>>(d_y, tensor(d_x, 16), TILE_BYTES));
CASE(one_of_two_not, load_both<<<1, BLOCK>>>(d_y, tensor(d_x, 16), 2 * TILE_BYTES));
// finds race: write at check_tensor.cu:[0-9]+\n.*mbarrier_init.*threads store different values
//   advice ONE_STORE
PAIR(made_by_warp, made_by_warp<<<1, BLOCK>>>(d_y, right));
// finds race: mbarrier_try_wait_parity.*mbarrier_init.*another thread initialises this mbarrier
//   ~ __syncthreads
//   advice BARRIER_AFTER_INIT
PAIR(made_for_others, made_for_others<<<1, BLOCK>>>(d_y, right));
// finds out-of-bounds: the tensor map describes 4096 bytes.*has 2048 from there on
CASE(large_map, load<<<1, BLOCK>>>(d_y, tensor(d_x, 32), 0, TILE_BYTES, true));
// finds out-of-bounds: coordinates[ \n]+count elements
CASE(box_outside, load<<<1, BLOCK>>>(d_y, tensor(d_x, 16), 64, TILE_BYTES, true));
CASE(box_outside_not, load<<<1, BLOCK>>>(d_y, tensor(d_x, 16), 16, TILE_BYTES, true));
// finds cluster-lifetime: other blocks of the cluster have started
PAIR(multicast, broadcast<<<2, BLOCK>>>(d_y, tensor(d_x, 16), right));
