// printf from kernels in an order that the program forces: one thread, then turn by turn in a
// block; many conversions; and an assertion that the host finds as an error, after which a reset
// heals the device.
// check: stopped (ends with a failed assertion)
#undef NDEBUG
#include <cassert>

#include "../helper.h"

__global__ void formats() {
    printf("%d %5d|%-6d|%06d %+d %u %x %X %o\n", -5, 42, 42, 42, 7, 4000000000u, 48879, 48879, 8);
    printf("%f %.3f %10.2f|%e %g %G\n", 1.5, 2.0 / 3.0, -3.14159, 12345.678, 0.0001, 1e20);
    printf("%c%c %s %10s|%-10s| %%\n", 'o', 'k', "text", "right", "left");
    printf("%*d %.*f\n", 6, 77, 2, 9.87654); // a device takes no precision by argument
}

__global__ void inTurns() {
    for (int turn = 0; turn < blockDim.x; turn++) {
        if (threadIdx.x == turn)
            printf("[%d, %d]:\t\tvalue is %d\n", blockIdx.x, threadIdx.x,
                   threadIdx.x * threadIdx.x);
        __syncthreads();
    }
}

__global__ void testAssert(int limit) {
    int gtid = blockIdx.x * blockDim.x + threadIdx.x;
    assert(gtid < limit && "too many threads");
}

int main() {
    size_t fifo;
    checkCudaErrors(cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize));
    formats<<<1, 1>>>();
    checkCudaErrors(cudaDeviceSynchronize());
    inTurns<<<1, 6>>>();
    checkCudaErrors(cudaDeviceSynchronize());
    testAssert<<<2, 32>>>(64);
    checkCudaErrors(cudaDeviceSynchronize());
    printf("no assertion failed\n");
    testAssert<<<2, 32>>>(60);
    cudaError_t error = cudaDeviceSynchronize();
    printf("device assert: %s\n", cudaGetErrorName(error));
    bool passed = fifo > 0 && error == cudaErrorAssert;
    printf("sticky: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return finish("device_printf", passed);
}
