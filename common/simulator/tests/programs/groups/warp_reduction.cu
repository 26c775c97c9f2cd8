// Sum of an array with warp shuffles, one shared value per warp and one atomic per block.
#include "../check.h"

#include <vector>

__device__ int warp_sum(int value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xFFFFFFFF, value, offset);
    return value;
}

__global__ void sum(const int *in, int n, int *out) {
    __shared__ int partial[32];
    int value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += in[i];
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    value = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    value = warp_sum(value);
    if (threadIdx.x == 0) atomicAdd(out, value);
}

int main() {
    const int sizes[] = {1, 1000, 123457};
    for (int n : sizes) {
        std::vector<int> in(n);
        int want = 0, got = -1, *d_in, *d_out;
        for (int i = 0; i < n; i++) want += in[i] = i % 1000 - 300;
        CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&d_out, sizeof(int)));
        CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemset(d_out, 0, sizeof(int)));
        sum<<<20, 256>>>(d_in, n, d_out);
        CUDA_CHECK(cudaMemcpy(&got, d_out, sizeof(int), cudaMemcpyDeviceToHost));
        EXPECT(got == want);
        CUDA_CHECK(cudaFree(d_in));
        CUDA_CHECK(cudaFree(d_out));
    }
    printf("ok\n");
    return 0;
}
