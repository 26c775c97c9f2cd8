// Questions about mbarriers, named barriers, cooperative groups beyond a warp and atomics.
#include "ask.h"
#include <climits>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
#define TID threadIdx.x
#pragma nv_diag_suppress 550, 20054

// ---- mbarriers ---------------------------------------------------------------------------------

static __device__ u32 shared_of(const void *p) { return (u32)__cvta_generic_to_shared(p); }
static __device__ void init(u64 *b, u32 count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_of(b)), "r"(count) : "memory");
}
static __device__ u64 arrive(u64 *b) {
    u64 state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_of(b)));
    return state;
}
static __device__ u64 arrive_expect(u64 *b, u32 bytes) {
    u64 state;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(state)
                 : "r"(shared_of(b)), "r"(bytes));
    return state;
}
static __device__ void expect(u64 *b, u32 bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_of(b)),
                 "r"(bytes));
}
static __device__ void complete(u64 *b, u32 bytes) {
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_of(b)),
                 "r"(bytes));
}
static __device__ u64 drop(u64 *b) {
    u64 state;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_of(b)));
    return state;
}
static __device__ u64 pending(u64 state) {
    u32 count;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
    return count;
}
static __device__ u64 parity(u64 *b, u32 phase) {
    u32 done;
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(shared_of(b)), "r"(phase)
                 : "memory");
    return done;
}
static __device__ u64 test(u64 *b, u64 state) {
    u32 done;
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(shared_of(b)), "l"(state)
                 : "memory");
    return done;
}

DEVICE(1001, " %llu", 1, 1, 1, 0) {
    __shared__ u64 b;
    init(&b, 1048575);
    o[0] = pending(arrive(&b));
}
DEVICE(1002, " %llu", 3, 1, 1, 0) {
    __shared__ u64 b;
    u64 state;
    init(&b, 10);
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 3;"
                 : "=l"(state)
                 : "r"(shared_of(&b)));
    o[0] = pending(state);
    for (int i = 1; i < 3; i++) o[i] = pending(arrive(&b));
}
DEVICE(1003, " %llu", 2, 1, 1, 0) {
    __shared__ u64 b;
    init(&b, 1);
    for (int i = 0; i < 2; i++) o[i] = parity(&b, i);
}
DEVICE(1004, " %llu", 4, 1, 1, 0) {
    __shared__ u64 b;
    init(&b, 1);
    for (int i = 0; i < 4; i++) {
        if (i % 2 == 0) arrive(&b);
        o[i] = parity(&b, i % 2);
    }
}
DEVICE(1005, " %llu", 3, 1, 1, 0) {
    __shared__ u64 b;
    init(&b, 2);
    u64 state = arrive(&b);
    o[0] = test(&b, state);
    arrive(&b);
    o[1] = test(&b, state);
    arrive(&b);
    arrive(&b);
    o[2] = test(&b, state);
}
DEVICE(1006, " %llu", 3, 1, 1, 0) {
    __shared__ u64 b;
    init(&b, 1);
    arrive_expect(&b, 16);
    for (int i = 0; i < 3; i++) {
        if (i) complete(&b, 8);
        o[i] = parity(&b, 0);
    }
}
DEVICE(1007, " %llu", 2, 1, 1, 0) {
    __shared__ u64 b;
    init(&b, 1);
    arrive_expect(&b, 1048575);
    o[0] = parity(&b, 0);
    complete(&b, 1048575);
    o[1] = parity(&b, 0);
}
DEVICE(1008, " %llu", 2, 1, 1, 0) {
    __shared__ u64 b;
    init(&b, 1);
    complete(&b, 16);
    o[0] = parity(&b, 0);
    arrive_expect(&b, 16);
    o[1] = parity(&b, 0);
}
DEVICE(1009, " %llu", 2, 1, 1, 0) {
    __shared__ u64 b;
    init(&b, 3);
    drop(&b);
    arrive(&b);
    arrive(&b);
    o[0] = parity(&b, 0);
    o[1] = pending(arrive(&b));
}
DEVICE(1010, " %llu", 2, 1, 1, 0) {
    __shared__ u64 b;
    init(&b, 1);
    arrive(&b);
    arrive(&b);
    for (int i = 0; i < 2; i++) o[i] = parity(&b, i);
}
DEVICE(1011, " %llu", 1, 1, 1, 0) {
    __shared__ u64 b;
    init(&b, 9);
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_of(&b)) : "memory");
    init(&b, 2);
    o[0] = pending(arrive(&b));
}
DEVICE(1012, " %llu", 1, 1, 1, 0) {
    __shared__ u64 b;
    u32 done;
    init(&b, 1);
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0, 1000; "
                 "selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(shared_of(&b)));
    o[0] = done;
}
DEVICE(1013, " %llu", 2, 1, 1, 0) {
    __shared__ u64 b;
    init(&b, 2);
    expect(&b, 32);
    arrive(&b);
    arrive(&b);
    o[0] = parity(&b, 0);
    complete(&b, 32);
    o[1] = parity(&b, 0);
}
DEVICE(1014, " %llu", 2, 1, 1, 0) {
    __shared__ u64 b;
    u64 state;
    init(&b, 4);
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(shared_of(&b)));
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(shared_of(&b)));
    o[0] = parity(&b, 0);
    o[1] = pending(arrive(&b));
}

// ---- barriers, latches and semaphores of libcu++ -----------------------------------------------

typedef cuda::barrier<cuda::thread_scope_block> Barrier;

HOST(1015) {
    say(" %lld %d", (long long)Barrier::max(),
        cuda::barrier<cuda::thread_scope_device>::max() > 1 << 20);
}
DEVICE(1016, " %llu", 2, 1, 1, 0) {
    __shared__ Barrier b;
    init(&b, 5);
    (void)b.arrive(3);
    o[0] = b.try_wait_parity_for(false, cuda::std::chrono::nanoseconds(0));
    (void)b.arrive(2);
    o[1] = b.try_wait_parity_for(false, cuda::std::chrono::nanoseconds(0));
}
DEVICE(1017, " %llu", 1, 1, 64, 0) {
    __shared__ Barrier b;
    if (TID == 0) init(&b, 64);
    __syncthreads();
    if (TID < 32) {
        b.arrive_and_drop();
        return;
    }
    for (int i = 0; i < 2; i++) b.arrive_and_wait();
    if (TID == 63) o[0] = 2;
}
struct alignas(16) Wide {
    long long a, b;
};
HOST(1018) {
    say(" %zu %zu %zu %zu", sizeof(Barrier), sizeof(cuda::barrier<cuda::thread_scope_device>),
        sizeof(cuda::atomic<Wide>),
        sizeof(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>));
}
static __device__ cuda::atomic<Wide, cuda::thread_scope_device> wide;
DEVICE(1019, " %llu", 1, 1, 1, 0) { o[0] = wide.is_lock_free(); }
DEVICE(1020, " %llu", 4, 1, 1, 0) {
    __shared__ cuda::std::aligned_storage_t<64, 64> place;
    auto *s = new (&place) cuda::counting_semaphore<cuda::thread_scope_block>(2);
    for (int i = 0; i < 4; i++) {
        if (i == 3) s->release();
        o[i] = s->try_acquire();
    }
}
DEVICE(1021, " %llu", 2, 1, 1, 0) {
    __shared__ cuda::std::aligned_storage_t<64, 64> place;
    auto *l = new (&place) cuda::latch<cuda::thread_scope_block>(3);
    l->count_down(2);
    o[0] = l->try_wait();
    l->count_down();
    o[1] = l->try_wait();
}

// ---- named barriers ----------------------------------------------------------------------------

DEVICE(1022, " %llu", 1, 1, 96, 0) {
    u32 count;
    if (TID >= 64) return;
    asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 0; bar.red.popc.u32 %0, 15, 64, p;}"
                 : "=r"(count)
                 : "r"(TID % 3));
    if (TID == 0) o[0] = count;
}
DEVICE_ALONE(1023, " %llu", 1, 1, 64, 0) {
    u32 count = 33 + (u32)o[1];
    asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory");
    if (TID == 0) o[0] = 1;
}
DEVICE_ALONE(1024, " %llu", 1, 1, 64, 0) {
    u32 number = 16 + (u32)o[1];
    asm volatile("bar.sync %0;" ::"r"(number) : "memory");
    if (TID == 0) o[0] = 1;
}
DEVICE_ALONE(1025, " %llu", 1, 1, 64, 0) {
    if (TID % 32 < 16) asm volatile("barrier.sync 0;" ::: "memory");
    else asm volatile("barrier.sync 0;" ::: "memory");
    atomicAdd(&o[0], 1);
}
DEVICE(1026, " %llu", 1, 1, 64, 0) {
    u32 count;
    if (TID >= 32) return;
    asm volatile("{.reg .pred p; setp.eq.u32 p, 0, 0; barrier.red.popc.u32 %0, 0, p;}"
                 : "=r"(count));
    if (TID == 0) o[0] = count;
}
DEVICE(1027, " %llu", 1, 1, 64, 0) {
    if (TID >= 40) return;
    int count = __syncthreads_count(1);
    if (TID == 0) o[0] = count;
}
DEVICE_ALONE(1028, " %llu", 1, 1, 64, 0) {
    if (TID < 32) {
        asm volatile("bar.arrive 1, 96;" ::: "memory");
        asm volatile("bar.arrive 1, 96;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        if (TID == 32) o[0] = 1;
    }
}
DEVICE(1029, " %llu", 2, 1, 32, 0) {
    u32 all, any;
    asm volatile("{.reg .pred p, q, r; setp.ne.u32 p, %2, 5; setp.eq.u32 q, %2, 5;"
                 "bar.red.and.pred r, 0, p; selp.u32 %0, 1, 0, r;"
                 "bar.red.or.pred r, 0, q; selp.u32 %1, 1, 0, r;}"
                 : "=r"(all), "=r"(any)
                 : "r"(TID));
    if (TID == 0) o[0] = all, o[1] = any;
}
DEVICE(1030, " %llu", 2, 1, 40, 0) {
    int none = __syncthreads_or(0), last = __syncthreads_or(TID == 39);
    if (TID == 0) o[0] = none, o[1] = last;
}
DEVICE(1031, " %llu", 1, 1, 64, 0) {
    for (int i = 0; i < 100; i++) {
        asm volatile("barrier.cta.sync %0, 32;" ::"r"(1 + TID / 32) : "memory");
        if (TID % 32 == 0) atomicAdd(&o[0], 1);
    }
}
DEVICE(1032, " %llu", 1, 1, 64, 0) {
    if (TID % 32 < 16) __syncwarp(0xFFFF);
    else __syncwarp(0xFFFF0000);
    __syncthreads();
    atomicAdd(&o[0], 1);
}

// ---- cooperative groups ------------------------------------------------------------------------

DEVICE(1041, " %llu", 4, 1, 128, 0) {
    __shared__ cg::block_tile_memory<128> memory;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    if (TID == 70) {
        o[0] = tile.size(), o[1] = tile.meta_group_size();
        o[2] = tile.thread_rank(), o[3] = tile.meta_group_rank();
    }
}
DEVICE(1042, " %llu", 3, 1, 128, 0) {
    __shared__ cg::block_tile_memory<128> memory;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    u64 v = tile.shfl((int)tile.thread_rank(), 40);
    int any = tile.any(tile.thread_rank() == 63), all = tile.all(tile.thread_rank() < 63);
    if (TID == 3) o[0] = v, o[1] = any, o[2] = all;
}
DEVICE(1043, " %llu", 2, 1, 256, 0) {
    __shared__ cg::block_tile_memory<256> memory;
    auto tile = cg::tiled_partition<128>(cg::this_thread_block(memory));
    int sum = cg::reduce(tile, (int)TID, cg::plus<int>());
    if (TID == 0) o[0] = sum;
    if (TID == 200) o[1] = sum;
}
DEVICE(1044, " %llu", 2, 1, 32, 0) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int in = cg::inclusive_scan(tile, (int)TID), ex = cg::exclusive_scan(tile, (int)TID);
    if (TID == 5) o[0] = in, o[1] = ex;
}
DEVICE(1045, " %llu", 5, 1, 32, 0) {
    if (TID % 4 != 3 || TID > 19) return;
    auto group = cg::coalesced_threads();
    int v = TID, sum = cg::reduce(group, v, cg::plus<int>());
    int least = cg::reduce(group, v, cg::less<int>()),
        most = cg::reduce(group, v, cg::greater<int>());
    int odd = cg::reduce(group, v, cg::bit_xor<int>()),
        any = cg::reduce(group, v, cg::bit_or<int>());
    if (group.thread_rank() == 0) o[0] = sum, o[1] = least, o[2] = most, o[3] = odd, o[4] = any;
}
DEVICE(1046, " %lld", 2, 1, 32, 0) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    long long most = cg::exclusive_scan(tile, (int)TID - 9, cg::greater<int>());
    long long least = cg::exclusive_scan(tile, (int)TID - 9, cg::less<int>());
    if (TID == 0) o[0] = most, o[1] = least;
}
__global__ void rank_in_3d(u64 *o) {
    auto block = cg::this_thread_block();
    if (threadIdx.x == 1 && threadIdx.y == 2 && threadIdx.z == 3)
        o[0] = block.thread_rank(), o[1] = block.size();
}
HOST(1047) {
    u64 *d, out[2];
    cudaMalloc(&d, 64);
    rank_in_3d<<<1, dim3(4, 5, 6)>>>(d);
    cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
    say(" %llu %llu", out[0], out[1]);
}
__global__ void rank_in_grid(u64 *o) {
    auto grid = cg::this_grid();
    if (blockIdx.x == 1 && blockIdx.y == 2 && blockIdx.z == 1 && TID == 3)
        o[0] = grid.block_rank(), o[1] = grid.thread_rank(), o[2] = grid.size();
}
HOST(1048) {
    u64 *d, out[3];
    cudaMalloc(&d, 64);
    rank_in_grid<<<dim3(2, 3, 2), 32>>>(d);
    cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
    say(" %llu %llu %llu", out[0], out[1], out[2]);
}
__global__ void __cluster_dims__(4) in_fours(u64 *o) {
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 2 && TID == 5)
        o[0] = cluster.thread_rank(), o[1] = cluster.num_threads(), o[2] = cluster.num_blocks();
}
HOST(1049) { launch(in_fours, " %llu", 3, 4, 64, 0); }
DEVICE(1050, " %llu", 2, 1, 32, 0) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    cg::invoke_one(
        tile, [&] { o[0] = TID; });
    int seen = cg::invoke_one_broadcast(tile, [&] { return (int)TID; });
    if (TID == 31) o[1] = seen;
}
DEVICE(1051, " %llu", 3, 1, 32, 0) {
    if (TID % 3) return;
    auto all = cg::coalesced_threads(); // 11 lanes
    if (all.thread_rank() == 10) return;
    auto ten = cg::coalesced_threads();
    auto tile = cg::tiled_partition(ten, 4);
    if (ten.thread_rank() == 9)
        o[0] = tile.size(), o[1] = tile.meta_group_rank(), o[2] = tile.meta_group_size();
}
DEVICE(1052, " %llu", 4, 1, 64, 0) {
    auto tile = cg::tiled_partition<1>(cg::this_thread_block());
    int any = tile.any(1);
    if (TID == 5)
        o[0] = tile.size(), o[1] = tile.meta_group_size(), o[2] = tile.thread_rank(), o[3] = any;
}
DEVICE(1053, " %llu", 2, 1, 64, 0) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    auto half = cg::tiled_partition<16>(tile);
    if (TID == 52) o[0] = half.meta_group_rank(), o[1] = half.meta_group_size();
}
DEVICE(1054, " %llu", 3, 1, 32, 0) {
    if (TID % 2 == 0) return;
    int sum = cg::inclusive_scan(cg::coalesced_threads(), (int)TID);
    if (TID == 1) o[0] = sum;
    if (TID == 5) o[1] = sum;
    if (TID == 31) o[2] = sum;
}
DEVICE(1055, " %llx", 1, 1, 32, 0) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    float sum = cg::reduce(tile, exp2f(-(float)TID) * 1.3f, cg::plus<float>());
    if (TID == 0) o[0] = __float_as_uint(sum);
}
DEVICE(1056, " %llu", 1, 1, 96, 0) {
    auto block = cg::this_thread_block();
    __shared__ u32 sum;
    if (TID == 0) sum = 0;
    block.sync();
    for (int i = 0; i < 3; i++) {
        atomicAdd(&sum, 1);
        auto token = block.barrier_arrive();
        block.barrier_wait(std::move(token));
    }
    if (TID == 0) o[0] = sum;
}
__global__ void whole_grid(u64 *o) {
    auto grid = cg::this_grid();
    bool valid = grid.is_valid();
    if (TID == 0) atomicAdd(&o[1], 1);
    if (valid) grid.sync();
    if (TID == 0 && blockIdx.x == 3) o[0] = valid, o[2] = o[1];
}
HOST(1057) {
    u64 *d, out[3];
    void *arguments[] = {&d};
    cudaMalloc(&d, 64);
    for (int i = 0; i < 2; i++) {
        cudaMemset(d, 0, 64);
        if (i) cudaLaunchCooperativeKernel((void *)whole_grid, dim3(4), dim3(32), arguments, 0, 0);
        else whole_grid<<<4, 32>>>(d);
        cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
        say(" %llu", out[0]);
        if (i) say(" %llu", out[2]);
    }
}
DEVICE(1058, " %llu", 2, 1, 32, 0) {
    auto group = cg::coalesced_threads();
    u32 same = group.match_any(TID / 3), odd = group.ballot(TID % 2);
    if (TID == 5) o[0] = same, o[1] = odd;
}
DEVICE(1059, " %llu", 4, 1, 32, 0) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int up = tile.shfl_up((int)TID, 3), across = tile.shfl_xor((int)TID, 9),
        at = tile.shfl((int)TID, 11);
    if (TID == 1) o[0] = up;
    if (TID == 12) o[1] = up;
    if (TID == 2) o[2] = across;
    if (TID == 0) o[3] = at;
}
DEVICE(1060, " %llu", 2, 1, 64, 0) {
    auto cluster = cg::this_cluster();
    if (TID == 0) o[0] = cluster.num_blocks(), o[1] = cluster.num_threads();
}

// ---- atomics -----------------------------------------------------------------------------------

static __device__ u32 word[8];
static __device__ float *float_at(int i) { return (float *)&word[i]; }
static __device__ u32 bits(float v) { return __float_as_uint(v); }

DEVICE(1071, " %llu", 3, 1, 1, 0) {
    word[0] = 5, word[1] = 0, word[2] = 9;
    atomicInc(&word[0], 3);
    atomicDec(&word[1], 7);
    atomicDec(&word[2], 7);
    for (int i = 0; i < 3; i++) o[i] = word[i];
}
DEVICE(1072, " %lld", 3, 1, 1, 0) {
    int v[3] = {3, 3, INT_MIN};
    cuda::atomic_ref<int, cuda::thread_scope_device>(*(int *)&word[0]).store(3);
    cuda::atomic_ref<int, cuda::thread_scope_device> a(*(int *)&word[0]);
    a.fetch_max(7);
    o[0] = (long long)a.load();
    a.fetch_min(-9);
    o[1] = (long long)a.load();
    a.store(v[2]);
    a.fetch_sub(1);
    o[2] = (long long)a.load();
}
DEVICE(1073, " %llu", 3, 1, 1, 0) {
    word[0] = 0x112233FF;
    auto *a = (cuda::atomic<uint8_t, cuda::thread_scope_device> *)&word[0];
    o[0] = a->fetch_add(1);
    o[1] = a->load();
    o[2] = word[0] == 0x11223300;
}
DEVICE(1074, " %llu", 2, 1, 1, 0) {
    word[0] = 7;
    uint16_t expected = 9;
    auto *a = (cuda::atomic<uint16_t, cuda::thread_scope_device> *)&word[0];
    o[0] = a->compare_exchange_strong(expected, 1);
    o[1] = expected;
}
DEVICE(1075, " %llx", 3, 1, 1, 0) {
    __shared__ float s;
    s = 0, word[0] = word[1] = 0;
    for (int i = 0; i < 2; i++) {
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(&word[0]), "f"(1e-40f) : "memory");
        atomicAdd(&s, 1e-40f);
        atomicAdd(float_at(1), 1e-40f);
    }
    o[0] = *(volatile u32 *)&word[0], o[1] = bits(s), o[2] = *(volatile u32 *)&word[1];
}
DEVICE(1076, " %llx", 2, 1, 1, 0) {
    __shared__ float s;
    s = 1, *float_at(0) = 1;
    atomicAdd(float_at(0), __uint_as_float(0x7FC12345));
    atomicAdd(&s, __uint_as_float(0x7FC12345));
    o[0] = *(volatile u32 *)&word[0], o[1] = bits(s);
}
DEVICE(1077, " %llx", 1, 1, 1, 0) {
    for (int i = 0; i < 2; i++) atomicAdd((double *)&o[0], __longlong_as_double(1));
}
DEVICE(1078, " %llx", 2, 1, 1, 0) {
    word[0] = word[1] = 0;
    for (int i = 0; i < 2; i++) {
        atomicAdd((__half2 *)&word[0], __half2(__ushort_as_half(1), __ushort_as_half(0)));
        atomicAdd((__half2 *)&word[1], __half2(__ushort_as_half(0x7BFF), __ushort_as_half(0)));
    }
    for (int i = 0; i < 2; i++) o[i] = *(volatile u32 *)&word[i];
}
DEVICE(1079, " %llx", 2, 1, 1, 0) {
    word[0] = 0x4380, word[1] = 0x4381;
    for (int i = 0; i < 2; i++) {
        atomicAdd((__nv_bfloat16 *)&word[i], __float2bfloat16(1));
        o[i] = *(volatile u32 *)&word[i];
    }
}
static __device__ float4 four;
DEVICE(1080, " %llu", 2, 1, 1, 0) {
    four = {1, 2, 4, 8};
    asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(&four), "f"(1.0f) : "memory");
    asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(&four), "f"(1.0f)
                 : "memory");
    volatile float *f = (volatile float *)&four;
    o[0] = f[1], o[1] = f[3];
}
DEVICE(1081, " %llx", 2, 1, 1, 0) {
    four = {};
    ((u32 *)&four)[0] = 0x3C00;
    asm volatile("red.global.max.noftz.v2.f16 [%0], {%1, %1};" ::"l"(&four), "h"((short)0x7E00)
                 : "memory");
    o[0] = *(volatile u32 *)&four & 0xFFFF;
    asm volatile("red.global.min.noftz.v2.f16 [%0], {%1, %1};" ::"l"((u32 *)&four + 2),
                 "h"((short)0x8000)
                 : "memory");
    o[1] = ((volatile u32 *)&four)[2] & 0xFFFF;
}
DEVICE(1082, " %lld", 3, 1, 1, 0) {
    word[0] = word[1] = 3, o[2] = 3;
    atomicMin((int *)&word[0], -5);
    atomicMax(&word[1], 0xFFFFFFFBu);
    atomicMax((long long *)&o[2], -1ll);
    o[0] = (long long)*(volatile int *)&word[0], o[1] = *(volatile u32 *)&word[1];
}
DEVICE(1083, " %llx", 2, 1, 1, 0) {
    word[0] = 0x10000;
    o[0] = atomicCAS((unsigned short *)&word[0] + 1, (unsigned short)1, (unsigned short)2);
    o[1] = *(volatile u32 *)&word[0];
}
DEVICE(1084, " %llu", 2, 1, 1, 0) {
    cuda::atomic_ref<float, cuda::thread_scope_device> f(*float_at(0));
    f.store(1);
    o[0] = f.fetch_add(2);
    double *d = (double *)&four;
    *d = 1;
    cuda::atomic_ref<double, cuda::thread_scope_device>(*d).fetch_max(2.5);
    o[1] = *d * 10;
}
DEVICE(1085, " %llu", 1, 1, 32, 0) {
    __shared__ u64 s;
    s = 0;
    __syncwarp();
    u64 old = atomicExch(&s, (u64)TID);
    atomicAdd(&o[0], old);
    __syncwarp();
    if (TID == 0) atomicAdd(&o[0], s);
}
DEVICE(1086, " %llu", 4, 1, 1, 0) {
    word[0] = 12;
    o[0] = atomicAnd(&word[0], 10), o[1] = atomicOr(&word[0], 3), o[2] = atomicXor(&word[0], 1);
    o[3] = *(volatile u32 *)&word[0];
}
DEVICE(1087, " %llx", 2, 1, 1, 0) {
    __shared__ float s;
    s = -0.0f, word[0] = 0x80000000;
    atomicAdd(&s, -0.0f);
    atomicAdd(float_at(0), -0.0f);
    o[0] = bits(s), o[1] = *(volatile u32 *)&word[0];
}
DEVICE(1088, " %llx", 1, 1, 1, 0) {
    word[0] = 0x00800000; // the difference of normal numbers is a denormal one
    atomicAdd(float_at(0), __uint_as_float(0x80C00000));
    o[0] = *(volatile u32 *)&word[0];
}
DEVICE(1089, " %llx", 1, 1, 1, 0) {
    word[0] = 0;
    atomicAdd((__half *)&word[0] + 1, __float2half(1));
    o[0] = *(volatile u32 *)&word[0];
}
DEVICE(1090, " %llx", 1, 1, 1, 0) {
    word[0] = 0x3F80;
    atomicAdd((__nv_bfloat162 *)&word[0],
              __nv_bfloat162(__ushort_as_bfloat16(0x7FC1), __ushort_as_bfloat16(0)));
    o[0] = *(volatile u32 *)&word[0] & 0xFFFF;
}
