// Bandwidth of the L2 and of device memory for one SM and for all, by warps and by the loads that
// each has in flight; of stores; of single sectors at random places.
#include "micro.h"

enum { THREADS = 1024, LINE = 128, SECTOR = 32 };

// Each warp reads a row of WIDTH bytes per lane, KEPT rows in flight; blocks take rows in turn.
// run.rounds rows per warp and load, from a window of run.bytes.
#define STREAM(name, kept, type, sum_of)                                                           \
    static __global__ void name(micro_run run) {                                                   \
        const uint64_t count = run.bytes / sizeof(type);                                           \
        const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;                                  \
        uint64_t at = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;                             \
        const type *in = (const type *)run.data;                                                   \
        uint32_t sum = 0;                                                                          \
        __syncthreads();                                                                           \
        long long begin = clock64();                                                               \
        _Pragma("unroll 1") for (int i = 0; i < run.rounds; i++) {                                 \
            type v[kept];                                                                          \
            _Pragma("unroll") for (int k = 0; k < kept; k++) {                                     \
                v[k] = __ldcg(in + at);                                                            \
                at += stride;                                                                      \
                if (at >= count) at -= count;                                                      \
            }                                                                                      \
            _Pragma("unroll") for (int k = 0; k < kept; k++) sum += sum_of(v[k]);                  \
        }                                                                                          \
        long long end = clock64();                                                                 \
        MICRO_DONE(sum);                                                                           \
    }
#define OF_WORD(v) (v)
#define OF_FOUR(v) ((v).x ^ (v).y ^ (v).z ^ (v).w)
STREAM(words_1, 1, uint32_t, OF_WORD)
STREAM(words_2, 2, uint32_t, OF_WORD)
STREAM(words_4, 4, uint32_t, OF_WORD)
STREAM(words_8, 8, uint32_t, OF_WORD)
STREAM(fours_1, 1, uint4, OF_FOUR)
STREAM(fours_2, 2, uint4, OF_FOUR)
STREAM(fours_4, 4, uint4, OF_FOUR)
STREAM(fours_8, 8, uint4, OF_FOUR)

static const struct {
    micro_kernel *kernel;
    int bytes, kept;
} streams[] = {
    {words_1, 4, 1},  {words_2, 4, 2},  {words_4, 4, 4},  {words_8, 4, 8},
    {fours_1, 16, 1}, {fours_2, 16, 2}, {fours_4, 16, 4}, {fours_8, 16, 8},
};
enum { STREAMS = sizeof streams / sizeof streams[0] };

// Each lane reads a sector of its own at a random place; 4 in flight.
static __global__ void sectors(micro_run run) {
    const uint64_t count = run.bytes / SECTOR;
    const uint32_t *in = (const uint32_t *)run.data;
    uint32_t hash = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9E3779B9u + run.lanes, sum = 0;
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < run.rounds; i++) {
        uint32_t v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            hash = (hash ^ (hash >> 15)) * 0x85EBCA6Bu + 0x7F4A7C15u;
            v[k] = __ldcg(in + ((hash >> 3) & (count - 1)) * (SECTOR / 4));
        }
#pragma unroll
        for (int k = 0; k < 4; k++) sum += v[k];
    }
    long long end = clock64();
    MICRO_DONE(sum);
}

// Stores of 4 bytes per lane, lanes run.apart words apart, one row after another of all threads.
static __global__ void stores(micro_run run) {
    const uint64_t words = run.bytes / 4;
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x * run.apart;
    uint64_t at = (blockIdx.x * (uint64_t)blockDim.x + threadIdx.x) * run.apart % words;
    uint32_t *out = (uint32_t *)run.data;
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < run.rounds; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            out[at] = i;
            at += stride;
            if (at >= words) at %= words;
        }
    }
    long long end = clock64();
    MICRO_DONE(at);
}

static __global__ void stores_16(micro_run run) {
    const uint64_t count = run.bytes / 16, stride = (uint64_t)gridDim.x * blockDim.x;
    uint64_t at = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    uint4 *out = (uint4 *)run.data;
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < run.rounds; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            out[at] = make_uint4(i, i, i, i);
            at += stride;
            if (at >= count) at -= count;
        }
    }
    long long end = clock64();
    MICRO_DONE(at);
}

// One SM: cycles of its clock. The window stays in the L2 (run once before) or is new each time.
static void one_sm(void) {
    for (int s = 0; s < STREAMS; s++) {
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            micro_run run = micro_default;
            run.rounds = 128;
            run.laps = 1;
            run.bytes = 2 << 20;
            double bytes = (double)run.rounds * streams[s].kept * streams[s].bytes * warps * 32;
            micro_row(bytes / micro_cycles(streams[s].kernel, 1, warps * 32, run), "bytes/cycle/SM",
                      "one block alone, data in the L2",
                      "l2_one_sm_%d_byte_loads_%d_warps_%d_in_flight", streams[s].bytes, warps,
                      streams[s].kept);
        }
    }
}

static double gbs(double bytes, double us) { return bytes / us * 1e-3; }

static void all_sms(const char *level, uint64_t window, int rounds) {
    static const int warps[] = {1, 2, 4, 8, 16, 32, 64};
    for (int s = 0; s < STREAMS; s++) {
        for (size_t w = 0; w < sizeof warps / sizeof warps[0]; w++) {
            if (micro_quick && (s < STREAMS - 1 || warps[w] < 64)) continue;
            micro_run run = micro_default;
            unsigned blocks = micro_sms * (warps[w] > 32 ? 2 : 1), threads = warps[w] * 32;
            if (warps[w] > 32) threads = THREADS;
            run.bytes = window;
            run.rounds = rounds * 1024 / (streams[s].kept * streams[s].bytes * warps[w]);
            if (run.rounds < 1) run.rounds = 1;
            double bytes =
                (double)run.rounds * streams[s].kept * streams[s].bytes * blocks * threads;
            micro_row(gbs(bytes, micro_us(streams[s].kernel, blocks, threads, run)), "GB/s",
                      "all SMs, the same warps on each; events, launch included",
                      "%s_all_sms_%d_byte_loads_%d_warps_%d_in_flight", level, streams[s].bytes,
                      warps[w], streams[s].kept);
        }
    }
}

static void random_sectors(void) {
    for (int mib : {1, 8, 16, 32, 1024}) {
        micro_run run = micro_default;
        run.rounds = 64;
        run.laps = 1;
        run.bytes = (uint64_t)mib << 20;
        double count = 4.0 * run.rounds * THREADS;
        micro_row(count / micro_cycles(sectors, 1, THREADS, run), "sectors/cycle/SM",
                  "one block of 32 warps alone, random sectors of that many MiB, 4 in flight",
                  "random_sectors_one_sm_%d_mib", mib);
        micro_row(count * 2 * micro_sms / micro_us(sectors, 2 * micro_sms, THREADS, run) * 1e-3,
                  "sectors/ns", "all SMs with 64 warps, random sectors of that many MiB",
                  "random_sectors_all_sms_%d_mib", mib);
    }
}

static void all_stores(void) {
    static const int apart[] = {1, 2, 4, 8, 16, 32, 33};
    micro_run run = micro_default;
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        run.apart = apart[i];
        run.rounds = 32;
        run.laps = 1;
        run.bytes = 16 << 20;
        double count = 4.0 * run.rounds * THREADS / 32;
        micro_row(micro_cycles(stores, 1, THREADS, run) / count, "cycles/instruction/SM",
                  "one block of 32 warps alone, lanes that many words apart, 16 MiB",
                  "cost_store_one_sm_apart_%d", apart[i]);
        micro_row(micro_us(stores, 2 * micro_sms, THREADS, run) * 1e3 / (count * 2 * micro_sms),
                  "ns/instruction", "all SMs, lanes that many words apart, 16 MiB",
                  "cost_store_l2_apart_%d", apart[i]);
        run.bytes = micro_bytes;
        micro_row(micro_us(stores, 2 * micro_sms, THREADS, run) * 1e3 / (count * 2 * micro_sms),
                  "ns/instruction", "all SMs, lanes that many words apart, 1 GiB",
                  "cost_store_dram_apart_%d", apart[i]);
    }
    run.rounds = 32;
    double bytes = 64.0 * run.rounds * THREADS * 2 * micro_sms;
    run.bytes = 16 << 20;
    micro_row(gbs(bytes, micro_us(stores_16, 2 * micro_sms, THREADS, run)), "GB/s",
              "all SMs, 16 bytes per lane, 16 MiB", "store_l2_16_bytes");
    run.bytes = micro_bytes;
    micro_row(gbs(bytes, micro_us(stores_16, 2 * micro_sms, THREADS, run)), "GB/s",
              "all SMs, 16 bytes per lane, 1 GiB", "store_dram_16_bytes");
}

void micro_streams(void) {
    CHECK(cudaMemset(micro_default.data, 17, micro_bytes));
    if (!micro_quick) one_sm();
    all_sms("l2", 16 << 20, 64);
    all_sms("dram", micro_bytes, 64);
    if (micro_quick) return;
    random_sectors();
    all_stores();
}
