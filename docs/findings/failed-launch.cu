// Means: A cooperative launch has more blocks than run at the same time, so that a barrier of the
// grid could never open. The message says how many fit, and by which limit.
// Fix: As many blocks as cudaOccupancyMaxActiveBlocksPerMultiprocessor() says, times the number of
// SMs; each does more.
// Sanitizer: memcheck reports the error of the launch, without the limit.
#include <cooperative_groups.h>
__global__ void meet(int *x) {
    cooperative_groups::this_grid().sync();
    *x = 1;
}
int main() {
    int *x;
    cudaMalloc(&x, 4);
    void *arguments[] = {&x};
    return cudaLaunchCooperativeKernel(meet, dim3(100000), dim3(256), arguments, 0, 0) == 0;
}
