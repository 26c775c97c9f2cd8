// SPDX-License-Identifier: MIT
// mbarrier objects: 8 bytes of shared memory, opaque to programs.
#ifndef SIM_WARPS_MBARRIER_H
#define SIM_WARPS_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

//   bits 0..19   arrivals still wanted in this phase
//   bits 20..39  arrivals that a phase wants
//   bits 40..60  bytes still expected, 21 bits in two's complement
//   bit 62       parity of the phase
//   bits 61, 63  0 and 1: initialised; poison has both set
enum { SIM_MBARRIER_MAX = (1 << 20) - 1 };
typedef struct sim_mbarrier {
    uint32_t wanted, per_phase; // arrivals: still wanted in this phase, and wanted in each
    int32_t bytes;              // still expected
    bool parity, valid;         // of the present phase; the object was initialised
} sim_mbarrier;

// The object whose 8 bytes are `bits`.
static inline sim_mbarrier sim_mbarrier_read(uint64_t bits) {
    return (sim_mbarrier){.wanted = bits & SIM_MBARRIER_MAX,
                          .per_phase = bits >> 20 & SIM_MBARRIER_MAX,
                          .bytes = (int32_t)((int64_t)(bits << 3) >> 43),
                          .parity = bits >> 62 & 1,
                          .valid = (bits >> 61 & 5) == 4};
}

// Its 8 bytes.
static inline uint64_t sim_mbarrier_bits(sim_mbarrier barrier) {
    return (uint64_t)barrier.wanted | (uint64_t)barrier.per_phase << 20 |
           ((uint64_t)barrier.bytes & 0x1FFFFF) << 40 | (uint64_t)barrier.parity << 62 |
           (uint64_t)barrier.valid << 63;
}

// Ends the phase when nothing is missing any more.
static inline void sim_mbarrier_settle(sim_mbarrier *barrier) {
    if (barrier->wanted != 0 || barrier->bytes != 0) return;
    barrier->parity = !barrier->parity;
    barrier->wanted = barrier->per_phase;
}

#endif
