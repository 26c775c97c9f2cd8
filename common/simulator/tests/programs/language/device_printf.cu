// printf in a kernel: formats of all kinds; the text appears when the host waits.
// check: printf-format (what a card prints for formats that do not fit)
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

#define EIGHT     "%d %d %d %d %d %d %d %d "
#define VALUES(b) b, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7

// What an H200 with CUDA 13 prints where the format and the arguments do not fit.
__global__ void misfits(int n, long long wide) {
    int result[8];
    result[0] = printf("no argument\n");
    result[1] = printf("misfit %d %d %d %d\n", n, wide, n, n);
    result[2] = printf("misfit %d %f %d\n", 1.0, n, n);
    result[3] = printf(EIGHT EIGHT EIGHT EIGHT "%d %lld|%p\n", VALUES(n), VALUES(n), VALUES(n),
                       VALUES(n), n, wide, &n);
    result[4] = printf((const char *)nullptr);
    result[5] = printf("%zu %hhd %y %d %Lf\n", (size_t)n, n, n, 1.0);
    result[6] = printf("%s %p\n", (const char *)nullptr, (void *)nullptr);
    result[7] = printf("%d %zu\n", n, (size_t)n);
    for (int i = 0; i < 8; i++) printf("=%d", result[i]);
    printf("\n");
}

int main() {
    greet<<<1, 32>>>(-17, 2.5);
    CUDA_CHECK(cudaDeviceSynchronize());
    misfits<<<1, 1>>>(5, 0x7766554433221100ll);
    CUDA_CHECK(cudaDeviceSynchronize());
    printf("host: after the kernel\n");
    return 0;
}
