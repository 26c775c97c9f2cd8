// Quicksort whose two halves are launches of their own, each into a stream that the kernel creates;
// short pieces are sorted by one thread. The device's runtime needs -rdc=true and cudadevrt.
// options: -rdc=true
// architectures: 90
// engine: yes
#include "../check.h"

#define BLOCK 128
#define SHORT 24

__device__ static void insertion_sort(int *data, int count) {
    for (int i = 1; i < count; i++) {
        int value = data[i], at = i;
        for (; at > 0 && data[at - 1] > value; at--) data[at] = data[at - 1];
        data[at] = value;
    }
}

// One block: what is less than the pivot goes to the front of `spare`, what is greater to its end.
__global__ void sort(int *data, int *spare, int count, int depth) {
    __shared__ int less, greater;
    if (count <= SHORT || depth == 0) {
        if (threadIdx.x == 0) insertion_sort(data, count);
        return;
    }
    int pivot = data[count / 2];
    if (threadIdx.x == 0) less = greater = 0;
    __syncthreads();
    for (int i = (int)threadIdx.x; i < count; i += BLOCK) {
        int value = data[i];
        if (value < pivot) spare[atomicAdd(&less, 1)] = value;
        if (value > pivot) spare[count - 1 - atomicAdd(&greater, 1)] = value;
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < count; i += BLOCK)
        data[i] = i < less || i >= count - greater ? spare[i] : pivot;
    __syncthreads(); // the launching thread knows of all that was written
    if (threadIdx.x != 0) return;
    cudaStream_t stream[2];
    int begin[2] = {0, count - greater}, length[2] = {less, greater};
    for (int half = 0; half < 2; half++) {
        cudaStreamCreateWithFlags(&stream[half], cudaStreamNonBlocking);
        if (length[half] > 1)
            sort<<<1, BLOCK, 0, stream[half]>>>(data + begin[half], spare + begin[half],
                                                length[half], depth - 1);
        cudaStreamDestroy(stream[half]);
    }
}

int main() {
    const int count = 3000;
    static int data[count], counts[1000], found[1000];
    unsigned state = 1;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = (int)(state >> 8) % 1000;
        counts[data[i]]++;
    }
    int *d_data, *d_spare;
    CUDA_CHECK(cudaMalloc(&d_data, sizeof data));
    CUDA_CHECK(cudaMalloc(&d_spare, sizeof data));
    CUDA_CHECK(cudaMemcpy(d_data, data, sizeof data, cudaMemcpyHostToDevice));
    sort<<<1, BLOCK>>>(d_data, d_spare, count, 20);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(data, d_data, sizeof data, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) {
        if (i > 0) EXPECT(data[i - 1] <= data[i]);
        found[data[i]]++;
    }
    for (int i = 0; i < 1000; i++) EXPECT(found[i] == counts[i]);
    CUDA_CHECK(cudaFree(d_data));
    CUDA_CHECK(cudaFree(d_spare));
    printf("ok\n");
    return 0;
}
