// SPDX-License-Identifier: MIT
// Copies and a kernel are queued; the host counts while it asks an event whether the GPU is done.
#include "../helper.h"

__global__ void increment(int *data, int value) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    data[idx] = data[idx] + value;
}

static bool correct(const int *data, int n, int x) {
    for (int i = 0; i < n; i++) {
        if (data[i] != x) {
            printf("Error! data[%d] = %d, ref = %d\n", i, data[i], x);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    int device = 0;
    cudaDeviceProp properties;
    checkCudaErrors(cudaSetDevice(device));
    checkCudaErrors(cudaGetDeviceProperties(&properties, device));
    printf("CUDA device has compute capability %d.%d\n", properties.major, properties.minor);

    int n = intOption(argc, argv, "n", 1 << 20), value = 26;
    size_t nbytes = n * sizeof(int);
    int *a = 0, *d_a = 0;
    checkCudaErrors(cudaMallocHost((void **)&a, nbytes));
    memset(a, 0, nbytes);
    checkCudaErrors(cudaMalloc((void **)&d_a, nbytes));
    checkCudaErrors(cudaMemset(d_a, 255, nbytes));

    dim3 threads(512, 1), blocks(n / threads.x, 1);
    cudaEvent_t start, stop;
    checkCudaErrors(cudaEventCreate(&start));
    checkCudaErrors(cudaEventCreate(&stop));
    checkCudaErrors(cudaDeviceSynchronize());

    float gpu_time = 0.0f;
    checkCudaErrors(cudaEventRecord(start, 0));
    checkCudaErrors(cudaMemcpyAsync(d_a, a, nbytes, cudaMemcpyHostToDevice, 0));
    increment<<<blocks, threads, 0, 0>>>(d_a, value);
    checkCudaErrors(cudaMemcpyAsync(a, d_a, nbytes, cudaMemcpyDeviceToHost, 0));
    checkCudaErrors(cudaEventRecord(stop, 0));

    unsigned long counter = 0;
    while (cudaEventQuery(stop) == cudaErrorNotReady) counter++;
    checkCudaErrors(cudaEventElapsedTime(&gpu_time, start, stop));
    fprintf(stderr, "time spent executing by the GPU: %.3f ms; CPU executed %lu iterations\n",
            gpu_time, counter);

    bool passed = correct(a, n, value) && gpu_time > 0;
    checkCudaErrors(cudaEventDestroy(start));
    checkCudaErrors(cudaEventDestroy(stop));
    checkCudaErrors(cudaFreeHost(a));
    checkCudaErrors(cudaFree(d_a));
    return finish("async_api", passed);
}
