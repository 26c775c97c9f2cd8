// Built with --default-stream per-thread: two host threads, each with its own default stream.
// options: --default-stream=per-thread
#include "../check.h"

#include <thread>

__global__ void fill(int *data, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = value;
}

static void work(int value) {
    const int n = 3000;
    int *device, *host = new int[n];
    CUDA_CHECK(cudaMalloc(&device, n * sizeof(int)));
    for (int round = 0; round < 10; round++) {
        fill<<<(n + 255) / 256, 256>>>(device, n, value + round);
        CUDA_CHECK(cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaStreamSynchronize(0));
        for (int i = 0; i < n; i++) EXPECT(host[i] == value + round);
    }
    CUDA_CHECK(cudaFree(device));
    delete[] host;
}

int main() {
    std::thread first(work, 1000), second(work, 2000);
    first.join();
    second.join();
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("ok\n");
    return 0;
}
