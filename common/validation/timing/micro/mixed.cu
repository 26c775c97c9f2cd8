// What requests do to others: lines of the L1 that are still there when they are asked for again
// while other warps read on, tiles of few columns that are read and written, stores that complete
// sectors, atomics beside loads that the L2 answers.
#include "micro.h"

enum {
    THREADS = 256,
    ROW_THREADS = 128,           // four rows per block, 16 blocks per SM
    ROWS_A_PLACE = 6,            // of each warp's place on the SM
    NEAR_CYCLES = 150,           // a load that takes no longer was answered by the L1
    SIDE = 4096,                 // of the matrix of floats that tiles cut up
    AWAY = (5 << 20) + 33 * 256, // bytes
    GATHERED = 1 << 20           // floats
};

// Each warp reads a row of run.lanes * 512 bytes, all loads under way at once, and when all have
// come reads it again, one load after the other. Leaves how many of these were near.
static __global__ void __launch_bounds__(ROW_THREADS) rows(micro_run run) {
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / MICRO_WARP;
    const uint4 *row =
        (const uint4 *)run.data + (size_t)warp * run.lanes * MICRO_WARP + threadIdx.x % MICRO_WARP;
    uint32_t sum = run.zero, near = 0;
    for (int i = 0; i < run.lanes; i++) sum += row[i * MICRO_WARP].x;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    for (int i = 0; i < run.lanes; i++) {
        uint32_t again;
        long long begin = clock64();
        asm volatile("ld.global.ca.u32 %0, [%1];"
                     : "=r"(again)
                     : "l"(row + i * MICRO_WARP + (sum & run.zero))
                     : "memory");
        sum += again & run.zero;
        near += clock64() - begin < NEAR_CYCLES + (long long)(sum & run.zero);
    }
    run.out[blockIdx.x * blockDim.x + threadIdx.x] = near;
}

static void rows_again(void) {
    const unsigned blocks = 16 * ROWS_A_PLACE * micro_sms, threads = blocks * ROW_THREADS;
    uint32_t *near = (uint32_t *)malloc(threads * sizeof *near);
    for (int n = 1; n <= 8; n++) {
        double sum = 0;
        micro_run run = micro_default;
        run.lanes = n;
        rows<<<blocks, ROW_THREADS>>>(run);
        CHECK(cudaMemcpy(near, run.out, threads * sizeof *near, cudaMemcpyDeviceToHost));
        for (unsigned i = 0; i < threads; i++) sum += near[i];
        micro_row(sum / ((double)threads * n), "share",
                  "64 warps per SM read rows twice, so much in all: loads that the L1 answers then",
                  "l1_rows_again_%d_kib", 32 * n);
    }
    free(near);
}

// Copies a matrix by tiles of run.lanes columns and as many rows, run.rounds rows of threads, to a
// place run.apart bytes behind its end.
static __global__ void __launch_bounds__(THREADS) tiles(micro_run run) {
    const float *from = (const float *)run.data;
    float *to = (float *)(run.data + (uint64_t)SIDE * SIDE * sizeof(float) + run.apart);
    const int across = SIDE / run.lanes, row = threadIdx.x / run.lanes;
    const int x = blockIdx.x % across * run.lanes + threadIdx.x % run.lanes;
    const int y = blockIdx.x / across * run.lanes + row, step = THREADS / run.lanes;
    float value[16];
#pragma unroll
    for (int k = 0; k < 16; k++)
        if (k < run.rounds) value[k] = from[(size_t)(y + k * step) * SIDE + x];
#pragma unroll
    for (int k = 0; k < 16; k++)
        if (k < run.rounds) to[(size_t)(y + k * step) * SIDE + x] = value[k];
}

static void tiles_by_width(void) {
    for (int width = 32; width <= 64; width *= 2) {
        micro_run run = micro_default;
        run.lanes = width;
        run.rounds = width * width / THREADS;
        unsigned blocks = (unsigned)(SIDE / width) * (SIDE / width);
        run.apart = 0;
        micro_row(micro_us_after(micro_flush_written, tiles, blocks, THREADS, run), "us",
                  "64 MiB are copied by square tiles so many bytes wide, behind a full L2",
                  "tiles_%d_bytes", 4 * width);
        run.apart = AWAY;
        micro_row(micro_us_after(micro_flush_written, tiles, blocks, THREADS, run), "us",
                  "the same, to a place that is no power of 2 away", "tiles_%d_bytes_away",
                  4 * width);
    }
}

// Each warp stores a word to one sector of each of 32 lines. COMPLETE: the eight warps of a block
// store the eight words of the same sectors; else each warp has sectors of its own.
template <bool COMPLETE> static __global__ void __launch_bounds__(THREADS) parts(micro_run run) {
    const uint32_t warp = threadIdx.x / MICRO_WARP, lane = threadIdx.x % MICRO_WARP;
    for (int i = 0; i < run.rounds; i++) {
        uint32_t group = blockIdx.x * run.rounds + i;
        if (!COMPLETE) group = (group * 8 + warp) % (run.bytes / 1024);
        uint32_t line = group / 4 * MICRO_WARP + lane;
        uint32_t word = line * 32 + group % 4 * 8 + (COMPLETE ? warp : 0);
        ((uint32_t *)run.data)[word] = line;
    }
}

// Each thread stores the words of a row of run.lanes words, one after the other.
static __global__ void __launch_bounds__(MICRO_WARP) rows_in_turn(micro_run run) {
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t *row = (uint32_t *)run.data + (size_t)thread * run.lanes;
    for (int i = 0; i < run.lanes; i++) row[i] = thread;
}

static void stores_of_parts(void) {
    micro_run run = micro_default;
    run.rounds = 4;
    for (int mib = 16; mib <= 64; mib *= 4) {
        run.bytes = (uint64_t)mib << 20;
        unsigned blocks = (unsigned)(run.bytes / 1024 / run.rounds);
        const char *how = "each sector of so many MiB is stored to eight times, 32 lines at once";
        micro_row(micro_us(parts<true>, blocks, THREADS, run), "us", how,
                  "parts_that_complete_%d_mib", mib);
        micro_row(micro_us(parts<false>, blocks, THREADS, run), "us", how, "same_parts_%d_mib",
                  mib);
        micro_row(micro_us_after(micro_flush_written, parts<true>, blocks, THREADS, run), "us", how,
                  "first_parts_that_complete_%d_mib", mib);
        micro_row(micro_us_after(micro_flush_written, parts<false>, blocks, THREADS, run), "us",
                  how, "first_same_parts_%d_mib", mib);
    }
    for (run.lanes = 512; run.lanes <= 2048; run.lanes *= 2)
        micro_row(micro_us_after(micro_flush_written, rows_in_turn,
                                 (unsigned)((64 << 20) / 4 / run.lanes / MICRO_WARP), MICRO_WARP,
                                 run),
                  "us", "64 MiB are stored by rows of so many words, each by one thread",
                  "first_rows_in_turn_%d_words", run.lanes);
}

// LOADS: a word anywhere of 4 MiB; SUMS: run.lanes neighbouring lanes add to one word.
template <bool LOADS, bool SUMS> static __global__ void beside(micro_run run) {
    const uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t hash = at * 0x9E3779B1u;
    float value = 1.0f;
    hash = (hash ^ hash >> 15) * 0x85EBCA6Bu;
    if (LOADS) value = ((const float *)run.data)[(hash ^ hash >> 13) % GATHERED];
    float *sum = (float *)run.data + GATHERED + at / run.lanes;
    if (SUMS) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(sum), "f"(value) : "memory");
    else if (value == 2.0f) *sum = value;
}

static void atomics_beside_loads(void) {
    const unsigned blocks = (8 << 20) / THREADS;
    micro_run run = micro_default;
    CHECK(cudaMemset(run.data, 0, 64 << 20));
    run.lanes = 1;
    micro_row(micro_us(beside<true, false>, blocks, THREADS, run), "us",
              "2^23 words anywhere of 4 MiB", "gathers_alone");
    for (run.lanes = 4; run.lanes <= MICRO_WARP; run.lanes *= 2) {
        micro_row(micro_us(beside<false, true>, blocks, THREADS, run), "us",
                  "2^23 sums of floats, so many lanes on each word", "sums_alone_%d_lanes",
                  run.lanes);
        micro_row(micro_us(beside<true, true>, blocks, THREADS, run), "us", "both",
                  "sums_beside_gathers_%d_lanes", run.lanes);
    }
}

void micro_mixed(void) {
    rows_again();
    tiles_by_width();
    stores_of_parts();
    atomics_beside_loads();
}
