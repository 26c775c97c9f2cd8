// Asks a GPU's runtime how many blocks of a kernel fit on a SM, for many register counts, block
// sizes and amounts of shared memory: golden data for the occupancy calculation. A line of a kernel
// and block size has the blocks by dynamic shared memory, "-" where it was not asked.
//   occupancy_dump > occupancy_h100.csv
#include <cuda_runtime.h>
#include <stdio.h>

// `live` values are loaded, kept over a barrier and stored: about that many registers and a few
// more. static_bytes of shared memory besides.
template <int live, int static_bytes>
__global__ void occupant(const float *from, float *to, int stride) {
    __shared__ char block[static_bytes > 0 ? static_bytes : 1];
    float value[live];
#pragma unroll
    for (int i = 0; i < live; i++) value[i] = from[threadIdx.x + i * 1024];
    if (static_bytes > 0) block[threadIdx.x % (static_bytes > 0 ? static_bytes : 1)] = (char)stride;
    __syncthreads();
    float more = static_bytes > 0
                     ? (float)block[(stride + 1) % (static_bytes > 0 ? static_bytes : 1)]
                     : 0.0f;
#pragma unroll
    for (int i = 0; i < live; i++) to[threadIdx.x + i * 1024] = value[i] + more;
}

static const int block_sizes[] = {1,   31,  32,  33,  64,  96,   127,  128, 160,
                                  192, 224, 256, 288, 320, 384,  416,  448, 512,
                                  544, 640, 704, 768, 896, 1000, 1023, 1024};
static const int dynamic_sizes[] = {0,     1,     100,   1024,   6144,   9000,   16384, 32768,
                                    40000, 49152, 65536, 101376, 116224, 200000, 232448};

static int failures;

static void ask(const void *kernel, int raised) {
    cudaFuncAttributes a;
    if (cudaFuncGetAttributes(&a, kernel) != cudaSuccess) {
        fprintf(stderr, "no attributes: %s\n", cudaGetErrorString(cudaGetLastError()));
        failures++;
        return;
    }
    if (raised && cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       232448 - (int)a.sharedSizeBytes) != cudaSuccess) {
        fprintf(stderr, "cannot raise the limit: %s\n", cudaGetErrorString(cudaGetLastError()));
        failures++;
    }
    int pair = a.numRegs;
    for (int threads : block_sizes) {
        printf("%d,%d,%d,%d", a.numRegs, (int)a.sharedSizeBytes, raised, threads);
        for (int bytes : dynamic_sizes) {
            int blocks = -1;
            if (pair++ % 2) // every other pair: half the data, and each kernel others
                printf(",-");
            else if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                                   bytes) == cudaSuccess)
                printf(",%d", blocks);
            else failures++;
        }
        printf("\n");
    }
}

template <int live> static void ask_all(void) {
    if (live % 35 == 0) { // the default limit of 48 KiB, too
        ask((const void *)occupant<live, 0>, 0);
        ask((const void *)occupant<live, 3000>, 1);
    }
    ask((const void *)occupant<live, 0>, 1);
    if constexpr (live > 7) ask_all<live - 7>();
}

int main(void) {
    cudaDeviceProp device;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return 1;
    printf("# %s, compute capability %d.%d\n", device.name, device.major, device.minor);
    printf("registers,static_bytes,limit_raised,threads");
    for (int bytes : dynamic_sizes) printf(",%d", bytes);
    printf("\n");
    ask_all<245>();
    return failures ? 1 : 0;
}
