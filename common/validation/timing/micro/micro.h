// What the micro-benchmarks share: one form of kernel, its launch, two ways of timing it, and the
// row that each constant becomes. Must not know what is measured.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../check.h"

enum { MICRO_WARP = 32, MICRO_REPEATS = 32, MICRO_ROUNDS = 64, MICRO_SPANS = 1 << 17 };

// The arguments of every kernel here.
typedef struct micro_run {
    unsigned char *data; // [micro_bytes] device memory; what is in it, the benchmark says
    uint32_t *out;       // [grid * block] results, so that nothing is optimised away
    long long *spans;    // [warps][2] clock of the SM where a warp's timed part begins and ends
    uint64_t bytes;      // of data that are used
    uint32_t seed;       // 1; the compiler does not know it
    uint32_t zero;       // 0; likewise: keeps equal chains from being merged
    int rounds;          // repetitions of the timed loop
    int apart;           // distance of neighbouring lanes, in the benchmark's unit
    int lanes;           // lanes that take part, or share an address
    int laps;            // times that the kernel does all rounds, of which it times the last: 2
} micro_run;

// Runs BODY MICRO_REPEATS times in each of run.rounds rounds, all of it once before the clock
// counts (caches of data and code are warm then). BODY may use k.
#define MICRO_TIMED(body)                                                                          \
    long long begin = 0;                                                                           \
    for (int lap = 0; lap < 2; lap++) {                                                            \
        __syncthreads();                                                                           \
        begin = clock64();                                                                         \
        _Pragma("unroll 1") for (int i = 0; i < run.rounds; i++) {                                 \
            _Pragma("unroll") for (int k = 0; k < MICRO_REPEATS; k++) { body; }                    \
        }                                                                                          \
    }                                                                                              \
    long long end = clock64()

// Leaves the span of this warp, and a value that depends on all of the work.
#define MICRO_DONE(value)                                                                          \
    do {                                                                                           \
        const unsigned done_at = blockIdx.x * blockDim.x + threadIdx.x;                            \
        run.out[done_at] = (uint32_t)(value);                                                      \
        if (threadIdx.x % MICRO_WARP == 0) {                                                       \
            run.spans[2 * (done_at / MICRO_WARP)] = begin;                                         \
            run.spans[2 * (done_at / MICRO_WARP) + 1] = end;                                       \
        }                                                                                          \
    } while (0)

typedef void micro_kernel(micro_run run);

extern micro_run micro_default; // the buffers, seed 1, MICRO_ROUNDS rounds
extern uint64_t micro_bytes;    // of micro_default.data
extern int micro_sms;           // multiprocessors of the card
extern double micro_mhz;        // their clock
extern bool micro_small;        // only what one warp, or one block's barriers, take
extern bool micro_quick;        // of streams the fastest

// Cycles from the first begin to the last end of a block's warps, the longest block's; the least of
// 5 launches.
double micro_cycles(micro_kernel *kernel, unsigned grid, unsigned block, micro_run run);
// The same, of a launch with attributes.
double micro_cycles_of(micro_kernel *kernel, const cudaLaunchConfig_t *config, micro_run run);
// Microseconds between events around one launch behind a delay that keeps the card busy meanwhile;
// the median of 11.
double micro_us(micro_kernel *kernel, unsigned grid, unsigned block, micro_run run);
// The same, with `before` (NULL: nothing) done before each launch.
double micro_us_after(void (*before)(void), micro_kernel *kernel, unsigned grid, unsigned block,
                      micro_run run);

// Fills the L2 with other data, of which nothing has gone to device memory yet: the last bytes of
// micro_default.data.
extern const uint64_t micro_flush_bytes; // four times the L2
void micro_flush_written(void);

// Prints `name,value,unit,"how"`. name: printf's format.
void micro_row(double value, const char *unit, const char *how, const char *name, ...)
    __attribute__((format(printf, 4, 5)));

// The benchmarks, in the order of main.cu.
void micro_pipes(void);
void micro_matrix(void);
void micro_shared(void);
void micro_latencies(void);
void micro_streams(void);
void micro_atomics(void);
void micro_constants(void);
void micro_blocks(void);
void micro_cold(void);
void micro_clocks(void);
void micro_scattered(void);
void micro_textures(void);
void micro_clusters(void);
void micro_mixed(void);
void micro_registers(void);
void micro_branches(void);
void micro_requests(void);
