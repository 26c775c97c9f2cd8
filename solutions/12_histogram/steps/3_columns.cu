// SPDX-License-Identifier: MIT
// Lab 12, step 3: the copies of a count lie in neighbouring banks, and neighbouring lanes use
// different ones. With 32 copies every lane has a bank of its own.
//
// What it fixes: bank conflicts, whatever the values are. For 4,096 bins there is room for eight
// copies only: four lanes share the banks of one.
// Why it is slow: a load request for each atomic.
#include "histogram.cuh"

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS 1024

// 32 copies of 256 bins take 32 KiB; 8 copies of 4,096 bins 128 KiB, one block for each SM.
template <int kind> struct shape {
    enum { COPIES = 32, BLOCKS_PER_SM = 2 };
};
template <> struct shape<HISTOGRAM_SHORTS> {
    enum { COPIES = 8, BLOCKS_PER_SM = 1 };
};

// x: [n]; counts: [bins], 0 before. Shared memory: [bins][COPIES].
template <int kind>
__global__ void __launch_bounds__(THREADS)
    columns(const typename values<kind>::type *x, int64_t n, unsigned *counts) {
    enum { COPIES = shape<kind>::COPIES };
    extern __shared__ unsigned tables[];
    unsigned t = threadIdx.x;

    for (unsigned b = t; b < COPIES * values<kind>::BINS; b += THREADS) tables[b] = 0;
    __syncthreads();
    // SOLUTION BEGIN
    int64_t i = (int64_t)blockIdx.x * THREADS + t, stride = (int64_t)gridDim.x * THREADS;
    unsigned *mine = tables + t % COPIES;
    for (; i < n; i += FLIGHT * stride) {
        unsigned bin[FLIGHT];
        int got = load_bins<kind>(x, n, i, stride, bin);
#pragma unroll
        for (int k = 0; k < FLIGHT; k++)
            if (k < got) atomicAdd(&mine[bin[k] * COPIES], 1u);
    }
    __syncthreads();
    for (unsigned b = t; b < values<kind>::BINS; b += THREADS) {
        unsigned sum = 0, first = b * COPIES / WARP; // lanes whose bins share banks begin apart
        for (unsigned c = 0; c < COPIES; c++) sum += tables[b * COPIES + (first + c) % COPIES];
        if (sum != 0) atomicAdd(&counts[b], sum);
    }
    // SOLUTION TODO: copy c of bin b is tables[b * COPIES + c]. In which bank does it lie? Let
    // SOLUTION TODO: thread t count in copy t % COPIES. At the end a thread adds up the copies of
    // SOLUTION TODO: its bin: in which order, so that the lanes of a warp read different banks?
}

template <int kind> static int count(const void *d_x, int64_t n, unsigned *d_counts) {
    int bytes = shape<kind>::COPIES * values<kind>::BINS * (int)sizeof(unsigned);
    return launch_count<kind>(columns<kind>, THREADS, bytes, THREADS * FLIGHT,
                              shape<kind>::BLOCKS_PER_SM, d_x, n, d_counts);
}

extern "C" int histogram_step3(const void *d_x, int64_t n, histogram_kind kind,
                               uint32_t *d_counts) {
    if (!IMPLEMENTED) return HISTOGRAM_NOT_IMPLEMENTED;
    return count_by_kind(count<HISTOGRAM_BYTES>, count<HISTOGRAM_SHORTS>, count<HISTOGRAM_INTS>,
                         d_x, n, kind, d_counts);
}
