// SPDX-License-Identifier: MIT
// Given to steps 5 to 9 of lab 11: how large a tile is, and where it lies in shared memory.
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
