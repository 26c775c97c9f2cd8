// SPDX-License-Identifier: MIT
// Sobol's quasi-random sequence in eight dimensions (Bratley and Fox's algorithm 659 with Joe and
// Kuo's direction numbers): each thread jumps to its points by the Gray code; then an integral with
// it.
#include <cmath>
#include <vector>

#include "../helper.h"

#define DIMENSIONS 8
#define BITS       32

struct Polynomial {
    int degree, coefficients, start[5];
};
static const Polynomial polynomials[DIMENSIONS] = {
    {0, 0, {0}},       {1, 0, {1}},          {2, 1, {1, 3}},        {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}}, {4, 1, {1, 1, 3, 3}}, {4, 4, {1, 3, 5, 13}}, {5, 2, {1, 1, 5, 5, 17}}};

static void makeDirections(uint32_t *v) {
    for (int d = 0; d < DIMENSIONS; d++, v += BITS) {
        const Polynomial &p = polynomials[d];
        for (int i = 0; i < BITS; i++) {
            if (d == 0) {
                v[i] = 1u << (31 - i);
            } else if (i < p.degree) {
                v[i] = (uint32_t)p.start[i] << (31 - i);
            } else {
                v[i] = v[i - p.degree] ^ v[i - p.degree] >> p.degree;
                for (int k = 1; k < p.degree; k++)
                    if (p.coefficients >> (p.degree - 1 - k) & 1) v[i] ^= v[i - k];
            }
        }
    }
}

// One dimension a row of blocks. A thread's points lie a power of two apart, so that one flip leads
// from each to the next.
__global__ void sobol(const uint32_t *directions, float *out, int n) {
    __shared__ uint32_t v[BITS];
    directions += blockIdx.y * BITS;
    out += blockIdx.y * n;
    if (threadIdx.x < BITS) v[threadIdx.x] = directions[threadIdx.x];
    __syncthreads();
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    uint32_t gray = first ^ (first >> 1), x = 0;
    for (int bit = 0; bit < __ffs(stride) - 1; bit++)
        if (gray >> bit & 1) x ^= v[bit];
    if (first < n) out[first] = (float)x * 2.3283064365386963e-10f;
    uint32_t flip = v[__ffs(stride) - 2];
    for (int i = first + stride; i < n; i += stride) {
        x ^= flip ^ v[__ffs(~((i - stride) | (stride - 1))) - 1];
        out[i] = (float)x * 2.3283064365386963e-10f;
    }
}

__global__ void integrate(const float *points, int n, double *sum) {
    __shared__ double partial[256];
    double mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double product = 1;
        for (int d = 0; d < DIMENSIONS; d++)
            product *= (fabs(4.0 * points[d * n + i] - 2) + d) / (1.0 + d);
        mine += product;
    }
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sum[blockIdx.x] = partial[0];
}

int main(int argc, char **argv) {
    const int n = intOption(argc, argv, "n", 20000), blocks = 16;
    std::vector<uint32_t> directions(DIMENSIONS * BITS);
    makeDirections(directions.data());
    uint32_t *d_directions;
    float *d_points;
    double *d_sum, sum[blocks], integral = 0;
    std::vector<float> points(DIMENSIONS * n);
    checkCudaErrors(cudaMalloc(&d_directions, directions.size() * sizeof(uint32_t)));
    checkCudaErrors(cudaMalloc(&d_points, points.size() * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_sum, sizeof sum));
    checkCudaErrors(cudaMemcpy(d_directions, directions.data(),
                               directions.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));
    sobol<<<dim3(8, DIMENSIONS), 64>>>(d_directions, d_points, n);
    getLastCudaError("sobol");
    integrate<<<blocks, 256>>>(d_points, n, d_sum);
    getLastCudaError("integrate");
    checkCudaErrors(
        cudaMemcpy(points.data(), d_points, points.size() * sizeof(float), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
        uint32_t x = 0;
        for (int i = 0; i < n; i++) {
            wrong += points[d * n + i] != (float)x * 2.3283064365386963e-10f;
            x ^= directions[d * BITS + __builtin_ctz(~i)];
        }
    }
    for (int i = 1; i < 5; i++)
        printf("point %d: %.4f %.4f %.4f %.4f %.4f %.4f %.4f %.4f\n", i, points[i], points[n + i],
               points[2 * n + i], points[3 * n + i], points[4 * n + i], points[5 * n + i],
               points[6 * n + i], points[7 * n + i]);
    for (double part : sum) integral += part;
    integral /= n;
    printf("%d points in %d dimensions, %d differ; integral %.6f\n", n, DIMENSIONS, wrong,
           integral);
    checkCudaErrors(cudaFree(d_directions));
    checkCudaErrors(cudaFree(d_points));
    checkCudaErrors(cudaFree(d_sum));
    return finish("sobol_sequence", wrong == 0 && fabs(integral - 1) < 2e-3);
}
