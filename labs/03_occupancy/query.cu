// SPDX-License-Identifier: MIT
// Asks this machine's runtime how many blocks of a kernel fit on a SM, for many register counts,
// block sizes and amounts of shared memory, and prints a line a question: compute capability (10 x
// major + minor), threads, registers, bytes of shared memory, blocks. `ladder grade` holds the
// calculator to the answers (problem.c, of_query).
#include <cuda_runtime.h>
#include <stdio.h>

// As many values are loaded, kept over a barrier and stored as there may be registers: about all
// are used.
#if CUDART_VERSION < 12040
#define __maxnreg__(registers) // more registers than said, each row says how many
#endif
template <int registers>
__global__ void __maxnreg__(registers) occupant(const float *from, float *to) {
    float value[registers];
#pragma unroll
    for (int i = 0; i < registers; i++) value[i] = from[threadIdx.x + i * 1024];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < registers; i++) to[threadIdx.x + i * 1024] = value[i];
}

static const int block_sizes[] = {1,   31,  32,  33,  64,  96,   127,  128, 160,
                                  192, 224, 256, 288, 320, 384,  416,  448, 512,
                                  544, 640, 704, 768, 896, 1000, 1023, 1024};
static const int part_sizes[] = {0, 1, 100, 1024, 6144, 9000, 16384, 32768, 40000, 49152}; // bytes

static cudaDeviceProp device;

static int fail(const char *what) {
    fprintf(stderr, "query: %s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    return 1;
}

static int ask(const void *kernel) {
    cudaFuncAttributes a;
    int most = (int)device.sharedMemPerBlockOptin;
    if (cudaFuncGetAttributes(&a, kernel) != cudaSuccess) return fail("attributes");
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most) !=
        cudaSuccess)
        return fail("limit of shared memory");
    int sizes = (int)(sizeof part_sizes / sizeof part_sizes[0]);
    for (int threads : block_sizes) {
        for (int s = 0; s < sizes + 3;
             s++) { // the last ones: a third, a half and all that a block may have
            int bytes = s < sizes ? part_sizes[s] : most / (sizes + 3 - s);
            int blocks = -1;
            if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes) !=
                cudaSuccess)
                return fail("occupancy");
            printf("%d %d %d %d %d\n", 10 * device.major + device.minor, threads, a.numRegs, bytes,
                   blocks);
        }
    }
    return 0;
}

template <int registers> static int ask_all(void) {
    if (ask((const void *)occupant<registers>) != 0) return 1;
    if constexpr (registers > 24) return ask_all<registers - 8>();
    return 0;
}

int main(void) {
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return fail("device");
    return ask_all<248>();
}
