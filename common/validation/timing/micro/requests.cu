// What a request of a warp takes of its SM by the lines that it touches, where the L2 or the L1
// answers. Addresses are constants of the instructions, so that nothing but loads is issued much.
#include "micro.h"

enum { IN_FLIGHT = 16, STEP = 33 * 4 * 32, WARPS = 32 };

#define LOAD(k, how)                                                                               \
    asm volatile("ld.global." how ".u32 %0, [%1 + %2];"                                            \
                 : "=r"(v[k])                                                                      \
                 : "l"(at), "n"((k) * (int)STEP))
#define LOADS(how)                                                                                 \
    LOAD(0, how);                                                                                  \
    LOAD(1, how);                                                                                  \
    LOAD(2, how);                                                                                  \
    LOAD(3, how);                                                                                  \
    LOAD(4, how);                                                                                  \
    LOAD(5, how);                                                                                  \
    LOAD(6, how);                                                                                  \
    LOAD(7, how);                                                                                  \
    LOAD(8, how);                                                                                  \
    LOAD(9, how);                                                                                  \
    LOAD(10, how);                                                                                 \
    LOAD(11, how);                                                                                 \
    LOAD(12, how);                                                                                 \
    LOAD(13, how);                                                                                 \
    LOAD(14, how);                                                                                 \
    LOAD(15, how)

// run.lanes lines per request; run.apart: words of a line that lanes read at most. Blocks begin
// everywhere in run.bytes. run.zero: neighbours of a line are lanes; 1: each lane is anywhere.
#define REQUESTS(name, how)                                                                        \
    static __global__ void name(micro_run run) {                                                   \
        const uint32_t lane = threadIdx.x % MICRO_WARP, warp = threadIdx.x / MICRO_WARP;           \
        const uint32_t own = lane / (MICRO_WARP / run.lanes) * 128 + lane % run.apart * 4;         \
        uint32_t place = blockIdx.x * 40503 + warp * 128, sum = 0;                                 \
        long long begin = 0;                                                                       \
        for (int lap = 0; lap < 2; lap++) {                                                        \
            __syncthreads();                                                                       \
            begin = clock64();                                                                     \
            _Pragma("unroll 1") for (int i = 0; i < run.rounds; i++) {                             \
                uint32_t v[IN_FLIGHT], offset = place * 128 + own;                                 \
                if (run.zero) offset = (place * 8191 + lane) * 0x9E3779B9u >> 2 & ~3u;             \
                const unsigned char *at = run.data + (offset & ((uint32_t)run.bytes - 1));         \
                LOADS(how);                                                                        \
                _Pragma("unroll") for (int k = 0; k < IN_FLIGHT; k++) sum ^= v[k];                 \
                place += 517;                                                                      \
            }                                                                                      \
        }                                                                                          \
        long long end = clock64();                                                                 \
        MICRO_DONE(sum);                                                                           \
    }
REQUESTS(past_l1, "cg")
REQUESTS(through_l1, "ca")

static __global__ void fill_chain(micro_run run) {
    for (uint32_t i = threadIdx.x; i < run.bytes / 4; i += blockDim.x)
        ((uint32_t *)run.data)[i] = (i * 1664525u + 1013904223u) % (uint32_t)(run.bytes / 4) * 4;
}
// Each lane goes its own way through run.bytes.
static __global__ void chain(micro_run run) {
    uint32_t at = threadIdx.x * 61 * 4 % (uint32_t)run.bytes;
    MICRO_TIMED(at = *(const uint32_t *)(run.data + at));
    MICRO_DONE(at);
}

static void row(micro_kernel *kernel, bool all, const micro_run *run, const char *name) {
    const double count = (double)run->rounds * IN_FLIGHT * WARPS;
    micro_row(micro_cycles(kernel, all ? micro_sms : 1, WARPS * MICRO_WARP, *run) / count,
              "cycles/instruction/SM", "32 warps per SM, 16 loads in flight each", "%s%s_%d_lines",
              name, all ? "_all_sms" : "", run->lanes);
}

void micro_requests(void) {
    if (micro_small) return;
    for (int lines = 1; lines <= MICRO_WARP; lines *= 2) {
        micro_run run = micro_default;
        run.lanes = lines;
        run.apart = MICRO_WARP;
        run.bytes = 16 << 20;
        row(past_l1, false, &run, "cost_l2_request");
        row(past_l1, true, &run, "cost_l2_request");
        if (lines <= 4) {
            run.apart = 8;
            row(past_l1, false, &run, "cost_l2_request_1_sector");
            row(past_l1, true, &run, "cost_l2_request_1_sector");
        }
        run.apart = MICRO_WARP;
        run.bytes = 8 << 10;
        row(through_l1, false, &run, "cost_l1_request");
    }
    for (int kib : {1, 4, 8, 16}) {
        micro_run run = micro_default;
        run.bytes = kib << 10;
        fill_chain<<<1, 1024>>>(run);
        for (int warps = 1; warps <= WARPS; warps *= 4)
            micro_row(micro_cycles(chain, 1, warps * MICRO_WARP, run) /
                          ((double)run.rounds * MICRO_REPEATS),
                      "cycles", "each lane of that many warps by itself around that many KiB",
                      "chain_l1_%d_kib_%d_warps", kib, warps);
        run.lanes = MICRO_WARP;
        run.apart = MICRO_WARP;
        run.zero = 1;
        row(through_l1, false, &run,
            kib == 1   ? "cost_l1_anywhere_1_kib"
            : kib == 4 ? "cost_l1_anywhere_4_kib"
            : kib == 8 ? "cost_l1_anywhere_8_kib"
                       : "cost_l1_anywhere_16_kib");
    }
}
