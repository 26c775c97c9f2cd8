// What a device is said to be able to.
#include "../check.h"

#include <cstring>

// cudaDeviceSetLimit and what it changes: the heap of malloc and new in kernels, the stack of a
// deep recursion; memcpy and memset in device code.
namespace device_limits {

__device__ char *kept[64];

// How many blocks of `bytes` the heap gives until it is full; all are given back.
__global__ void fill_heap(size_t bytes, int *count) {
    int n = 0;
    while (n < 64 && (kept[n] = (char *)malloc(bytes)) != nullptr) {
        memset(kept[n], n, 256);
        kept[n][bytes - 1] = (char)n;
        n++;
    }
    bool right = true;
    for (int i = 0; i < n; i++) right = right && kept[i][0] == i && kept[i][bytes - 1] == i;
    for (int i = 0; i < n; i++) free(kept[i]);
    *count = right ? n : -1;
}

struct pair {
    int first, second;
    __device__ pair(int a, int b) : first(a), second(b) {}
};

__global__ void use_new(int *out) {
    pair *one = new pair(threadIdx.x, 7);
    int *many = new int[10];
    int copied[10];
    for (int i = 0; i < 10; i++) many[i] = i * one->first;
    memcpy(copied, many, sizeof copied);
    out[threadIdx.x] = copied[9] + one->second;
    delete one;
    delete[] many;
}

__device__ __noinline__ int depth_of(int left, volatile int *sink) {
    volatile int frame[32];
    frame[left & 31] = left;
    return left == 0 ? 0 : 1 + depth_of(left - 1, sink) + (frame[left & 31] - left);
}

__global__ void recurse(int depth, int *out) { *out = depth_of(depth, out); }

static void run_all() {
    size_t value = 0;
    int *d_out, out[32];
    CUDA_CHECK(cudaMalloc(&d_out, sizeof out));
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    CUDA_CHECK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    EXPECT(value >= 32 << 20);
    fill_heap<<<1, 1>>>(1 << 20, d_out);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(out[0] > 16 && out[0] < 40); // beyond the default of 8 MiB; some goes to bookkeeping
    int first = out[0];
    fill_heap<<<1, 1>>>(1 << 20, d_out);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(out[0] == first); // everything had been given back
    EXPECT_ERROR(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20), cudaErrorInvalidValue);
    cudaGetLastError();
    use_new<<<1, 32>>>(d_out);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 32; t++) EXPECT(out[t] == 9 * t + 7);

    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 400 << 10));
    CUDA_CHECK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    EXPECT(value == 400 << 10);
    recurse<<<1, 32>>>(1500, d_out);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(out[0] == 1500);
}

} // namespace device_limits

// The occupancy calculator: block sizes it proposes can be launched, more shared memory means fewer
// blocks, what it says is available fits.
namespace occupancy {

__global__ void light(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 2;
}

__global__ void heavy(float *data) {
    __shared__ float big[8192];
    big[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = big[blockDim.x - 1 - threadIdx.x];
}

static void run_all() {
    int grid = 0, block = 0, blocks, fewer, sms;
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(block > 0 && block <= 1024 && block % 32 == 0 && grid >= sms);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 256, 0));
    EXPECT(blocks == 8); // 2048 threads per SM
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, light, 256, 40000));
    EXPECT(fewer > 0 && fewer < blocks);
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, heavy, 128, 0));
    EXPECT(fewer == 6); // 233472 / (32768 + 1024)
    size_t bytes;
    CUDA_CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, light, 4, 256));
    CUDA_CHECK(
        cudaFuncSetAttribute(light, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 256, bytes));
    EXPECT(blocks == 4);
    const int n = 1000;
    float *device;
    CUDA_CHECK(cudaMalloc(&device, n * sizeof(float)));
    CUDA_CHECK(cudaMemset(device, 0, n * sizeof(float)));
    light<<<(n + block - 1) / block, block>>>(device, n);
    CUDA_CHECK(cudaDeviceSynchronize());
}

} // namespace occupancy

int main() { return run_parts({device_limits::run_all, occupancy::run_all}); }
