// cuda::barrier before sm_80 is a loop that looks, tells the time and looks again. Built without
// optimisation, its variables lie in local memory: storing them is no progress, so that the warps
// it waits for get their turn.
// architectures: 75
// options: -G
// environment: LADDER_SIM_MAX_INSTRUCTIONS=4000000
#include "../check.h"

#include <cuda/barrier>

__global__ void rounds(int *out, int count) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int values[256];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < count; round++) {
        values[threadIdx.x] = threadIdx.x + round;
        auto token = barrier.arrive();
        barrier.wait(std::move(token));
        sum += values[(threadIdx.x + 32) % blockDim.x];
        barrier.arrive_and_wait();
    }
    out[threadIdx.x] = sum;
}

int main() {
    int out[256], *d_out;
    CUDA_CHECK(cudaMalloc(&d_out, sizeof out));
    rounds<<<1, 256>>>(d_out, 3);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 256; t++) EXPECT(out[t] == 3 * ((t + 32) % 256) + 3);
    CUDA_CHECK(cudaFree(d_out));
    printf("ok\n");
    return 0;
}
