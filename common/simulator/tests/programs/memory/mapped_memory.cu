// SPDX-License-Identifier: MIT
// Zero-copy: kernels that read and write page-locked host memory, allocated or registered.
// engine: yes
#include "../check.h"

#include <chrono>
#include <thread>

__global__ void square(const int *in, int *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

__global__ void slowly(int *out, unsigned iterations) {
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < iterations; i++) x = x * 1664525 + i;
    out[threadIdx.x] = x != 0 ? 1 : 2;
}

// A thread of the program fills one half of registered memory while a kernel writes the other one.
static void both_at_once() {
    int *halves = (int *)aligned_alloc(4096, 4096);
    for (int i = 0; i < 1024; i++) halves[i] = 0;
    CUDA_CHECK(cudaHostRegister(halves, 4096, cudaHostRegisterMapped));
    std::thread writer([=] {
        for (int i = 0; i < 64; i++) {
            halves[512 + i] = i + 1;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    });
    slowly<<<1, 32>>>(halves, 3000000);
    CUDA_CHECK(cudaDeviceSynchronize());
    writer.join();
    for (int i = 0; i < 32; i++) EXPECT(halves[i] != 0);
    for (int i = 0; i < 64; i++) EXPECT(halves[512 + i] == i + 1);
    CUDA_CHECK(cudaHostUnregister(halves));
    free(halves);
}

int main() {
    const int n = 100;
    int *in, *out, *d_in, *d_out;
    CUDA_CHECK(cudaHostAlloc(&in, n * sizeof(int), cudaHostAllocMapped));
    CUDA_CHECK(cudaHostAlloc(&out, n * sizeof(int), cudaHostAllocMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&d_in, in, 0));
    CUDA_CHECK(cudaHostGetDevicePointer(&d_out, out, 0));
    for (int i = 0; i < n; i++) in[i] = i - 50;
    square<<<1, 128>>>(d_in, d_out, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) EXPECT(out[i] == (i - 50) * (i - 50));

    for (int i = 0; i < n; i++) in[i] = i;
    square<<<1, 128>>>(in, out, n); // unified addressing: the host's own pointers
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) EXPECT(out[i] == i * i);

    int *plain = (int *)aligned_alloc(4096, 4096);
    CUDA_CHECK(cudaHostRegister(plain, 4096, cudaHostRegisterMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&d_out, plain, 0));
    square<<<1, 128>>>(d_in, d_out, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(plain[9] == 81);
    CUDA_CHECK(cudaHostUnregister(plain));
    free(plain);
    both_at_once();
    CUDA_CHECK(cudaFreeHost(in));
    CUDA_CHECK(cudaFreeHost(out));
    printf("ok\n");
    return 0;
}
