// SPDX-License-Identifier: MIT
// __device__ variables: counted into by a kernel, read by name and by address, with initial values.
// engine: yes
#include "../check.h"

__device__ int hits;
__device__ double table[3] = {0.5, 1.5, 2.5};
__device__ int *where = &hits;

__global__ void count(int limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < limit) atomicAdd(where, 1);
    if (i == 0) table[1] = table[0] + table[2];
}

int main() {
    count<<<10, 64>>>(500);
    CUDA_CHECK(cudaGetLastError());
    int n;
    CUDA_CHECK(cudaMemcpyFromSymbol(&n, hits, sizeof n));
    EXPECT(n == 500);

    void *address;
    size_t bytes;
    CUDA_CHECK(cudaGetSymbolAddress(&address, table));
    CUDA_CHECK(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes == 3 * sizeof(double));
    double values[3];
    CUDA_CHECK(cudaMemcpy(values, address, bytes, cudaMemcpyDeviceToHost));
    EXPECT(values[0] == 0.5 && values[1] == 3.0 && values[2] == 2.5);

    int zero = 0;
    CUDA_CHECK(cudaMemcpyToSymbol(hits, &zero, sizeof zero));
    count<<<1, 64>>>(7);
    CUDA_CHECK(cudaMemcpyFromSymbol(&n, hits, sizeof n));
    EXPECT(n == 7);
    printf("ok\n");
    return 0;
}
