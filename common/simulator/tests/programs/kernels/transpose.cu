// SPDX-License-Identifier: MIT
// Matrix transpose through a padded shared tile, with two-dimensional blocks and ragged edges.
#include "../check.h"

#include <vector>

const int TILE = 16;

__global__ void transpose(const int *in, int *out, int rows, int columns) {
    __shared__ int tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    const int rows = 37, columns = 53;
    std::vector<int> in(rows * columns), out(rows * columns, -1);
    for (int i = 0; i < rows * columns; i++) in[i] = i;
    int *d_in, *d_out;
    CUDA_CHECK(cudaMalloc(&d_in, in.size() * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d_out, out.size() * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
    dim3 block(TILE, TILE), grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose<<<grid, block>>>(d_in, d_out, rows, columns);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) EXPECT(out[x * rows + y] == in[y * columns + x]);
    printf("ok\n");
    return 0;
}
