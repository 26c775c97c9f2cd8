// Means: An mbarrier (cuda::barrier) ends one phase after the other, and a wait names a phase by
// its parity alone: 0, 1, 0, .. A thread that waits again with the parity of the phase before goes
// on at once, though the copy or the arrivals that it means are still to come. What it reads is of
// the phase before. The finding is told where the thread never waits for the last phase of the
// barrier.
// Fix: Change the parity each time that the same barrier is used again: (i / stages) % 2 in
// iteration i of a pipeline.
// Sanitizer: racecheck reports the race that follows.
#include <cuda/ptx>
namespace ptx = cuda::ptx;
// Thread 0 gives thread 32 two values, the second one when the first one has been read.
__global__ void pass(int *x) {
    __shared__ uint64_t full, empty;
    __shared__ volatile int value;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, 1);
    }
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0) {
            while (i > 0 && !ptx::mbarrier_try_wait_parity(&empty, 0)) {
            }
            value = i + 1;
            ptx::mbarrier_arrive(&full);
        } else if (threadIdx.x == 32) {
            while (!ptx::mbarrier_try_wait_parity(&full, 0)) { // i % 2
            }
            x[i] = value; // the second time it may be the first value
            if (i == 0) ptx::mbarrier_arrive(&empty);
        }
    }
}
int main() {
    int *x;
    cudaMalloc(&x, 8);
    pass<<<1, 64>>>(x);
    cudaDeviceSynchronize();
}
