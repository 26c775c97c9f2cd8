// Counter kernels: what comes from the L1, the L2 and device memory. Under Nsight Compute every
// launch starts with cold caches. A second read never has the first one's address in the same
// thread, so that no compiler drops it, and waits for the first one's value, so that the line has
// arrived.
#include "counter_kernels.h"

// 0, but known only when `value` has arrived: no word of `in` that is used here has this value.
static __device__ uint32_t after(uint32_t value) { return value == 0xDEADBEEFu; }

COUNTER_KERNEL_BODY(cache_line_twice) {
    uint32_t first = load_4(in + THREAD);
    uint32_t second = load_4(in + (THREAD ^ 1) + after(first));
    out[THREAD] = first * 3 + second;
}

// Warp 0 reads 32 words; when they are there, warp 1 reads the same ones.
COUNTER_KERNEL_BODY(cache_two_warps) {
    __shared__ uint32_t words[32];
    const uint32_t *line = in + blockIdx.x * 32;
    uint32_t value = 0;
    if (threadIdx.x < 32) {
        value = load_4(line + LANE);
        words[LANE] = value;
    }
    __syncthreads();
    if (threadIdx.x >= 32) value = load_4(line + (LANE ^ 1)) + words[LANE];
    out[THREAD] = value;
}

// Sectors 0 and 1 of four lines, then sectors 2 and 3 of the same lines.
COUNTER_KERNEL_BODY(cache_half_lines) {
    uint32_t word = blockIdx.x * 128 + LANE / 8 * 32 + LANE % 8 * 2;
    uint32_t first = load_4(in + word);
    uint32_t second = load_4(in + word + 16 + after(first));
    out[THREAD] = first * 3 + second;
}

// `passes` reads of `words` words by one block; each pass shifts what a thread reads by one word.
static __device__ uint32_t reread(const uint32_t *region, uint32_t words, uint32_t passes) {
    uint32_t sum = 0;
#pragma unroll 1
    for (uint32_t pass = 0; pass < passes; pass++) {
#pragma unroll 4
        for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
            sum = sum * 3 + load_4(region + (i + pass) % words);
        __syncthreads();
    }
    return sum;
}

COUNTER_KERNEL_BODY(cache_block_rereads_16k) {
    out[THREAD] = reread(in + blockIdx.x * 4096, 4096, 4);
}

COUNTER_KERNEL_BODY(cache_block_rereads_1m) {
    out[THREAD] = reread(in + blockIdx.x * 262144, 262144, 2);
}

// The whole grid reads `chunks` pieces of 1024 x 16 bytes twice; the second time a block reads what
// its neighbour had, so that the L1 does not help.
static __device__ uint32_t grid_reads_twice(const uint32_t *in, uint32_t chunks) {
    uint32_t sum = 0;
#pragma unroll 1
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t first = (blockIdx.x + pass) % gridDim.x;
#pragma unroll 4
        for (uint32_t chunk = first; chunk < chunks; chunk += gridDim.x)
            sum = sum * 3 + load_16(in + (chunk * 1024 + threadIdx.x) * 4);
    }
    return sum;
}

COUNTER_KERNEL_BODY(cache_l2_fits) {
    out[THREAD] = grid_reads_twice(in, 1024); // 16 MiB
}

COUNTER_KERNEL_BODY(cache_l2_too_big) {
    out[THREAD] = grid_reads_twice(in, 8192); // 128 MiB
}

COUNTER_KERNEL_BODY(cache_stream_read) {
    uint32_t threads = gridDim.x * blockDim.x, sum = 0;
#pragma unroll 4
    for (uint32_t i = THREAD; i < 4 * 1024 * 1024; i += threads)
        sum = sum * 3 + load_16(in + i * 4);
    out[THREAD] = sum;
}

COUNTER_KERNEL_BODY(cache_stream_write) {
    uint32_t threads = gridDim.x * blockDim.x;
#pragma unroll 4
    for (uint32_t i = THREAD; i < COUNTER_OUT_WORDS; i += threads) store_4(out + i, i);
}

// A block writes 2 KiB and reads them back, each thread another thread's words.
COUNTER_KERNEL_BODY(cache_write_then_read) {
    uint32_t *mine = out + blockIdx.x * 512;
    store_4(mine + threadIdx.x, threadIdx.x);
    __syncthreads();
    uint32_t value = load_4(mine + (threadIdx.x ^ 33));
    store_4(mine + 256 + threadIdx.x, value * 3);
}

// 4 of the 32 bytes of every sector: what is not written must come from somewhere when it goes to
// device memory.
COUNTER_KERNEL_BODY(cache_partial_writes) { store_4(out + THREAD * 8, THREAD); }

COUNTER_KERNEL_BODY(cache_shared_by_blocks) { out[THREAD] = reread(in, 65536, 1) ^ THREAD; }
