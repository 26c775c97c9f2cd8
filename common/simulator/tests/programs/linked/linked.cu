// A program of three files built with -rdc=true: functions, variables, function pointers, virtual
// functions and private names cross the files' borders.
// with: tables.cu shapes.cu
// options: -rdc=true
#include "../check.h"
#include "shapes.h"

static __device__ int hidden = 3; // tables.cu has its own

static __device__ __noinline__ int twin(int x) {
    __shared__ int cell; // private too
    if (threadIdx.x == 0) cell = hidden;
    __syncthreads();
    return x * cell;
}

__device__ int twin_of_main(int x) { return twin(x); }

__global__ void use_functions(int *out) {
    int t = threadIdx.x;
    atomicAdd(&calls, 1);
    out[t] = twin_of_tables(t) + 1000 * twin(t) + weights[t % 4] + twice(t);
}

__global__ void use_pointers(int *out) {
    int t = threadIdx.x;
    out[t] = operations[t % 3](t);
}

__global__ void use_virtual(int *out) {
    int t = threadIdx.x;
    square a(t);
    disc b(t);
    const shape *chosen = t % 2 ? (const shape *)&a : (const shape *)&b;
    out[t] = 10 * chosen->area() + chosen->corners();
    if (t == 0) seen_by_host += 5;
}

__global__ void use_shared(int *out) {
    int t = threadIdx.x;
    scratch[t] = 0;
    __syncthreads();
    int sum = block_sum(t);
    if (t == 0) *out = sum;
}

int main() {
    int *d_out, out[32];
    CUDA_CHECK(cudaMalloc(&d_out, sizeof out));
    use_functions<<<1, 32>>>(d_out);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 32; t++) EXPECT(out[t] == t + 7 + 1000 * 3 * t + 10 * (t % 4 + 1) + 2 * t);
    use_pointers<<<1, 32>>>(d_out);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 32; t++) EXPECT(out[t] == (t % 3 == 0 ? t + 1 : t % 3 == 1 ? -t : t * t));
    seen_by_host = 2;
    use_virtual<<<1, 32>>>(d_out);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 32; t++) EXPECT(out[t] == (t % 2 ? 10 * t * t + 4 : 30 * t * t));
    EXPECT(seen_by_host == 7);
    use_shared<<<1, 32, sizeof out>>>(d_out);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(out[0] == 496);
    int counted = 0;
    CUDA_CHECK(cudaMemcpyFromSymbol(&counted, calls, sizeof counted));
    EXPECT(counted == 100 + 32);
    const int doubled[4] = {2, 4, 6, 8};
    CUDA_CHECK(cudaMemcpyToSymbol(weights, doubled, sizeof doubled));
    use_functions<<<1, 32>>>(d_out);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    EXPECT(out[1] == 1 + 7 + 3000 + 4 + 2);
    printf("ok\n");
    return 0;
}
