// SPDX-License-Identifier: MIT
// Recursive device functions: Fibonacci, Ackermann, quicksort of a segment a thread, mutual
// recursion, the towers of Hanoi; the stack limit raised by the host.
#include <algorithm>
#include <vector>

#include "../helper.h"

__host__ __device__ int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__host__ __device__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
__host__ __device__ bool isOdd(unsigned n);
__host__ __device__ __noinline__ bool isEven(unsigned n) {
    return n == 0 || isOdd(n - 1);
}
__host__ __device__ __noinline__ bool isOdd(unsigned n) {
    return n != 0 && isEven(n - 1);
}

__device__ void hanoi(int n, int from, int to, int via, int *moves) {
    if (n == 0) return;
    hanoi(n - 1, from, via, to, moves);
    moves[from * 3 + to]++;
    hanoi(n - 1, via, to, from, moves);
}

__device__ void quicksort(int *a, int left, int right) {
    if (left >= right) return;
    int pivot = a[(left + right) / 2], i = left, j = right;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    quicksort(a, left, j);
    quicksort(a, i, right);
}

__global__ void numbers(int *out) {
    int i = threadIdx.x;
    out[i] = fib(i % 13);
    out[32 + i] = ackermann(i % 3, i % 5);
    out[64 + i] = isEven(i * 3) ? 1 : 0;
}
__global__ void towers(int n, int *moves) {
    hanoi(n, 0, 2, 1, moves);
}
__global__ void sortSegments(int *data, int each) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    quicksort(data + t * each, 0, each - 1);
}

int main() {
    checkCudaErrors(cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024));
    int *out, *moves, *data;
    checkCudaErrors(cudaMallocManaged(&out, 96 * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&moves, 9 * sizeof(int)));
    memset(moves, 0, 9 * sizeof(int));
    numbers<<<1, 32>>>(out);
    towers<<<1, 1>>>(7, moves);
    checkCudaErrors(cudaDeviceSynchronize());
    bool passed = true;
    for (int i = 0; i < 32; i++)
        passed = passed && out[i] == fib(i % 13) && out[32 + i] == ackermann(i % 3, i % 5) &&
                 out[64 + i] == (i * 3 % 2 == 0);
    int total = 0;
    for (int i = 0; i < 9; i++) total += moves[i];
    printf("fib(12) %d, ackermann(2, 4) %d, towers of 7: %d moves\n", out[12], out[32 + 29], total);
    passed = passed && total == 127;
    const int threads = 128, each = 60;
    checkCudaErrors(cudaMallocManaged(&data, threads * each * sizeof(int)));
    HostRandom random(9);
    for (int i = 0; i < threads * each; i++) data[i] = random.below(1000);
    std::vector<int> want(data, data + threads * each);
    sortSegments<<<2, threads / 2>>>(data, each);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int t = 0; t < threads; t++) std::sort(&want[t * each], &want[t * each] + each);
    printf("segments from %d to %d\n", data[0], data[each - 1]);
    return finish("recursion", passed && std::equal(want.begin(), want.end(), data));
}
