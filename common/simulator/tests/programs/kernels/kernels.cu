// Kernels as every course begins with.
// engine: yes
#include "../check.h"

#include <vector>

// Byte histogram with a privatised copy in shared memory; asynchronous memset before it.
namespace histogram {

__global__ void histogram(const unsigned char *data, int n, unsigned *bins) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i]) atomicAdd(&bins[i], local[i]);
}

static void run_all() {
    const int n = 50000;
    std::vector<unsigned char> data(n);
    unsigned want[256] = {}, got[256], *d_bins;
    unsigned char *d_data;
    for (int i = 0; i < n; i++) want[data[i] = (unsigned char)((unsigned)i * (unsigned)i / 7)]++;
    CUDA_CHECK(cudaMalloc(&d_data, n));
    CUDA_CHECK(cudaMalloc(&d_bins, sizeof got));
    CUDA_CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemsetAsync(d_bins, 0, sizeof got));
    histogram<<<8, 128>>>(d_data, n, d_bins);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(got, d_bins, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) EXPECT(got[i] == want[i]);
}

} // namespace histogram

// A 3x3 stencil with guards at the edges, on the program's first allocation: what lanes that are
// off would read lies before the first byte of device memory, and counting must not follow them
// there.
namespace stencil {

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

static void run_all() {
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
}

} // namespace stencil

// Three-dimensional memory: cudaMalloc3D, cudaMemset3D, a box copied by cudaMemcpy3D.
namespace volume {

__global__ void mark(cudaPitchedPtr volume, int width, int height, int depth) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    if (x >= width || y >= height || z >= depth) return;
    char *slice = (char *)volume.ptr + z * volume.pitch * volume.ysize;
    ((int *)(slice + y * volume.pitch))[x] += 100 * z + 10 * y + x;
}

static void run_all() {
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
}

} // namespace volume

int main() { return run_parts({histogram::run_all, stencil::run_all, volume::run_all}); }
