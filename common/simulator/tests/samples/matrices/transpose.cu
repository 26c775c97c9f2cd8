// SPDX-License-Identifier: MIT
// Matrix transposes: copies as the yardstick, naive, coalesced with and without bank conflicts,
// diagonal block order, fine and coarse grained partial ones. Each writes the whole output anew.
#include "../helper.h"

#define TILE_DIM   32
#define BLOCK_ROWS 8

__global__ void copy(float *odata, const float *idata, int width, int height) {
    int xIndex = blockIdx.x * TILE_DIM + threadIdx.x, yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
    int index = xIndex + width * yIndex;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        if (xIndex < width && yIndex + i < height)
            odata[index + i * width] = idata[index + i * width];
}

__global__ void copySharedMem(float *odata, const float *idata, int width, int height) {
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int xIndex = blockIdx.x * TILE_DIM + threadIdx.x, yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
    int index = xIndex + width * yIndex;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        tile[threadIdx.y + i][threadIdx.x] = idata[index + i * width];
    __syncthreads();
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        odata[index + i * width] = tile[threadIdx.y + i][threadIdx.x];
}

__global__ void transposeNaive(float *odata, const float *idata, int width, int height) {
    int xIndex = blockIdx.x * TILE_DIM + threadIdx.x, yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
    int index_in = xIndex + width * yIndex, index_out = yIndex + height * xIndex;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        odata[index_out + i] = idata[index_in + i * width];
}

template <int PAD>
__global__ void transposeCoalesced(float *odata, const float *idata, int width, int height) {
    __shared__ float tile[TILE_DIM][TILE_DIM + PAD];
    int xIndex = blockIdx.x * TILE_DIM + threadIdx.x, yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
    int index_in = xIndex + yIndex * width;
    xIndex = blockIdx.y * TILE_DIM + threadIdx.x;
    yIndex = blockIdx.x * TILE_DIM + threadIdx.y;
    int index_out = xIndex + yIndex * height;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        tile[threadIdx.y + i][threadIdx.x] = idata[index_in + i * width];
    __syncthreads();
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        odata[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void transposeDiagonal(float *odata, const float *idata, int width, int height) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int blockIdx_x, blockIdx_y;
    if (width == height) {
        blockIdx_y = blockIdx.x;
        blockIdx_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    } else {
        int bid = blockIdx.x + gridDim.x * blockIdx.y;
        blockIdx_y = bid % gridDim.y;
        blockIdx_x = ((bid / gridDim.y) + blockIdx_y) % gridDim.x;
    }
    int xIndex = blockIdx_x * TILE_DIM + threadIdx.x, yIndex = blockIdx_y * TILE_DIM + threadIdx.y;
    int index_in = xIndex + yIndex * width;
    xIndex = blockIdx_y * TILE_DIM + threadIdx.x;
    yIndex = blockIdx_x * TILE_DIM + threadIdx.y;
    int index_out = xIndex + yIndex * height;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        tile[threadIdx.y + i][threadIdx.x] = idata[index_in + i * width];
    __syncthreads();
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        odata[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i];
}

// Within each tile only; the tiles stay where they were.
__global__ void transposeFineGrained(float *odata, const float *idata, int width, int height) {
    __shared__ float block[TILE_DIM][TILE_DIM + 1];
    int xIndex = blockIdx.x * TILE_DIM + threadIdx.x, yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
    int index = xIndex + yIndex * width;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        block[threadIdx.y + i][threadIdx.x] = idata[index + i * width];
    __syncthreads();
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
        odata[index + i * width] = block[threadIdx.x][threadIdx.y + i];
}

typedef void (*Kernel)(float *, const float *, int, int);
enum Kind { COPY, TRANSPOSE, FINE };

static bool verify(const float *out, int size_x, int size_y, Kind kind) {
    for (int y = 0; y < size_y; y++) {
        for (int x = 0; x < size_x; x++) {
            float value = (float)(y * size_x + x), got;
            int tx = x / TILE_DIM * TILE_DIM, ty = y / TILE_DIM * TILE_DIM;
            if (kind == COPY)
                got = out[y * size_x + x];
            else if (kind == TRANSPOSE)
                got = out[x * size_y + y];
            else
                got = out[(ty + x - tx) * size_x + tx + y - ty];
            if (got != value) return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    int size_x = intOption(argc, argv, "width", 512), size_y = intOption(argc, argv, "height", 256);
    size_t mem_size = sizeof(float) * size_x * size_y;
    float *h_idata = (float *)malloc(mem_size), *h_odata = (float *)malloc(mem_size);
    float *d_idata, *d_odata;
    for (int i = 0; i < size_x * size_y; ++i) h_idata[i] = (float)i;
    checkCudaErrors(cudaMalloc((void **)&d_idata, mem_size));
    checkCudaErrors(cudaMalloc((void **)&d_odata, mem_size));
    checkCudaErrors(cudaMemcpy(d_idata, h_idata, mem_size, cudaMemcpyHostToDevice));

    const struct {
        const char *name;
        Kernel kernel;
        Kind kind;
    } kernels[] = {{"simple copy", &copy, COPY},
                   {"shared memory copy", &copySharedMem, COPY},
                   {"naive", &transposeNaive, TRANSPOSE},
                   {"coalesced", &transposeCoalesced<0>, TRANSPOSE},
                   {"optimized", &transposeCoalesced<1>, TRANSPOSE},
                   {"diagonal", &transposeDiagonal, TRANSPOSE},
                   {"fine-grained", &transposeFineGrained, FINE}};
    dim3 grid(size_x / TILE_DIM, size_y / TILE_DIM), threads(TILE_DIM, BLOCK_ROWS);
    bool passed = true;
    cudaEvent_t start, stop;
    checkCudaErrors(cudaEventCreate(&start));
    checkCudaErrors(cudaEventCreate(&stop));
    for (const auto &k : kernels) {
        float ms = 0;
        checkCudaErrors(cudaMemset(d_odata, 0xff, mem_size));
        checkCudaErrors(cudaEventRecord(start));
        k.kernel<<<grid, threads>>>(d_odata, d_idata, size_x, size_y);
        getLastCudaError(k.name);
        checkCudaErrors(cudaEventRecord(stop));
        checkCudaErrors(cudaMemcpy(h_odata, d_odata, mem_size, cudaMemcpyDeviceToHost));
        checkCudaErrors(cudaEventElapsedTime(&ms, start, stop));
        bool right = verify(h_odata, size_x, size_y, k.kind);
        fprintf(stderr, "%s: %.2f GB/s\n", k.name, 2e-6 * mem_size / ms);
        printf("transpose %-18s %dx%d %s\n", k.name, size_x, size_y, right ? "right" : "WRONG");
        passed = passed && right;
    }
    free(h_idata);
    free(h_odata);
    checkCudaErrors(cudaFree(d_idata));
    checkCudaErrors(cudaFree(d_odata));
    return finish("transpose", passed);
}
