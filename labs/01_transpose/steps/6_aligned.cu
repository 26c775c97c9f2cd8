// SPDX-License-Identifier: MIT
// Lab 01, step 6: any shape at nearly full rate. Where rows is not a multiple of 8, the rows of the
// output begin anywhere in a sector. Each output row gets a window of its own, moved back to the
// sector's beginning, so that every block writes whole sectors, as float4.
//
// What it improves: no sector is written by two blocks, and no 4-byte stores; with taller tiles and
// wider fetches into the L2 cache also a few per cent for the even shapes.
// What it costs: a block must read HALO rows more than it writes, an eighth.
#include "transpose.cuh"

// TODO(student): set this to 1 when you have written the code below
#define IMPLEMENTED 0

#define TILE      64  // elements on a side; of the float4 kernel columns only
#define TALL      128 // and its rows
#define THREADS   256
#define BLOCKS    (TALL * TILE / 16 / THREADS) // blocks of 4 x 4 elements per thread: 2
#define SECTOR    8                            // floats in a sector of 32 bytes
#define HALO      SECTOR
#define WIDE_FROM 9000000 // elements from which on tiles of 128 columns are faster than of 32

// Loads that let the L2 fetch the 256 bytes around them from memory. Other lanes of the block ask
// for those anyway, and memory delivers long parts faster. Only the speed depends on it. Plain ones
// below compute capability 8.0.
__device__ __forceinline__ float4 load4(const float *at) {
    float4 v;
#if __CUDA_ARCH__ >= 800
    asm volatile("ld.global.nc.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(at));
#else
    v = *(const float4 *)at;
#endif
    return v;
}

__device__ __forceinline__ float load1(const float *at) {
    float v;
#if __CUDA_ARCH__ >= 800
    asm volatile("ld.global.nc.L2::256B.f32 %0, [%1];" : "=f"(v) : "l"(at));
#else
    v = *at;
#endif
    return v;
}

// Step 5 with tiles of TALL rows x TILE columns, so eight loads in flight per thread; rows and cols
// are multiples of 4, both pointers of 16 bytes. down: tiles above each other.
__global__ void __launch_bounds__(THREADS)
    vectorized(const float *in, int64_t rows, int64_t cols, unsigned down, float *out) {
    __shared__ float4 tile[TILE][TALL / 4]; // [column][quad of rows]
    int64_t r0 = (int64_t)(blockIdx.x % down) * TALL;
    int64_t c0 = (int64_t)(blockIdx.x / down) * TILE;
    unsigned t = threadIdx.x;
    // TODO(student): the code of step 5, with BLOCKS blocks of 4 x 4 elements per thread: all their
    // loads first, through load4.
}

// Any shape; out begins at a sector. The tile at (r0, c0) reads rows r0 - HALO .. r0 + ROWS - 1 and
// writes ROWS elements of each output row c, from row r0 - shift of the input on, where
// shift = (c * rows + r0) mod SECTOR makes the first of them the first of a sector.
// Example: rows = 10, r0 = 64, c = 3: output element 3 * 10 + 64 = 94 is number 6 of its sector, so
// this row's window begins 6 elements earlier, at 88; the next tile's, at 128, 6 earlier as well.
template <int ROWS, int COLUMNS>
__global__ void __launch_bounds__(THREADS)
    windows(const float *in, int64_t rows, int64_t cols, unsigned down, float *out) {
    const int LOADS = (HALO + ROWS) * COLUMNS / THREADS; // per thread, all in flight at once
    __shared__ float tile[HALO + ROWS][COLUMNS + 1];
    int64_t r0 = (int64_t)(blockIdx.x % down) * ROWS;
    int64_t c0 = (int64_t)(blockIdx.x / down) * COLUMNS;
    unsigned t = threadIdx.x;

    // TODO(student): 1. Load HALO + ROWS rows of the tile, as far as they are in the matrix.
    // 2. For each column of the tile, find the shift of its window.
    // 3. Write ROWS elements from there on as float4; at the beginning and the end
    //    of an output row only those elements that belong to it.
    // The tiles reach SECTOR - 1 rows beyond the matrix. Which elements need that?
}

template <int ROWS, int COLUMNS>
static int launch_windows(const float *d_in, int64_t rows, int64_t cols, float *d_out) {
    // The last window may end up to SECTOR - 1 elements before its tile does.
    int64_t down = (rows + SECTOR - 1 + ROWS - 1) / ROWS, across = (cols + COLUMNS - 1) / COLUMNS;
    windows<ROWS, COLUMNS>
        <<<(unsigned)(down * across), THREADS>>>(d_in, rows, cols, (unsigned)down, d_out);
    return cudaGetLastError();
}

extern "C" int transpose_step6(const float *d_in, int64_t rows, int64_t cols, float *d_out) {
    if (!IMPLEMENTED) return TRANSPOSE_NOT_IMPLEMENTED;
    int code;
    if (!transpose_has_work(rows, cols, &code)) return code;
    if (rows % 4 == 0 && cols % 4 == 0 && (uintptr_t)d_in % 16 == 0) {
        int64_t down = (rows + TALL - 1) / TALL, across = (cols + TILE - 1) / TILE;
        vectorized<<<(unsigned)(down * across), THREADS>>>(d_in, rows, cols, (unsigned)down, d_out);
        return cudaGetLastError();
    }
    // Tiles that few columns or rows fill, and narrow ones where wide ones would be few.
    if (cols <= 8) return launch_windows<248, 8>(d_in, rows, cols, d_out);
    if (rows <= 25) return launch_windows<32, 64>(d_in, rows, cols, d_out);
    return cols <= 64 || rows * cols < WIDE_FROM ? launch_windows<64, 32>(d_in, rows, cols, d_out)
                                                 : launch_windows<64, 128>(d_in, rows, cols, d_out);
}
// ladder-skeleton 5187c8b14c327aed (as it was handed out; any change makes this file yours)
