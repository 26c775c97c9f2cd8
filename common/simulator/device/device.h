// SPDX-License-Identifier: MIT
// Devices as data (devices.def) and the occupancy that follows from them.
#ifndef SIM_DEVICE_DEVICE_H
#define SIM_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

// Sizes in KiB, ascending; those that are not used are 0.
enum { SIM_SIZES = 10 };
typedef struct sim_sizes {
    uint16_t kib[SIM_SIZES]; // the sizes
} sim_sizes;

// How a global access becomes transactions of device memory: values of the field `coalescing`
// (memory/access_legacy.h).
enum { SIM_COALESCE_SECTORS, SIM_COALESCE_SEQUENCE, SIM_COALESCE_SEGMENTS };

// One row of devices.def, or a device by file. device_fields.def says what each number is.
typedef struct sim_device {
    const char *id;   // for --device, e.g. "h100"; of a device by file its text (device_text.h)
    const char *name; // as the driver names the card
#define SIM_FIELD(type, field, least, most, what) type field;
#include "device/device_fields.def"
#undef SIM_FIELD
} sim_device;

// What the number of resident blocks is limited by.
typedef enum sim_limiter {
    SIM_LIMITER_WARPS,
    SIM_LIMITER_BLOCKS,
    SIM_LIMITER_REGISTERS,
    SIM_LIMITER_SHARED,
    SIM_LIMITER_BARRIERS
} sim_limiter;

// How many blocks and warps of a kernel fit on an SM.
typedef struct sim_occupancy {
    uint32_t blocks_per_sm, warps_per_sm;                              // resident at a time
    double fraction;                                                   // of the device's warps
    uint32_t limit_warps, limit_blocks, limit_registers, limit_shared; // blocks per SM by each
    uint32_t limit_barriers;                                           // 0: not asked for
    sim_limiter limiter; // the smallest of the limits; of equal ones the first in sim_limiter
} sim_occupancy;

// NULL when there is no such row. `id` NULL: the default device.
const sim_device *sim_device_find(const char *id);

// Whether accesses are counted by rules other than those of compute capability 5.0 and later.
bool sim_device_is_older(const sim_device *device);

// "h100, h200": every row's identifier, the default's first. For messages.
const char *sim_device_names(void);

// Blocks of so many threads that an SM holds at once as far as its places for warps and blocks go.
uint32_t sim_blocks_by_threads(const sim_device *device, uint64_t threads);

// Blocks of `threads` threads that an SM holds at once. blocks_per_sm 0: such a block cannot run.
void sim_occupancy_compute(const sim_device *device, uint32_t threads, uint32_t registers,
                           uint32_t shared_bytes, sim_occupancy *out_occupancy);

// Narrows the occupancy of blocks of `threads` threads that use `barriers` barriers (0: none).
void sim_occupancy_limit_barriers(const sim_device *device, uint32_t threads, uint32_t barriers,
                                  sim_occupancy *occupancy);

// Sizes that the shared part of an SM's L1 memory comes in: the smallest of at least `bytes` (CUDA
// C++ Programming Guide, "Shared Memory" of each compute capability); the largest when there is
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

// Microseconds of `moves` fills and copies on the device, which read and write `bytes` in all: each
// takes a kernel's fixed cost.
double sim_device_moves_us(const sim_device *device, uint64_t moves, uint64_t bytes);

// "registers", "shared memory", ..
const char *sim_limiter_name(sim_limiter limiter);

#endif
