// An instruction that the simulator does not have stops the kernels that contain or call it, with
// its line, and no other kernel of the module. On a GPU without such memory they would fail too.
// test: none
// check: refused
#include "../check.h"

__device__ float reduce_everywhere(const float *at) {
    float sum;
    asm volatile("multimem.ld_reduce.relaxed.gpu.global.add.f32 %0, [%1];"
                 : "=f"(sum)
                 : "l"(at)
                 : "memory");
    return sum;
}

__device__ __noinline__ float call_it(const float *at) { return reduce_everywhere(at) + 1; }

__device__ __noinline__ float twice(const float *at) { return 2 * at[threadIdx.x]; }

__global__ void contains(float *out) { out[threadIdx.x] = reduce_everywhere(out); }

__global__ void calls(float *out) { out[threadIdx.x] = call_it(out); }

__global__ void calls_pointer(float *out, int which) {
    float (*table[])(const float *) = {twice, call_it};
    out[threadIdx.x] = table[which](out);
}

__global__ void innocent(float *out) { out[threadIdx.x] = (float)threadIdx.x; }

int main() {
    float *out, host[32];
    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(float)));
    contains<<<1, 32>>>(out);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorNotSupported);
    calls<<<1, 32>>>(out);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorNotSupported);
    innocent<<<1, 32>>>(out);
    CUDA_CHECK(cudaDeviceSynchronize());
    calls_pointer<<<1, 32>>>(out, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) EXPECT(host[i] == 2.0f * (float)i);
    calls_pointer<<<1, 32>>>(out, 1);
    EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalInstruction);
    printf("ok\n");
    return 0;
}
