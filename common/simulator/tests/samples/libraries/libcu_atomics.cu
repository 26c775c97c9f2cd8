// libcu++: atomics and atomic references of several scopes and orders, a message passed by release
// and acquire between blocks, a block barrier split into arrive and wait, a semaphore, fixed-size
// views.
// labels: full
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include "../helper.h"

struct Mailbox {
    cuda::atomic<int, cuda::thread_scope_device> flag;
    int payload;
};

__global__ void messages(Mailbox *mail, int *received) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            mail->payload = 4711;
            mail->flag.store(1, cuda::std::memory_order_release);
        }
    } else if (threadIdx.x == 0) {
        while (mail->flag.load(cuda::std::memory_order_acquire) == 0) {}
        received[blockIdx.x] = mail->payload;
    }
}

__global__ void counts(int *plain, double *reals,
                       cuda::atomic<unsigned, cuda::thread_scope_device> *object) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ref(*plain);
    ref.fetch_add(2, cuda::std::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device>(plain[1]).fetch_max(threadIdx.x);
    cuda::atomic_ref<double, cuda::thread_scope_device>(*reals).fetch_add(0.5);
    unsigned old = object->load();
    while (!object->compare_exchange_weak(old, old + threadIdx.x % 3)) {}
}

__global__ void barriers(const int *in, int *out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int stage[128];
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
    for (int round = 0; round < 3; round++) {
        stage[threadIdx.x] = value;
        auto token = bar.arrive();
        int independent = value * 2;
        bar.wait(cuda::std::move(token));
        value = independent - stage[(threadIdx.x + 1) % blockDim.x];
        bar.arrive_and_wait();
    }
    cuda::std::array<int, 3> numbers = {value, value + 1, value + 2};
    auto pair = cuda::std::make_tuple(numbers[1], numbers.size());
    out[i] = cuda::std::get<0>(pair) + (int)cuda::std::get<1>(pair);
}

int main() {
    const int blocks = 8, threads = 128, n = blocks * threads;
    Mailbox *mail;
    int *received, *plain, *in, *out;
    double *reals;
    cuda::atomic<unsigned, cuda::thread_scope_device> *object;
    checkCudaErrors(cudaMallocManaged(&mail, sizeof *mail));
    checkCudaErrors(cudaMallocManaged(&received, blocks * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&plain, 2 * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&reals, sizeof(double)));
    checkCudaErrors(cudaMallocManaged(&object, sizeof *object));
    checkCudaErrors(cudaMallocManaged(&in, n * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&out, n * sizeof(int)));
    checkCudaErrors(cudaMemset(mail, 0, sizeof *mail));
    checkCudaErrors(cudaMemset(object, 0, sizeof *object));
    checkCudaErrors(cudaDeviceSynchronize());
    plain[0] = plain[1] = 0;
    *reals = 0;
    for (int i = 0; i < n; i++) in[i] = i * i % 101;
    messages<<<blocks, 32>>>(mail, received);
    counts<<<blocks, threads>>>(plain, reals, object);
    barriers<<<blocks, threads>>>(in, out);
    getLastCudaError("libcu++");
    checkCudaErrors(cudaDeviceSynchronize());
    bool passed = plain[0] == 2 * n && plain[1] == threads - 1 && *reals == 0.5 * n;
    for (int b = 1; b < blocks; b++) passed = passed && received[b] == 4711;
    unsigned sum = 0, got = 0;
    for (int i = 0; i < n; i++) sum += i % threads % 3;
    checkCudaErrors(cudaMemcpy(&got, object, sizeof got, cudaMemcpyDefault));
    passed = passed && got == sum;
    printf("atomics %d %d %.1f %u\n", plain[0], plain[1], *reals, got);
    for (int b = 0; b < blocks; b++) {
        int value[128], next[128];
        for (int t = 0; t < threads; t++) value[t] = in[b * threads + t];
        for (int round = 0; round < 3; round++) {
            for (int t = 0; t < threads; t++) next[t] = 2 * value[t] - value[(t + 1) % threads];
            memcpy(value, next, sizeof value);
        }
        for (int t = 0; t < threads; t++) passed = passed && out[b * threads + t] == value[t] + 4;
    }
    printf("barriers %d\n", out[n - 1]);
    return finish("libcu_atomics", passed);
}
