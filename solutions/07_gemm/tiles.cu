// SPDX-License-Identifier: MIT
// Which thread of which block has each element of C, step by step: what the figure of lab 07's
// handout is drawn from. The kernels are the steps' own, with a number type that notes who
// multiplies with it; nothing is worked out by formula. Writes JSON (ladder.tiles/1) to standard
// output.
//
// Element (i, p) of A is i + 1 and element (p, j) of B is -(j + 1), so a product tells its row and
// its column.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 256, DEPTH_OF_ALL = 32 };

typedef struct owner {
    int block, thread; // numbers in the grid and in the block; -1: none, -2: more than one
} owner;
__device__ owner owners[SIDE * SIDE]; // [column][row]

struct tracked {
    float value;
    tracked() = default;
    __host__ __device__ tracked(float v) : value(v) {}
};

struct __align__(16) tracked4 {
    tracked x, y, z, w;
};

__device__ tracked4 make_tracked4(tracked x, tracked y, tracked z, tracked w) {
    return tracked4{x, y, z, w};
}

__device__ void note(float a, float b) {
    if (a == 0 || b == 0) {
        return; // padding
    }
    int row = (int)(a > 0 ? a : b) - 1;
    int column = (int)-(a > 0 ? b : a) - 1;
    owner mine = {(int)(blockIdx.y * gridDim.x + blockIdx.x),
                  (int)(threadIdx.y * blockDim.x + threadIdx.x)};
    owner *noted = &owners[column * SIDE + row];
    if (noted->block == -1) {
        *noted = mine;
    } else if (noted->block != mine.block || noted->thread != mine.thread) {
        noted->block = -2;
    }
}

__device__ tracked operator*(tracked a, tracked b) {
    note(a.value, b.value);
    return tracked(a.value * b.value);
}

__device__ tracked &operator+=(tracked &sum, tracked term) {
    sum.value += term.value;
    return sum;
}

#define float tracked
#define float4      tracked4
#define make_float4 make_tracked4
#include "gemm.h"
namespace tiled {
#include "steps/2_tiled.cu"
}
#undef IMPLEMENTED
#undef TS
namespace coarsened {
#include "steps/5_coarsened.cu"
}
#undef IMPLEMENTED
#undef TS
#undef WPT
#undef RTS
namespace registers {
#include "steps/8_registers.cu"
}
#undef IMPLEMENTED
#undef THREADS
#undef PAD
namespace warp_tiled {
#include "steps/10_warp_tiled.cu"
}
#undef float
#undef float4
#undef make_float4

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int status_ = (call);                                                                      \
        if (status_ != 0) {                                                                        \
            fprintf(stderr, "tiles: %s: %s\n", #call, cudaGetErrorString((cudaError_t)status_));   \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static owner noted[SIDE * SIDE];

static const owner *owner_of(int row, int column) {
    return &noted[column * SIDE + row];
}

// Rows (or columns) of the first block's tile.
static int count_first(bool rows) {
    int count = 0;
    while (count < SIDE && owner_of(rows ? count : 0, rows ? 0 : count)->block == 0) count++;
    return count;
}

// Whether all tiles are alike, and thread numbers in them sums of one number for the row and one
// for the column.
static bool is_regular(int tile_rows, int tile_columns) {
    for (int j = 0; j < SIDE; j++) {
        for (int i = 0; i < SIDE; i++) {
            int row = i % tile_rows, column = j % tile_columns;
            int block = j / tile_columns * (SIDE / tile_rows) + i / tile_rows;
            int thread = owner_of(row, 0)->thread + owner_of(0, column)->thread;
            const owner *o = owner_of(i, j);
            if (o->block != block || o->thread != thread - owner_of(0, 0)->thread) return false;
        }
    }
    return owner_of(0, 0)->thread == 0;
}

static bool is_right(const tracked *c) {
    for (int j = 0; j < SIDE; j++) {
        for (int i = 0; i < SIDE; i++) {
            if (c[j * SIDE + i].value != -(float)((i + 1) * (j + 1) * DEPTH_OF_ALL)) return false;
        }
    }
    return true;
}

static void print_threads(const char *name, bool rows, int count) {
    printf("\"%s\": [", name);
    for (int i = 0; i < count; i++)
        printf("%s%d", i > 0 ? ", " : "", owner_of(rows ? i : 0, rows ? 0 : i)->thread);
    printf("]");
}

int main(void) {
    static const struct {
        int step;
        const char *name;
        gemm_function *run;
    } steps[] = {{2, "tiled", gemm_step2},
                 {5, "coarsened", gemm_step5},
                 {8, "registers", gemm_step8},
                 {10, "warp_tiled", gemm_step10}};
    static tracked a[DEPTH_OF_ALL * SIDE], b[SIDE * DEPTH_OF_ALL], c[SIDE * SIDE];
    tracked *d_a = NULL, *d_b = NULL, *d_c = NULL, *d_workspace = NULL;
    for (int i = 0; i < SIDE; i++) {
        for (int p = 0; p < DEPTH_OF_ALL; p++) {
            a[p * SIDE + i] = tracked((float)(i + 1));
            b[i * DEPTH_OF_ALL + p] = tracked(-(float)(i + 1));
        }
    }
    CHECK(cudaMalloc((void **)&d_a, sizeof a));
    CHECK(cudaMalloc((void **)&d_b, sizeof b));
    CHECK(cudaMalloc((void **)&d_c, sizeof c));
    CHECK(cudaMalloc((void **)&d_workspace, sizeof b));
    CHECK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice));
    gemm_task task = {SIDE, SIDE, DEPTH_OF_ALL, d_a, d_b, d_c, 1.0f, 0.0f, NULL, d_workspace};
    printf("{\"schema\": \"ladder.tiles/1\", \"lab\": \"gemm\", \"rows\": %d, \"columns\": %d,\n"
           " \"steps\": [",
           SIDE, SIDE);
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        memset(noted, 0xFF, sizeof noted);
        CHECK(cudaMemcpyToSymbol(owners, noted, sizeof noted));
        CHECK(steps[s].run(&task));
        CHECK(cudaMemcpy(c, d_c, sizeof c, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpyFromSymbol(noted, owners, sizeof noted));
        int tile_rows = count_first(true), tile_columns = count_first(false);
        if (!is_right(c) || tile_rows == 0 || !is_regular(tile_rows, tile_columns)) {
            fprintf(stderr, "tiles: step %d is wrong, or its tiles are not alike\n", steps[s].step);
            return 1;
        }
        printf("%s\n  {\"step\": %d, \"name\": \"%s\",\n   ", s > 0 ? "," : "", steps[s].step,
               steps[s].name);
        print_threads("thread_of_row", true, tile_rows);
        printf(",\n   ");
        print_threads("thread_of_column", false, tile_columns);
        printf("}");
    }
    printf("\n ]}\n");
    return 0;
}
