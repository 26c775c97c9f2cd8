// What a multiply-add of three registers costs beside the pipe: tiles of sums in registers, as a
// matrix product has them. ptxas orders them so that most find one of their three in what the
// instruction before them has kept; the wider the tile, the more do.
#include "micro.h"

// run.rounds times four outer products of a column of ROWS and a row of COLUMNS values.
template <int ROWS, int COLUMNS> static __global__ void tile(micro_run run) {
    const float *from = (const float *)run.data + threadIdx.x;
    float sums[ROWS][COLUMNS], column[ROWS], row[COLUMNS], all = 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++) column[i] = from[i];
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) row[j] = from[ROWS + j];
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) sums[i][j] = from[i] + j;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int round = 0; round < run.rounds; round++) {
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int i = 0; i < ROWS; i++)
#pragma unroll
                for (int j = 0; j < COLUMNS; j++)
                    sums[i][j] = fmaf(column[(i + k) % ROWS], row[(j + k) % COLUMNS], sums[i][j]);
    }
    long long end = clock64();
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) all += sums[i][j];
    MICRO_DONE(all);
}

template <int ROWS, int COLUMNS> static void measure(void) {
    for (int warps = 4; warps <= 16; warps *= 2) {
        micro_run run = micro_default;
        run.rounds = 1000;
        run.laps = 1;
        double done = 4.0 * run.rounds * ROWS * COLUMNS * warps;
        micro_row(done / micro_cycles(tile<ROWS, COLUMNS>, 1, warps * MICRO_WARP, run),
                  "instructions/cycle/SM", "tile of sums in registers, that many warps",
                  "rate_ffma_tile_%d_by_%d_%d_warps", ROWS, COLUMNS, warps);
    }
}

void micro_registers(void) {
    CHECK(cudaMemset(micro_default.data, 0, 1 << 16));
    measure<2, 2>();
    measure<4, 4>();
    measure<4, 8>();
    measure<8, 4>();
    measure<7, 8>();
    measure<8, 8>();
}
