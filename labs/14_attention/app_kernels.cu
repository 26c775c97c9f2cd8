// SPDX-License-Identifier: MIT
// Kernels of lab 14's application between its products: see app.h. They are not what the lab is
// about: a thread per element, or a warp per row where a row is added up. Sums are in a fixed
// order, so that a training repeats to the last bit.
#include "app.h"
#include "attention.cuh"

#define THREADS 256
#define WARPS   (THREADS / WARP)

static __device__ __forceinline__ int64_t element() {
    return (int64_t)blockIdx.x * THREADS + threadIdx.x;
}

static __device__ __forceinline__ int64_t warp_index() {
    return (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
}

// ---- embedding ----

__global__ void embed(lm_embedding e, float *y) {
    int64_t i = element();
    if (i >= e.rows * e.width) return;
    int64_t r = i / e.width, c = i % e.width;
    y[i] = e.d_token[e.d_symbols[r] * e.width + c] +
           e.d_position[(e.first + r % e.context) * e.width + c];
}

// Sums over rows, 32 neighbouring columns per block: each of its warps has added up some rows.
// Warp 0 gets the sums of all.
static __device__ float sum_of_warps(float own) {
    __shared__ float sums[WARP][WARP + 1];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    __syncthreads();
    sums[warp][lane] = own;
    __syncthreads();
    if (warp != 0) return 0.0f;
    float sum = 0.0f;
    for (int w = 0; w < WARP; w++) sum += sums[w][lane];
    return sum;
}

// Block (columns, symbol): adds the rows of its symbol.
__global__ void token_backward(lm_embedding e, const float *delta, float *token) {
    const int64_t c = (int64_t)blockIdx.x * WARP + threadIdx.x % WARP;
    float sum = 0.0f;
    for (int64_t r = threadIdx.x / WARP; r < e.rows; r += WARP)
        if (e.d_symbols[r] == blockIdx.y) sum += delta[r * e.width + c];
    sum = sum_of_warps(sum);
    if (threadIdx.x < WARP) token[blockIdx.y * e.width + c] = sum;
}

__global__ void position_backward(lm_embedding e, const float *delta, float *position) {
    int64_t i = element();
    if (i >= e.context * e.width) return;
    float sum = 0.0f;
    for (int64_t r = i / e.width; r < e.rows; r += e.context)
        sum += delta[r * e.width + i % e.width];
    position[i] = sum;
}

// ---- layer norm ----

struct moments {
    float mean, scale; // scale: 1 / standard deviation
};

// Of a row, by its warp.
static __device__ moments moments_of(const float *x, int64_t width) {
    float sum = 0.0f, squares = 0.0f;
    for (int64_t c = threadIdx.x % WARP; c < width; c += WARP) sum += x[c];
    const float mean = sum_of_lanes(sum) / (float)width;
    for (int64_t c = threadIdx.x % WARP; c < width; c += WARP)
        squares += (x[c] - mean) * (x[c] - mean);
    return moments{mean, rsqrtf(sum_of_lanes(squares) / (float)width + 1e-5f)};
}

__global__ void normalise(lm_norm_task n, float *y) {
    int64_t r = warp_index();
    if (r >= n.rows) return;
    moments m = moments_of(n.d_x + r * n.width, n.width);
    for (int64_t c = threadIdx.x % WARP; c < n.width; c += WARP)
        y[r * n.width + c] =
            n.d_gain[c] * (n.d_x[r * n.width + c] - m.mean) * m.scale + n.d_shift[c];
}

// With u = (x - mean) scale and g = gain delta: dx = scale (g - mean of g - u mean of g u).
__global__ void normalise_backward(lm_norm_task n, const float *delta, moments *kept, float *dx) {
    int64_t r = warp_index();
    if (r >= n.rows) return;
    const float *x = n.d_x + r * n.width, *d = delta + r * n.width;
    moments m = moments_of(x, n.width);
    float sum = 0.0f, product = 0.0f;
    for (int64_t c = threadIdx.x % WARP; c < n.width; c += WARP) {
        sum += n.d_gain[c] * d[c];
        product += n.d_gain[c] * d[c] * (x[c] - m.mean) * m.scale;
    }
    sum = sum_of_lanes(sum) / (float)n.width;
    product = sum_of_lanes(product) / (float)n.width;
    for (int64_t c = threadIdx.x % WARP; c < n.width; c += WARP)
        dx[r * n.width + c] +=
            m.scale * (n.d_gain[c] * d[c] - sum - (x[c] - m.mean) * m.scale * product);
    if (threadIdx.x % WARP == 0) kept[r] = m;
}

// A block per 32 columns.
__global__ void gain_backward(lm_norm_task n, const float *delta, const moments *kept, float *gain,
                              float *shift) {
    const int64_t c = (int64_t)blockIdx.x * WARP + threadIdx.x % WARP;
    float of_gain = 0.0f, of_shift = 0.0f;
    for (int64_t r = threadIdx.x / WARP; r < n.rows; r += WARP) {
        float d = delta[r * n.width + c];
        of_gain += d * (n.d_x[r * n.width + c] - kept[r].mean) * kept[r].scale;
        of_shift += d;
    }
    of_gain = sum_of_warps(of_gain);
    of_shift = sum_of_warps(of_shift);
    if (threadIdx.x >= WARP) return;
    gain[c] = of_gain;
    shift[c] = of_shift;
}

// ---- element by element ----

__global__ void gelu(const float *x, int64_t n, float *y) {
    int64_t i = element();
    if (i < n) y[i] = x[i] * normcdff(x[i]);
}

__global__ void gelu_backward(const float *x, int64_t n, float *delta) {
    int64_t i = element();
    if (i >= n) return;
    float density = 0.39894228f * expf(-0.5f * x[i] * x[i]); // 1 / sqrt(2 pi)
    delta[i] *= normcdff(x[i]) + x[i] * density;
}

__global__ void add(const float *a, const float *b, int64_t n, float *sum) {
    int64_t i = element();
    if (i < n) sum[i] = a[i] + b[i];
}

__global__ void adam(lm_adam_step a, int64_t n, const float *gradient, float *mean, float *square,
                     float *parameters) {
    int64_t i = element();
    if (i >= n) return;
    float g = a.scale * gradient[i];
    mean[i] = a.keep1 * mean[i] + (1.0f - a.keep1) * g;
    square[i] = a.keep2 * square[i] + (1.0f - a.keep2) * g * g;
    parameters[i] -= a.rate * mean[i] / (sqrtf(square[i]) + a.eps);
}

// ---- heads ----

// Where element i of [batch][heads][rows][LM_HEAD] lies in the rows.
static __device__ int64_t row_index(const lm_heads &h, int64_t i) {
    int64_t c = i % LM_HEAD, r = i / LM_HEAD % h.rows, head = i / LM_HEAD / h.rows;
    return (head / h.heads * h.rows + r) * h.stride + h.column + head % h.heads * LM_HEAD + c;
}

__global__ void to_heads(lm_heads h, const float *rows, __half *halves) {
    int64_t i = element();
    if (i < h.batch * h.heads * h.rows * LM_HEAD) halves[i] = __float2half(rows[row_index(h, i)]);
}

__global__ void from_heads(lm_heads h, const __half *halves, float *rows) {
    int64_t i = element();
    if (i < h.batch * h.heads * h.rows * LM_HEAD) rows[row_index(h, i)] = __half2float(halves[i]);
}

// ---- loss ----

__global__ void loss(const float *logits, const int32_t *targets, int64_t rows, int64_t symbols,
                     float *losses, float *delta) {
    int64_t r = warp_index();
    if (r >= rows) return;
    const float *x = logits + r * symbols;
    float most = -INFINITY, sum = 0.0f;
    for (int64_t c = threadIdx.x % WARP; c < symbols; c += WARP) most = fmaxf(most, x[c]);
    most = largest_of_lanes(most);
    for (int64_t c = threadIdx.x % WARP; c < symbols; c += WARP) sum += expf(x[c] - most);
    sum = sum_of_lanes(sum);
    for (int64_t c = threadIdx.x % WARP; c < symbols; c += WARP)
        delta[r * symbols + c] = expf(x[c] - most) / sum - (c == targets[r] ? 1.0f : 0.0f);
    if (threadIdx.x % WARP == 0) losses[r] = most + logf(sum) - x[targets[r]];
}

// ---- host ----

extern "C" int lm_embed(const lm_embedding *e, float *d_y) {
    embed<<<divide_up(e->rows * e->width, THREADS), THREADS>>>(*e, d_y);
    return cudaGetLastError();
}

extern "C" int lm_embed_backward(const lm_embedding *e, const float *d_delta, float *d_token,
                                 float *d_position) {
    const dim3 columns((unsigned)(e->width / WARP), (unsigned)e->symbol_count);
    token_backward<<<columns, WARP * WARP>>>(*e, d_delta, d_token); // the width is a multiple of 64
    position_backward<<<divide_up(e->context * e->width, THREADS), THREADS>>>(*e, d_delta,
                                                                              d_position);
    return cudaGetLastError();
}

extern "C" int lm_normalise(const lm_norm_task *n, float *d_y) {
    normalise<<<divide_up(n->rows, WARPS), THREADS>>>(*n, d_y);
    return cudaGetLastError();
}

extern "C" int lm_normalise_backward(const lm_norm_task *n, const float *d_delta, float *d_moments,
                                     float *d_dx, float *d_gain_delta, float *d_shift_delta) {
    moments *kept = (moments *)d_moments;
    normalise_backward<<<divide_up(n->rows, WARPS), THREADS>>>(*n, d_delta, kept, d_dx);
    gain_backward<<<divide_up(n->width, WARP), WARP * WARP>>>(*n, d_delta, kept, d_gain_delta,
                                                              d_shift_delta);
    return cudaGetLastError();
}

extern "C" int lm_gelu(const float *d_x, int64_t n, float *d_y) {
    gelu<<<divide_up(n, THREADS), THREADS>>>(d_x, n, d_y);
    return cudaGetLastError();
}

extern "C" int lm_gelu_backward(const float *d_x, int64_t n, float *d_delta) {
    gelu_backward<<<divide_up(n, THREADS), THREADS>>>(d_x, n, d_delta);
    return cudaGetLastError();
}

extern "C" int lm_add(const float *d_a, const float *d_b, int64_t n, float *d_sum) {
    add<<<divide_up(n, THREADS), THREADS>>>(d_a, d_b, n, d_sum);
    return cudaGetLastError();
}

static int64_t elements_of(const lm_heads *h) {
    return h->batch * h->heads * h->rows * LM_HEAD;
}

extern "C" int lm_to_heads(const lm_heads *h, const float *d_rows, void *d_halves) {
    to_heads<<<divide_up(elements_of(h), THREADS), THREADS>>>(*h, d_rows, (__half *)d_halves);
    return cudaGetLastError();
}

extern "C" int lm_from_heads(const lm_heads *h, const void *d_halves, float *d_rows) {
    from_heads<<<divide_up(elements_of(h), THREADS), THREADS>>>(*h, (const __half *)d_halves,
                                                                d_rows);
    return cudaGetLastError();
}

extern "C" int lm_loss(const float *d_logits, const int32_t *d_targets, int64_t rows,
                       int64_t symbols, float *d_losses, float *d_delta) {
    loss<<<divide_up(rows, WARPS), THREADS>>>(d_logits, d_targets, rows, symbols, d_losses,
                                              d_delta);
    return cudaGetLastError();
}

extern "C" int lm_adam(const lm_adam_step *a, int64_t n, const float *d_gradient, float *d_mean,
                       float *d_square, float *d_parameters) {
    adam<<<divide_up(n, THREADS), THREADS>>>(*a, n, d_gradient, d_mean, d_square, d_parameters);
    return cudaGetLastError();
}
