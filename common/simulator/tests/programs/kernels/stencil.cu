// SPDX-License-Identifier: MIT
// A 3x3 stencil with guards at the edges, on the program's first allocation: what lanes that are
// off would read lies before the first byte of device memory, and counting must not follow them
// there.
#include "../check.h"

enum { WIDTH = 100, HEIGHT = 40, TILE = 16 };

__global__ void sum_of_nine(const int *in, int *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width)
                sum += in[(y + dy) * width + x + dx];
    out[y * width + x] = sum;
}

static int expected(const int *in, int x, int y) {
    int sum = 0;
    for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++)
            if (v >= 0 && v < HEIGHT && u >= 0 && u < WIDTH) sum += in[v * WIDTH + u];
    return sum;
}

int main() {
    static int in[WIDTH * HEIGHT], out[WIDTH * HEIGHT];
    int *d_in, *d_out;
    for (int i = 0; i < WIDTH * HEIGHT; i++) in[i] = i * 7 % 31;
    CUDA_CHECK(cudaMalloc(&d_in, sizeof in)); // the first of the program
    CUDA_CHECK(cudaMalloc(&d_out, sizeof out));
    CUDA_CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    dim3 block(TILE, TILE), grid((WIDTH + TILE - 1) / TILE, (HEIGHT + TILE - 1) / TILE);
    sum_of_nine<<<grid, block>>>(d_in, d_out, WIDTH, HEIGHT);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) EXPECT(out[y * WIDTH + x] == expected(in, x, y));
    CUDA_CHECK(cudaFree(d_in));
    CUDA_CHECK(cudaFree(d_out));
    printf("ok\n");
    return 0;
}
