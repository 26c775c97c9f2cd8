// SPDX-License-Identifier: MIT
// Copies of growing size between pageable memory, pinned memory and the device, timed with events
// and with the host's clock. Rates go to stderr: they are not a result.
#include <chrono>
#include <vector>

#include "../helper.h"

enum Direction { HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE };
static const char *directionNames[] = {"Host to Device", "Device to Host", "Device to Device"};

class Timer {
  public:
    Timer() {
        checkCudaErrors(cudaEventCreate(&begin));
        checkCudaErrors(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    }
    ~Timer() {
        cudaEventDestroy(begin);
        cudaEventDestroy(end);
    }
    void start() { checkCudaErrors(cudaEventRecord(begin)); }
    float stop() {
        float ms = 0;
        checkCudaErrors(cudaEventRecord(end));
        checkCudaErrors(cudaEventSynchronize(end));
        checkCudaErrors(cudaEventElapsedTime(&ms, begin, end));
        return ms;
    }

  private:
    cudaEvent_t begin, end;
};

static bool test(Direction direction, size_t bytes, bool pinned, int repeats) {
    unsigned char *host = NULL, *back = NULL, *d_a = NULL, *d_b = NULL;
    if (pinned) {
        checkCudaErrors(cudaHostAlloc((void **)&host, bytes, cudaHostAllocWriteCombined));
        checkCudaErrors(cudaMallocHost((void **)&back, bytes));
    } else {
        host = (unsigned char *)malloc(bytes);
        back = (unsigned char *)malloc(bytes);
    }
    for (size_t i = 0; i < bytes; i++) host[i] = (unsigned char)(i * 7 + (i >> 8));
    checkCudaErrors(cudaMalloc((void **)&d_a, bytes));
    checkCudaErrors(cudaMalloc((void **)&d_b, bytes));
    checkCudaErrors(cudaMemcpy(d_a, host, bytes, cudaMemcpyHostToDevice));

    Timer timer;
    auto wall = std::chrono::steady_clock::now();
    timer.start();
    for (int i = 0; i < repeats; i++)
        if (direction == HOST_TO_DEVICE)
            checkCudaErrors(cudaMemcpyAsync(d_b, host, bytes, cudaMemcpyHostToDevice));
        else if (direction == DEVICE_TO_HOST)
            checkCudaErrors(cudaMemcpyAsync(back, d_a, bytes, cudaMemcpyDeviceToHost));
        else
            checkCudaErrors(cudaMemcpyAsync(d_b, d_a, bytes, cudaMemcpyDeviceToDevice));
    float ms = timer.stop();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - wall;
    fprintf(stderr, "%zu bytes: %.2f GB/s by events, %.6f s by the host's clock\n", bytes,
            bytes * (double)repeats / (ms * 1e6), seconds.count());

    if (direction != DEVICE_TO_HOST)
        checkCudaErrors(cudaMemcpy(back, d_b, bytes, cudaMemcpyDeviceToHost));
    size_t wrong = 0;
    for (size_t i = 0; i < bytes; i++) wrong += back[i] != (unsigned char)(i * 7 + (i >> 8));
    if (pinned) {
        checkCudaErrors(cudaFreeHost(host));
        checkCudaErrors(cudaFreeHost(back));
    } else {
        free(host);
        free(back);
    }
    checkCudaErrors(cudaFree(d_a));
    checkCudaErrors(cudaFree(d_b));
    return wrong == 0 && ms > 0;
}

int main(int argc, char **argv) {
    size_t largest = (size_t)intOption(argc, argv, "bytes", 1 << 22);
    bool passed = true;
    for (int pinned = 0; pinned < 2; pinned++) {
        for (int d = 0; d < 3; d++) {
            int sizes = 0;
            for (size_t bytes = 1000; bytes <= largest; bytes *= 5, sizes++)
                passed = test((Direction)d, bytes, pinned != 0, 3) && passed;
            printf("%s, %s memory: %d sizes\n", directionNames[d], pinned ? "PINNED" : "PAGEABLE",
                   sizes);
        }
    }
    return finish("bandwidth_test", passed);
}
