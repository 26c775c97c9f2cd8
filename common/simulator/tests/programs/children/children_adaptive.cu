// An adaptive grid: a square whose border has one value is filled with it, any other is cut into
// four, one launch each; what is small is computed. The picture is that of a straight loop.
// options: -rdc=true
// architectures: 90
#include "../check.h"

#define SIZE  128
#define SMALL 8

// Regions without holes, as the border test needs them.
__host__ __device__ static int value_at(int x, int y) {
    int u = x - 40, v = y - 50;
    if (u * u + v * v < 900) return 2;
    return x + 2 * y > 250 ? 3 : 1;
}

__global__ void fill(int *picture, int x, int y, int side, int value) {
    for (int i = (int)threadIdx.x; i < side * side; i += (int)blockDim.x)
        picture[(y + i / side) * SIZE + x + i % side] =
            value ? value : value_at(x + i % side, y + i / side);
}

__global__ void refine(int *picture, int *launches, int x, int y, int side) {
    x += (int)blockIdx.x * side;
    y += (int)blockIdx.y * side;
    int own = value_at(x, y), differs = 0;
    for (int i = (int)threadIdx.x; i < side; i += (int)blockDim.x)
        differs |= value_at(x + i, y) != own || value_at(x + i, y + side - 1) != own ||
                   value_at(x, y + i) != own || value_at(x + side - 1, y + i) != own;
    differs = __syncthreads_or(differs);
    if (threadIdx.x != 0) return;
    atomicAdd(launches, 1);
    if (!differs) fill<<<1, 64>>>(picture, x, y, side, own);
    else if (side <= SMALL) fill<<<1, 64>>>(picture, x, y, side, 0);
    else refine<<<dim3(2, 2), 32>>>(picture, launches, x, y, side / 2);
}

int main() {
    static int picture[SIZE * SIZE];
    int *d_picture, *d_launches, launches;
    CUDA_CHECK(cudaMalloc(&d_picture, sizeof picture));
    CUDA_CHECK(cudaMalloc(&d_launches, sizeof launches));
    CUDA_CHECK(cudaMemset(d_launches, 0, sizeof launches));
    refine<<<1, 32>>>(d_picture, d_launches, 0, 0, SIZE);
    CUDA_CHECK(cudaMemcpy(picture, d_picture, sizeof picture, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&launches, d_launches, sizeof launches, cudaMemcpyDeviceToHost));
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) EXPECT(picture[y * SIZE + x] == value_at(x, y));
    EXPECT(launches > 16 && launches < SIZE * SIZE / (SMALL * SMALL));
    CUDA_CHECK(cudaFree(d_picture));
    CUDA_CHECK(cudaFree(d_launches));
    printf("%d launches, ok\n", launches);
    return 0;
}
