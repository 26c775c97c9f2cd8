// SPDX-License-Identifier: MIT
// Finite differences in a volume: a star of radius 4 with coefficients in constant memory; the
// block keeps a plane in shared memory and the column in registers while it marches through z.
#include <utility>
#include <vector>

#include "../helper.h"

#define RADIUS  4
#define BLOCK_X 32
#define BLOCK_Y 8

__constant__ float stencil[RADIUS + 1];

__global__ void FiniteDifferences3DKernel(float *output, const float *input, const int dimx,
                                          const int dimy, const int dimz) {
    __shared__ float tile[BLOCK_Y + 2 * RADIUS][BLOCK_X + 2 * RADIUS];
    const int gtidx = blockIdx.x * blockDim.x + threadIdx.x;
    const int gtidy = blockIdx.y * blockDim.y + threadIdx.y;
    const int ltidx = threadIdx.x, ltidy = threadIdx.y;
    const int stride_y = dimx + 2 * RADIUS, stride_z = stride_y * (dimy + 2 * RADIUS);
    int inputIndex = (gtidy + RADIUS) * stride_y + gtidx + RADIUS, outputIndex = 0;
    bool validr = gtidx < dimx + RADIUS && gtidy < dimy + RADIUS;
    bool validw = gtidx < dimx && gtidy < dimy;
    const int tx = ltidx + RADIUS, ty = ltidy + RADIUS;
    float infront[RADIUS], behind[RADIUS], current = 0;

    for (int i = RADIUS - 2; i >= 0; i--) {
        if (validr) behind[i] = input[inputIndex];
        inputIndex += stride_z;
    }
    if (validr) current = input[inputIndex];
    outputIndex = inputIndex;
    inputIndex += stride_z;
    for (int i = 0; i < RADIUS; i++) {
        if (validr) infront[i] = input[inputIndex];
        inputIndex += stride_z;
    }
#pragma unroll 9
    for (int iz = 0; iz < dimz; iz++) {
        for (int i = RADIUS - 1; i > 0; i--) behind[i] = behind[i - 1];
        behind[0] = current;
        current = infront[0];
#pragma unroll 4
        for (int i = 0; i < RADIUS - 1; i++) infront[i] = infront[i + 1];
        if (validr) infront[RADIUS - 1] = input[inputIndex];
        inputIndex += stride_z;
        outputIndex += stride_z;
        __syncthreads();
        if (ltidy < RADIUS) {
            tile[ltidy][tx] = input[outputIndex - RADIUS * stride_y];
            tile[ltidy + BLOCK_Y + RADIUS][tx] = input[outputIndex + BLOCK_Y * stride_y];
        }
        if (ltidx < RADIUS) {
            tile[ty][ltidx] = input[outputIndex - RADIUS];
            tile[ty][ltidx + BLOCK_X + RADIUS] = input[outputIndex + BLOCK_X];
        }
        tile[ty][tx] = current;
        __syncthreads();
        float value = stencil[0] * current;
#pragma unroll 4
        for (int i = 1; i <= RADIUS; i++)
            value += stencil[i] * (infront[i - 1] + behind[i - 1] + tile[ty - i][tx] +
                                   tile[ty + i][tx] + tile[ty][tx - i] + tile[ty][tx + i]);
        if (validw) output[outputIndex] = value;
    }
}

int main(int argc, char **argv) {
    const int dimx = 64, dimy = 48, dimz = intOption(argc, argv, "dimz", 24);
    const int timesteps = intOption(argc, argv, "timesteps", 3);
    const int ox = dimx + 2 * RADIUS, oy = dimy + 2 * RADIUS, oz = dimz + 2 * RADIUS;
    const size_t volume = (size_t)ox * oy * oz;
    float coefficients[RADIUS + 1] = {0.25f, 0.0625f, 0.03125f, 0.015625f, 0.0078125f};
    std::vector<float> a(volume), b(volume), got(volume);
    HostRandom random(33);
    for (float &v : a) v = random.uniform();
    b = a;

    float *d_a, *d_b;
    checkCudaErrors(cudaMalloc(&d_a, volume * sizeof(float) + 4096)); // loads run ahead
    checkCudaErrors(cudaMalloc(&d_b, volume * sizeof(float) + 4096));
    checkCudaErrors(cudaMemset(d_a, 0, volume * sizeof(float) + 4096));
    checkCudaErrors(cudaMemcpy(d_a, a.data(), volume * sizeof(float), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_b, a.data(), volume * sizeof(float), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpyToSymbol(stencil, coefficients, sizeof coefficients));
    dim3 block(BLOCK_X, BLOCK_Y), grid(dimx / BLOCK_X, dimy / BLOCK_Y);
    for (int t = 0; t < timesteps; t++) {
        FiniteDifferences3DKernel<<<grid, block>>>(d_b, d_a, dimx, dimy, dimz);
        std::swap(d_a, d_b);
    }
    getLastCudaError("FiniteDifferences3DKernel");
    checkCudaErrors(cudaMemcpy(got.data(), d_a, volume * sizeof(float), cudaMemcpyDeviceToHost));

    for (int t = 0; t < timesteps; t++) {
        for (int z = RADIUS; z < dimz + RADIUS; z++)
            for (int y = RADIUS; y < dimy + RADIUS; y++)
                for (int x = RADIUS; x < dimx + RADIUS; x++) {
                    size_t i = ((size_t)z * oy + y) * ox + x;
                    float value = a[i] * coefficients[0];
                    for (int r = 1; r <= RADIUS; r++)
                        value += coefficients[r] *
                                 (a[i - r] + a[i + r] + a[i - r * ox] + a[i + r * ox] +
                                  a[i - (size_t)r * ox * oy] + a[i + (size_t)r * ox * oy]);
                    b[i] = value;
                }
        std::swap(a, b);
    }
    float worst = 0;
    for (size_t i = 0; i < volume; i++) {
        float error = fabsf(got[i] - a[i]);
        if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
    }
    printf("%d steps over %dx%dx%d, centre %.4f, largest error below 0.0001: %s\n", timesteps, dimx,
           dimy, dimz, got[((size_t)(oz / 2) * oy + oy / 2) * ox + ox / 2],
           worst < 1e-4f ? "yes" : "NO");
    checkCudaErrors(cudaFree(d_a));
    checkCudaErrors(cudaFree(d_b));
    return finish("stencil_3d", worst < 1e-4f);
}
