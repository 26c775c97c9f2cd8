// SPDX-License-Identifier: MIT
// Finite differences in the time domain: a TM wave on a staggered grid in two dimensions, a soft
// source in the middle, a conducting wall, three kernels a step in one stream.
#include <cmath>
#include <vector>

#include "../helper.h"

#define CHECK_CUDA(x)                                                                              \
    do {                                                                                           \
        cudaError_t err__ = (x);                                                                   \
        if (err__ != cudaSuccess) {                                                                \
            std::fprintf(stderr, "CUDA error %s at %s:%d\n", cudaGetErrorName(err__), __FILE__,    \
                         __LINE__);                                                                \
            std::abort();                                                                          \
        }                                                                                          \
    } while (false)

struct Grid {
    int nx, ny;
    float c;
    __host__ __device__ int operator()(int i, int j) const { return j * nx + i; }
};

__global__ void updateH(Grid g, const float *ez, float *hx, float *hy) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < g.nx && j < g.ny - 1) hx[g(i, j)] -= g.c * (ez[g(i, j + 1)] - ez[g(i, j)]);
    if (i < g.nx - 1 && j < g.ny) hy[g(i, j)] += g.c * (ez[g(i + 1, j)] - ez[g(i, j)]);
}

__global__ void updateE(Grid g, float *ez, const float *hx, const float *hy) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || j < 1 || i >= g.nx - 1 || j >= g.ny - 1) return;
    bool wall = i == 3 * g.nx / 4 && (j < g.ny / 2 - 4 || j > g.ny / 2 + 4);
    ez[g(i, j)] =
        wall ? 0.0f
             : ez[g(i, j)] + g.c * (hy[g(i, j)] - hy[g(i - 1, j)] - hx[g(i, j)] + hx[g(i, j - 1)]);
}

__global__ void source(Grid g, float *ez, float value) {
    ez[g(g.nx / 2, g.ny / 2)] += value;
}

static void hostStep(const Grid &g, std::vector<float> &ez, std::vector<float> &hx,
                     std::vector<float> &hy, float value) {
    for (int j = 0; j < g.ny; j++)
        for (int i = 0; i < g.nx; i++) {
            if (j < g.ny - 1) hx[g(i, j)] -= g.c * (ez[g(i, j + 1)] - ez[g(i, j)]);
            if (i < g.nx - 1) hy[g(i, j)] += g.c * (ez[g(i + 1, j)] - ez[g(i, j)]);
        }
    for (int j = 1; j < g.ny - 1; j++)
        for (int i = 1; i < g.nx - 1; i++) {
            bool wall = i == 3 * g.nx / 4 && (j < g.ny / 2 - 4 || j > g.ny / 2 + 4);
            ez[g(i, j)] = wall ? 0.0f
                               : ez[g(i, j)] + g.c * (hy[g(i, j)] - hy[g(i - 1, j)] - hx[g(i, j)] +
                                                      hx[g(i, j - 1)]);
        }
    ez[g(g.nx / 2, g.ny / 2)] += value;
}

int main(int argc, char **argv) {
    Grid g = {intOption(argc, argv, "nx", 150), intOption(argc, argv, "ny", 110), 0.5f};
    int steps = intOption(argc, argv, "steps", 100);
    size_t cells = (size_t)g.nx * g.ny;
    std::vector<float> ez(cells), hx(cells), hy(cells), got(cells);
    float *d_ez, *d_hx, *d_hy;
    CHECK_CUDA(cudaMalloc(&d_ez, cells * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&d_hx, cells * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&d_hy, cells * sizeof(float)));
    cudaStream_t stream;
    CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK_CUDA(cudaMemsetAsync(d_ez, 0, cells * sizeof(float), stream));
    CHECK_CUDA(cudaMemsetAsync(d_hx, 0, cells * sizeof(float), stream));
    CHECK_CUDA(cudaMemsetAsync(d_hy, 0, cells * sizeof(float), stream));
    dim3 block(32, 4), grid(divUp(g.nx, 32), divUp(g.ny, 4));
    for (int t = 0; t < steps; t++) {
        float value = expf(-(t - 30.0f) * (t - 30.0f) / 100.0f);
        updateH<<<grid, block, 0, stream>>>(g, d_ez, d_hx, d_hy);
        updateE<<<grid, block, 0, stream>>>(g, d_ez, d_hx, d_hy);
        source<<<1, 1, 0, stream>>>(g, d_ez, value);
        hostStep(g, ez, hx, hy, value);
    }
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(
        cudaMemcpyAsync(got.data(), d_ez, cells * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    float worst = 0, peak = 0;
    for (size_t i = 0; i < cells; i++) {
        worst = fmaxf(worst, fabsf(got[i] - ez[i]));
        peak = fmaxf(peak, fabsf(got[i]));
    }
    printf("%d steps on %dx%d: peak %.4f, error %s\n", steps, g.nx, g.ny, peak,
           worst < 1e-4f ? "small" : "LARGE");
    CHECK_CUDA(cudaStreamDestroy(stream));
    return finish("fdtd_2d", worst < 1e-4f && peak > 0.01f);
}
