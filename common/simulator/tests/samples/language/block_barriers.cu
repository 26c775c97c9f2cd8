// Producers and consumers inside a block: cuda::barrier's split arrive and wait, a two-stage
// cuda::pipeline, cuda::counting_semaphore, cuda::latch and cuda::atomic_ref.
// labels: full
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <vector>

#include "../helper.h"
namespace cg = cooperative_groups;

#define THREADS 256

__global__ void dotProduct(const double *a, const double *b, int n, double *out) {
    __shared__ double sums[THREADS / 32];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    block.sync();
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += a[i] * b[i];
    for (int offset = 16; offset; offset /= 2) sum += warp.shfl_down(sum, offset);
    if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;
    auto token = barrier.arrive();
    int unrelated = __popc(threadIdx.x);
    barrier.wait(std::move(token));
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; w++) sum += sums[w];
        cuda::atomic_ref<double, cuda::thread_scope_device> total(out[0]);
        total.fetch_add(sum, cuda::memory_order_relaxed);
    }
    barrier.arrive_and_wait();
    if (unrelated < 0) out[1] = 1;
}

__global__ void staged(const float *in, float *out, int batches) {
    constexpr int stages = 2;
    extern __shared__ float buffer[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    in += blockIdx.x * batches * THREADS;
    auto fetch = [&](int batch) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, buffer + batch % stages * THREADS, in + batch * THREADS,
                           cuda::aligned_size_t<16>(THREADS * sizeof(float)), pipe);
        pipe.producer_commit();
    };
    fetch(0);
    float sum = 0;
    for (int batch = 0; batch < batches; batch++) {
        if (batch + 1 < batches) fetch(batch + 1);
        pipe.consumer_wait();
        sum += buffer[batch % stages * THREADS + (threadIdx.x + batch) % THREADS];
        pipe.consumer_release();
    }
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

__device__ cuda::counting_semaphore<cuda::thread_scope_device, 4> seats(4);
__device__ cuda::atomic<int, cuda::thread_scope_device> present(0), most(0);

__global__ void crowd() {
    if (threadIdx.x == 0) {
        seats.acquire();
        int now = present.fetch_add(1) + 1;
        most.fetch_max(now);
        __nanosleep(100);
        present.fetch_sub(1);
        seats.release();
    }
}

__global__ void latched(int *out) {
    __shared__ cuda::latch<cuda::thread_scope_block> *latch;
    __shared__ alignas(8) char place[sizeof(cuda::latch<cuda::thread_scope_block>)];
    __shared__ int values[64];
    if (threadIdx.x == 0) latch = new (place) cuda::latch<cuda::thread_scope_block>(32);
    __syncthreads();
    if (threadIdx.x < 32) {
        values[threadIdx.x] = threadIdx.x * threadIdx.x;
        latch->count_down();
    } else {
        latch->wait();
        out[threadIdx.x - 32] = values[63 - threadIdx.x];
    }
}

__global__ void peaks(int *out) { *out = most.load(); }

int main() {
    const int n = 30000, batches = 7, blocks = 3;
    bool passed = true;
    std::vector<double> a(n), b(n);
    HostRandom random(9);
    double want = 0;
    for (int i = 0; i < n; i++) {
        a[i] = random.below(100);
        b[i] = random.below(100);
        want += a[i] * b[i];
    }
    double *d_a, *d_b, *d_out, got;
    checkCudaErrors(cudaMalloc(&d_a, n * 8));
    checkCudaErrors(cudaMalloc(&d_b, n * 8));
    checkCudaErrors(cudaMalloc(&d_out, 16));
    checkCudaErrors(cudaMemcpy(d_a, a.data(), n * 8, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_b, b.data(), n * 8, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemset(d_out, 0, 16));
    dotProduct<<<8, THREADS>>>(d_a, d_b, n, d_out);
    checkCudaErrors(cudaMemcpy(&got, d_out, 8, cudaMemcpyDeviceToHost));
    printf("dot product %.0f\n", got);
    passed &= got == want;

    std::vector<float> in(blocks * batches * THREADS), out(blocks * THREADS);
    for (float &x : in) x = random.below(1000);
    float *d_in, *d_sums;
    checkCudaErrors(cudaMalloc(&d_in, in.size() * 4));
    checkCudaErrors(cudaMalloc(&d_sums, out.size() * 4));
    checkCudaErrors(cudaMemcpy(d_in, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
    staged<<<blocks, THREADS, 2 * THREADS * sizeof(float)>>>(d_in, d_sums, batches);
    getLastCudaError("staged");
    checkCudaErrors(cudaMemcpy(out.data(), d_sums, out.size() * 4, cudaMemcpyDeviceToHost));
    for (int k = 0; k < blocks; k++)
        for (int t = 0; t < THREADS; t++) {
            float sum = 0;
            for (int s = 0; s < batches; s++)
                sum += in[(k * batches + s) * THREADS + (t + s) % THREADS];
            passed &= out[k * THREADS + t] == sum;
        }
    crowd<<<40, 32>>>();
    int *d_int, values[32];
    checkCudaErrors(cudaMalloc(&d_int, 128));
    peaks<<<1, 1>>>(d_int);
    checkCudaErrors(cudaMemcpy(values, d_int, 4, cudaMemcpyDeviceToHost));
    passed &= values[0] >= 1 && values[0] <= 4;
    latched<<<1, 64>>>(d_int);
    checkCudaErrors(cudaMemcpy(values, d_int, 128, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) passed &= values[i] == (31 - i) * (31 - i);
    return finish("block_barriers", passed);
}
