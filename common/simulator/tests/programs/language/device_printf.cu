// SPDX-License-Identifier: MIT
// printf in a kernel: formats of all kinds; the text appears when the host waits.
#include "../check.h"

__global__ void greet(int number, double fraction) {
    if (threadIdx.x == 0)
        printf("device: %d %5.2f %s %c %% %llu\n", number, fraction, "hello", 'x',
               (unsigned long long)1 << 40);
    // An H100 prints 4464 for the first one, and the last one as it stands.
    if (threadIdx.x == 0)
        printf("%hd %hd %hu %hx|%*d %.*f\n", 70000, 65535, -1, 0xdeadbeef, 6, 77, 2, 9.87654);
    __syncwarp();
    if (threadIdx.x == 3) printf("thread %u of block %u\n", threadIdx.x, blockIdx.x);
}

int main() {
    greet<<<1, 32>>>(-17, 2.5);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("host: after the kernel\n");
    return 0;
}
