// SPDX-License-Identifier: MIT
// Jacobi and red-black Gauss-Seidel for Laplace's equation on a plate in double precision: tiles
// with a halo, the residual reduced with shuffles and an atomic maximum, checked every few sweeps.
#include <cmath>
#include <vector>

#include "../helper.h"

#define gpuErrchk(ans) gpuAssert((ans), __FILE__, __LINE__)
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true) {
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort) exit(code);
    }
}

__device__ void atomicMaxDouble(double *address, double value) {
    unsigned long long *word = (unsigned long long *)address, old = *word, assumed;
    do {
        assumed = old;
        if (__longlong_as_double(assumed) >= value) return;
        old = atomicCAS(word, assumed, __double_as_longlong(value));
    } while (assumed != old);
}

template <int BX, int BY>
__global__ void jacobi(const double *__restrict__ u, double *__restrict__ v, int nx, int ny,
                       double *residual) {
    __shared__ double s[BY + 2][BX + 2];
    int x = blockIdx.x * BX + threadIdx.x + 1, y = blockIdx.y * BY + threadIdx.y + 1;
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    bool inside = x < nx - 1 && y < ny - 1;
    if (x < nx && y < ny) {
        s[ly][lx] = u[y * nx + x];
        if (lx == 1) s[ly][0] = u[y * nx + x - 1];
        if (ly == 1) s[0][lx] = u[(y - 1) * nx + x];
        if (inside && lx == BX) s[ly][BX + 1] = u[y * nx + x + 1];
        if (inside && ly == BY) s[BY + 1][lx] = u[(y + 1) * nx + x];
    }
    __syncthreads();
    double change = 0;
    if (inside) {
        double updated = 0.25 * (s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx]);
        change = fabs(updated - s[ly][lx]);
        v[y * nx + x] = updated;
    }
    if (residual == nullptr) return;
    for (int d = 16; d > 0; d /= 2) change = fmax(change, __shfl_xor_sync(~0u, change, d));
    if ((threadIdx.y * BX + threadIdx.x) % 32 == 0) atomicMaxDouble(residual, change);
}

__global__ void redBlack(double *u, int nx, int ny, int colour) {
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + (y + colour) % 2;
    if (x >= nx - 1 || y >= ny - 1) return;
    double *p = &u[y * nx + x];
    *p = 0.25 * (p[-1] + p[1] + p[-nx] + p[nx]);
}

static void boundary(std::vector<double> &u, int nx, int ny) {
    u.assign((size_t)nx * ny, 0.0);
    for (int x = 0; x < nx; x++) u[x] = 1.0;
    for (int y = 0; y < ny; y++) u[(size_t)y * nx + nx - 1] = (double)y / (ny - 1);
}

int main(int argc, char **argv) {
    int nx = intOption(argc, argv, "nx", 130), ny = intOption(argc, argv, "ny", 67);
    const int sweeps = 200;
    size_t bytes = (size_t)nx * ny * sizeof(double);
    std::vector<double> u, v, got((size_t)nx * ny);
    boundary(u, nx, ny);
    v = u;
    double *d_u, *d_v, *d_residual, residual = 0, last = 0;
    gpuErrchk(cudaMalloc(&d_u, bytes));
    gpuErrchk(cudaMalloc(&d_v, bytes));
    gpuErrchk(cudaMalloc(&d_residual, sizeof(double)));
    gpuErrchk(cudaMemcpy(d_u, u.data(), bytes, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(d_v, u.data(), bytes, cudaMemcpyHostToDevice));
    dim3 block(32, 4), grid(divUp(nx - 2, 32), divUp(ny - 2, 4));
    for (int s = 0; s < sweeps; s++) {
        bool check = s % 50 == 49;
        if (check) gpuErrchk(cudaMemsetAsync(d_residual, 0, sizeof(double)));
        jacobi<32, 4><<<grid, block>>>(d_u, d_v, nx, ny, check ? d_residual : nullptr);
        std::swap(d_u, d_v);
        if (!check) continue;
        gpuErrchk(cudaMemcpy(&residual, d_residual, sizeof residual, cudaMemcpyDeviceToHost));
        printf("sweep %d: residual %.8f\n", s + 1, residual);
    }
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaMemcpy(got.data(), d_u, bytes, cudaMemcpyDeviceToHost));
    for (int s = 0; s < sweeps; s++) {
        last = 0;
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++) {
                const double *p = &u[y * nx + x];
                v[y * nx + x] = 0.25 * (p[-1] + p[1] + p[-nx] + p[nx]);
                last = fmax(last, fabs(v[y * nx + x] - *p));
            }
        std::swap(u, v);
    }
    double worst = 0;
    for (size_t i = 0; i < got.size(); i++) worst = fmax(worst, fabs(got[i] - u[i]));
    bool passed = worst < 1e-12 && fabs(residual - last) < 1e-12;
    printf("jacobi against the host: %s\n", passed ? "right" : "WRONG");

    boundary(u, nx, ny);
    gpuErrchk(cudaMemcpy(d_u, u.data(), bytes, cudaMemcpyHostToDevice));
    for (int s = 0; s < sweeps; s++)
        for (int colour = 0; colour < 2; colour++)
            redBlack<<<dim3(divUp(nx / 2, 32), divUp(ny, 4)), block>>>(d_u, nx, ny, colour);
    gpuErrchk(cudaMemcpy(got.data(), d_u, bytes, cudaMemcpyDeviceToHost));
    for (int s = 0; s < sweeps; s++)
        for (int colour = 0; colour < 2; colour++)
            for (int y = 1; y < ny - 1; y++)
                for (int x = 1 + (y + colour) % 2; x < nx - 1; x += 2) {
                    double *p = &u[y * nx + x];
                    *p = 0.25 * (p[-1] + p[1] + p[-nx] + p[nx]);
                }
    worst = 0;
    for (size_t i = 0; i < got.size(); i++) worst = fmax(worst, fabs(got[i] - u[i]));
    printf("red-black: centre %.6f\n", got[(ny / 2) * nx + nx / 2]);
    return finish("jacobi", passed && worst < 1e-12);
}
