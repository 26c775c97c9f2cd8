// A kernel that goes wrong in a chosen way: the launch succeeds, the next wait reports it, and the
// error stays until the device is reset.
// test: none
// check: out-of-bounds
#undef NDEBUG // a release build would leave the assert out
#include "../check.h"

#include <cassert>
#include <cstring>

__global__ void store(int *at, int i) { at[i] = 1; }

__global__ void store_misaligned(char *at) { *(int *)(at + 2) = 1; }

__global__ void trap() { __trap(); }

__global__ void fail(int value) { assert(value == 7); }

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "null";
    cudaError_t want = cudaErrorIllegalAddress;
    int *device;
    CUDA_CHECK(cudaMalloc(&device, 256));
    if (strcmp(kind, "null") == 0) {
        store<<<1, 1>>>(nullptr, 0);
    } else if (strcmp(kind, "far") == 0) {
        store<<<1, 1>>>(device, 1 << 29);
    } else if (strcmp(kind, "misaligned") == 0) {
        want = cudaErrorMisalignedAddress;
        store_misaligned<<<1, 1>>>((char *)device);
    } else if (strcmp(kind, "trap") == 0) {
        want = cudaErrorLaunchFailure;
        trap<<<1, 1>>>();
    } else {
        want = cudaErrorAssert;
        fail<<<1, 1>>>(6);
    }
    CUDA_CHECK(cudaGetLastError()); // the launch is not to blame
    EXPECT_ERROR(cudaDeviceSynchronize(), want);
    EXPECT_ERROR(cudaGetLastError(), want);
    int word;
    EXPECT_ERROR(cudaMemcpy(&word, device, sizeof word, cudaMemcpyDeviceToHost), want);
    store<<<1, 1>>>(device, 0);
    EXPECT_ERROR(cudaGetLastError(), want);
    printf("as expected: %s\n", cudaGetErrorName(want));
    return 0;
}
