// SPDX-License-Identifier: MIT
// Input of decode/nvcc_test.c: what nvcc makes of it must decode; nobody runs it.
// ptx: kernels -O3 -lineinfo
// ptx: kernels_debug -G
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// ---- Integer, bit and floating-point arithmetic, the mathematics library, conversions ----
#define ONE(name)                                                                                  \
    extern "C" __global__ void name##_f(float *x) { x[0] = name(x[1]); }                           \
    extern "C" __global__ void name##_d(double *x) { x[0] = name(x[1]); }
#define TWO(name)                                                                                  \
    extern "C" __global__ void name##_f(float *x) { x[0] = name(x[1], x[2]); }                     \
    extern "C" __global__ void name##_d(double *x) { x[0] = name(x[1], x[2]); }
// clang-format off
ONE(sin) ONE(cos) ONE(tan) ONE(exp) ONE(log) ONE(sqrt) ONE(rsqrt) ONE(cbrt) ONE(tanh) ONE(erf)
ONE(lgamma) ONE(floor) ONE(rint) ONE(trunc) ONE(exp2) ONE(log2) ONE(log1p) ONE(asin) ONE(j0)
TWO(pow) TWO(fmod) TWO(atan2) TWO(hypot) TWO(fmin) TWO(copysign) TWO(nextafter)
    // clang-format on

    extern "C" __global__ void integers(int *i, unsigned *u, long long *l, unsigned long long *ul,
                                        short *s, signed char *c) {
    i[0] = i[1] / i[2] + i[3] % i[4];
    u[0] = u[1] / u[2] + u[3] % 7;
    l[0] = l[1] / l[2];
    ul[0] = ul[1] % ul[2];
    s[0] = s[1] / s[2];
    c[0] = c[1] * c[2];
    i[5] = __popc(u[5]) + __clz(i[5]) + __ffs(i[6]) + __brev(u[6]) + __byte_perm(u[1], u[2], u[3]);
    i[6] =
        __mulhi(i[1], i[2]) + __umulhi(u[1], u[2]) + __mul24(i[1], i[2]) + __sad(i[1], i[2], u[3]);
    l[1] = __popcll(l[3]) + __clzll(l[4]) + __ffsll(l[5]) + __brevll(l[6]) + __mul64hi(l[7], l[8]);
    i[7] = __funnelshift_l(u[1], u[2], u[3]) + __funnelshift_rc(u[1], u[2], u[3]);
    i[8] = __dp4a(i[1], i[2], i[3]) + __dp4a(u[1], u[2], u[3]) + __dp2a_lo(i[1], i[2], i[3]);
    i[9] =
        abs(i[3]) + min(i[1], i[2]) + max(u[1], u[2]) + llabs(l[2]) + __viaddmax_s32(i[1], i[2], 3);
    __int128 product = (__int128)l[3] * l[4];
    l[9] = product >> 64;
    ul[3] = (unsigned __int128)ul[1] / ul[2];
}

extern "C" __global__ void floats(float *f, double *d, int *i, long long *l) {
    f[0] = __fadd_rz(f[1], f[2]) + __fmul_ru(f[1], f[2]) + __fmaf_rd(f[1], f[2], f[3]) +
           __frcp_rn(f[1]) + __fsqrt_rz(f[2]) + __fdiv_rn(f[1], f[2]) + __frsqrt_rn(f[3]);
    f[1] = __saturatef(f[4]) + __sinf(f[1]) + __cosf(f[2]) + __logf(f[3]) + __powf(f[1], f[2]) +
           __expf(f[1]) + __exp10f(f[2]) + __tanf(f[1]) + __fdividef(f[2], f[3]);
    d[0] = __dadd_rz(d[1], d[2]) + __dmul_ru(d[1], d[2]) + __fma_rd(d[1], d[2], d[3]) +
           __drcp_rn(d[1]) + __dsqrt_rz(d[2]) + __ddiv_rn(d[1], d[2]);
    i[0] = __float2int_rn(f[1]) + __float2uint_rz(f[1]) + __double2int_rd(d[1]) +
           __float_as_int(f[5]) + __double2hiint(d[1]) + isnan(f[1]) + isinf(d[1]) + signbit(f[2]);
    l[0] = __float2ll_rn(f[1]) + __double2ull_ru(d[1]) + llrint(d[3]) + __double_as_longlong(d[2]);
    f[6] = __int2float_rz(i[1]) + __uint2float_rn(i[2]) + __ll2float_ru(l[1]) + d[9];
    d[7] = i[3] + l[3] + (unsigned)i[4] + f[2];
    f[8] = (float)(short)i[3] + (float)(unsigned char)i[2];
    i[20] = (unsigned char)f[9];
}

// ---- Every atomic, fence, vote, match and barrier that CUDA C has on sm_90 ----
extern "C" __global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d,
                                   unsigned short *s) {
    i[1] = atomicAdd(i, 1) + atomicSub(i, 2) + atomicMin(i, 3) + atomicMax(i, 4) + atomicAnd(i, 5) +
           atomicOr(i, 6) + atomicXor(i, 7) + atomicExch(i, 8) + atomicCAS(i, 9, 10);
    u[1] = atomicInc(u, 11) + atomicDec(u, 12) + atomicMin(u, 1) + atomicMax(u, 2);
    l[1] = atomicAdd(l, 1) + atomicMin(l, 2) + atomicCAS(l, 3, 4) + atomicExch(l, 4) +
           atomicMax((long long *)l, 3);
    f[1] = atomicAdd(f, 1) + atomicExch(f, 2);
    d[1] = atomicAdd(d, 1);
    s[1] = atomicCAS(s, 1, 2);
    atomicAdd((float2 *)f, make_float2(1, 2));
    atomicAdd((float4 *)f, make_float4(1, 2, 3, 4));
    atomicAdd_block(i, 1);
    atomicAdd_system(i, 1);
    __shared__ int shared_int[32];
    __shared__ float shared_float;
    atomicAdd(shared_int + threadIdx.x, 1);
    atomicAdd(&shared_float, 1.f);
    __syncthreads();
    i[3] = shared_int[3] + shared_float;
}

extern "C" __global__ void warps(int *i, unsigned *u, long long *l, double *d) {
    int all;
    i[0] = __syncthreads_count(i[1]) + __syncthreads_and(i[2]) + __syncthreads_or(i[3]);
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    __syncwarp();
    i[4] = __activemask() + __ballot_sync(3, i[5]) + __any_sync(~0u, i[6]) + __all_sync(~0u, i[7]);
    u[0] = __match_any_sync(~0u, i[3]) + __match_all_sync(~0u, l[4], &all) + all;
    u[1] =
        __reduce_and_sync(~0u, u[5]) + __reduce_xor_sync(~0u, u[6]) + __reduce_min_sync(~0u, u[7]);
    i[8] = __shfl_up_sync(~0u, i[1], 1, 16) + __shfl_xor_sync(~0u, i[2], 1);
    d[0] = __shfl_sync(~0u, d[2], 1);
    i[9] = clock() + clock64() + __isGlobal(i) + __isShared(i) + __isLocal(i) + __fns(u[1], 2, 3);
    i[10] = __ldg(i + 12) + __ldcs(i + 13) + __ldcg(i + 14) + __ldcv(i + 15);
    __stwt(i + 11, 2);
    __stcs(i + 12, 3);
    __nanosleep(10);
}

// ---- Control flow: switches, loops with several ways out, loops without one, early returns, local
// arrays ----
extern "C" __global__ void switches(int *out, int n) {
    switch (out[5]) {
    case 0: out[6] = 1; break;
    case 1: out[6] = sinf(out[7]); break;
    case 2: out[6] = out[9] * out[8]; break;
    case 3: out[6] = out[7] / 3; break;
    case 4: out[6] = atomicAdd(out, 1); break;
    case 5: out[6] = 7;
    case 6: out[6] += out[6] * 9; break;
    case 7: out[1] = 2; break;
    case 9: return;
    default: out[6] = 99;
    }
    alignas(16) char bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = out[i];
    out[10] = bytes[n & 63];
}

extern "C" __global__ void loops(int *out, int n) {
    for (int i = threadIdx.x; i < n; i++) {
        if (out[i] == 3) break;
        if (out[i] == 4) continue;
        for (int j = i; j > 0; j /= 2) {
            if (out[j] == 5) goto done;
            if (out[j] == 6) return;
            out[j]++;
        }
    }
done:
    __syncthreads();
    out[0] = 1;
    while (true)
        if (atomicAdd(out, 1) > 5) break;
}

extern "C" __global__ void endless(int *out) {
    for (;;) atomicAdd(out, 1);
}

__device__ int lock;
extern "C" __global__ void locks(volatile int *out) {
    for (bool done = false; !done;) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            out[0]++;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

// ---- Dense kernels: transposes, matrix products with register tiles, stencils ----
extern "C" __global__ void transpose(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < columns && y + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < rows && y + j < columns)
            out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename T, int N> __global__ void gemm(const T *a, const T *b, T *c, int n) {
    __shared__ T as[8][16 * N], bs[8][16 * N];
    T sum[N][N] = {};
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = threadIdx.x; i < 8 * 16 * N; i += 256) {
            as[i / (16 * N)][i % (16 * N)] =
                a[(blockIdx.y * 16 * N + i % (16 * N)) * n + k0 + i / (16 * N)];
            bs[i / (16 * N)][i % (16 * N)] =
                b[(k0 + i / (16 * N)) * n + blockIdx.x * 16 * N + i % (16 * N)];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++)
#pragma unroll
            for (int i = 0; i < N; i++)
#pragma unroll
                for (int j = 0; j < N; j++) sum[i][j] += as[k][ty * N + i] * bs[k][tx * N + j];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
        for (int j = 0; j < N; j++)
            c[(blockIdx.y * 16 * N + ty * N + i) * n + blockIdx.x * 16 * N + tx * N + j] =
                sum[i][j];
}
template __global__ void gemm<float, 8>(const float *, const float *, float *, int);
template __global__ void gemm<double, 4>(const double *, const double *, double *, int);

__constant__ float mask[49];
extern "C" __global__ void convolve(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int j = -3; j <= 3; j++)
        for (int i = -3; i <= 3; i++)
            if (x + i >= 0 && x + i < w && y + j >= 0 && y + j < h)
                sum += mask[(j + 3) * 7 + i + 3] * in[(y + j) * w + x + i];
    if (x < w && y < h) out[y * w + x] = (unsigned char)__saturatef(sum / 255) * 255;
}

// ---- Reductions: shared memory, shuffles, redux, vector loads, cooperative groups ----
extern "C" __global__ void interleaved(const float *in, float *out, int n) {
    extern __shared__ float cache[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cache[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (threadIdx.x % (2 * stride) == 0) cache[threadIdx.x] += cache[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = cache[0];
}

template <typename T> __device__ T warp_sum(T value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
    return value;
}

template <typename T> __global__ void shuffled(const T *in, T *out, int n) {
    __shared__ T partial[32];
    T sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : T(0));
    if (threadIdx.x == 0) atomicAdd(out, sum);
}
template __global__ void shuffled<float>(const float *, float *, int);
template __global__ void shuffled<double>(const double *, double *, int);
template __global__ void shuffled<int>(const int *, int *, int);

extern "C" __global__ void vectorised(const float4 *in, float *out, int n) {
    float4 sum = {};
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float4 v = in[i];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    out[threadIdx.x] = sum.x + sum.y + sum.z + sum.w;
}

extern "C" __global__ void grouped(const int *in, int *out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
    block.sync();
    if (tile.thread_rank() == 0) out[block.thread_rank() / 8] = sum;
    out[0] = __reduce_max_sync(0xFFFFFFFFu, sum);
}

// The last block adds what the others left: needs a fence and a counter.
__device__ unsigned blocks_done;
extern "C" __global__ void single_pass(const float *in, volatile float *partial, float *out) {
    __shared__ bool is_last;
    float sum = warp_sum(in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    sum = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += 32) sum += partial[i];
    sum = warp_sum(sum);
    if (threadIdx.x == 0) *out = sum;
}
