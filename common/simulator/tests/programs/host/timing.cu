// Event timing as authors do it: elapsed time grows with the work, empty intervals are short,
// asking too early or for an event without timing is an error.
#include "../check.h"

__global__ void touch(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;
}

int main() {
    const int n = 1 << 20;
    float *device, once, tenfold, ms;
    cudaEvent_t start, middle, stop, plain;
    CUDA_CHECK(cudaMalloc(&device, n * sizeof(float)));
    CUDA_CHECK(cudaMemset(device, 0, n * sizeof(float)));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&middle));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    EXPECT_ERROR(cudaEventElapsedTime(&ms, start, stop), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    touch<<<n / 256, 256>>>(device, n); // warm up
    CUDA_CHECK(cudaDeviceSynchronize());

    CUDA_CHECK(cudaEventRecord(start));
    touch<<<n / 256, 256>>>(device, n);
    CUDA_CHECK(cudaEventRecord(middle));
    for (int i = 0; i < 10; i++) touch<<<n / 256, 256>>>(device, n);
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventRecord(plain));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&once, start, middle));
    CUDA_CHECK(cudaEventElapsedTime(&tenfold, middle, stop));
    printf("one launch %.4f ms, ten launches %.4f ms\n", once, tenfold);
    EXPECT(once > 0 && tenfold > 2 * once && tenfold < 100 * once);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT_ERROR(cudaEventElapsedTime(&ms, start, plain), cudaErrorInvalidResourceHandle);
    printf("ok\n");
    return 0;
}
