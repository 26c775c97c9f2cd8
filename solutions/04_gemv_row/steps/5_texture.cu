// SPDX-License-Identifier: MIT
// Lab 04, step 5: A through a 2-D texture, the paper's listing 3 with today's texture objects. The
// preparation copies A once into rows that are padded to 32 bytes, so that a texel is a float4 for
// any n; columns and rows outside are 0 by the texture's border.
//
// What it fixes: wide loads also when n is not a multiple of 4, without a test at the edges.
// What it costs: a copy of A (time and memory) per matrix, which pays only when many vectors
// follow. On the paper's card only textures were cached; today all loads are.
// Fall-back: a matrix beyond the limits of gemv_row_fits_texture, or of the device, is read as it
// is, four loads per vector.
#include "gemv_row.h"

#include <cuda_runtime.h>
#include <string.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define TILE    16
#define COLUMNS (TILE * TILE) // of x that are staged at a time: one per thread
#define WIDTH   4             // floats per texel

typedef struct texture_plan {
    cudaTextureObject_t texture; // 0: A does not fit one
} texture_plan;

// The block's partial sums, one per thread, to y[first .. first+15] below m. All threads must call.
__device__ __forceinline__ void reduce_rows(float sum, float *y, int64_t first, int64_t m) {
    // SOLUTION BEGIN
    __shared__ float partial[TILE][TILE + 1];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    partial[ty][tx] = sum;
    for (int stride = TILE / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (tx < stride) {
            partial[ty][tx] += partial[ty][tx + stride];
        }
    }
    __syncthreads();
    if (ty == 0 && first + tx < m) {
        y[first + tx] = partial[tx][0];
    }
    // SOLUTION TODO: as in step 3: each row of the block, then the 16 results
}

__device__ __forceinline__ float dot4(float4 a, float4 x) {
    return a.x * x.x + a.y * x.y + a.z * x.z + a.w * x.w;
}

// Elements 4 k .. 4 k + 3 of a row; those outside the matrix are 0.
template <bool textured>
__device__ __forceinline__ float4 fetch4(cudaTextureObject_t texture, const float *a, int64_t m,
                                         int64_t n, int64_t row, int64_t k) {
    if (textured) {
        // SOLUTION BEGIN
        return tex2D<float4>(texture, (float)k + 0.5f, (float)row + 0.5f); // a texel's middle
        // SOLUTION TODO: texel (k, row) of the texture. Coordinates are floats, not normalised.
        // SOLUTION STUB: return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    const float *p = a + row * n + WIDTH * k;
    int64_t left = row < m ? n - WIDTH * k : 0;
    return make_float4(left > 0 ? p[0] : 0.0f, left > 1 ? p[1] : 0.0f, left > 2 ? p[2] : 0.0f,
                       left > 3 ? p[3] : 0.0f);
}

// a: [m][n] row-major; x: [n]; y: [m]. Block b has rows 16 b .. 16 b + 15.
template <bool textured>
__global__ void __launch_bounds__(COLUMNS)
    block16_texture(cudaTextureObject_t texture, const float *a, const float *x, float *y,
                    int64_t m, int64_t n) {
    __shared__ float4 xs[COLUMNS / WIDTH];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int64_t first = (int64_t)blockIdx.x * TILE;
    float sum = 0.0f;

    for (int64_t c = 0; c < n; c += COLUMNS) {
        int mine = TILE * ty + tx;
        __syncthreads();
        ((float *)xs)[mine] = c + mine < n ? x[c + mine] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = tx; k < COLUMNS / WIDTH; k += TILE) {
            sum += dot4(fetch4<textured>(texture, a, m, n, first + ty, c / WIDTH + k), xs[k]);
        }
    }
    reduce_rows(sum, y, first, m);
}

// Whether this device has textures that large: the guide's limits are those of today's devices.
static int check_limits(size_t width, int64_t height, size_t pitch, bool *out_fits) {
    static const enum cudaDeviceAttr asked[] = {
        cudaDevAttrMaxTexture2DLinearWidth, cudaDevAttrMaxTexture2DLinearHeight,
        cudaDevAttrMaxTexture2DLinearPitch, cudaDevAttrTexturePitchAlignment};
    int limits[4] = {0, 0, 0, 0};
    int device = 0;
    int code = cudaGetDevice(&device);
    for (int i = 0; i < 4 && code == cudaSuccess; i++) {
        code = cudaDeviceGetAttribute(&limits[i], asked[i], device);
    }
    *out_fits = code == cudaSuccess && width <= (size_t)limits[0] && height <= limits[1] &&
                pitch <= (size_t)limits[2] && pitch % (size_t)limits[3] == 0;
    return code;
}

// A copied to d_copy, with rows `pitch` bytes apart and zeros behind each.
static int copy_padded(const gemv_row_matrix *matrix, void *d_copy, size_t pitch) {
    // SOLUTION BEGIN
    size_t row_bytes = (size_t)matrix->n * sizeof(float);
    size_t rows = (size_t)matrix->m;
    int code = cudaMemsetAsync(d_copy, 0, rows * pitch);
    return code != cudaSuccess ? code
                               : cudaMemcpy2DAsync(d_copy, pitch, matrix->a, row_bytes, row_bytes,
                                                   rows, cudaMemcpyDeviceToDevice);
    // SOLUTION TODO: clear all of the copy, then one cudaMemcpy2DAsync.
    // SOLUTION STUB: return cudaSuccess;
}

// The texture object lives as long as the program, because no call says when a matrix is no longer
// needed.
static int make_texture(const gemv_row_matrix *matrix, void *d_copy, size_t width, size_t pitch,
                        cudaTextureObject_t *out_texture) {
    struct cudaResourceDesc memory;
    struct cudaTextureDesc access;
    memset(&memory, 0, sizeof memory);
    memset(&access, 0, sizeof access);
    // SOLUTION BEGIN
    memory.resType = cudaResourceTypePitch2D;
    memory.res.pitch2D.devPtr = d_copy;
    memory.res.pitch2D.desc = cudaCreateChannelDesc<float4>();
    memory.res.pitch2D.width = width;
    memory.res.pitch2D.height = (size_t)matrix->m;
    memory.res.pitch2D.pitchInBytes = pitch;
    access.addressMode[0] = access.addressMode[1] = cudaAddressModeBorder; // outside: 0
    access.filterMode = cudaFilterModePoint;
    access.readMode = cudaReadModeElementType;
    return cudaCreateTextureObject(out_texture, &memory, &access, NULL);
    // SOLUTION TODO: linear memory with a pitch, texels of float4; what is outside reads as 0.
    // SOLUTION STUB: (void)matrix, (void)d_copy, (void)width, (void)pitch, (void)out_texture;
    // SOLUTION STUB: return cudaSuccess;
}

extern "C" int gemv_row_prepare5(const gemv_row_matrix *matrix) {
    texture_plan *plan = (texture_plan *)matrix->h_plan;
    size_t pitch = gemv_row_pitch(matrix->n);
    size_t width = ((size_t)matrix->n + WIDTH - 1) / WIDTH;
    bool fits = false;
    if (!IMPLEMENTED || !gemv_row_fits_texture(matrix->m, matrix->n)) {
        return cudaSuccess; // the plan's texture stays 0
    }
    // A texture begins at a multiple of 512 bytes, for which prepared_bytes has room.
    void *d_copy = (void *)(((uintptr_t)matrix->d_prepared + 511) / 512 * 512);
    int code = check_limits(width, matrix->m, pitch, &fits);
    if (code != cudaSuccess || !fits) return code;
    code = copy_padded(matrix, d_copy, pitch);
    return code != cudaSuccess ? code : make_texture(matrix, d_copy, width, pitch, &plan->texture);
}

extern "C" int gemv_row_step5(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                              void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace;
    if (!IMPLEMENTED) return GEMV_ROW_NOT_IMPLEMENTED;
    if (!gemv_row_valid(matrix->m, matrix->n, workspace_bytes)) return cudaErrorInvalidValue;
    cudaTextureObject_t texture = ((const texture_plan *)matrix->h_plan)->texture;
    unsigned blocks = (unsigned)((matrix->m + TILE - 1) / TILE);
    dim3 threads(TILE, TILE);
    if (texture != 0) {
        block16_texture<true>
            <<<blocks, threads>>>(texture, matrix->a, d_x, d_y, matrix->m, matrix->n);
    } else {
        block16_texture<false>
            <<<blocks, threads>>>(texture, matrix->a, d_x, d_y, matrix->m, matrix->n);
    }
    return cudaGetLastError();
}
