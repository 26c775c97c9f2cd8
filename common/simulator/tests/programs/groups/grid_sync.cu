// Cooperative launches: blocks wait for each other at grid.sync(), several times, with every
// multiprocessor full; the grid knows its own size; a launch that does not fit is refused.
// check: failed-launch (tries one block too many)
#include "../check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each round every block reads what another block wrote in the round before.
__global__ void rotate(int *a, int *b, int rounds) {
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), n = (int)grid.size();
    for (int r = 0; r < rounds; r++) {
        b[(i + blockDim.x + 1) % n] = a[i] + 1;
        grid.sync();
        int *swap = a;
        a = b;
        b = swap;
    }
}

__global__ void ask(int *valid) { *valid = cg::this_grid().is_valid(); }

static void run_rotation(int blocks, int threads, int rounds) {
    int n = blocks * threads;
    int *start = (int *)malloc(n * sizeof(int)), *end = (int *)malloc(n * sizeof(int)), *a, *b;
    CUDA_CHECK(cudaMalloc(&a, n * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&b, n * sizeof(int)));
    for (int i = 0; i < n; i++) start[i] = 17 * i;
    CUDA_CHECK(cudaMemcpy(a, start, n * sizeof(int), cudaMemcpyHostToDevice));
    void *arguments[] = {&a, &b, &rounds};
    CUDA_CHECK(
        cudaLaunchCooperativeKernel((void *)rotate, dim3(blocks), dim3(threads), arguments, 0, 0));
    CUDA_CHECK(cudaMemcpy(end, rounds % 2 ? b : a, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        long long to = (i + (long long)rounds * (threads + 1)) % n;
        EXPECT(end[to] == start[i] + rounds);
    }
    CUDA_CHECK(cudaFree(a));
    CUDA_CHECK(cudaFree(b));
    free(start);
    free(end);
}

int main() {
    run_rotation(1, 64, 3);
    run_rotation(7, 96, 6);
    int per_sm = 0, sms = 0, can = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    EXPECT(can);
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, rotate, 256, 0));
    run_rotation(per_sm * sms, 256, 2);
    int *a = nullptr, *b = nullptr, rounds = 0;
    void *arguments[] = {&a, &b, &rounds};
    EXPECT_ERROR(cudaLaunchCooperativeKernel((void *)rotate, dim3(per_sm * sms + 1), dim3(256),
                                             arguments, 0, 0),
                 cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();

    int *valid, seen = -1;
    CUDA_CHECK(cudaMalloc(&valid, sizeof(int)));
    ask<<<1, 1>>>(valid);
    CUDA_CHECK(cudaMemcpy(&seen, valid, sizeof seen, cudaMemcpyDeviceToHost));
    EXPECT(seen == 0); // not launched cooperatively
    void *one[] = {&valid};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelExC(&config, (void *)ask, one));
    CUDA_CHECK(cudaMemcpy(&seen, valid, sizeof seen, cudaMemcpyDeviceToHost));
    EXPECT(seen == 1);
    printf("ok\n");
    return 0;
}
