// SPDX-License-Identifier: MIT
// Devices as data (devices.def) and the occupancy that follows from them.
#ifndef SIM_DEVICE_DEVICE_H
#define SIM_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

// One row of devices.def. Limits are those of the CUDA C++ Programming Guide.
typedef struct sim_device {
    const char *id, *name; // for --device, e.g. "h100"; as the driver names the card
    uint32_t compute_major, compute_minor; // the compute capability, e.g. 9 and 0
    uint32_t sm_count, clock_mhz;          // streaming multiprocessors; their clock under load
    uint32_t warps_per_sm, blocks_per_sm, threads_per_sm; // resident on an SM, at most
    uint32_t threads_per_block;                           // at most
    uint32_t registers_per_sm;                            // of 32 bits
    uint32_t registers_per_block, registers_per_thread;   // at most
    uint32_t register_unit;   // registers are given to a warp in multiples of this
    uint32_t registers_least; // that a launch gives a thread, however few its kernel needs
    uint32_t barriers_per_sm; // of blocks: 16 for a block whose barrier numbers are not constants
    uint32_t shared_bytes_per_sm; // for all blocks of an SM together
    // At most: as a block gets it, and with cudaFuncAttributeMaxDynamicSharedMemorySize.
    uint32_t shared_bytes_per_block, shared_bytes_per_block_optin;

    // What each block takes beside its own, and the unit to which the sum is rounded up.
    uint32_t shared_reserved_bytes, shared_unit;

    uint32_t schedulers_per_sm;      // each starts at most one instruction per cycle
    uint64_t l2_bytes, memory_bytes; // of the L2 cache and of device memory
    // As the card's driver says; no time follows from them.
    uint32_t memory_clock_mhz, memory_bus_bits;

    double read_gbs, copy_gbs, l2_gbs; // measured, 10^9 bytes per second
    // Measured: what a line of a store costs the L2, and each sector.
    double store_line_ns, store_sector_ns;

    // From a load to its result, without contention.
    double dram_latency_ns, l2_latency_ns, shared_latency_cycles;

    double launch_us; // from one launch to the next, back to back
    double kernel_us; // shortest duration of an empty kernel
} sim_device;

// What the number of resident blocks is limited by.
typedef enum sim_limiter {
    SIM_LIMITER_WARPS,
    SIM_LIMITER_BLOCKS,
    SIM_LIMITER_REGISTERS,
    SIM_LIMITER_SHARED,
    SIM_LIMITER_BARRIERS
} sim_limiter;

// How many blocks and warps an SM holds of a kernel.
typedef struct sim_occupancy {
    uint32_t blocks_per_sm, warps_per_sm;                              // resident at a time
    double fraction;                                                   // of the device's warps
    uint32_t limit_warps, limit_blocks, limit_registers, limit_shared; // blocks a SM by each
    uint32_t limit_barriers;                                           // 0: not asked for
    sim_limiter limiter; // the smallest of the limits; of equal ones the first in sim_limiter
} sim_occupancy;

// NULL when there is no such row. `id` NULL: the default device.
const sim_device *sim_device_find(const char *id);

// "h100, h200": every row's identifier, the default's first. For messages.
const char *sim_device_names(void);

// Blocks of `threads` threads a SM holds at once. blocks_per_sm 0: such a block cannot run.
void sim_occupancy_compute(const sim_device *device, uint32_t threads, uint32_t registers,
                           uint32_t shared_bytes, sim_occupancy *out_occupancy);

// Narrows the occupancy of blocks of `threads` threads that use `barriers` barriers (0: none).
void sim_occupancy_limit_barriers(const sim_device *device, uint32_t threads, uint32_t barriers,
                                  sim_occupancy *occupancy);

// Sizes that the shared part of an SM's L1 memory comes in: the smallest of at least `bytes` (CUDA
// C++ Programming Guide, "Shared Memory" of compute capability 9.0); the largest when there is
// none.
uint32_t sim_carve_out(const sim_device *device, uint32_t bytes);

// Narrows the occupancy of a kernel whose program asks for an SM with `preferred_bytes` of shared
// memory (0: it does not): the carve-out is the smallest that has them and holds a block of
// `shared_bytes`.
void sim_occupancy_limit_carve_out(const sim_device *device, uint32_t threads,
                                   uint32_t shared_bytes, uint32_t preferred_bytes,
                                   sim_occupancy *occupancy);
// `percent` of an SM's shared memory as preferred_bytes; negative: no preference.
uint32_t sim_preferred_shared(const sim_device *device, int percent);

// "registers", "shared memory", ..
const char *sim_limiter_name(sim_limiter limiter);

#endif
