// Variables and a table of function pointers that main.cu uses; private names that main.cu has too.
#include "shapes.h"

__device__ int calls = 100;
__constant__ int weights[4] = {10, 20, 30, 40};
__managed__ int seen_by_host = 0;

static __device__ int hidden = 7;

static __device__ __noinline__ int twin(int x) {
    __shared__ int cell;
    if (threadIdx.x == 0) cell = hidden;
    __syncthreads();
    return x + cell;
}

__device__ int twin_of_tables(int x) { return twin(x); }

static __device__ int increment(int x) { return x + 1; }

static __device__ int negate(int x) { return -x; }

extern __device__ int power(int x); // in shapes.cu

__device__ operation operations[3] = {increment, negate, power};
