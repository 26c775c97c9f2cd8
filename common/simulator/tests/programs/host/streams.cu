// SPDX-License-Identifier: MIT
// Copy, compute, copy back in chunks over several streams: right results, and by the events' clock
// faster than the same work in one stream.
// engine: yes
#include "../check.h"

const int CHUNKS = 4, CHUNK = 1 << 18;

__global__ void work(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = data[i] * 2 + 1;
}

static float run(float *host, float *device, cudaStream_t *streams, int stream_count) {
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < CHUNKS * CHUNK; i++) host[i] = (float)(i % 1000);
    CUDA_CHECK(cudaEventRecord(start));
    for (int c = 0; c < CHUNKS; c++) {
        cudaStream_t stream = streams[c % stream_count];
        float *h = host + c * CHUNK, *d = device + c * CHUNK;
        CUDA_CHECK(cudaMemcpyAsync(d, h, CHUNK * sizeof(float), cudaMemcpyHostToDevice, stream));
        work<<<CHUNK / 256, 256, 0, stream>>>(d, CHUNK);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpyAsync(h, d, CHUNK * sizeof(float), cudaMemcpyDeviceToHost, stream));
    }
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    for (int i = 0; i < CHUNKS * CHUNK; i++) EXPECT(host[i] == (float)(i % 1000) * 2 + 1);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return ms;
}

int main() {
    float *host, *device;
    cudaStream_t streams[CHUNKS];
    CUDA_CHECK(cudaMallocHost(&host, CHUNKS * CHUNK * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&device, CHUNKS * CHUNK * sizeof(float)));
    for (cudaStream_t &stream : streams) CUDA_CHECK(cudaStreamCreate(&stream));
    run(host, device, streams, 1); // warm up
    float one = run(host, device, streams, 1), many = run(host, device, streams, CHUNKS);
    printf("one stream %.3f ms, %d streams %.3f ms\n", one, CHUNKS, many);
    EXPECT(one > 0 && many > 0 && many < one);
    for (cudaStream_t stream : streams) CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(device));
    CUDA_CHECK(cudaFreeHost(host));
    printf("ok\n");
    return 0;
}
