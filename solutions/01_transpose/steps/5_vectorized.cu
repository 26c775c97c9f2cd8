// SPDX-License-Identifier: MIT
// Lab 01, step 5: tiles of 64 x 64, moved as float4 everywhere: from global memory, into and
// out of shared memory, to global memory. A thread transposes 4 x 4 elements in its registers.
//
// What it improves: more bytes in flight. A thread loads 64 bytes before it waits, not 16, with a
// quarter of the instructions.
// Why it is slow: it needs rows and cols that are multiples of 4. All other shapes use the kernel
// of step 4, whose 128-byte parts then begin anywhere, so that two blocks share sectors.
#include "transpose.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define TILE    64         // elements on a side
#define QUADS   (TILE / 4) // float4 on a side
#define THREADS 256        // QUADS x QUADS: one block of 4 x 4 elements each
#define SMALL   32         // tile of the shapes that float4 cannot serve
#define ROWS    8          // rows of threads there

// in: [rows][cols]; out: [cols][rows]; rows and cols multiples of 4, both pointers of 16 bytes.
// Tiles are numbered down the columns of the input: neighbouring blocks, which run at the same
// time, then write neighbouring parts of the same rows of the output. down: tiles above each
// other.
__global__ void __launch_bounds__(THREADS)
    vectorized(const float *in, int64_t rows, int64_t cols, unsigned down, float *out) {
    // [column of the input tile][quad of its rows]
    __shared__ float4 tile[TILE][QUADS];
    int64_t r0 = (int64_t)(blockIdx.x % down) * TILE;
    int64_t c0 = (int64_t)(blockIdx.x / down) * TILE;
    unsigned t = threadIdx.x;

    // SOLUTION BEGIN
    // A warp's block: 8 quads side by side (128 bytes, 4 sectors), 4 of them above each other.
    unsigned warp = t / 32;
    unsigned qc = warp % 2 * 8 + t % 8;      // my quad of columns
    unsigned qr = warp / 2 * 4 + t % 32 / 8; // my quad of rows
    if (r0 + 4 * qr < rows && c0 + 4 * qc < cols) {
        const float *at = in + (r0 + 4 * qr) * cols + c0 + 4 * qc;
        float4 a = *(const float4 *)at; // four loads in flight before the first is used
        float4 b = *(const float4 *)(at + cols);
        float4 c = *(const float4 *)(at + 2 * cols);
        float4 d = *(const float4 *)(at + 3 * cols);
        // A float4 takes 4 banks, so 8 lanes fill a wavefront. When storing they differ in qc,
        // when loading in the quad of rows; XOR makes both a permutation of 8 indices.
        unsigned slot = qr ^ qc % 8;
        tile[4 * qc + 0][slot] = make_float4(a.x, b.x, c.x, d.x);
        tile[4 * qc + 1][slot] = make_float4(a.y, b.y, c.y, d.y);
        tile[4 * qc + 2][slot] = make_float4(a.z, b.z, c.z, d.z);
        tile[4 * qc + 3][slot] = make_float4(a.w, b.w, c.w, d.w);
    }
    __syncthreads();
    for (unsigned i = t; i < TILE * QUADS; i += THREADS) {
        unsigned column = i / QUADS; // half a warp writes a row of the output's tile: 256 bytes
        unsigned quad = i % QUADS;
        int64_t c = c0 + column;
        int64_t r = r0 + 4 * quad;
        if (c < cols && r < rows) {
            *(float4 *)(out + c * rows + r) = tile[column][quad ^ column / 4 % 8];
        }
    }
    // SOLUTION TODO: 1. Give each thread a block of 4 x 4 elements: four float4 of four rows. Let
    // SOLUTION TODO:    8 neighbouring lanes read 128 bytes of a row. Check the matrix's edge.
    // SOLUTION TODO: 2. Transpose it in registers: its columns are four float4, too. Store them
    // SOLUTION TODO:    to tile[column][quad of rows], in an order that lets the 8 lanes of a
    // SOLUTION TODO:    wavefront use 8 different groups of 4 banks, both here and in 3.
    // SOLUTION TODO: 3. Read tile along its rows, write float4 along the rows of the output.
}

// Step 4, for the other shapes. across: tiles side by side.
__global__ void __launch_bounds__(SMALL *ROWS)
    swizzled(const float *in, int64_t rows, int64_t cols, unsigned across, float *out) {
    // SOLUTION BEGIN
    __shared__ float tile[SMALL][SMALL];
    int64_t r0 = (int64_t)(blockIdx.x / across) * SMALL;
    int64_t c0 = (int64_t)(blockIdx.x % across) * SMALL;
    int x = threadIdx.x;
    int y = threadIdx.y;
    for (int i = y; i < SMALL; i += ROWS) {
        if (r0 + i < rows && c0 + x < cols) {
            tile[i][x ^ i] = in[(r0 + i) * cols + c0 + x];
        }
    }
    __syncthreads();
    for (int i = y; i < SMALL; i += ROWS) {
        if (c0 + i < cols && r0 + x < rows) {
            out[(c0 + i) * rows + r0 + x] = tile[x][i ^ x];
        }
    }
    // SOLUTION TODO: the code of step 4, for tiles of SMALL x SMALL
}

extern "C" int transpose_step5(const float *d_in, int64_t rows, int64_t cols, float *d_out) {
    if (!IMPLEMENTED) return TRANSPOSE_NOT_IMPLEMENTED;
    int code;
    if (!transpose_has_work(rows, cols, &code)) return code;
    if (rows % 4 == 0 && cols % 4 == 0 && (uintptr_t)d_in % 16 == 0) {
        int64_t down = (rows + TILE - 1) / TILE;
        int64_t across = (cols + TILE - 1) / TILE;
        vectorized<<<(unsigned)(down * across), THREADS>>>(d_in, rows, cols, (unsigned)down, d_out);
        return cudaGetLastError();
    }
    return launch_tiles(swizzled, SMALL, dim3(SMALL, ROWS), d_in, rows, cols, d_out);
}
