// SPDX-License-Identifier: MIT
// Rows with a pitch: cudaMallocPitch, two-dimensional copies in all directions, cudaMemset2D.
// engine: yes
#include "../check.h"

__global__ void scale_rows(float *data, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) ((float *)((char *)data + y * pitch))[x] *= (float)(y + 1);
}

int main() {
    const int width = 45, height = 11;
    float in[height][width + 3], out[height][width + 3];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width + 3; x++) in[y][x] = (float)(100 * y + x), out[y][x] = -1;
    float *first, *second;
    size_t pitch, second_pitch;
    CUDA_CHECK(cudaMallocPitch(&first, &pitch, width * sizeof(float), height));
    CUDA_CHECK(cudaMallocPitch(&second, &second_pitch, width * sizeof(float), height));
    EXPECT(pitch >= width * sizeof(float) && pitch % 32 == 0);
    CUDA_CHECK(cudaMemcpy2D(first, pitch, in, sizeof in[0], width * sizeof(float), height,
                            cudaMemcpyHostToDevice));
    scale_rows<<<dim3(2, 3), dim3(32, 4)>>>(first, pitch, width, height);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemset2D(second, second_pitch, 0, width * sizeof(float), height));
    CUDA_CHECK(cudaMemcpy2D(second, second_pitch, first, pitch, width * sizeof(float), height - 1,
                            cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpy2DAsync(out, sizeof out[0], second, second_pitch, width * sizeof(float),
                                 height, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width + 3; x++) {
            float want = y == height - 1 ? 0 : in[y][x] * (float)(y + 1);
            EXPECT(out[y][x] == (x < width ? want : -1.0f));
        }
    EXPECT_ERROR(cudaMemcpy2D(first, 8, in, sizeof in[0], 16, 2, cudaMemcpyHostToDevice),
                 cudaErrorInvalidPitchValue);
    printf("ok\n");
    return 0;
}
