// Means: No thread of the block can go on: all wait at barriers for others, or poll memory that
// nobody will change. The message says who waits, where and for what, how many have arrived at
// which barrier, and which blocks have ended or not started. On a GPU the program hangs. All
// modes find it, soon after the last thread that does something else has stopped.
// Fix: The count of a barrier is the number of threads that arrive at it. A stage of a
// `cuda::pipeline` is given back by `consumer_release()`, a permit of a semaphore by `release()`.
// Blocks may wait for each other only in a cooperative launch; `--resident all` runs all blocks of
// a launch that fit on the device together.
// Sanitizer: No tool ends such a program (stopped after 20 s).
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void wait(int *x) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, 64); // 32 threads arrive
    __syncthreads();
    bar.arrive_and_wait();
    x[threadIdx.x] = 1;
}
int main() {
    int *x;
    cudaMalloc(&x, 128);
    wait<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}
