// SPDX-License-Identifier: MIT
// Order between streams: events that one stream waits for, host functions, callbacks, priorities,
// queries that end.
#include "../check.h"

__global__ void set(int *at, int value) {
    *at = value;
}

__global__ void add(int *at, const int *from) {
    *at += *from;
}

static void CUDART_CB note(void *data) {
    ++*(int *)data;
}

static void CUDART_CB call_back(cudaStream_t, cudaError_t status, void *data) {
    if (status == cudaSuccess) *(int *)data += 10;
}

int main() {
    int *device, result = 0, notes = 0, least, greatest, priority;
    cudaStream_t first, second;
    cudaEvent_t done;
    CUDA_CHECK(cudaMalloc(&device, 2 * sizeof(int)));
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(greatest <= least);
    CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, greatest));
    CUDA_CHECK(cudaStreamGetPriority(second, &priority));
    EXPECT(priority == greatest);
    CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));

    set<<<1, 1, 0, first>>>(device, 40);
    CUDA_CHECK(cudaEventRecord(done, first));
    CUDA_CHECK(cudaStreamWaitEvent(second, done, 0));
    set<<<1, 1, 0, second>>>(device + 1, 2);
    add<<<1, 1, 0, second>>>(device, device + 1);
    CUDA_CHECK(cudaMemcpyAsync(&result, device, sizeof result, cudaMemcpyDeviceToHost, second));
    CUDA_CHECK(cudaLaunchHostFunc(second, note, &notes));
    CUDA_CHECK(cudaStreamAddCallback(second, call_back, &notes, 0));
    cudaError_t state;
    while ((state = cudaStreamQuery(second)) == cudaErrorNotReady) {
    }
    CUDA_CHECK(state);
    CUDA_CHECK(cudaStreamSynchronize(second));
    EXPECT(result == 42);
    EXPECT(notes == 11);
    CUDA_CHECK(cudaEventQuery(done));
    CUDA_CHECK(cudaEventDestroy(done));
    CUDA_CHECK(cudaStreamDestroy(first));
    CUDA_CHECK(cudaStreamDestroy(second));
    printf("ok\n");
    return 0;
}
