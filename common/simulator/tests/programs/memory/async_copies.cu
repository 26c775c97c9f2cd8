// Asynchronous copies as a program of today writes them: barriers and pipelines of libcu++,
// cooperative groups, the pipeline primitives, bulk copies.
// since: 13.0
// architectures: 75 80 90
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_pipeline.h>

#include <vector>

#include "../check.h"

namespace cg = cooperative_groups;
constexpr int THREADS = 128, TILES = 5;
constexpr auto block_scope = cuda::thread_scope_block;
#pragma nv_diag_suppress static_var_with_dynamic_init

// Each phase: all threads arrive, one copies a tile for the others.
__global__ void barrier_phases(float *out, const float *in) {
    __shared__ cuda::barrier<block_scope> barrier;
    __shared__ alignas(16) float tile[THREADS];
    auto group = cg::this_thread_block();
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    for (int i = 0; i < TILES; i++) {
        cuda::memcpy_async(group, tile, in + i * THREADS,
                           cuda::aligned_size_t<16>(sizeof(float) * THREADS), barrier);
        barrier.arrive_and_wait();
        out[i * THREADS + threadIdx.x] = tile[threadIdx.x ^ 1];
        barrier.wait(barrier.arrive());
    }
}

// Half of the threads produce, the other half consume, through two barriers.
__global__ void producer_consumer(float *out, const float *in) {
    __shared__ cuda::barrier<block_scope> full, empty;
    __shared__ float tile[THREADS / 2];
    int half = THREADS / 2, lane = (int)threadIdx.x % half;
    if (threadIdx.x == 0) {
        init(&full, THREADS);
        init(&empty, THREADS);
    }
    __syncthreads();
    bool produces = threadIdx.x < half;
    if (!produces) (void)empty.arrive();
    for (int i = 0; i < 2 * TILES; i++) {
        if (produces) {
            empty.arrive_and_wait();
            tile[lane] = in[i * half + lane];
            (void)full.arrive();
        } else {
            full.arrive_and_wait();
            out[i * half + lane] = tile[lane ^ 1];
            if (i + 1 < 2 * TILES) (void)empty.arrive();
        }
    }
}

// Two stages of a pipeline of the whole block.
__global__ void block_pipeline(float *out, const float *in) {
    __shared__ cuda::pipeline_shared_state<block_scope, 2> state;
    __shared__ float tile[2][THREADS];
    auto group = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(group, &state);
    pipeline.producer_acquire();
    cuda::memcpy_async(group, tile[0], in, sizeof tile[0], pipeline);
    pipeline.producer_commit();
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES) {
            pipeline.producer_acquire();
            cuda::memcpy_async(group, tile[(i + 1) % 2], in + (i + 1) * THREADS, sizeof tile[0],
                               pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[i * THREADS + threadIdx.x] = tile[i % 2][threadIdx.x ^ 1];
        pipeline.consumer_release();
    }
}

// A pipeline of each thread's own, with two copies under way.
__global__ void thread_pipeline(float *out, const float *in) {
    __shared__ float tile[2][THREADS];
    auto pipeline = cuda::make_pipeline();
    for (int i = 0; i <= TILES; i++) {
        if (i < TILES) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&tile[i % 2][threadIdx.x], in + i * THREADS + (threadIdx.x ^ 1),
                               sizeof(float), pipeline);
            pipeline.producer_commit();
        }
        if (i == 0) continue;
        if (i < TILES) cuda::pipeline_consumer_wait_prior<1>(pipeline);
        else cuda::pipeline_consumer_wait_prior<0>(pipeline);
        out[(i - 1) * THREADS + threadIdx.x] = tile[(i - 1) % 2][threadIdx.x];
        pipeline.consumer_release();
    }
}

__global__ void group_copies(float *out, const float *in) {
    __shared__ float tile[THREADS];
    auto group = cg::this_thread_block();
    for (int i = 0; i < TILES; i++) {
        cg::memcpy_async(group, tile, in + i * THREADS, sizeof tile);
        cg::wait(group);
        out[i * THREADS + threadIdx.x] = tile[threadIdx.x ^ 1];
        group.sync();
    }
}

// 16 bytes of which the last are zeros.
__global__ void primitives(float *out, const float *in) {
    __shared__ alignas(16) float tile[TILES * THREADS];
    for (int i = (int)threadIdx.x; i < TILES * THREADS / 4; i += THREADS)
        __pipeline_memcpy_async(tile + 4 * i, in + 4 * i, 16, i % 5 ? 0 : 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < TILES * THREADS; i += THREADS) out[i] = tile[i];
}

// One thread moves the whole array in, all add to it, one moves it out.
__global__ void bulk_copies(float *out, const float *in) {
    __shared__ alignas(16) float tile[TILES * THREADS];
    __shared__ cuda::barrier<block_scope> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    cuda::barrier<block_scope>::arrival_token token;
    if (threadIdx.x == 0)
        cuda::memcpy_async(tile, in, cuda::aligned_size_t<16>(sizeof tile), barrier);
    token = barrier.arrive();
    barrier.wait(std::move(token));
    for (int i = (int)threadIdx.x; i < TILES * THREADS; i += THREADS) tile[i] += 1;
#if __CUDA_ARCH__ >= 900
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, tile,
                                 sizeof tile);
        cuda::ptx::cp_async_bulk_commit_group();
        cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    }
#else
    __syncthreads();
    for (int i = (int)threadIdx.x; i < TILES * THREADS; i += THREADS) out[i] = tile[i];
#endif
}

static float swapped(const std::vector<float> &in, int i) { return in[i ^ 1]; }
static float padded(const std::vector<float> &in, int i) {
    int kept = i / 4 % 5 ? 4 : 3;
    return i % 4 < kept ? in[i] : 0;
}
static float increased(const std::vector<float> &in, int i) { return in[i] + 1; }

typedef void (*kernel_fn)(float *, const float *);

static void check(const char *name, kernel_fn kernel,
                  float (*wanted)(const std::vector<float> &, int)) {
    const int count = TILES * THREADS;
    std::vector<float> in(count), out(count, -1);
    float *d_in, *d_out;
    for (int i = 0; i < count; i++) in[i] = (float)(i * 7 % 101) + 1;
    CUDA_CHECK(cudaMalloc(&d_in, count * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&d_out, count * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_in, in.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(d_out, 0xFF, count * sizeof(float)));
    kernel<<<1, THREADS>>>(d_out, d_in);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) {
        if (out[i] == wanted(in, i)) continue;
        fprintf(stderr, "%s: element %d is %g, not %g\n", name, i, out[i], wanted(in, i));
        exit(1);
    }
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
}

int main() {
    check("barrier_phases", barrier_phases, swapped);
    check("producer_consumer", producer_consumer, swapped);
    check("block_pipeline", block_pipeline, swapped);
    check("thread_pipeline", thread_pipeline, swapped);
    check("group_copies", group_copies, swapped);
    check("primitives", primitives, padded);
    check("bulk_copies", bulk_copies, increased);
    printf("ok\n");
    return 0;
}
