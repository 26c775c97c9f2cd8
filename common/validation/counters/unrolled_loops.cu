// Counter kernels with loops that ptxas unrolls by itself: what the machine executes of an access
// in such a loop follows from copies of its body, in an order of lanes that PTX does not show.
#include "counter_kernels.h"

// `count`, which the compiler cannot know.
static __device__ uint32_t unknown(uint32_t count, const uint32_t *in) {
    return count + (in[0] == 1);
}

// How often a lane goes round: two lanes of a warp differ by a few.
static __device__ uint32_t ragged(const uint32_t *in) { return in[THREAD] % 23; }

// One thread per row; rows of 0 to 22 entries, no unrolling asked for.
COUNTER_KERNEL_BODY(unrolled_rows) {
    uint32_t count = ragged(in), sum = 0, begin = THREAD * 24;
    for (uint32_t i = begin; i < begin + count; i++) sum += in[i] * in[4096 + (in[i] & 1023)];
    out[THREAD] = sum;
}

// Only every other lane has a row.
COUNTER_KERNEL_BODY(unrolled_rows_half) {
    uint32_t count = THREAD % 2 ? ragged(in) : 0, sum = 0, begin = THREAD * 24;
    for (uint32_t i = begin; i < begin + count; i++) sum += in[i] * 3 + 1;
    out[THREAD] = sum;
}

// Two lengths in each warp.
COUNTER_KERNEL_BODY(unrolled_rows_two) {
    uint32_t count = THREAD % 2 ? unknown(37, in) : unknown(22, in), sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += in[THREAD * 40 + i] ^ i;
    out[THREAD] = sum;
}

// The same number of iterations for all lanes, which the compiler does not know.
COUNTER_KERNEL_BODY(unrolled_even) {
    uint32_t count = unknown(37, in), sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += in[THREAD + i * 2048] ^ i;
    out[THREAD] = sum;
}

// As unrolled_rows, by a pragma one iteration at a time.
COUNTER_KERNEL_BODY(unrolled_rows_never) {
    uint32_t count = ragged(in), sum = 0, begin = THREAD * 24;
#pragma unroll 1
    for (uint32_t i = begin; i < begin + count; i++) sum += in[i] * in[4096 + (in[i] & 1023)];
    out[THREAD] = sum;
}

// By a pragma two at a time.
COUNTER_KERNEL_BODY(unrolled_rows_by_2) {
    uint32_t count = ragged(in), sum = 0, begin = THREAD * 24;
#pragma unroll 2
    for (uint32_t i = begin; i < begin + count; i++) sum += in[i] * in[4096 + (in[i] & 1023)];
    out[THREAD] = sum;
}

// A stride through the row, as one warp per row has it.
COUNTER_KERNEL_BODY(unrolled_rows_warp) {
    uint32_t row = THREAD / 32, count = in[row] % 301, sum = 0;
    for (uint32_t i = LANE; i < count; i += 32) sum += in[row * 301 + i] * 7;
    out[THREAD] = sum;
}

// Ends by what it reads.
COUNTER_KERNEL_BODY(unrolled_search) {
    uint32_t i = 0, begin = THREAD * 24;
    while (i < 24 && in[begin + i] % 16 != 3) i++;
    out[THREAD] = i;
}

// Floats of small whole numbers, so that sums are exact.
static __device__ void fill(float *tile, uint32_t floats, const uint32_t *in) {
    for (uint32_t i = threadIdx.x; i < floats; i += blockDim.x) tile[i] = (float)(in[i] % 16);
    __syncthreads();
}

// Eight floats, as many times as the launch says.
COUNTER_KERNEL_BODY(unrolled_eight) {
    __shared__ float tile[8];
    fill(tile, 8, in);
    float sum = 0.0f;
    for (uint32_t i = THREAD; i < 16384; i += 2048)
        for (int k = 0; k < 8; k++) sum += tile[k] * (float)(in[i] % 16);
    ((float *)out)[THREAD] = sum;
}

// Eight floats of a row of the block's tile, each warp its own.
COUNTER_KERNEL_BODY(unrolled_eight_rows) {
    __shared__ float tile[8][8];
    fill(tile[0], 64, in);
    float sum = 0.0f, *row = tile[threadIdx.x / 32];
    for (uint32_t i = 0; i < 12; i++)
        for (int k = 0; k < 8; k++) sum = sum * 0.5f + row[k];
    ((float *)out)[THREAD] = sum;
}

// Eight floats by an index that is not known.
COUNTER_KERNEL_BODY(unrolled_eight_lanes) {
    __shared__ float tile[256];
    fill(tile, 256, in);
    float sum = 0.0f;
    uint32_t first = index[LANE] % 32 * 8;
    for (int k = 0; k < 8; k++) sum = sum * 0.5f + tile[first + k];
    ((float *)out)[THREAD] = sum;
}

// Eight floats, one iteration at a time in PTX by a shuffle in the loop.
COUNTER_KERNEL_BODY(unrolled_eight_shuffle) {
    __shared__ float tile[8];
    fill(tile, 8, in);
    float sum = 0.0f;
    uint32_t count = unknown(8, in);
    for (uint32_t k = 0; k < count; k++)
        sum += __shfl_xor_sync(0xffffffffu, tile[k] + (float)LANE, 1);
    ((float *)out)[THREAD] = sum;
}

// Eight at most, and out of the loop by what is read.
COUNTER_KERNEL_BODY(unrolled_eight_until) {
    __shared__ float tile[8];
    fill(tile, 8, in);
    float bound = (float)(in[THREAD] % 20);
    int k = 0;
    for (; k < 8; k++)
        if (tile[k] > bound) break;
    out[THREAD] = (uint32_t)k;
}

// Eight at most, as many as the lane says.
COUNTER_KERNEL_BODY(unrolled_eight_some) {
    __shared__ float tile[8];
    fill(tile, 8, in);
    float sum = 0.0f;
    uint32_t count = in[THREAD] % 9;
    for (uint32_t k = 0; k < count; k++) sum = sum * 0.5f + tile[k];
    ((float *)out)[THREAD] = sum;
}

// A count that is the same in all lanes and not known.
COUNTER_KERNEL_BODY(unrolled_shared_even) {
    __shared__ float tile[256];
    fill(tile, 256, in);
    float sum = 0.0f;
    uint32_t count = unknown(211, in);
    for (uint32_t k = 0; k < count; k++) sum = sum * 0.5f + tile[k];
    ((float *)out)[THREAD] = sum;
}

// Two floats per iteration, an interval apart.
COUNTER_KERNEL_BODY(unrolled_shared_pairs) {
    __shared__ float tile[256];
    fill(tile, 256, in);
    float sum = 0.0f;
    uint32_t count = unknown(61, in);
#pragma unroll 2
    for (uint32_t k = 0; k < count; k++) sum = sum * tile[k] + tile[k + 128];
    ((float *)out)[THREAD] = sum;
}

// Loads of one loop that the next iterations ask for again.
COUNTER_KERNEL_BODY(unrolled_shared_again) {
    __shared__ float tile[256];
    fill(tile, 256, in);
    float sum = 0.0f;
    uint32_t count = unknown(61, in);
    for (uint32_t k = 0; k < count; k++) sum = sum * 0.5f + tile[k] + tile[k + 1] + tile[k + 2];
    ((float *)out)[THREAD] = sum;
}

// Known at compile time, too many to unroll in full.
COUNTER_KERNEL_BODY(unrolled_shared_known) {
    __shared__ float tile[256];
    fill(tile, 256, in);
    float sum = 0.0f;
    for (uint32_t k = 0; k < 250; k++) sum = sum * 0.5f + tile[k];
    ((float *)out)[THREAD] = sum;
}

// An array of structures in shared memory, a body each, as n-body kernels have it.
COUNTER_KERNEL_BODY(unrolled_shared_bodies) {
    __shared__ float tile[3 * 64];
    fill(tile, 192, in);
    float sum = 0.0f, here = (float)LANE;
    uint32_t count = unknown(61, in);
    for (uint32_t k = 0; k < count; k++) {
        float dx = tile[3 * k] - here, dy = tile[3 * k + 1], dz = tile[3 * k + 2];
        sum += dx * dx + dy * dy + dz * dz;
    }
    ((float *)out)[THREAD] = sum;
}

// Stores of neighbouring words in a loop.
COUNTER_KERNEL_BODY(unrolled_shared_stores) {
    __shared__ float tile[8 * 256];
    uint32_t count = unknown(5, in);
    for (uint32_t k = 0; k < count; k++) tile[threadIdx.x * 8 + k] = (float)(in[THREAD] % 16 + k);
    __syncthreads();
    ((float *)out)[THREAD] = tile[threadIdx.x * 8] + tile[threadIdx.x * 8 + 4];
}

// Trips round an inner loop of unknown length, inside an outer one.
COUNTER_KERNEL_BODY(unrolled_nested) {
    __shared__ float tile[64];
    fill(tile, 64, in);
    float sum = 0.0f;
    uint32_t outer = unknown(5, in), inner = unknown(8, in);
    for (uint32_t i = 0; i < outer; i++)
        for (uint32_t k = 0; k < inner; k++) sum = sum * 0.5f + tile[i * 8 + k];
    ((float *)out)[THREAD] = sum;
}

// The dot products of 32 columns with eight floats each lane's own: conflicts beside merging.
COUNTER_KERNEL_BODY(unrolled_shared_own) {
    __shared__ float tile[256 * 8];
    fill(tile, 2048, in);
    float sum = 0.0f;
    uint32_t count = unknown(8, in);
    for (uint32_t k = 0; k < count; k++) sum = sum * 0.5f + tile[threadIdx.x * 8 + k];
    ((float *)out)[THREAD] = sum;
}
