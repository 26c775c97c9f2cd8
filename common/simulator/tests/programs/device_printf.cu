// SPDX-License-Identifier: MIT
// printf in a kernel: formats of all kinds; the text appears when the host waits.
#include "check.h"

__global__ void greet(int number, double fraction) {
    if (threadIdx.x == 0)
        printf("device: %d %5.2f %s %c %% %llu\n", number, fraction, "hello", 'x',
               (unsigned long long)1 << 40);
    __syncwarp();
    if (threadIdx.x == 3) printf("thread %u of block %u\n", threadIdx.x, blockIdx.x);
}

int main() {
    greet<<<1, 32>>>(-17, 2.5);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("host: after the kernel\n");
    return 0;
}
