// The contract of lab 03, occupancy: three kinds of step. Steps 0 and 1 are a calculator and step 2
// a formula, functions of host memory; steps 3 to 8 are kernels. Source: CS 677 lecture 3, sections
// "Register File", "ILP vs. TLP" and "Occupancy Calculator". For C and CUDA C.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { OCCUPANCY_NOT_IMPLEMENTED = -1 };

// What one SM of a compute capability offers, and in which portions it gives it away
// (occupancy.def).
typedef struct occupancy_limits {
    int compute; // 10 x major + minor
    int warps, blocks, threads_per_block;
    int registers, registers_per_thread;
    int register_unit;       // registers are given in multiples of this
    bool registers_by_block; // to a block as a whole (1.x); else to each warp
    // 1.x: a block's warps count as a multiple of this; later: the register file has this many
    // equal
    int warp_unit;
    // parts, and a warp's registers lie in one of them
    int shared, shared_per_block; // bytes
    int shared_unit;              // bytes are given in multiples of this
    int shared_reserved;          // bytes that the system takes of each block on top
} occupancy_limits;

// NULL when the table has no such compute capability.
static inline const occupancy_limits *occupancy_limits_of(int compute) {
    static const occupancy_limits rows[] = {
#define OCCUPANCY_LIMITS(...) {__VA_ARGS__},
#include "occupancy.def"
#undef OCCUPANCY_LIMITS
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].compute == compute) return &rows[i];
    }
    return NULL;
}

// A kernel's needs. A block that cannot run at all (too many threads, registers or bytes) has 0
// active blocks.
typedef struct occupancy_config {
    int32_t compute;
    int32_t threads;      // a block, > 0
    int32_t registers;    // a thread, > 0
    int32_t shared_bytes; // a block, static and dynamic
} occupancy_config;

// Steps 0 and 1. blocks, warps: [count], active on one SM. Step 0 meets only configurations that
// neither registers nor shared memory limit. Host memory. Returns 0.
typedef int occupancy_calculator(const occupancy_config *configs, int64_t count, int32_t *blocks,
                                 int32_t *warps);

// Step 2. One SM has `schedulers` of them; each starts an instruction of a warp every issue_cycles.
// A warp has `independent` instructions to start before it must wait latency_cycles for a result.
// warps: [count], how many an SM needs so that no scheduler ever idles, each scheduler serving its
// own. All fields > 0. Host memory. Returns 0.
typedef struct occupancy_latency {
    int32_t latency_cycles, issue_cycles, independent, schedulers;
} occupancy_latency;

typedef int occupancy_hiding(const occupancy_latency *cases, int64_t count, int32_t *warps);

// Steps 3 to 8: folds each column of x. y[j] = v[rounds] with v[0] = 0, v[r + 1] = a v[r] +
// x[r][j].
//
//   d_x         device, [rounds][columns] float, row-major; only read; NULL when empty
//   columns     0 .. 2^26
//   rounds      0 .. 64
//   a           |a| <= 1
//   max_blocks  steps 3 to 6, whose blocks have 256 threads: no more than this many may be active
//               on an SM at once
//   d_y         device, [columns] float
//
// Returns 0, a cudaError_t, or OCCUPANCY_NOT_IMPLEMENTED. cudaErrorInvalidValue when a number is
// out of range.
typedef int occupancy_fold(const float *d_x, int64_t columns, int rounds, float a, int max_blocks,
                           float *d_y);

occupancy_calculator occupancy_step0, occupancy_step1;
occupancy_hiding occupancy_step2;
occupancy_fold occupancy_step3, occupancy_step4, occupancy_step5, occupancy_step6, occupancy_step7,
    occupancy_step8;

// What call.c finds in ints[0] of a call.
enum { OCCUPANCY_CALCULATE, OCCUPANCY_HIDE, OCCUPANCY_FOLD };

#ifdef __cplusplus
}
#endif
