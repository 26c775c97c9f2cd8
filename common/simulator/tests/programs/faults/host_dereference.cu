// The classical mistake: host code reads through a device pointer. It must not work by accident.
// test: none
// check: host-access
#include "../check.h"

int main(int argc, char **) {
    int *device;
    CUDA_CHECK(cudaMalloc(&device, 100 * sizeof(int)));
    CUDA_CHECK(cudaMemset(device, 0, 100 * sizeof(int)));
    printf("about to fail\n");
    fflush(stdout);
    printf("%d\n", *(volatile int *)(argc > 1 ? nullptr : device + 10));
    printf("that should have been impossible\n");
    return 0;
}
