// SPDX-License-Identifier: MIT
// A program of two files that nvcc links with -rdc=true: device functions, a class, variables and
// constants of the other file are used here, and one of this file there.
// options: -rdc=true
// with: relocatable_part.cu
#include "../helper.h"
#include "relocatable_part.h"

__device__ int callsOfHere;
__device__ int calledBack(int x) {
    atomicAdd(&callsOfHere, 1);
    return x + 1000;
}

__global__ void useOther(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Accumulator accumulator(i);
    for (int k = 0; k < 4; k++) accumulator.add(coefficients[k] * polynomial(i, k));
    out[i] = accumulator.total() + viaCallback(i);
    if (i == 0) atomicAdd(&sharedCounter, 5);
}

int main() {
    const int n = 200;
    int host[4] = {1, -2, 3, 5}, counter = 0, calls = 0, *out;
    checkCudaErrors(cudaMemcpyToSymbol(coefficients, host, sizeof host));
    checkCudaErrors(cudaMallocManaged(&out, n * sizeof(int)));
    useOther<<<2, 128>>>(out, n);
    checkCudaErrors(cudaDeviceSynchronize());
    launchFromPart(3);
    checkCudaErrors(cudaMemcpyFromSymbol(&counter, sharedCounter, sizeof counter));
    checkCudaErrors(cudaMemcpyFromSymbol(&calls, callsOfHere, sizeof calls));
    bool passed = counter == 100 + 5 + 3 && calls == n;
    for (int i = 0; i < n; i++) {
        int want = i;
        for (int k = 0, power = 1; k < 4; k++, power *= i) want += host[k] * power;
        passed = passed && out[i] == want + 2 * (i + 1000);
    }
    printf("out[10] %d, counter %d, %d calls\n", out[10], counter, calls);
    return finish("relocatable_main", passed);
}
