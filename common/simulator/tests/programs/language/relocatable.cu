// Built with relocatable device code (-rdc=true): registration goes through the linked fat binary.
// options: -rdc=true
#include "../check.h"

__device__ int offset = 5;

__device__ __noinline__ int shift(int value) { return value + offset; }

__global__ void apply(int *data) { data[threadIdx.x] = shift((int)threadIdx.x); }

int main() {
    int *device, out[64];
    CUDA_CHECK(cudaMalloc(&device, sizeof out));
    apply<<<1, 64>>>(device);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) EXPECT(out[i] == i + 5);
    printf("ok\n");
    return 0;
}
