// Votes, matches, shuffles of several types, warp-aggregated atomics, reductions by intrinsic,
// active masks in divergent code, stream compaction.
#include <vector>

#include "../helper.h"

__global__ void votes(const int *in, unsigned *out) {
    int tid = threadIdx.x, value = in[tid];
    out[tid] = __any_sync(0xffffffff, value > 90) | __all_sync(0xffffffff, value >= 0) << 1 |
               __ballot_sync(0xffffffff, value & 1) << 2;
    out[64 + tid] = __match_any_sync(0xffffffff, value % 4);
    int uniform;
    out[128 + tid] = __match_all_sync(0xffffffff, tid / 32, &uniform) + uniform;
    out[192 + tid] = __reduce_max_sync(0xffffffff, (unsigned)value) << 16 |
                     __reduce_min_sync(0xffffffff, (unsigned)value) << 8 |
                     (__reduce_xor_sync(0xffffffff, (unsigned)value) & 0xff);
}

__global__ void shuffles(double *d, long long *l, float2 *f) {
    int lane = threadIdx.x;
    double sum = lane * 0.5;
    for (int i = 16; i > 0; i /= 2) sum += __shfl_xor_sync(~0u, sum, i);
    d[lane] = sum + __shfl_down_sync(~0u, (double)lane, 3, 8);
    l[lane] = __shfl_sync(~0u, (long long)lane << 33, (lane + 5) % 32);
    float x = __shfl_up_sync(~0u, (float)lane, 1), y = __shfl_sync(~0u, (float)lane, lane / 4 * 4);
    f[lane] = make_float2(x, y);
}

__device__ int atomicAggInc(int *counter) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1, change = __popc(active), lane = threadIdx.x & 31, base = 0;
    unsigned rank = __popc(active & ((1u << lane) - 1));
    if (rank == 0) base = atomicAdd(counter, change);
    base = __shfl_sync(active, base, leader);
    return base + rank;
}

__global__ void filter(const int *in, int *out, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 50) out[atomicAggInc(count)] = in[i];
}

// Keeps the order: ballots give ranks in the warp, a scan over the warps of one block the rest.
__global__ void compact(const int *in, int *out, int *count, int n) {
    __shared__ int warps[32], base;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x == 0) base = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        int i = first + threadIdx.x, keep = i < n && in[i] % 3 == 0;
        unsigned ballot = __ballot_sync(~0u, keep);
        if (lane == 0) warps[warp] = __popc(ballot);
        __syncthreads();
        int at = base + __popc(ballot & ((1u << lane) - 1));
        for (int w = 0; w < warp; w++) at += warps[w];
        if (keep) out[at] = in[i];
        __syncthreads();
        if (threadIdx.x == 0)
            for (int w = 0; w < blockDim.x / 32; w++) base += warps[w];
        __syncthreads();
    }
    if (threadIdx.x == 0) *count = base;
}

int main() {
    const int n = 5000;
    int *in, *out, *count;
    unsigned *masks;
    checkCudaErrors(cudaMallocManaged(&in, n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&out, n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&count, sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&masks, 256 * sizeof(unsigned)));
    HostRandom random(2);
    for (int i = 0; i < n; i++) in[i] = random.below(100);
    votes<<<1, 64>>>(in, masks);
    checkCudaErrors(cudaDeviceSynchronize());
    bool passed = true;
    for (int t = 0; t < 64; t++) {
        unsigned any = 0, ballot = 0, match = 0, most = 0, least = 255, parity = 0;
        for (int k = 0; k < 32; k++) {
            int v = in[t / 32 * 32 + k];
            any |= v > 90;
            ballot |= (unsigned)(v & 1) << k;
            match |= (unsigned)(v % 4 == in[t] % 4) << k;
            most = (unsigned)v > most ? v : most;
            least = (unsigned)v < least ? v : least;
            parity ^= v;
        }
        passed = passed && masks[t] == (any | 2 | ballot << 2) && masks[64 + t] == match &&
                 masks[128 + t] == 0u && masks[192 + t] == (most << 16 | least << 8 | parity);
    }
    printf("votes %08x %08x\n", masks[0], masks[64]);

    double *d;
    long long *l;
    float2 *f;
    checkCudaErrors(cudaMallocManaged(&d, 32 * sizeof *d));
    checkCudaErrors(cudaMallocManaged(&l, 32 * sizeof *l));
    checkCudaErrors(cudaMallocManaged(&f, 32 * sizeof *f));
    shuffles<<<1, 32>>>(d, l, f);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        passed = passed && d[i] == 248.0 + (i % 8 < 5 ? i + 3 : i) &&
                 l[i] == (long long)((i + 5) % 32) << 33 && f[i].x == (i ? i - 1 : 0) &&
                 f[i].y == i / 4 * 4;
    printf("shuffles %.1f %lld\n", d[1], l[30]);

    *count = 0;
    filter<<<divUp(n, 192), 192>>>(in, out, count, n);
    checkCudaErrors(cudaDeviceSynchronize());
    int kept = 0;
    long sum = 0, wantSum = 0;
    for (int i = 0; i < n; i++)
        if (in[i] > 50) kept++, wantSum += in[i];
    for (int i = 0; i < *count; i++) sum += out[i];
    printf("filtered %d, sum %ld\n", *count, sum);
    passed = passed && kept == *count && sum == wantSum;
    compact<<<1, 256>>>(in, out, count, n);
    checkCudaErrors(cudaDeviceSynchronize());
    std::vector<int> want;
    for (int i = 0; i < n; i++)
        if (in[i] % 3 == 0) want.push_back(in[i]);
    printf("compacted %d\n", *count);
    passed = passed && (int)want.size() == *count && std::vector<int>(out, out + *count) == want;
    return finish("warp_intrinsics", passed);
}
