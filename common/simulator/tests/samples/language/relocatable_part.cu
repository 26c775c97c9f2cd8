// SPDX-License-Identifier: MIT
// The other file of relocatable_main.cu.
#include "relocatable_part.h"

#include "../helper.h"

__constant__ int coefficients[4];
__device__ int sharedCounter = 100;

__device__ int polynomial(int x, int power) {
    return power == 0 ? 1 : x * polynomial(x, power - 1);
}
__device__ int viaCallback(int x) {
    return 2 * calledBack(x);
}

__device__ Accumulator::Accumulator(int start) : sum(start) {}
__device__ void Accumulator::add(int value) {
    sum += value;
}
__device__ int Accumulator::total() const {
    return sum;
}

static __global__ void increment() {
    atomicAdd(&sharedCounter, 1);
}

void launchFromPart(int increments) {
    increment<<<increments, 1>>>();
    getLastCudaError("increment");
    checkCudaErrors(cudaDeviceSynchronize());
}
