// SPDX-License-Identifier: MIT
// One cooperative launch sums an array: every block leaves a partial sum, the grid synchronises,
// block 0 adds them up. Also a grid-wide iteration: all blocks relax a ring until it is level.
// check: failed-launch
#include <cooperative_groups.h>

#include "../helper.h"

namespace cg = cooperative_groups;

__device__ void reduceBlock(double *sdata, const cg::thread_block &cta) {
    const unsigned int tid = cta.thread_rank();
    cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);
    double beta = sdata[tid];
    for (int i = tile32.size() / 2; i > 0; i >>= 1) {
        if (tile32.thread_rank() < i) {
            beta += sdata[tid + i];
            sdata[tid] = beta;
        }
        cg::sync(tile32);
    }
    cg::sync(cta);
    if (tid == 0) {
        beta = 0;
        for (int i = 0; i < blockDim.x; i += tile32.size()) beta += sdata[i];
        sdata[0] = beta;
    }
    cg::sync(cta);
}

extern "C" __global__ void reduceSinglePassMultiBlockCG(const float *g_idata, float *g_odata,
                                                        unsigned int n) {
    cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    extern double __shared__ sdata[];

    sdata[block.thread_rank()] = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        sdata[block.thread_rank()] += g_idata[i];
    cg::sync(block);
    reduceBlock(sdata, block);
    if (block.thread_rank() == 0) g_odata[blockIdx.x] = sdata[0];
    cg::sync(grid);

    if (grid.thread_rank() == 0)
        for (int b = 1; b < gridDim.x; b++) g_odata[0] += g_odata[b];
}

__global__ void relax(int *ring, int *next, int *changes, int n, int rounds) {
    cg::grid_group grid = cg::this_grid();
    for (int r = 0; r < rounds; r++) {
        for (int i = grid.thread_rank(); i < n; i += grid.num_threads()) {
            int left = ring[(i + n - 1) % n], mine = ring[i];
            next[i] = left > mine ? left : mine;
            if (next[i] != mine) atomicAdd(&changes[r], 1);
        }
        grid.sync();
        int *swap = ring;
        ring = next;
        next = swap;
    }
}

int main(int argc, char **argv) {
    unsigned int n = intOption(argc, argv, "n", 1 << 18);
    cudaDeviceProp prop;
    checkCudaErrors(cudaGetDeviceProperties(&prop, 0));
    if (!prop.cooperativeLaunch) {
        printf("Device does not support cooperative kernel launch, waiving\n");
        return EXIT_FAILURE;
    }
    float *h_in = new float[n], *d_in, *d_out;
    double expected = 0;
    for (unsigned int i = 0; i < n; i++) expected += h_in[i] = (float)(i % 128);
    checkCudaErrors(cudaMalloc(&d_in, n * sizeof(float)));
    checkCudaErrors(cudaMemcpy(d_in, h_in, n * sizeof(float), cudaMemcpyHostToDevice));

    int threads = 256, perSM = 0, smem = threads * sizeof(double);
    checkCudaErrors(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &perSM, reduceSinglePassMultiBlockCG, threads, smem));
    int most = perSM * prop.multiProcessorCount, blocks = most < 64 ? most : 64;
    checkCudaErrors(cudaMalloc(&d_out, blocks * sizeof(float)));
    void *arguments[] = {(void *)&d_in, (void *)&d_out, (void *)&n};
    checkCudaErrors(cudaLaunchCooperativeKernel((void *)reduceSinglePassMultiBlockCG, dim3(blocks),
                                                dim3(threads), arguments, smem, NULL));
    float sum = 0;
    checkCudaErrors(cudaMemcpy(&sum, d_out, sizeof sum, cudaMemcpyDeviceToHost));
    printf("%d blocks: %.0f\n", blocks, sum);
    bool passed = sum == (float)expected;

    int ringSize = 5000, rounds = 20, *ring, *next, *changes;
    checkCudaErrors(cudaMallocManaged(&ring, ringSize * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&next, ringSize * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&changes, rounds * sizeof(int)));
    for (int i = 0; i < ringSize; i++) ring[i] = i % 100 == 0 ? 7 : 0;
    memset(changes, 0, rounds * sizeof(int));
    void *relaxArguments[] = {&ring, &next, &changes, &ringSize, &rounds};
    checkCudaErrors(
        cudaLaunchCooperativeKernel((void *)relax, dim3(16), dim3(128), relaxArguments, 0, 0));
    checkCudaErrors(cudaDeviceSynchronize());
    for (int r = 0; r < rounds; r++) passed = passed && changes[r] == ringSize / 100;
    for (int i = 0; i < ringSize; i++) passed = passed && ring[i] == (i % 100 <= rounds ? 7 : 0);
    printf("ring: %d changes in the last round\n", changes[rounds - 1]);

    // More blocks than fit at once must be refused.
    cudaError_t error = cudaLaunchCooperativeKernel(
        (void *)reduceSinglePassMultiBlockCG, dim3(most + 1), dim3(threads), arguments, smem, NULL);
    printf("too large: %s\n", cudaGetErrorName(error));
    passed = passed && error == cudaErrorCooperativeLaunchTooLarge;
    cudaGetLastError();
    return finish("reduction_grid_sync", passed);
}
