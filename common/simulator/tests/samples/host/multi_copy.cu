// SPDX-License-Identifier: MIT
// A pipeline over four streams with double buffering: copy in, kernel, copy out, ordered by events
// that the host waits for before it reuses a buffer.
#include "../helper.h"

#define STREAM_COUNT 4
static int N = 1 << 16, nreps = 8, inner_reps = 3;
static size_t memsize;

__global__ void incKernel(int *g_out, int *g_in, int N, int inner_reps) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N)
        for (int i = 0; i < inner_reps; ++i) g_out[idx] = g_in[idx] + 1;
}

struct Pipeline {
    int *h_in[STREAM_COUNT], *d_in[STREAM_COUNT], *h_out[STREAM_COUNT], *d_out[STREAM_COUNT];
    cudaStream_t stream[STREAM_COUNT];
    cudaEvent_t cycleDone[STREAM_COUNT];
};

static float processWithStreams(Pipeline &p, int streams_used) {
    cudaEvent_t start, stop;
    checkCudaErrors(cudaEventCreate(&start));
    checkCudaErrors(cudaEventCreate(&stop));
    float time = 0;
    int current = 0;
    dim3 block(512, 1, 1), grid((N + 511) / 512, 1, 1);
    checkCudaErrors(cudaEventRecord(start, 0));
    for (int i = 0; i < nreps; ++i) {
        int next = (current + 1) % streams_used;
        checkCudaErrors(cudaEventSynchronize(p.cycleDone[next]));
        incKernel<<<grid, block, 0, p.stream[current]>>>(p.d_out[current], p.d_in[current], N,
                                                         inner_reps);
        checkCudaErrors(cudaMemcpyAsync(p.d_in[next], p.h_in[next], memsize, cudaMemcpyHostToDevice,
                                        p.stream[next]));
        checkCudaErrors(cudaMemcpyAsync(p.h_out[current], p.d_out[current], memsize,
                                        cudaMemcpyDeviceToHost, p.stream[current]));
        checkCudaErrors(cudaEventRecord(p.cycleDone[current], p.stream[current]));
        current = next;
    }
    checkCudaErrors(cudaEventRecord(stop, 0));
    checkCudaErrors(cudaDeviceSynchronize());
    checkCudaErrors(cudaEventElapsedTime(&time, start, stop));
    checkCudaErrors(cudaEventDestroy(start));
    checkCudaErrors(cudaEventDestroy(stop));
    return time;
}

static void init(Pipeline &p, bool first) {
    for (int i = 0; i < STREAM_COUNT; ++i) {
        if (first) {
            checkCudaErrors(cudaHostAlloc(&p.h_in[i], memsize, cudaHostAllocDefault));
            checkCudaErrors(cudaHostAlloc(&p.h_out[i], memsize, cudaHostAllocDefault));
            checkCudaErrors(cudaMalloc(&p.d_in[i], memsize));
            checkCudaErrors(cudaMalloc(&p.d_out[i], memsize));
            checkCudaErrors(cudaStreamCreate(&p.stream[i]));
            checkCudaErrors(cudaEventCreateWithFlags(&p.cycleDone[i], cudaEventDisableTiming));
        }
        checkCudaErrors(cudaEventRecord(p.cycleDone[i], p.stream[i]));
        for (int j = 0; j < N; ++j) p.h_in[i][j] = i * 1000 + j;
        memset(p.h_out[i], 0, memsize);
        checkCudaErrors(cudaMemcpy(p.d_in[i], p.h_in[i], memsize, cudaMemcpyHostToDevice));
    }
}

static bool test(const Pipeline &p, int streams_used) {
    bool passed = true;
    for (int i = 0; i < streams_used; ++i)
        for (int j = 0; j < N; ++j) passed &= p.h_out[i][j] == i * 1000 + j + 1;
    return passed;
}

int main(int argc, char **argv) {
    N = intOption(argc, argv, "n", N);
    memsize = N * sizeof(int);
    cudaDeviceProp deviceProp;
    checkCudaErrors(cudaGetDeviceProperties(&deviceProp, 0));
    printf("> Device overlaps copies: %s\n", deviceProp.asyncEngineCount > 0 ? "yes" : "no");
    Pipeline p;
    init(p, true);
    float serial = processWithStreams(p, 1);
    bool passed = test(p, 1);
    printf("one stream: %s\n", passed ? "right" : "WRONG");
    init(p, false);
    float overlapped = processWithStreams(p, STREAM_COUNT);
    passed = test(p, STREAM_COUNT) && passed;
    printf("%d streams: %s\n", STREAM_COUNT, passed ? "right" : "WRONG");
    fprintf(stderr, "%.3f ms, %.3f ms with overlap\n", serial, overlapped);
    for (int i = 0; i < STREAM_COUNT; ++i) {
        checkCudaErrors(cudaFreeHost(p.h_in[i]));
        checkCudaErrors(cudaFree(p.d_in[i]));
        checkCudaErrors(cudaFreeHost(p.h_out[i]));
        checkCudaErrors(cudaFree(p.d_out[i]));
        checkCudaErrors(cudaStreamDestroy(p.stream[i]));
        checkCudaErrors(cudaEventDestroy(p.cycleDone[i]));
    }
    return finish("multi_copy", passed);
}
