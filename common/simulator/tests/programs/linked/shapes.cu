// Bodies of the virtual functions, and a reduction through the dynamic shared memory.
#include "shapes.h"

__device__ int square::area() const { return twice(side) * side / 2; }

__device__ int disc::area() const { return 3 * radius * radius; }

__device__ int power(int x) { return x * x; }

__device__ int block_sum(int value) {
    atomicAdd(&scratch[0], value);
    __syncthreads();
    return scratch[0];
}

__global__ void unused_kernel(int *out) { *out = twin_of_main(*out); }
