// Barriers by block size; launches; how fast blocks are started, and replaced on an SM.
#include "micro.h"

static __global__ void barrier(micro_run run) {
    MICRO_TIMED(__syncthreads());
    MICRO_DONE(0);
}

// A barrier after a dependent chain: how long the last warp's arrival takes to release the others.
static __global__ void barrier_shared(micro_run run) {
    __shared__ uint32_t word;
    uint32_t x = run.seed;
    MICRO_TIMED(if (threadIdx.x == 0) word = x; __syncthreads(); x += word; __syncthreads());
    MICRO_DONE(x);
}

static __global__ void empty(micro_run run) { (void)run; }

// When each block runs and where: out[block] the SM, spans the clock of that SM. A block lasts
// run.rounds cycles.
static __global__ void when(micro_run run) {
    long long begin = clock64(), end = begin;
    while (end - begin < run.rounds) end = clock64();
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x > 0) return;
    run.out[blockIdx.x] = sm;
    run.spans[2 * blockIdx.x] = begin;
    run.spans[2 * blockIdx.x + 1] = end;
}

static int by_value(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return x < y ? -1 : x > y;
}

// Gaps on one SM, sorted by time: between starts of its first `resident` blocks, and between the
// end of a block and the start of the one that takes its place (the median of each).
static void gaps(unsigned threads, unsigned resident) {
    enum { WAVES = 4 };
    const unsigned grid = WAVES * resident * micro_sms;
    uint32_t *sm = (uint32_t *)malloc(4 * grid);
    long long *spans = (long long *)malloc(16 * (size_t)grid);
    long long *begins = (long long *)malloc(8 * grid), *ends = (long long *)malloc(8 * grid);
    micro_run run = micro_default;
    run.rounds = 40000;
    when<<<grid, threads>>>(run); // the first launch loads the code
    when<<<grid, threads>>>(run);
    CHECK(cudaMemcpy(sm, run.out, 4 * grid, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(spans, run.spans, 16 * (size_t)grid, cudaMemcpyDeviceToHost));
    unsigned count = 0;
    for (unsigned b = 0; b < grid; b++) {
        if (sm[b] != sm[0]) continue;
        begins[count] = spans[2 * b];
        ends[count++] = spans[2 * b + 1];
    }
    qsort(begins, count, sizeof *begins, by_value);
    qsort(ends, count, sizeof *ends, by_value);
    if (count >= 2 * resident) {
        micro_row((begins[resident - 1] - begins[0]) / (double)(resident - 1), "cycles",
                  "from start to start of the blocks of the first wave on one SM",
                  "block_start_gap_%d_threads", threads);
        double sum = 0;
        for (unsigned i = 0; i + resident < count; i++) sum += begins[i + resident] - ends[i];
        micro_row(sum / (count - resident), "cycles",
                  "from the end of a block to the start of the next one in its place",
                  "block_replace_gap_%d_threads", threads);
    }
    free(sm);
    free(spans);
    free(begins);
    free(ends);
}

static void launches(void) {
    enum { MANY = 1000, LAUNCHES = 11 };
    cudaEvent_t begin, end;
    float ms;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaEventRecord(begin));
        for (int k = 0; k < MANY; k++) empty<<<1, 32>>>(micro_default);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
    }
    micro_row(ms * 1e3 / MANY, "us", "1000 empty kernels one after another, by events", "launch");
    micro_row(micro_us(NULL, 1, 1, micro_default), "us", "two events with nothing between them",
              "events_alone");
    micro_row(micro_us(empty, 1, 32, micro_default), "us", "events around an empty kernel",
              "empty_kernel_1_block_32_threads");
    for (int threads : {32, 128, 256, 1024}) {
        for (int per_sm : {1, 2, 4, 8, 32, 128, 512})
            micro_row(micro_us(empty, per_sm * micro_sms, threads, micro_default), "us",
                      "events around an empty kernel with that many blocks per SM",
                      "empty_kernel_%d_per_sm_%d_threads", per_sm, threads);
    }
}

void micro_blocks(void) {
    for (unsigned threads = 32; threads <= 1024; threads *= 2) {
        const double done = (double)MICRO_ROUNDS * MICRO_REPEATS;
        micro_row(micro_cycles(barrier, 1, threads, micro_default) / done, "cycles",
                  "__syncthreads after __syncthreads, one block", "barrier_%d_threads", threads);
        micro_row(micro_cycles(barrier_shared, 1, threads, micro_default) / done, "cycles",
                  "store, barrier, load of it, barrier; one block", "barrier_shared_%d_threads",
                  threads);
    }
    if (micro_small) return;
    launches();
    gaps(32, 32);
    gaps(128, 16);
    gaps(256, 8);
    gaps(1024, 2);
}
