// SPDX-License-Identifier: MIT
// Given to steps 5 to 9 of lab 11: how large a tile is, where it lies in shared memory, and the
// launch of a block for each tile.
#pragma once

#include "scan.cuh"

#define THREADS   256
#define ITEMS     16                // consecutive elements per thread
#define VECTORS   (ITEMS / 4)       // 16-byte vectors per thread
#define TILE      (THREADS * ITEMS) // elements of a block at a time
#define WARP      32
#define WARPS     (THREADS / WARP)
#define ALL_LANES 0xffffffffu

// A tile in shared memory, by vectors; one is left out after every 8, so that eight lanes that read
// their own vectors k find eight different groups of banks.
template <class T> struct tile_memory {
    vec4<T> vectors[THREADS * VECTORS + THREADS * VECTORS / 8];
    T of_warps[WARPS];
};

// A kernel with a block for each tile of x: [n]. *ticket, states: [gridDim.x], zeroed.
template <class T, class State>
using tile_kernel = void(const T *x, T *y, int64_t n, bool exclusive, unsigned *ticket,
                         State *states);

// Clears the ticket and the states and launches the kernel for the type.
template <class Ints, class Floats>
static int launch_tiles(tile_kernel<unsigned, Ints> *of_int, tile_kernel<float, Floats> *of_float,
                        const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                        void *d_workspace) {
    if (n == 0) return cudaSuccess;
    unsigned tiles = (unsigned)((n + TILE - 1) / TILE), *d_ticket = (unsigned *)d_workspace;
    int code = cudaMemsetAsync(d_workspace, 0, SCAN_COUNTER_BYTES + tiles * sizeof(Ints), 0);
    if (code != cudaSuccess) return code;
    bool exclusive = kind == SCAN_EXCLUSIVE;
    void *d_states = (char *)d_workspace + SCAN_COUNTER_BYTES;
    if (type == SCAN_INT) {
        of_int<<<tiles, THREADS>>>((const unsigned *)d_x, (unsigned *)d_y, n, exclusive, d_ticket,
                                   (Ints *)d_states);
    } else {
        of_float<<<tiles, THREADS>>>((const float *)d_x, (float *)d_y, n, exclusive, d_ticket,
                                     (Floats *)d_states);
    }
    return cudaGetLastError();
}
