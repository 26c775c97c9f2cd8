// SPDX-License-Identifier: MIT
// Work is queued by several host threads; host functions in the streams post-process it and tell a
// condition variable when they are through.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "../helper.h"

const int N_WORKLOADS = 8, N_ELEMENTS = 100000;

struct Workload {
    int id;
    int *h_data, *d_data;
    cudaStream_t stream;
    bool success;
};

static std::mutex done_mutex;
static std::condition_variable done_condition;
static int done_count = 0, callbacks_with_error = 0;

__global__ void incKernel(int *data, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) data[i]++;
}

static void CUDART_CB verify(void *user) {
    Workload *workload = static_cast<Workload *>(user);
    workload->success = true;
    for (int i = 0; i < N_ELEMENTS; ++i)
        workload->success &= workload->h_data[i] == i + workload->id + 1;
    std::lock_guard<std::mutex> lock(done_mutex);
    done_count++;
    done_condition.notify_all();
}

static void CUDART_CB status_callback(cudaStream_t, cudaError_t status, void *) {
    std::lock_guard<std::mutex> lock(done_mutex);
    if (status != cudaSuccess) callbacks_with_error++;
}

static void launch(Workload *workload) {
    checkCudaErrors(cudaSetDevice(0));
    checkCudaErrors(cudaStreamCreateWithFlags(&workload->stream, cudaStreamNonBlocking));
    checkCudaErrors(cudaMalloc(&workload->d_data, N_ELEMENTS * sizeof(int)));
    checkCudaErrors(
        cudaHostAlloc(&workload->h_data, N_ELEMENTS * sizeof(int), cudaHostAllocPortable));
    for (int i = 0; i < N_ELEMENTS; ++i) workload->h_data[i] = workload->id + i;
    dim3 block(256), grid((N_ELEMENTS + block.x - 1) / block.x);
    checkCudaErrors(cudaMemcpyAsync(workload->d_data, workload->h_data, N_ELEMENTS * sizeof(int),
                                    cudaMemcpyHostToDevice, workload->stream));
    incKernel<<<grid, block, 0, workload->stream>>>(workload->d_data, N_ELEMENTS);
    checkCudaErrors(cudaMemcpyAsync(workload->h_data, workload->d_data, N_ELEMENTS * sizeof(int),
                                    cudaMemcpyDeviceToHost, workload->stream));
    checkCudaErrors(cudaStreamAddCallback(workload->stream, status_callback, workload, 0));
    checkCudaErrors(cudaLaunchHostFunc(workload->stream, verify, workload));
}

int main() {
    std::vector<Workload> workloads(N_WORKLOADS);
    std::vector<std::thread> workers;
    printf("Starting %d heterogeneous computing workloads\n", N_WORKLOADS);
    for (int i = 0; i < N_WORKLOADS; ++i) {
        workloads[i] = Workload{i, nullptr, nullptr, nullptr, false};
        workers.emplace_back(launch, &workloads[i]);
    }
    for (std::thread &worker : workers) worker.join();
    {
        std::unique_lock<std::mutex> lock(done_mutex);
        done_condition.wait(lock, [] { return done_count == N_WORKLOADS; });
    }
    bool success = callbacks_with_error == 0;
    for (Workload &w : workloads) {
        success &= w.success;
        checkCudaErrors(cudaStreamSynchronize(w.stream));
        checkCudaErrors(cudaFree(w.d_data));
        checkCudaErrors(cudaFreeHost(w.h_data));
        checkCudaErrors(cudaStreamDestroy(w.stream));
    }
    printf("Total of %d workloads finished\n", done_count);
    return finish("stream_callbacks", success);
}
