// The device-side generators of curand_kernel.h (headers only): XORWOW and Philox, uniform and
// normal, used for pi, for moments, and for a checksum of raw bits.
// header: curand_kernel.h
#include <curand_kernel.h>

#include "../helper.h"

__global__ void setup(curandState *states, unsigned long long seed) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, id, 0, &states[id]);
}

__global__ void estimatePi(curandState *states, unsigned long long *hits, int each) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    curandState local = states[id];
    unsigned count = 0;
    for (int i = 0; i < each; i++) {
        float x = curand_uniform(&local), y = curand_uniform(&local);
        count += x * x + y * y <= 1.0f;
    }
    states[id] = local;
    atomicAdd(hits, (unsigned long long)count);
}

__global__ void philox(unsigned long long *bits, double *moments, int each) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(1234, id, 0, &state);
    double sum = 0, squares = 0;
    unsigned long long raw = 0;
    for (int i = 0; i < each; i++) {
        uint4 r = curand4(&state);
        raw += (unsigned long long)(r.x ^ r.y) + (r.z ^ r.w);
        float2 g = curand_normal2(&state);
        sum += g.x + g.y;
        squares += g.x * g.x + g.y * g.y;
    }
    atomicAdd(bits, raw);
    atomicAdd(&moments[0], sum);
    atomicAdd(&moments[1], squares);
}

int main() {
    const int threads = 64, blocks = 8, each = 200;
    curandState *states;
    unsigned long long *words;
    double *moments;
    checkCudaErrors(cudaMalloc(&states, threads * blocks * sizeof(curandState)));
    checkCudaErrors(cudaMallocManaged(&words, 2 * sizeof *words));
    checkCudaErrors(cudaMallocManaged(&moments, 2 * sizeof *moments));
    words[0] = words[1] = 0;
    moments[0] = moments[1] = 0;
    setup<<<blocks, threads>>>(states, 42);
    estimatePi<<<blocks, threads>>>(states, &words[0], each);
    philox<<<blocks, threads>>>(&words[1], moments, each);
    getLastCudaError("curand");
    checkCudaErrors(cudaDeviceSynchronize());
    double n = (double)threads * blocks * each, pi = 4.0 * words[0] / n;
    double mean = moments[0] / (2 * n), variance = moments[1] / (2 * n);
    printf("%llu hits, pi %.4f\nbits %llu\nmean %.4f, variance %.3f\n", words[0], pi, words[1],
           mean, variance);
    bool passed = fabs(pi - 3.1416) < 0.03 && fabs(mean) < 0.01 && fabs(variance - 1) < 0.02;
    return finish("curand_pi", passed);
}
