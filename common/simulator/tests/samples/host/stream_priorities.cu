// SPDX-License-Identifier: MIT
// Streams of every priority the device offers: asked for, clamped, queried, and given work with
// events and dependences between them.
#include <vector>

#include "../helper.h"

__global__ void fillSquares(int *out, int n, int offset) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int x = i + offset, sum = 0;
        for (int k = 0; k < 50; k++) sum += x * k % 7;
        out[i] = sum;
    }
}

__global__ void addUp(const int *a, const int *b, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = a[i] + b[i];
}

int main() {
    int least, greatest, given;
    checkCudaErrors(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("priorities from %d (least) to %d (greatest)\n", least, greatest);
    for (int asked : {least, -1, -2, greatest, greatest - 10, least + 10}) {
        cudaStream_t stream;
        unsigned int flags;
        checkCudaErrors(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, asked));
        checkCudaErrors(cudaStreamGetPriority(stream, &given));
        checkCudaErrors(cudaStreamGetFlags(stream, &flags));
        printf("asked %d, got %d, flags %u\n", asked, given, flags);
        checkCudaErrors(cudaStreamDestroy(stream));
    }
    checkCudaErrors(cudaStreamGetPriority(0, &given));
    printf("default stream: %d\n", given);

    const int n = 1 << 15;
    int *d_low, *d_high, *d_sum;
    checkCudaErrors(cudaMalloc(&d_low, n * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_high, n * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_sum, n * sizeof(int)));
    cudaStream_t low, high;
    cudaEvent_t start, lowDone, highDone;
    checkCudaErrors(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
    checkCudaErrors(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
    checkCudaErrors(cudaEventCreate(&start));
    checkCudaErrors(cudaEventCreate(&lowDone));
    checkCudaErrors(cudaEventCreate(&highDone));
    checkCudaErrors(cudaEventRecord(start, low));
    for (int i = 0; i < 10; i++) fillSquares<<<64, 128, 0, low>>>(d_low, n, i);
    checkCudaErrors(cudaEventRecord(lowDone, low));
    fillSquares<<<64, 128, 0, high>>>(d_high, n, 1000);
    checkCudaErrors(cudaStreamWaitEvent(high, lowDone, 0));
    addUp<<<64, 128, 0, high>>>(d_low, d_high, d_sum, n);
    checkCudaErrors(cudaEventRecord(highDone, high));
    getLastCudaError("launches");
    checkCudaErrors(cudaEventSynchronize(highDone));
    float lowTime, highTime;
    checkCudaErrors(cudaEventElapsedTime(&lowTime, start, lowDone));
    checkCudaErrors(cudaEventElapsedTime(&highTime, start, highDone));
    std::vector<int> sum(n);
    checkCudaErrors(cudaMemcpy(sum.data(), d_sum, n * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        int want = 0;
        for (int k = 0; k < 50; k++) want += (i + 9) * k % 7 + (i + 1000) * k % 7;
        wrong += sum[i] != want;
    }
    printf("%d wrong, times in order: %s\n", wrong,
           lowTime > 0 && highTime > lowTime ? "yes" : "no");
    checkCudaErrors(cudaEventDestroy(start));
    checkCudaErrors(cudaEventDestroy(lowDone));
    checkCudaErrors(cudaEventDestroy(highDone));
    checkCudaErrors(cudaStreamDestroy(low));
    checkCudaErrors(cudaStreamDestroy(high));
    checkCudaErrors(cudaFree(d_low));
    checkCudaErrors(cudaFree(d_high));
    checkCudaErrors(cudaFree(d_sum));
    return finish("stream_priorities", wrong == 0 && highTime > lowTime);
}
