// SPDX-License-Identifier: MIT
// A problem of your own (labs/09_cnn/README.md): a depthwise convolution and a pointwise one in one
// kernel. A whole program: compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// counts: l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
// counts: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
#include "../../labs/own.cuh"

enum { IMAGES = 4, CHANNELS = 16, FILTERS = 32, SIDE = 34, OUT = SIDE - 2 };
enum { ROWS = 8, THREADS = OUT * ROWS }; // a block computes ROWS rows of one image
enum { TILE_ROWS = ROWS + 2, TILE = TILE_ROWS * SIDE };
enum { X_ELEMS = IMAGES * CHANNELS * SIDE * SIDE, Y_ELEMS = IMAGES * FILTERS * OUT * OUT };

// x [IMAGES][CHANNELS][SIDE][SIDE], depth [CHANNELS][3][3], point [FILTERS][CHANNELS],
// y [IMAGES][FILTERS][OUT][OUT].
__global__ void __launch_bounds__(THREADS)
    separable(const float *x, const float *depth, const float *point, float *y) {
    __shared__ float tile[CHANNELS * TILE];
    __shared__ float s_depth[CHANNELS * 9];
    __shared__ __align__(16) float s_point[FILTERS * CHANNELS];
    int image = blockIdx.y, top = blockIdx.x * ROWS;
    // The rows of a tile are neighbours in memory: each channel is one run of TILE floats.
    for (int i = threadIdx.x; i < CHANNELS * TILE; i += THREADS)
        tile[i] = x[((image * CHANNELS + i / TILE) * SIDE + top) * SIDE + i % TILE];
    for (int i = threadIdx.x; i < CHANNELS * 9; i += THREADS) s_depth[i] = depth[i];
    for (int i = threadIdx.x; i < FILTERS * CHANNELS; i += THREADS) s_point[i] = point[i];
    __syncthreads();
    int row = threadIdx.x / OUT, column = threadIdx.x % OUT;
    float middle[CHANNELS]; // the pixel between the two convolutions: registers, not memory
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        float sum = 0;
        for (int k = 0; k < 9; k++)
            sum += tile[c * TILE + (row + k / 3) * SIDE + column + k % 3] * s_depth[c * 9 + k];
        middle[c] = fmaxf(sum, 0);
    }
    for (int f = 0; f < FILTERS; f++) {
        float sum = 0;
#pragma unroll
        for (int c = 0; c < CHANNELS; c += 4) {
            float4 w = *(const float4 *)&s_point[f * CHANNELS + c]; // the same for all lanes
            sum +=
                w.x * middle[c] + w.y * middle[c + 1] + w.z * middle[c + 2] + w.w * middle[c + 3];
        }
        y[((image * FILTERS + f) * OUT + top + row) * OUT + column] = fmaxf(sum, 0);
    }
}

// Elements of y that differ from double precision by more than their roundings.
static int wrong_elements(const float *x, const float *depth, const float *point, const float *y) {
    int wrong = 0;
    for (int i = 0; i < IMAGES * OUT * OUT; i++) {
        int image = i / (OUT * OUT), row = i / OUT % OUT, column = i % OUT;
        double middle[CHANNELS];
        for (int c = 0; c < CHANNELS; c++) {
            const float *corner = x + ((image * CHANNELS + c) * SIDE + row) * SIDE + column;
            double sum = 0;
            for (int k = 0; k < 9; k++)
                sum += (double)corner[k / 3 * SIDE + k % 3] * depth[c * 9 + k];
            middle[c] = fmax(sum, 0);
        }
        for (int f = 0; f < FILTERS; f++) {
            double sum = 0;
            for (int c = 0; c < CHANNELS; c++) sum += middle[c] * point[f * CHANNELS + c];
            float got = y[((image * FILTERS + f) * OUT + row) * OUT + column];
            wrong += !(fabs(got - fmax(sum, 0)) <= 1e-5); // 25 roundings of sums below 10
        }
    }
    return wrong;
}

static float *filled(float *h, int count, int seed) { // -0.5 .. 0.5, also on the device
    float *d = NULL;
    for (int i = 0; i < count; i++) h[i] = (float)((i * 37LL + seed) % 101 - 50) / 100;
    must(cudaMalloc(&d, (size_t)count * sizeof *h), "allocating an input");
    must(cudaMemcpy(d, h, (size_t)count * sizeof *h, cudaMemcpyHostToDevice), "copying it");
    return d;
}

int main(void) {
    static float x[X_ELEMS], y[Y_ELEMS], depth[CHANNELS * 9], point[FILTERS * CHANNELS];
    float *d_x = filled(x, X_ELEMS, 3), *d_depth = filled(depth, CHANNELS * 9, 5);
    float *d_point = filled(point, FILTERS * CHANNELS, 7), *d_y = NULL;
    must(cudaMalloc(&d_y, sizeof y), "allocating the result");
    separable<<<dim3(OUT / ROWS, IMAGES), THREADS>>>(d_x, d_depth, d_point, d_y);
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost), "copying the result");
    must(cudaDeviceReset(), "freeing the memory");
    int wrong = wrong_elements(x, depth, point, y);
    printf("%d of %d elements are wrong\n", wrong, Y_ELEMS);
    return wrong != 0;
}
