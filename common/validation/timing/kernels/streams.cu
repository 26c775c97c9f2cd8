// Kernels that move data: copies, strides, transpositions, gathers and scatters.
#include "kernels.h"

TIMING(copy_word) {
    unsigned i = THREAD;
    if (i < n) out[i] = x[i];
}

TIMING(copy_four) {
    unsigned i = THREAD;
    if (i < n / 4) ((float4 *)out)[i] = ((const float4 *)x)[i];
}

TIMING(copy_loop) {
    for (unsigned i = THREAD; i < n; i += THREADS) out[i] = x[i];
}

TIMING(copy_byte) {
    unsigned i = THREAD;
    if (i < n) ((unsigned char *)out)[i] = ((const unsigned char *)x)[i];
}

TIMING(copy_shifted) {
    unsigned i = THREAD;
    if (i + 1 < n) out[i] = x[i + 1];
}

TIMING(add_scaled) {
    for (unsigned i = THREAD; i < n; i += THREADS) out[i] = 2.5f * x[i] + y[i];
}

TIMING(sum_of_eight_arrays) {
    unsigned i = THREAD, part = n / 8;
    if (i >= part) return;
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += x[i + k * part];
    out[i] = sum;
}

TIMING(fill) {
    for (unsigned i = THREAD; i < n; i += THREADS) out[i] = 1.0f;
}

template <unsigned APART> static __device__ void store_apart(float *out, unsigned n) {
    unsigned i = THREAD * APART;
    if (i < n) out[i] = threadIdx.x;
}
TIMING(store_apart_2) { store_apart<2>(out, n); }
TIMING(store_apart_8) { store_apart<8>(out, n); }
TIMING(store_apart_32) { store_apart<32>(out, n); }

template <unsigned APART>
static __device__ void load_apart(const float *x, float *out, unsigned n) {
    unsigned i = THREAD;
    if (i < n) out[i] = x[i * APART % TIMING_ELEMS];
}
TIMING(load_apart_2) { load_apart<2>(x, out, n); }
TIMING(load_apart_8) { load_apart<8>(x, out, n); }
TIMING(load_apart_33) { load_apart<33>(x, out, n); }

// Structures of 5 floats: one thread per structure.
TIMING(structures_of_five) {
    unsigned i = THREAD;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 5; k++) sum += x[5 * i + k];
    out[i] = sum;
}

// n x n, row-major.
TIMING(transpose_naive) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < n && c < n) out[c * n + r] = x[r * n + c];
}

TIMING(transpose_gathering) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < n && c < n) out[r * n + c] = x[c * n + r];
}

template <int PAD>
static __device__ void transpose_tile_of(const float *x, float *out, unsigned n) {
    __shared__ float tile[32][32 + PAD];
    unsigned c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = x[(r + k) * n + c];
    __syncthreads();
    c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(r + k) * n + c] = tile[threadIdx.x][threadIdx.y + k];
}
TIMING(transpose_tile) { transpose_tile_of<0>(x, out, n); }
TIMING(transpose_padded) { transpose_tile_of<1>(x, out, n); }

TIMING(gather_random) {
    unsigned i = THREAD;
    if (i < n) out[i] = x[words[i] % TIMING_ELEMS];
}

TIMING(gather_window) {
    unsigned i = THREAD;
    if (i < n) out[i] = x[words[i] % 16384];
}

// The same 8 random rows of 32 floats for all lanes of a warp: whole lines at random places.
TIMING(gather_lines) {
    if (THREAD >= n) return;
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += x[words[WARP * 8 + k] % (TIMING_ELEMS / 32) * 32 + LANE];
    out[THREAD] = sum;
}

TIMING(gather_twice) {
    unsigned i = THREAD;
    if (i < n) out[i] = x[words[words[i] % TIMING_ELEMS] % TIMING_ELEMS];
}

TIMING(scatter_random) {
    unsigned i = THREAD;
    if (i < n) out[words[i] % TIMING_ELEMS] = x[i];
}

TIMING(scatter_window) {
    unsigned i = THREAD;
    if (i < n) out[words[i] % 65536] = x[i];
}

// A permutation that keeps 8 neighbours together.
TIMING(scatter_sectors) {
    unsigned i = THREAD;
    if (i < n) out[next[i / 8] % (TIMING_ELEMS / 8) * 8 + i % 8] = x[i];
}
