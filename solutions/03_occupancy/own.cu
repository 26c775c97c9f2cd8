// SPDX-License-Identifier: MIT
// A problem of your own (labs/03_occupancy/README.md): y = a x + y with four warps per SM. A whole
// program: compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// counts: grid:0 block:0 time_us
#include "../../labs/own.cuh"

enum { COUNT = 5000001, BLOCKS = 132, THREADS = 128 }; // one block on each SM of an H100
// A thread issues 2 x LOADS loads of 16 bytes before it waits: 4 warps x 32 x 2 x LOADS x 16 bytes
// are 16 KB per SM. Little's law asks for 8.3 KB of an idle memory, and of a busy one for more.
enum { LOADS = 4 };

static __device__ float4 axpy(float a, float4 x, float4 y) {
    return make_float4(a * x.x + y.x, a * x.y + y.y, a * x.z + y.z, a * x.w + y.w);
}

// x, y: [n], at multiples of 16 bytes.
__global__ void __launch_bounds__(THREADS) add_scaled(const float *x, int n, float a, float *y) {
    const float4 *x4 = (const float4 *)x;
    float4 *y4 = (float4 *)y;
    int vectors = n / 4, all = gridDim.x * THREADS, i = blockIdx.x * THREADS + threadIdx.x;
    for (; i + (LOADS - 1) * all < vectors; i += LOADS * all) {
        float4 from_x[LOADS], from_y[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) from_x[k] = x4[i + k * all];
#pragma unroll
        for (int k = 0; k < LOADS; k++) from_y[k] = y4[i + k * all];
#pragma unroll
        for (int k = 0; k < LOADS; k++) y4[i + k * all] = axpy(a, from_x[k], from_y[k]);
    }
    for (; i < vectors; i += all) y4[i] = axpy(a, x4[i], y4[i]);
    int rest = 4 * vectors + blockIdx.x * THREADS + threadIdx.x; // after the last vector
    if (rest < n) y[rest] = a * x[rest] + y[rest];
}

int main(void) {
    static float h_x[COUNT], h_y[COUNT], want[COUNT];
    float *d_x = NULL, *d_y = NULL;
    for (int i = 0; i < COUNT; i++) { // small integers: every result is exact
        h_x[i] = (float)(i % 1009);
        h_y[i] = (float)(i % 31);
        want[i] = 3.0f * h_x[i] + h_y[i];
    }
    must(cudaMalloc(&d_x, sizeof h_x), "allocating x");
    must(cudaMalloc(&d_y, sizeof h_y), "allocating y");
    must(cudaMemcpy(d_x, h_x, sizeof h_x, cudaMemcpyHostToDevice), "copying x");
    must(cudaMemcpy(d_y, h_y, sizeof h_y, cudaMemcpyHostToDevice), "copying y");
    add_scaled<<<BLOCKS, THREADS>>>(d_x, COUNT, 3.0f, d_y);
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(h_y, d_y, sizeof h_y, cudaMemcpyDeviceToHost), "copying back");
    must(cudaFree(d_x), "freeing x");
    must(cudaFree(d_y), "freeing y");
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong += h_y[i] != want[i];
    printf("%d of %d elements are wrong\n", wrong, COUNT);
    return wrong != 0;
}
