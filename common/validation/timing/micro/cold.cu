// What the first accesses of a launch cost: with an L2 full of other data, written or only read,
// and with pages that were not used for a while. Random lines of which one, two or four sectors
// are wanted.
#include "micro.h"

enum { THREADS = 256, LINE = 128, PAGES = 64, PER_SM = 8 };
enum { BETWEEN = 512 << 20 }; // bytes from what is read to what is written

// ---- An L2 full of other data ----

static __global__ void read_all(const uint4 *data, uint64_t count, uint32_t *out) {
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    uint32_t sum = 0;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count; i += stride)
        sum ^= __ldcg(data + i).x;
    if (sum == 0x12345678u) *out = sum;
}

static void flush_read(void) {
    const uint4 *data = (const uint4 *)(micro_default.data + micro_bytes - micro_flush_bytes);
    read_all<<<16 * micro_sms, THREADS>>>(data, micro_flush_bytes / sizeof *data,
                                          micro_default.out);
}

// The first run.bytes of data, a word per thread in one row after another of all threads; 8 in
// flight.
static __global__ void reads(micro_run run) {
    const uint32_t *in = (const uint32_t *)run.data;
    const uint64_t count = run.bytes / 4, stride = (uint64_t)gridDim.x * blockDim.x;
    uint64_t at = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    for (; at < count; at += 8 * stride) {
        uint32_t v[8];
#pragma unroll
        for (int k = 0; k < 8; k++)
            v[k] = at + k * stride < count ? __ldcg(in + at + k * stride) : 0;
#pragma unroll
        for (int k = 0; k < 8; k++) sum += v[k];
    }
    run.out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static __global__ void writes(micro_run run) {
    uint32_t *out = (uint32_t *)run.data;
    const uint64_t count = run.bytes / 4, stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t at = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; at < count; at += stride)
        out[at] = run.seed;
}

// One word per thread, of as many threads as there are words.
static __global__ void copies(micro_run run) {
    const uint64_t at = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, words = run.bytes / 4;
    if (at < words) ((uint32_t *)run.data)[at + words] = ((const uint32_t *)run.data)[at];
}

// Elements of two arrays, loaded and stored in turn, one at a time; run.lanes 0: only loaded.
template <typename L, typename S> static __global__ void in_turn(micro_run run) {
    const L *in = (const L *)run.data;
    S *out = (S *)(run.data + BETWEEN);
    const uint64_t count = run.bytes, stride = (uint64_t)gridDim.x * blockDim.x;
    uint32_t sum = 0;
    for (uint64_t at = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; at < count; at += stride) {
        L v = in[at];
        if (run.lanes) out[at] = (S)v;
        else sum += (uint32_t)v;
    }
    if (sum == 0x12345678u) run.out[0] = sum;
}

// A word per thread, run.apart words from the next one's.
static __global__ void loads_apart(micro_run run) {
    uint32_t at = (blockIdx.x * blockDim.x + threadIdx.x) * run.apart;
    if (((const uint32_t *)run.data)[at] == 0x12345678u) *run.out = at;
}
static __global__ void stores_apart(micro_run run) {
    ((uint32_t *)run.data)[(blockIdx.x * blockDim.x + threadIdx.x) * run.apart] = run.seed;
}

static void words_apart(void) {
    const char *how = "a word per thread, so many words apart, of that many MiB, after 256 MiB of "
                      "other data";
    for (int mib = 16; mib <= 64; mib *= 4) {
        for (int apart = 2; apart <= 32; apart *= 2) {
            micro_run run = micro_default;
            run.apart = apart;
            unsigned blocks = (unsigned)(mib << 18) / apart / THREADS;
            micro_row(micro_us_after(micro_flush_written, loads_apart, blocks, THREADS, run), "us",
                      how, "first_loads_%d_apart_%d_mib", apart, mib);
            micro_row(micro_us_after(micro_flush_written, stores_apart, blocks, THREADS, run), "us",
                      how, "first_stores_%d_apart_%d_mib", apart, mib);
        }
    }
}

static void loads_and_stores_in_turn(void) {
    static const struct {
        const char *name;
        micro_kernel *kernel;
        int stores;
    } kernels[] = {
        {"1_bytes", in_turn<uint8_t, float>, 0},
        {"2_bytes", in_turn<uint16_t, float>, 0},
        {"4_bytes", in_turn<float, float>, 0},
        {"1_bytes_and_stores_of_1", in_turn<uint8_t, uint8_t>, 1},
        {"1_bytes_and_stores_of_4", in_turn<uint8_t, float>, 1},
        {"2_bytes_and_stores_of_4", in_turn<uint16_t, float>, 1},
        {"4_bytes_and_stores_of_1", in_turn<uint32_t, uint8_t>, 1},
        {"4_bytes_and_stores_of_4", in_turn<float, float>, 1},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        for (int mi = 1; mi <= 16; mi *= 4) {
            micro_run run = micro_default;
            run.bytes = (uint64_t)mi << 20;
            run.lanes = kernels[i].stores;
            micro_row(micro_us_after(micro_flush_written, kernels[i].kernel, PER_SM * micro_sms,
                                     THREADS, run),
                      "us", "64 warps on each SM, one load of a thread in flight, 2^20 elements",
                      "first_loads_of_%s_%d_mi", kernels[i].name, mi);
        }
}

static void after_flushes(void) {
    static const struct {
        const char *name;
        void (*before)(void);
    } states[] = {{"written", micro_flush_written}, {"read", flush_read}, {"warm", NULL}};
    for (size_t s = 0; s < sizeof states / sizeof states[0]; s++) {
        for (int mib : {1, 4, 16, 32, 64, 128}) {
            micro_run run = micro_default;
            run.bytes = (uint64_t)mib << 20;
            unsigned grid = PER_SM * micro_sms, blocks = run.bytes / 4 / THREADS;
            micro_row(micro_us_after(states[s].before, reads, grid, THREADS, run), "us",
                      "reads of that many MiB after 256 MiB of other data, written or read",
                      "first_reads_%s_%d_mib", states[s].name, mib);
            micro_row(micro_us_after(states[s].before, writes, grid, THREADS, run), "us",
                      "writes of that many MiB", "first_writes_%s_%d_mib", states[s].name, mib);
            micro_row(micro_us_after(states[s].before, copies, blocks, THREADS, run), "us",
                      "a copy of that many MiB, a word per thread", "first_copies_%s_%d_mib",
                      states[s].name, mib);
        }
    }
}

// ---- Pages ----

// One thread per block reads a word of each of PAGES places run.apart bytes apart, then a second
// word 16 KiB on, each load behind the one before. out[block][2][PAGES]: cycles, the clock's own
// included.
static __global__ void pages(micro_run run) {
    uint32_t *out = run.out + 2 * PAGES * blockIdx.x;
    unsigned char *start = run.data + (uint64_t)blockIdx.x * run.rounds;
    uint32_t zero = 0;
    for (int p = 0; p < PAGES; p++) {
        for (int second = 0; second < 2; second++) {
            unsigned char *at = start + (uint64_t)p * run.apart + second * 16384 + zero;
            long long begin = clock64();
            uint32_t word;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
            zero = word & run.zero;
            asm volatile("" ::"r"(zero) : "memory");
            if (zero) return; // never: the load is waited for here
            out[second * PAGES + p] = (uint32_t)(clock64() - begin);
        }
    }
}

static int by_value(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void page_rows(const char *name, unsigned blocks, int apart, int shift, bool flushed) {
    static uint32_t seen[2 * PAGES];
    micro_run run = micro_default;
    run.apart = apart;
    run.rounds = shift;
    for (int i = 0; i < 3; i++) { // the last counts
        if (flushed) micro_flush_written();
        pages<<<blocks, 1>>>(run);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(seen, micro_default.out, sizeof seen, cudaMemcpyDeviceToHost));
    for (int second = 0; second < 2; second++) {
        double sum = 0;
        qsort(seen + second * PAGES, PAGES, sizeof *seen, by_value);
        for (int p = 0; p < PAGES; p++) sum += seen[second * PAGES + p];
        const char *how = "64 places that many KiB apart: their first word, or one 16 KiB on";
        micro_row(seen[second * PAGES + PAGES / 2], "cycles", how, "%s_%d_kib_%s_p50", name,
                  apart >> 10, second ? "second" : "first");
        micro_row(sum / PAGES, "cycles", how, "%s_%d_kib_%s_mean", name, apart >> 10,
                  second ? "second" : "first");
    }
}

static void by_page(void) {
    for (int kib : {64, 512, 2048, 4096, 8192}) {
        page_rows("page_one_sm", 1, kib << 10, 0, true);
        page_rows("page_one_sm_again", 1, kib << 10, 0, false);
        page_rows("page_all_sms", micro_sms, kib << 10, 512, true);
    }
}

// ---- Random lines ----

// Groups of run.lanes lanes read that many neighbouring sectors of a line at a random place of
// run.bytes; 4 in flight.
static __global__ void lines(micro_run run) {
    const uint64_t count = run.bytes / LINE;
    const unsigned group = (blockIdx.x * blockDim.x + threadIdx.x) / run.lanes;
    const unsigned char *in = run.data + threadIdx.x % run.lanes * 32;
    uint32_t hash = group * 0x9E3779B9u + run.lanes, sum = 0;
#pragma unroll 1
    for (int i = 0; i < run.rounds; i++) {
        uint32_t v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            hash = (hash ^ (hash >> 15)) * 0x85EBCA6Bu + 0x7F4A7C15u;
            v[k] = __ldcg((const uint32_t *)(in + ((hash >> 3) & (count - 1)) * LINE));
        }
#pragma unroll
        for (int k = 0; k < 4; k++) sum += v[k];
    }
    run.out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void random_lines(void) {
    for (int mib : {8, 32, 256, 1024}) {
        for (int sectors = 1; sectors <= 4; sectors *= 2) {
            micro_run run = micro_default;
            run.bytes = (uint64_t)mib << 20;
            run.lanes = sectors;
            run.rounds = 32;
            const unsigned grid = PER_SM * micro_sms;
            double count = 4.0 * run.rounds * grid * THREADS / sectors;
            micro_row(micro_us(lines, grid, THREADS, run) * 1e3 / count, "ns/line",
                      "all SMs with 64 warps, random lines of that many MiB, so many sectors each",
                      "cost_random_lines_%d_sectors_%d_mib", sectors, mib);
        }
    }
}

void micro_cold(void) {
    CHECK(cudaMemset(micro_default.data, 0, micro_bytes));
    after_flushes();
    loads_and_stores_in_turn();
    by_page();
    random_lines();
    words_apart();
}
