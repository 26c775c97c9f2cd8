// SPDX-License-Identifier: MIT
// One kernel over a large array, then the same in n streams whose copies overlap other streams'
// kernels.
#include "../helper.h"

__global__ void init_array(int *g_data, const int *factor, int num_iterations) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < num_iterations; i++) g_data[idx] += *factor;
}

static bool correct_data(const int *a, int n, int c) {
    for (int i = 0; i < n; i++) {
        if (a[i] != c) {
            printf("%d: %d %d\n", i, a[i], c);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    int nstreams = intOption(argc, argv, "streams", 4), nreps = 5;
    int n = intOption(argc, argv, "n", 1 << 18), niterations = 5, c = 5;
    size_t nbytes = n * sizeof(int);
    int *h_a = NULL, *d_a = NULL, *d_c = NULL;
    checkCudaErrors(cudaHostAlloc((void **)&h_a, nbytes, cudaHostAllocDefault));
    checkCudaErrors(cudaMalloc((void **)&d_a, nbytes));
    checkCudaErrors(cudaMalloc((void **)&d_c, sizeof(int)));
    checkCudaErrors(cudaMemcpy(d_c, &c, sizeof(int), cudaMemcpyHostToDevice));

    cudaStream_t *streams = (cudaStream_t *)malloc(nstreams * sizeof(cudaStream_t));
    for (int i = 0; i < nstreams; i++) checkCudaErrors(cudaStreamCreate(&streams[i]));
    cudaEvent_t start_event, stop_event;
    checkCudaErrors(cudaEventCreateWithFlags(&start_event, cudaEventBlockingSync));
    checkCudaErrors(cudaEventCreateWithFlags(&stop_event, cudaEventBlockingSync));

    dim3 threads = dim3(512, 1), blocks = dim3(n / threads.x, 1);
    float time_one = 0, time_streamed = 0;
    checkCudaErrors(cudaMemset(d_a, 0, nbytes));
    checkCudaErrors(cudaEventRecord(start_event, 0));
    for (int k = 0; k < nreps; k++) {
        init_array<<<blocks, threads>>>(d_a, d_c, niterations);
        checkCudaErrors(cudaMemcpy(h_a, d_a, nbytes, cudaMemcpyDeviceToHost));
    }
    checkCudaErrors(cudaEventRecord(stop_event, 0));
    checkCudaErrors(cudaEventSynchronize(stop_event));
    checkCudaErrors(cudaEventElapsedTime(&time_one, start_event, stop_event));
    bool passed = correct_data(h_a, n, c * nreps * niterations);
    printf("non-streamed: %d\n", h_a[n - 1]);

    blocks = dim3(n / (nstreams * threads.x), 1);
    memset(h_a, 255, nbytes);
    checkCudaErrors(cudaMemset(d_a, 0, nbytes));
    checkCudaErrors(cudaEventRecord(start_event, 0));
    for (int k = 0; k < nreps; k++) {
        for (int i = 0; i < nstreams; i++)
            init_array<<<blocks, threads, 0, streams[i]>>>(d_a + i * n / nstreams, d_c,
                                                           niterations);
        for (int i = 0; i < nstreams; i++)
            checkCudaErrors(cudaMemcpyAsync(h_a + i * n / nstreams, d_a + i * n / nstreams,
                                            nbytes / nstreams, cudaMemcpyDeviceToHost, streams[i]));
    }
    checkCudaErrors(cudaEventRecord(stop_event, 0));
    checkCudaErrors(cudaEventSynchronize(stop_event));
    checkCudaErrors(cudaEventElapsedTime(&time_streamed, start_event, stop_event));
    fprintf(stderr, "%.3f ms in one stream, %.3f ms in %d\n", time_one, time_streamed, nstreams);
    passed = correct_data(h_a, n, c * nreps * niterations) && passed;
    printf("%d streams: %d\n", nstreams, h_a[n - 1]);

    for (int i = 0; i < nstreams; i++) {
        checkCudaErrors(cudaStreamQuery(streams[i]));
        checkCudaErrors(cudaStreamDestroy(streams[i]));
    }
    checkCudaErrors(cudaEventDestroy(start_event));
    checkCudaErrors(cudaEventDestroy(stop_event));
    checkCudaErrors(cudaFree(d_a));
    checkCudaErrors(cudaFree(d_c));
    checkCudaErrors(cudaFreeHost(h_a));
    free(streams);
    return finish("simple_streams", passed);
}
