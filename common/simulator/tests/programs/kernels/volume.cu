// SPDX-License-Identifier: MIT
// Three-dimensional memory: cudaMalloc3D, cudaMemset3D, a box copied by cudaMemcpy3D.
#include "../check.h"

__global__ void mark(cudaPitchedPtr volume, int width, int height, int depth) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    if (x >= width || y >= height || z >= depth) return;
    char *slice = (char *)volume.ptr + z * volume.pitch * volume.ysize;
    ((int *)(slice + y * volume.pitch))[x] += 100 * z + 10 * y + x;
}

int main() {
    const int width = 5, height = 4, depth = 3;
    cudaPitchedPtr volume;
    CUDA_CHECK(cudaMalloc3D(&volume, make_cudaExtent(width * sizeof(int), height, depth)));
    CUDA_CHECK(cudaMemset3D(volume, 0, make_cudaExtent(width * sizeof(int), height, depth)));
    mark<<<1, dim3(8, 8, 4)>>>(volume, width, height, depth);
    CUDA_CHECK(cudaGetLastError());

    int host[2][2][3]; // the box from (1, 1, 1)
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = volume;
    copy.srcPos = make_cudaPos(1 * sizeof(int), 1, 1);
    copy.dstPtr = make_cudaPitchedPtr(host, sizeof host[0][0], 3, 2);
    copy.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA_CHECK(cudaMemcpy3D(&copy));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 3; x++)
                EXPECT(host[z][y][x] == 100 * (z + 1) + 10 * (y + 1) + (x + 1));
    CUDA_CHECK(cudaFree(volume.ptr));
    printf("ok\n");
    return 0;
}
