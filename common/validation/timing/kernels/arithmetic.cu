// Kernels bound by arithmetic: multiply-adds, integers, double precision, special functions,
// random walks, fractals, bodies.
#include "kernels.h"

// n: iterations of the loop.
TIMING(fma_one_chain) {
    float v = x[THREAD], a = y[THREAD];
#pragma unroll 4
    for (int k = 0; k < n; k++) v = v * a + 0.5f;
    out[THREAD] = v;
}
TIMING(fma_four_chains) {
    float v = x[THREAD], a = y[THREAD], u = v + 1, w = v + 2, z = v + 3;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        v = v * a + 0.5f, u = u * a + 0.5f;
        w = w * a + 0.5f, z = z * a + 0.5f;
    }
    out[THREAD] = v + u + w + z;
}
TIMING(fma_one_warp_per_scheduler) {
    float v = x[THREAD], a = y[THREAD];
#pragma unroll 4
    for (int k = 0; k < n; k++) v = v * a + 0.5f;
    out[THREAD] = v;
}
TIMING(integer_multiply) {
    uint32_t v = words[THREAD], w = v | 1;
#pragma unroll 4
    for (int k = 0; k < n; k++) v = v * w + 12345u;
    out[THREAD] = v;
}
TIMING(integer_logic) {
    uint32_t v = words[THREAD];
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        v ^= v << 13;
        v ^= v >> 17;
        v ^= v << 5;
    }
    out[THREAD] = v;
}
TIMING(integer_divide) {
    uint32_t v = words[THREAD], d = (v >> 20) + 3;
    for (int k = 0; k < n; k++) v = v / d + words[k];
    out[THREAD] = v;
}
TIMING(mixed_pipes) {
    uint32_t v = words[THREAD];
    float f = x[THREAD];
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        v = (v ^ (v >> 7)) + k;
        f = f * 0.99f + 0.01f;
        f = f * 1.01f - 0.01f;
    }
    out[THREAD] = f + v;
}
TIMING(polynomial) {
    float v = x[THREAD], sum = 0;
    for (int k = 0; k < n; k++) {
        float p = 0.1f;
#pragma unroll
        for (int d = 0; d < 12; d++) p = p * v + 0.3f;
        sum += p;
        v += 0.01f;
    }
    out[THREAD] = sum;
}

TIMING(double_fma) {
    double v = x[THREAD], a = y[THREAD], u = v + 1;
#pragma unroll 4
    for (int k = 0; k < n; k++) v = v * a + 0.5, u = u * a + 0.5;
    out[THREAD] = v + u;
}
TIMING(double_add_scaled) {
    const double *a = (const double *)x, *b = (const double *)y;
    unsigned i = THREAD;
    if (i < n) ((double *)out)[i] = 2.5 * a[i] + b[i];
}
TIMING(double_divide) {
    double v = x[THREAD], a = y[THREAD];
    for (int k = 0; k < n; k++) v = 1.0 / (v + a);
    out[THREAD] = v;
}
TIMING(double_sum_of_floats) {
    double sum = 0;
    for (unsigned i = THREAD; i < n; i += THREADS) sum += x[i];
    ((double *)out)[THREAD] = sum;
}
// n x n product of doubles, tiles of 16.
TIMING(double_tile_product) {
    __shared__ double a[16][16], b[16][16];
    unsigned c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    double sum = 0;
    for (int t = 0; t < n; t += 16) {
        a[threadIdx.y][threadIdx.x] = x[r * n + t + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = y[(t + threadIdx.y) * n + c];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    ((double *)out)[r * n + c] = sum;
}

TIMING(special_sines) {
    float v = x[THREAD];
    for (int k = 0; k < n; k++) v = sinf(v) + cosf(v * 0.5f);
    out[THREAD] = v;
}
TIMING(special_fast_sines) {
    float v = x[THREAD];
    for (int k = 0; k < n; k++) v = __sinf(v) + __cosf(v * 0.5f);
    out[THREAD] = v;
}
TIMING(special_exp_log) {
    float v = x[THREAD];
    for (int k = 0; k < n; k++) v = logf(1.0f + expf(v));
    out[THREAD] = v;
}
TIMING(special_roots) {
    float v = x[THREAD], u = y[THREAD];
    for (int k = 0; k < n; k++) v = rsqrtf(v) + 0.5f, u = sqrtf(u + v);
    out[THREAD] = v + u;
}
TIMING(special_divide) {
    float v = x[THREAD], u = y[THREAD];
    for (int k = 0; k < n; k++) v = u / (v + 0.5f);
    out[THREAD] = v;
}
TIMING(special_powers) {
    float v = x[THREAD];
    for (int k = 0; k < n; k++) v = powf(v + 0.5f, 0.7f);
    out[THREAD] = v;
}
TIMING(special_error_function) {
    float v = x[THREAD];
    for (int k = 0; k < n; k++) v = 0.5f * v * (1.0f + erff(v * 0.70710678f)) + 0.1f;
    out[THREAD] = v;
}

static __device__ float uniform(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * (1.0f / 16777216.0f);
}
TIMING(random_circle) {
    uint32_t state = mix(THREAD + 1), inside = 0;
    for (int k = 0; k < n; k++) {
        float a = uniform(&state), b = uniform(&state);
        inside += a * a + b * b < 1.0f;
    }
    out[THREAD] = inside;
}
TIMING(random_walk) {
    uint32_t state = mix(THREAD + 1);
    int at = 0, farthest = 0;
    for (int k = 0; k < n; k++) {
        at += uniform(&state) < 0.5f ? -1 : 1;
        if (at > farthest) farthest = at;
    }
    out[THREAD] = farthest;
}
TIMING(random_normals) {
    uint32_t state = mix(THREAD + 1);
    float sum = 0;
    for (int k = 0; k < n; k++) {
        float a = uniform(&state) + 1e-7f, b = uniform(&state);
        sum += sqrtf(-2.0f * __logf(a)) * __cosf(6.2831853f * b);
    }
    out[THREAD] = sum;
}
TIMING(option_prices) {
    unsigned i = THREAD;
    if (i >= n) return;
    float s = x[i] * 50, k = y[i] * 50, sigma = 0.3f, r = 0.02f;
    float d1 = (logf(s / k) + r + 0.5f * sigma * sigma) / sigma, d2 = d1 - sigma;
    out[i] = s * normcdff(d1) - k * expf(-r) * normcdff(d2);
}

TIMING(mandelbrot) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    float a = c * 3.0f / (gridDim.x * blockDim.x) - 2.0f;
    float b = r * 2.0f / (gridDim.y * blockDim.y) - 1.0f, u = 0, v = 0;
    int k = 0;
    for (; k < n && u * u + v * v < 4.0f; k++) {
        float t = u * u - v * v + a;
        v = 2.0f * u * v + b;
        u = t;
    }
    out[r * gridDim.x * blockDim.x + c] = k;
}
TIMING(julia_set) {
    float u = (THREAD % 1024) * 0.003f - 1.5f, v = (THREAD / 1024) * 0.003f - 1.5f;
    int k = 0;
    for (; k < n && u * u + v * v < 4.0f; k++) {
        float t = u * u - v * v - 0.8f;
        v = 2.0f * u * v + 0.156f;
        u = t;
    }
    out[THREAD] = k;
}
// A fixed number of iterations, four points per thread, no early exit.
TIMING(newton_four) {
    float v[4];
    for (int p = 0; p < 4; p++) v[p] = x[THREAD * 4 + p];
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int p = 0; p < 4; p++)
            v[p] = v[p] - (v[p] * v[p] * v[p] - 2.0f) / (3.0f * v[p] * v[p]);
    }
    out[THREAD] = v[0] + v[1] + v[2] + v[3];
}

// n bodies, x y z and mass; the force on each.
static __device__ float4 pull(float4 a, float4 b, float4 sum) {
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    float s = b.w * inverse * inverse * inverse;
    sum.x += dx * s, sum.y += dy * s, sum.z += dz * s;
    return sum;
}
TIMING(bodies_global) {
    const float4 *body = (const float4 *)x;
    float4 me = body[THREAD], sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < n; k++) sum = pull(me, body[k], sum);
    ((float4 *)out)[THREAD] = sum;
}
TIMING(bodies_tile) {
    __shared__ float4 tile[256];
    const float4 *body = (const float4 *)x;
    float4 me = body[THREAD], sum = make_float4(0, 0, 0, 0);
    for (int t = 0; t < n; t += 256) {
        tile[threadIdx.x] = body[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) sum = pull(me, tile[k], sum);
        __syncthreads();
    }
    ((float4 *)out)[THREAD] = sum;
}
TIMING(bodies_two_per_thread) {
    __shared__ float4 tile[128];
    const float4 *body = (const float4 *)x;
    float4 a = body[THREAD], b = body[THREAD + THREADS], sa = make_float4(0, 0, 0, 0), sb = sa;
    for (int t = 0; t < n; t += 128) {
        tile[threadIdx.x] = body[t + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 128; k++) {
            sa = pull(a, tile[k], sa);
            sb = pull(b, tile[k], sb);
        }
        __syncthreads();
    }
    ((float4 *)out)[THREAD] = sa;
    ((float4 *)out)[THREAD + THREADS] = sb;
}
TIMING(bodies_with_cutoff) {
    const float4 *body = (const float4 *)x;
    float4 me = body[THREAD], sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < n; k++) {
        float4 b = body[k];
        float dx = b.x - me.x, dy = b.y - me.y;
        if (dx * dx + dy * dy < 0.05f) sum = pull(me, b, sum);
    }
    ((float4 *)out)[THREAD] = sum;
}
