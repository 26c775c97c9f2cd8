// SPDX-License-Identifier: MIT
// Separable convolution of an image with a 17-tap kernel in constant memory: rows, then columns,
// tiles with halos in shared memory, several results a thread, loops unrolled.
#include <cmath>
#include <vector>

#include "../helper.h"

#define KERNEL_RADIUS 8
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)

__constant__ float c_Kernel[KERNEL_LENGTH];

#define ROWS_BLOCKDIM_X   16
#define ROWS_BLOCKDIM_Y   4
#define ROWS_RESULT_STEPS 8
#define ROWS_HALO_STEPS   1

__global__ void convolutionRowsKernel(float *d_Dst, float *d_Src, int imageW, int imageH,
                                      int pitch) {
    __shared__ float s_Data[ROWS_BLOCKDIM_Y]
                           [(ROWS_RESULT_STEPS + 2 * ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X];
    const int baseX =
        (blockIdx.x * ROWS_RESULT_STEPS - ROWS_HALO_STEPS) * ROWS_BLOCKDIM_X + threadIdx.x;
    const int baseY = blockIdx.y * ROWS_BLOCKDIM_Y + threadIdx.y;
    d_Src += baseY * pitch + baseX;
    d_Dst += baseY * pitch + baseX;
#pragma unroll
    for (int i = 0; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS + ROWS_HALO_STEPS; i++) {
        int x = baseX + i * ROWS_BLOCKDIM_X;
        s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X] =
            (x >= 0 && x < imageW) ? d_Src[i * ROWS_BLOCKDIM_X] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = ROWS_HALO_STEPS; i < ROWS_HALO_STEPS + ROWS_RESULT_STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
            sum += c_Kernel[KERNEL_RADIUS - j] *
                   s_Data[threadIdx.y][threadIdx.x + i * ROWS_BLOCKDIM_X + j];
        d_Dst[i * ROWS_BLOCKDIM_X] = sum;
    }
}

#define COLUMNS_BLOCKDIM_X   16
#define COLUMNS_BLOCKDIM_Y   8
#define COLUMNS_RESULT_STEPS 8
#define COLUMNS_HALO_STEPS   1

__global__ void convolutionColumnsKernel(float *d_Dst, float *d_Src, int imageW, int imageH,
                                         int pitch) {
    __shared__ float
        s_Data[COLUMNS_BLOCKDIM_X]
              [(COLUMNS_RESULT_STEPS + 2 * COLUMNS_HALO_STEPS) * COLUMNS_BLOCKDIM_Y + 1];
    const int baseX = blockIdx.x * COLUMNS_BLOCKDIM_X + threadIdx.x;
    const int baseY =
        (blockIdx.y * COLUMNS_RESULT_STEPS - COLUMNS_HALO_STEPS) * COLUMNS_BLOCKDIM_Y + threadIdx.y;
    d_Src += baseY * pitch + baseX;
    d_Dst += baseY * pitch + baseX;
#pragma unroll
    for (int i = 0; i < COLUMNS_RESULT_STEPS + 2 * COLUMNS_HALO_STEPS; i++) {
        int y = baseY + i * COLUMNS_BLOCKDIM_Y;
        s_Data[threadIdx.x][threadIdx.y + i * COLUMNS_BLOCKDIM_Y] =
            (y >= 0 && y < imageH) ? d_Src[i * COLUMNS_BLOCKDIM_Y * pitch] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = COLUMNS_HALO_STEPS; i < COLUMNS_HALO_STEPS + COLUMNS_RESULT_STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
            sum += c_Kernel[KERNEL_RADIUS - j] *
                   s_Data[threadIdx.x][threadIdx.y + i * COLUMNS_BLOCKDIM_Y + j];
        d_Dst[i * COLUMNS_BLOCKDIM_Y * pitch] = sum;
    }
}

static void convolveCPU(std::vector<float> &dst, const std::vector<float> &src, const float *kernel,
                        int w, int h, int dx, int dy) {
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            double sum = 0;
            for (int k = -KERNEL_RADIUS; k <= KERNEL_RADIUS; k++) {
                int sx = x + k * dx, sy = y + k * dy;
                if (sx >= 0 && sx < w && sy >= 0 && sy < h)
                    sum += src[sy * w + sx] * kernel[KERNEL_RADIUS - k];
            }
            dst[y * w + x] = (float)sum;
        }
    }
}

int main(int argc, char **argv) {
    const int imageW = intOption(argc, argv, "width", 384), imageH = 256;
    float h_Kernel[KERNEL_LENGTH];
    HostRandom random(200);
    std::vector<float> input(imageW * imageH), buffer(input.size()), want(input.size()),
        output(input.size());
    for (float &k : h_Kernel) k = (float)random.below(16);
    for (float &v : input) v = (float)random.below(16);

    float *d_Input, *d_Output, *d_Buffer;
    size_t bytes = input.size() * sizeof(float);
    checkCudaErrors(cudaMalloc((void **)&d_Input, bytes));
    checkCudaErrors(cudaMalloc((void **)&d_Output, bytes));
    checkCudaErrors(cudaMalloc((void **)&d_Buffer, bytes));
    checkCudaErrors(cudaMemcpyToSymbol(c_Kernel, h_Kernel, sizeof(h_Kernel)));
    checkCudaErrors(cudaMemcpy(d_Input, input.data(), bytes, cudaMemcpyHostToDevice));
    dim3 rowBlocks(imageW / (ROWS_RESULT_STEPS * ROWS_BLOCKDIM_X), imageH / ROWS_BLOCKDIM_Y);
    convolutionRowsKernel<<<rowBlocks, dim3(ROWS_BLOCKDIM_X, ROWS_BLOCKDIM_Y)>>>(
        d_Buffer, d_Input, imageW, imageH, imageW);
    getLastCudaError("convolutionRowsKernel() execution failed\n");
    dim3 columnBlocks(imageW / COLUMNS_BLOCKDIM_X,
                      imageH / (COLUMNS_RESULT_STEPS * COLUMNS_BLOCKDIM_Y));
    convolutionColumnsKernel<<<columnBlocks, dim3(COLUMNS_BLOCKDIM_X, COLUMNS_BLOCKDIM_Y)>>>(
        d_Output, d_Buffer, imageW, imageH, imageW);
    getLastCudaError("convolutionColumnsKernel() execution failed\n");
    checkCudaErrors(cudaMemcpy(output.data(), d_Output, bytes, cudaMemcpyDeviceToHost));

    convolveCPU(buffer, input, h_Kernel, imageW, imageH, 1, 0);
    convolveCPU(want, buffer, h_Kernel, imageW, imageH, 0, 1);
    double sum = 0, delta = 0;
    for (size_t i = 0; i < want.size(); i++) {
        delta += (output[i] - want[i]) * (output[i] - want[i]);
        sum += want[i] * want[i];
    }
    double L2norm = sqrt(delta / sum);
    printf("corner %.0f, centre %.0f, relative L2 norm %s\n", output[0],
           output[(imageH / 2) * imageW + imageW / 2], L2norm < 1e-6 ? "small" : "LARGE");
    checkCudaErrors(cudaFree(d_Input));
    checkCudaErrors(cudaFree(d_Output));
    checkCudaErrors(cudaFree(d_Buffer));
    return finish("convolution_separable", L2norm < 1e-6);
}
