// SPDX-License-Identifier: MIT
// Lab 10, step 8: look at the layer first, then take the kernel that fits.
//
//   few images       a warp per row, its lanes along the row: from CSR, or from the dense row when
//                    more than half of it stays (an entry takes 8 bytes, a dense weight 4)
//   many, sparse     step 6 with several warps per row: a layer of 128 rows alone is too little
//                    work
//   many, not sparse lab 07's tiles, which use each x and each weight several times: from some
//   density on it is
//                    faster to multiply with zeros than to skip them, if there are tiles for all
//                    SMs
//
// Where the limits lie was measured (README.md, "From where on it pays").
#include "pruning.h"

#include <cuda_runtime.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 256
#define WARPS   (THREADS / 32)
#define FULL    0xffffffffu

// SOLUTION BEGIN
#define FEW_IMAGES  8   // up to here lanes lie along the row
#define FEW_DENSE   0.5 // share of weights that stay, from which the dense kernel is taken
#define MANY_DENSE  0.35
#define TILES       32   // of the dense kernel, from which the SMs are busy enough
#define BUSY        2112 // warps that give each SM of a large card four per scheduler
#define TILE_ROWS   128
#define TILE_IMAGES 64
#define DEPTH       16

__device__ __forceinline__ float finish(float sum, float bias, int relu) {
    return relu ? fmaxf(sum + bias, 0.0f) : sum + bias;
}

// A warp per row and I images. DENSE: the weights are w's row, else its entries.
template <int I, bool DENSE>
__global__ void __launch_bounds__(THREADS)
    few(int64_t images, int64_t rows, int64_t cols, int relu, const float *w, const int32_t *ptr,
        const int32_t *col, const float *val, const float *b, const float *x, float *y) {
    int64_t row = (int64_t)blockIdx.x * WARPS + threadIdx.x / 32, n0 = (int64_t)blockIdx.y * I;
    int lane = threadIdx.x % 32;
    if (row >= rows) return; // the whole warp
    float sum[I] = {};
    const float *weights = DENSE ? w + row * cols : val;
    int end = DENSE ? (int)cols : ptr[row + 1];
#pragma unroll 4
    for (int k = (DENSE ? 0 : ptr[row]) + lane; k < end; k += 32) {
        float weight = weights[k];
        const float *in = x + (DENSE ? k : col[k]) * images + n0;
#pragma unroll
        for (int i = 0; i < I; i++)
            if (i == 0 || n0 + i < images) sum[i] += weight * in[i];
    }
#pragma unroll
    for (int i = 0; i < I; i++) {
        for (int step = 16; step > 0; step /= 2) sum[i] += __shfl_xor_sync(FULL, sum[i], step);
        if (lane == 0 && n0 + i < images) y[row * images + n0 + i] = finish(sum[i], b[row], relu);
    }
}

template <int V> __device__ __forceinline__ void load(const float *from, float out[V]) {
    if (V == 4) {
        float4 four = *(const float4 *)from;
        out[0] = four.x, out[1 % V] = four.y, out[2 % V] = four.z, out[3 % V] = four.w;
    } else if (V == 2) {
        float2 two = *(const float2 *)from;
        out[0] = two.x, out[1 % V] = two.y;
    } else {
        out[0] = *from;
    }
}

// A block has WARPS / S rows and 32 V images; S warps share a row's entries.
template <int V, int S>
__global__ void __launch_bounds__(THREADS)
    sparse(int64_t images, int64_t rows, int relu, const int32_t *ptr, const int32_t *col,
           const float *val, const float *b, const float *x, float *y) {
    __shared__ float sums[WARPS][V][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = warp % S;
    int64_t row = (int64_t)blockIdx.x * (WARPS / S) + warp / S;
    int64_t n = ((int64_t)blockIdx.y * 32 + lane) * V;
    const float *own = x + (n < images ? n : 0);
    float sum[V] = {};
    int begin = row < rows ? ptr[row] : 0, count = row < rows ? ptr[row + 1] - begin : 0;
    int share = (count + S - 1) / S, end = begin + min(share * (part + 1), count);
    for (int first = begin + share * part; first < end; first += 32) {
        int k = first + lane, some = min(end - first, 32);
        int own_col = k < end ? col[k] : 0;
        float own_val = k < end ? val[k] : 0.0f;
#pragma unroll 8
        for (int e = 0; e < some; e++) {
            float weight = __shfl_sync(FULL, own_val, e), in[V];
            load<V>(own + __shfl_sync(FULL, own_col, e) * images, in);
#pragma unroll
            for (int i = 0; i < V; i++) sum[i] += weight * in[i];
        }
    }
    if (S > 1) {
#pragma unroll
        for (int i = 0; i < V; i++) sums[warp][i][lane] = sum[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < V; i++)
            for (int s = 1; s < S && part == 0; s++) sum[i] += sums[warp + s][i][lane];
    }
    if (part > 0 || row >= rows || n >= images) return;
#pragma unroll
    for (int i = 0; i < V; i++) y[row * images + n + i] = finish(sum[i], b[row], relu);
}

// The dense kernel, as in lab 07: a block has a tile of TILE_ROWS x TILE_IMAGES outputs, a thread 8
// x 4 of them; DEPTH columns of w and rows of x at a time go through shared memory, the next ones
// are loaded meanwhile. images and cols are multiples of 4.
__global__ void __launch_bounds__(THREADS)
    dense(int64_t images, int64_t rows, int64_t cols, int relu, const float *w, const float *b,
          const float *x, float *y) {
    __shared__ __align__(
        16) float w_tile[DEPTH][TILE_ROWS + 4]; // padded: rows of it are stored apart
    __shared__ float4 x_tile[DEPTH][TILE_IMAGES / 4];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int64_t row0 = (int64_t)blockIdx.x * TILE_ROWS, n = (int64_t)blockIdx.y * TILE_IMAGES + tx * 4;
    const float4 zero = {0.0f, 0.0f, 0.0f, 0.0f};
    float4 next_x = zero, next_w[2] = {zero, zero};
    float sum[8][4] = {};
    for (int64_t k0 = -DEPTH; k0 < cols; k0 += DEPTH) { // the first iteration only loads
        if (k0 >= 0) {
            __syncthreads(); // the tiles before are used up
            x_tile[ty][tx] = next_x;
#pragma unroll
            for (int j = 0; j < 2; j++) {
                float four[4] = {next_w[j].x, next_w[j].y, next_w[j].z, next_w[j].w};
#pragma unroll
                for (int i = 0; i < 4; i++) w_tile[t % 4 * 4 + i][t / 4 + 64 * j] = four[i];
            }
            __syncthreads();
        }
        int64_t k1 = k0 + DEPTH;
        next_x =
            k1 + ty < cols && n < images ? *(const float4 *)(x + (k1 + ty) * images + n) : zero;
#pragma unroll
        for (int j = 0; j < 2; j++) {
            int64_t row = row0 + t / 4 + 64 * j, k = k1 + t % 4 * 4;
            next_w[j] = row < rows && k < cols ? *(const float4 *)(w + row * cols + k) : zero;
        }
        if (k0 < 0) continue;
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float4 own = x_tile[k][tx], upper = *(const float4 *)&w_tile[k][ty * 8],
                   lower = *(const float4 *)&w_tile[k][ty * 8 + 4];
            float in[4] = {own.x, own.y, own.z, own.w};
            float weight[8] = {upper.x, upper.y, upper.z, upper.w,
                               lower.x, lower.y, lower.z, lower.w};
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int i = 0; i < 4; i++) sum[r][i] += weight[r] * in[i];
        }
    }
#pragma unroll
    for (int r = 0; r < 8; r++) {
        int64_t row = row0 + ty * 8 + r;
        if (row >= rows || n >= images) return;
        float bias = b[row];
        *(float4 *)(y + row * images + n) =
            make_float4(finish(sum[r][0], bias, relu), finish(sum[r][1], bias, relu),
                        finish(sum[r][2], bias, relu), finish(sum[r][3], bias, relu));
    }
}

static unsigned parts(int64_t count, int64_t each) {
    return (unsigned)((count + each - 1) / each);
}

template <int I> static void launch_few(const pruning_task *t, bool is_dense) {
    const pruning_shape *s = &t->shape;
    dim3 blocks(parts(s->rows, WARPS), parts(s->images, I));
    auto kernel = is_dense ? few<I, true> : few<I, false>;
    kernel<<<blocks, THREADS>>>(s->images, s->rows, s->cols, t->relu, t->d_w, t->d_ptr, t->d_col,
                                t->d_val, t->d_b, t->d_x, t->d_y);
}

template <int V, int S> static void launch_split(const pruning_task *t) {
    const pruning_shape *s = &t->shape;
    dim3 blocks(parts(s->rows, WARPS / S), parts(s->images, 32 * V));
    sparse<V, S><<<blocks, THREADS>>>(s->images, s->rows, t->relu, t->d_ptr, t->d_col, t->d_val,
                                      t->d_b, t->d_x, t->d_y);
}

// Several warps per row where a warp each would leave SMs idle, and where a row has entries for
// them.
template <int V> static void launch_sparse(const pruning_task *t) {
    const pruning_shape *s = &t->shape;
    int64_t warps = s->rows * parts(s->images, 32 * V), entries = s->nnz / s->rows;
    if (warps >= BUSY || entries < 4)
        launch_split<V, 1>(t);
    else if (warps * 4 >= BUSY || entries < 16)
        launch_split<V, 4>(t);
    else
        launch_split<V, 8>(t);
}

static void launch_dense(const pruning_task *t) {
    const pruning_shape *s = &t->shape;
    dim3 blocks(parts(s->rows, TILE_ROWS), parts(s->images, TILE_IMAGES));
    dense<<<blocks, THREADS>>>(s->images, s->rows, s->cols, t->relu, t->d_w, t->d_b, t->d_x,
                               t->d_y);
}

// Whether to multiply with the zeros, too.
static bool is_dense(const pruning_shape *s) {
    double density = (double)s->nnz / (double)(s->rows * s->cols);
    if (s->images <= FEW_IMAGES) return density > FEW_DENSE;
    int64_t tiles = (int64_t)parts(s->rows, TILE_ROWS) * parts(s->images, TILE_IMAGES);
    return density > MANY_DENSE && tiles >= TILES && s->images % 4 == 0 && s->cols % 4 == 0;
}
// SOLUTION TODO: write the kernels that you need; those of steps 0, 5 and 6 are a start. The dense
// SOLUTION TODO: one should use each x for several rows: tiles, as in lab 07.

extern "C" int pruning_step8(const pruning_task *task) {
    if (!IMPLEMENTED) return PRUNING_NOT_IMPLEMENTED;
    if (pruning_refuses(task) || task->op != PRUNING_LAYER) return cudaErrorInvalidValue;
    int64_t images = task->shape.images;
    if (images == 0) return cudaSuccess;
    // SOLUTION BEGIN
    bool whole = is_dense(&task->shape);
    if (images == 1)
        launch_few<1>(task, whole);
    else if (images <= FEW_IMAGES)
        launch_few<4>(task, whole);
    else if (whole)
        launch_dense(task);
    else if (images > 256 && images % 4 == 0)
        launch_sparse<4>(task);
    else if (images > 128 && images % 2 == 0)
        launch_sparse<2>(task);
    else
        launch_sparse<1>(task);
    // SOLUTION TODO: choose by the number of images and by nnz / (rows * cols).
    return cudaGetLastError();
}
