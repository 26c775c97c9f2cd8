// SPDX-License-Identifier: MIT
// Lab 12, step 5: 16 bytes per load, and equal neighbours are counted in a register: one atomic for
// each run of equal bins.
//
// What it fixes: a load request brings up to 16 times as many values. Where neighbours are equal,
// as in an image, there are fewer atomics.
// Why it is slow: where they are not, each value is compared for nothing.
#include "histogram.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 1024
#define LOADS   2 // of 16 bytes, in flight per thread

// 32 copies of 256 bins take 32 KiB; 8 copies of 4,096 bins 128 KiB, one block for each SM.
template <int kind> struct shape {
    enum { COPIES = 32, BLOCKS_PER_SM = 2 };
};
template <> struct shape<HISTOGRAM_SHORTS> {
    enum { COPIES = 8, BLOCKS_PER_SM = 1 };
};

// Equal bins that a thread has met one after the other and not yet added to the table.
typedef struct bin_run {
    unsigned bin, length;
} bin_run;

// mine: [bins][COPIES] from this thread's copy on.
template <int kind>
__device__ __forceinline__ void count_one(unsigned *mine, bin_run *run, unsigned bin) {
    // SOLUTION BEGIN
    if (bin != run->bin) {
        atomicAdd(&mine[run->bin * shape<kind>::COPIES], run->length);
        run->bin = bin;
        run->length = 0;
    }
    run->length++;
    // SOLUTION TODO: while the bin stays the same, only the length of the run grows. When it
    // SOLUTION TODO: changes, the run is added to the table, and a new one begins.
}

// x: [n]; counts: [bins], 0 before. Shared memory: [bins][COPIES].
template <int kind>
__global__ void __launch_bounds__(THREADS)
    wide(const typename values<kind>::type *x, int64_t n, unsigned *counts) {
    enum { COPIES = shape<kind>::COPIES, EACH = values<kind>::PER_VECTOR };
    extern __shared__ uint4 aligned_tables[];
    unsigned *tables = (unsigned *)aligned_tables, t = threadIdx.x;

    for (unsigned b = t; b < COPIES * values<kind>::BINS / 4; b += THREADS)
        aligned_tables[b] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    // SOLUTION BEGIN
    unsigned *mine = tables + t % COPIES;
    vectors v = find_vectors<kind>(x, n);
    bin_run run = {0, 0};
    int64_t stride = (int64_t)gridDim.x * THREADS, i = (int64_t)blockIdx.x * THREADS + t;
    for (; i + (LOADS - 1) * stride < v.count; i += LOADS * stride) {
        uint4 got[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) got[k] = v.from[i + k * stride];
#pragma unroll
        for (int k = 0; k < LOADS * EACH; k++)
            count_one<kind>(mine, &run, bin_in<kind>(got[k / EACH], k % EACH));
    }
    for (; i < v.count; i += stride) {
        uint4 got = v.from[i];
#pragma unroll
        for (int k = 0; k < EACH; k++) count_one<kind>(mine, &run, bin_in<kind>(got, k));
    }
    unsigned bin;
    if (blockIdx.x == 0 && find_edge<kind>(x, n, &v, t, &bin)) count_one<kind>(mine, &run, bin);
    atomicAdd(&mine[run.bin * COPIES], run.length);
    // SOLUTION TODO: find_vectors gives v: v.from[0 .. v.count-1] are the vectors. Load LOADS of
    // SOLUTION TODO: them before one is looked at, and count their values (bin_in). Then the
    // SOLUTION TODO: vectors that are left, and in one block the values before and behind them
    // SOLUTION TODO: (find_edge). What is left in `run`?
    __syncthreads();
    for (unsigned b = t; b < values<kind>::BINS; b += THREADS) {
        unsigned sum = 0, first = b * COPIES / WARP; // lanes whose bins share banks begin apart
        for (unsigned c = 0; c < COPIES; c++) sum += tables[b * COPIES + (first + c) % COPIES];
        if (sum != 0) atomicAdd(&counts[b], sum);
    }
}

template <int kind> static int count(const void *d_x, int64_t n, unsigned *d_counts) {
    int bytes = shape<kind>::COPIES * values<kind>::BINS * (int)sizeof(unsigned);
    return launch_count<kind>(wide<kind>, THREADS, bytes,
                              THREADS * LOADS * values<kind>::PER_VECTOR,
                              shape<kind>::BLOCKS_PER_SM, d_x, n, d_counts);
}

extern "C" int histogram_step5(const void *d_x, int64_t n, histogram_kind kind,
                               uint32_t *d_counts) {
    if (!IMPLEMENTED) return HISTOGRAM_NOT_IMPLEMENTED;
    return count_by_kind(count<HISTOGRAM_BYTES>, count<HISTOGRAM_SHORTS>, count<HISTOGRAM_INTS>,
                         d_x, n, kind, d_counts);
}
