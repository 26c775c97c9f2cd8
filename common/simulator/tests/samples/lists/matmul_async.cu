// Tiled product whose tiles come by asynchronous copies: a multi-stage pipeline of
// __pipeline_memcpy_async, the same with cuda::pipeline, and single-stage copies with
// cooperative_groups::memcpy_async.
// labels: full
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <vector>

#include "../helper.h"

namespace cg = cooperative_groups;
constexpr int BLOCK = 16;

template <int STAGES>
__global__ void multiplyPrimitives(float *C, const float *A, const float *B, int wA, int wB) {
    __shared__ float As[STAGES][BLOCK][BLOCK], Bs[STAGES][BLOCK][BLOCK];
    int tx = threadIdx.x, ty = threadIdx.y, tiles = wA / BLOCK;
    const float *a = A + (blockIdx.y * BLOCK + ty) * wA + tx;
    const float *b = B + ty * wB + blockIdx.x * BLOCK + tx;
    float sum = 0;
    for (int t = 0, fetch = 0; t < tiles; t++) {
        for (; fetch < tiles && fetch < t + STAGES; fetch++) {
            int s = fetch % STAGES;
            __pipeline_memcpy_async(&As[s][ty][tx], a + fetch * BLOCK, sizeof(float));
            __pipeline_memcpy_async(&Bs[s][ty][tx], b + fetch * BLOCK * wB, sizeof(float));
            __pipeline_commit();
        }
        if (t + STAGES <= tiles) __pipeline_wait_prior(STAGES - 1);
        else __pipeline_wait_prior(0);
        __syncthreads();
        for (int k = 0; k < BLOCK; k++) sum += As[t % STAGES][ty][k] * Bs[t % STAGES][k][tx];
        __syncthreads();
    }
    C[(blockIdx.y * BLOCK + ty) * wB + blockIdx.x * BLOCK + tx] = sum;
}

template <int STAGES>
__global__ void multiplyPipeline(float *C, const float *A, const float *B, int wA, int wB) {
    __shared__ __align__(16) float As[STAGES][BLOCK][BLOCK], Bs[STAGES][BLOCK][BLOCK];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    int tx = threadIdx.x, ty = threadIdx.y, tiles = wA / BLOCK;
    float sum = 0;
    for (int t = 0, fetch = 0; t < tiles; t++) {
        for (; fetch < tiles && fetch < t + STAGES; fetch++) {
            pipe.producer_acquire();
            int s = fetch % STAGES, column = fetch * BLOCK + 4 * tx;
            if (tx < BLOCK / 4) { // 16 bytes a thread
                const auto shape = cuda::aligned_size_t<16>(16);
                cuda::memcpy_async(&As[s][ty][4 * tx], A + (blockIdx.y * BLOCK + ty) * wA + column,
                                   shape, pipe);
                cuda::memcpy_async(&Bs[s][ty][4 * tx],
                                   B + (fetch * BLOCK + ty) * wB + blockIdx.x * BLOCK + 4 * tx,
                                   shape, pipe);
            }
            pipe.producer_commit();
        }
        if (t + STAGES <= tiles) cuda::pipeline_consumer_wait_prior<STAGES - 1>(pipe);
        else cuda::pipeline_consumer_wait_prior<0>(pipe);
        __syncthreads();
        for (int k = 0; k < BLOCK; k++) sum += As[t % STAGES][ty][k] * Bs[t % STAGES][k][tx];
        pipe.consumer_release();
        __syncthreads();
    }
    C[(blockIdx.y * BLOCK + ty) * wB + blockIdx.x * BLOCK + tx] = sum;
}

__global__ void multiplyGroup(float *C, const float *A, const float *B, int wA, int wB) {
    __shared__ __align__(16) float As[BLOCK][BLOCK], Bs[BLOCK][BLOCK];
    auto block = cg::this_thread_block();
    auto row = cg::tiled_partition<16>(block);
    int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (int t = 0; t < wA / BLOCK; t++) {
        cg::memcpy_async(row, &As[ty][0], A + (blockIdx.y * BLOCK + ty) * wA + t * BLOCK,
                         sizeof(float) * BLOCK);
        cg::memcpy_async(row, &Bs[ty][0], B + (t * BLOCK + ty) * wB + blockIdx.x * BLOCK,
                         sizeof(float) * BLOCK);
        cg::wait(row);
        block.sync();
        for (int k = 0; k < BLOCK; k++) sum += As[ty][k] * Bs[k][tx];
        block.sync();
    }
    C[(blockIdx.y * BLOCK + ty) * wB + blockIdx.x * BLOCK + tx] = sum;
}

int main() {
    const int hA = 64, wA = 128, wB = 96;
    std::vector<float> A(hA * wA), B(wA * wB), want(hA * wB), got(hA * wB);
    HostRandom random(80);
    for (float &v : A) v = (float)(random.below(11) - 5);
    for (float &v : B) v = (float)(random.below(11) - 5);
    for (int i = 0; i < hA; i++)
        for (int k = 0; k < wA; k++)
            for (int j = 0; j < wB; j++) want[i * wB + j] += A[i * wA + k] * B[k * wB + j];
    float *d_A, *d_B, *d_C;
    checkCudaErrors(cudaMalloc(&d_A, A.size() * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_B, B.size() * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_C, got.size() * sizeof(float)));
    checkCudaErrors(cudaMemcpy(d_A, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_B, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));
    dim3 grid(wB / BLOCK, hA / BLOCK), block(BLOCK, BLOCK);
    void (*kernels[])(float *, const float *, const float *, int, int) = {
        multiplyPrimitives<2>, multiplyPrimitives<4>, multiplyPipeline<3>, multiplyGroup};
    const char *names[] = {"primitives, 2 stages", "primitives, 4 stages", "pipeline, 3 stages",
                           "group"};
    bool passed = true;
    for (int i = 0; i < 4; i++) {
        checkCudaErrors(cudaMemset(d_C, 0xff, got.size() * sizeof(float)));
        kernels[i]<<<grid, block>>>(d_C, d_A, d_B, wA, wB);
        getLastCudaError(names[i]);
        checkCudaErrors(
            cudaMemcpy(got.data(), d_C, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
        printf("%s: %.0f %.0f %s\n", names[i], got[0], got[hA * wB - 1],
               got == want ? "right" : "WRONG");
        passed = passed && got == want;
    }
    return finish("matmul_async", passed);
}
