// SPDX-License-Identifier: MIT
// Cooperative groups: blocks, tiles, coalesced groups, grids, clusters.
// Compiled, and nothing of it may be refused (compare.sh); nobody runs it.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/atomic>
namespace cg = cooperative_groups;
extern "C" __global__ void block(int *o, const int *a) {
    __shared__ int s[256];
    auto b = cg::this_thread_block();
    b.sync();
    o[0] = b.thread_rank() + b.size() + b.group_index().x + b.thread_index().y + b.group_dim().x +
           b.dim_threads().z + b.num_threads();
    auto t = b.barrier_arrive();
    b.barrier_wait(std::move(t));
    cg::memcpy_async(b, s, a, sizeof s);
    cg::wait(b);
    cg::memcpy_async(b, s, cuda::aligned_size_t<16>(sizeof s), a,
                     cuda::aligned_size_t<16>(sizeof s));
    cg::wait_prior<0>(b);
    cg::wait(b);
    o[b.thread_rank()] = s[b.thread_rank()];
    cg::invoke_one(
        b, [&] { o[3] = 1; });
    o[4] = cg::invoke_one_broadcast(cg::coalesced_threads(), [&] { return o[3]; });
}
template <int N> __device__ int tile(cg::thread_block b, int v) {
    auto t = cg::tiled_partition<N>(b);
    v += t.shfl(v, 0) + t.shfl_xor(v, 1) + t.shfl_up(v, 1) + t.shfl_down(v, 1) + t.any(v) +
         t.all(v) + t.ballot(v) + t.match_any(v) + t.meta_group_rank() + t.meta_group_size();
    int p;
    v += t.match_all(v, p) + p;
    t.sync();
    v += cg::reduce(t, v, cg::plus<int>()) + cg::reduce(t, v, cg::less<int>()) +
         cg::reduce(t, v, cg::greater<int>()) + cg::reduce(t, v, cg::bit_and<int>()) +
         cg::reduce(t, v, cg::bit_xor<int>());
    v += cg::inclusive_scan(t, v) + cg::exclusive_scan(t, v, cg::plus<int>());
    return v;
}
extern "C" __global__ void tiles(int *o, float *f, double *d, long long *l) {
    auto b = cg::this_thread_block();
    int v = o[threadIdx.x];
    v += tile<32>(b, v) + tile<16>(b, v) + tile<8>(b, v) + tile<4>(b, v) + tile<2>(b, v);
    o[threadIdx.x] = v;
    auto t = cg::tiled_partition<32>(b);
    f[0] = cg::reduce(t, f[1], cg::plus<float>());
    d[0] = cg::reduce(t, d[1], cg::greater<double>());
    l[0] = cg::reduce(t, l[1], cg::plus<long long>());
    auto dyn = cg::tiled_partition(b, 8);
    o[1] = dyn.size();
    auto lp = cg::labeled_partition(t, v % 3);
    o[2] = lp.size() + lp.thread_rank();
    o[3] = cg::reduce(lp, v, cg::plus<int>());
    auto bp = cg::binary_partition(t, v & 1);
    o[4] = bp.size();
    auto c = cg::coalesced_threads();
    o[5] = c.shfl(v, 0) + c.size() + cg::reduce(c, v, cg::plus<int>()) + cg::inclusive_scan(c, v);
    cg::reduce_update_async(t, *(cuda::atomic<int, cuda::thread_scope_device> *)(o + 9), v,
                            cg::plus<int>());
    cg::reduce_store_async(t, o + 11, v, cg::plus<int>());
}
extern "C" __global__ void big(int *o) {
    __shared__ cg::block_tile_memory<256> m;
    auto b = cg::this_thread_block(m);
    auto t = cg::tiled_partition<64>(b);
    o[0] = cg::reduce(t, o[1], cg::plus<int>());
    t.sync();
    o[2] = t.shfl(o[3], 3);
    o[4] = cg::inclusive_scan(t, o[5], cg::plus<int>());
    o[5] = t.any(o[6]);
}
extern "C" __global__ void grid(int *o) {
    auto g = cg::this_grid();
    g.sync();
    o[0] = g.thread_rank() + g.size() + g.is_valid() + g.num_blocks() + g.block_rank() +
           g.num_threads() + g.dim_blocks().x + g.block_index().x;
    auto t = g.barrier_arrive();
    g.barrier_wait(std::move(t));
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void cluster(int *o) {
    __shared__ int s;
    auto c = cg::this_cluster();
    c.sync();
    s = c.block_rank() + c.thread_rank() + c.num_blocks() + c.dim_blocks().x + c.num_threads() +
        c.block_index().x;
    int *p = c.map_shared_rank(&s, 0);
    o[0] = *p + c.query_shared_rank(p);
    c.barrier_wait(c.barrier_arrive());
    *p = 3;
    atomicAdd(p, 1);
}
#endif
