// SPDX-License-Identifier: MIT
// Kernels read and write host memory through mapped pointers: allocated mapped, and registered
// later.
#include <vector>

#include "../helper.h"

__global__ void vectorAddGPU(const float *a, const float *b, float *c, int N) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N) c[idx] = a[idx] + b[idx];
}

__global__ void countUp(unsigned int *counter) {
    atomicAdd_system(counter, 1u);
}

static bool run(float *a, float *b, float *c, int nelem) {
    float *d_a, *d_b, *d_c;
    checkCudaErrors(cudaHostGetDevicePointer((void **)&d_a, (void *)a, 0));
    checkCudaErrors(cudaHostGetDevicePointer((void **)&d_b, (void *)b, 0));
    checkCudaErrors(cudaHostGetDevicePointer((void **)&d_c, (void *)c, 0));
    for (int n = 0; n < nelem; n++) {
        a[n] = (float)(n % 777) * 0.25f;
        b[n] = (float)(n % 1313) * 0.5f;
    }
    dim3 block(256), grid((unsigned int)ceil(nelem / (float)block.x));
    vectorAddGPU<<<grid, block>>>(d_a, d_b, d_c, nelem);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int n = 0; n < nelem; n++)
        if (c[n] != a[n] + b[n]) return false;
    return true;
}

int main(int argc, char **argv) {
    int nelem = intOption(argc, argv, "n", 100000);
    checkCudaErrors(cudaSetDevice(0));
    checkCudaErrors(cudaSetDeviceFlags(cudaDeviceMapHost));
    size_t bytes = nelem * sizeof(float);
    float *a, *b, *c;
    unsigned int flags = cudaHostAllocMapped;
    checkCudaErrors(cudaHostAlloc((void **)&a, bytes, flags));
    checkCudaErrors(cudaHostAlloc((void **)&b, bytes, flags));
    checkCudaErrors(cudaHostAlloc((void **)&c, bytes, flags));
    bool allocated = run(a, b, c, nelem);
    printf("> cudaHostAlloc(cudaHostAllocMapped): %s\n", allocated ? "right" : "WRONG");
    checkCudaErrors(cudaFreeHost(a));
    checkCudaErrors(cudaFreeHost(b));
    checkCudaErrors(cudaFreeHost(c));

    std::vector<float> va(nelem), vb(nelem), vc(nelem);
    checkCudaErrors(cudaHostRegister(va.data(), bytes, cudaHostRegisterMapped));
    checkCudaErrors(cudaHostRegister(vb.data(), bytes, cudaHostRegisterMapped));
    checkCudaErrors(cudaHostRegister(vc.data(), bytes, cudaHostRegisterMapped));
    bool registered = run(va.data(), vb.data(), vc.data(), nelem);
    printf("> cudaHostRegister: %s\n", registered ? "right" : "WRONG");
    checkCudaErrors(cudaHostUnregister(va.data()));
    checkCudaErrors(cudaHostUnregister(vb.data()));
    checkCudaErrors(cudaHostUnregister(vc.data()));

    unsigned int *counter;
    checkCudaErrors(cudaHostAlloc(&counter, sizeof *counter, cudaHostAllocMapped));
    *counter = 5;
    countUp<<<10, 64>>>(counter); // under unified addressing the host's pointer serves
    checkCudaErrors(cudaDeviceSynchronize());
    printf("> counted to %u\n", *counter);
    bool counted = *counter == 645;
    checkCudaErrors(cudaFreeHost(counter));
    return finish("zero_copy", allocated && registered && counted);
}
