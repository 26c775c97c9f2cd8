// What the compiler noted about a kernel, asked by the address of its function.
// since: 12.4
#include "../check.h"

#include <cstring>

extern "C" __global__ void __launch_bounds__(256) plain(float *data) {
    __shared__ float tile[512];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void spacious(int *data, int k) {
    int local[100];
    for (int i = 0; i < 100; i++) local[i] = data[i];
    data[0] = local[k % 100];
}

static void not_a_kernel() {}

int main() {
    cudaFuncAttributes a;
    CUDA_CHECK(cudaFuncGetAttributes(&a, plain));
    EXPECT(a.sharedSizeBytes == 2048 && a.maxThreadsPerBlock == 256);
    EXPECT(a.numRegs > 0 && a.numRegs <= 255 && a.localSizeBytes == 0);
    EXPECT(a.binaryVersion >= 75 && a.ptxVersion >= 75);
    EXPECT(a.maxDynamicSharedSizeBytes == 49152 - 2048);
    CUDA_CHECK(cudaFuncGetAttributes(&a, spacious));
    EXPECT(a.localSizeBytes >= 400 && a.maxThreadsPerBlock >= 512);
    CUDA_CHECK(cudaFuncSetCacheConfig(plain, cudaFuncCachePreferShared));
    CUDA_CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    const char *name;
    CUDA_CHECK(cudaFuncGetName(&name, (const void *)plain));
    EXPECT(strcmp(name, "plain") == 0);
    EXPECT_ERROR(cudaFuncGetAttributes(&a, (const void *)not_a_kernel),
                 cudaErrorInvalidResourceHandle);
    printf("ok\n");
    return 0;
}
