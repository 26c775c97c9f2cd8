// Devices as data (devices.def) and the occupancy that follows from them.
#pragma once

#include "base/base.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- device.c -----------------------------------------------------------------------------------

// Sizes that do not descend; those that are not used are 0.
enum { SIM_SIZES = 10 };
typedef struct sim_sizes {
    uint16_t at[SIM_SIZES]; // the sizes
} sim_sizes;

// How a global access becomes transactions of device memory: values of the field `coalescing`
// (memory/access.h).
enum { SIM_COALESCE_SECTORS, SIM_COALESCE_SEQUENCE, SIM_COALESCE_SEGMENTS };

// One row of devices.def, or a device by file. device_fields.def says what each number is.
typedef struct sim_device {
    const char *id;   // for --device, e.g. "h100"; of a device by file its text (device_text.c)
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

// Blocks of a grid and threads of a block along each axis, at most, of all devices (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability").
enum {
    SIM_GRID_MOST_X = INT32_MAX,
    SIM_GRID_MOST_YZ = 65535,
    SIM_BLOCK_MOST_XY = 1024,
    SIM_BLOCK_MOST_Z = 64
};

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

// Clusters of `cluster_blocks` blocks that run at the same time, `blocks_per_sm` blocks on an SM.
uint32_t sim_active_clusters(const sim_device *device, uint32_t blocks_per_sm,
                             uint32_t cluster_blocks);

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

// ---- features -----------------------------------------------------------------------------------
// What cards have from some compute capability on (features.def).

// The rows of features.def, in their order.
typedef enum sim_feature {
#define SIM_FEATURE(id, major, minor, what) SIM_FEATURE_##id,
#include "device/features.def"
#undef SIM_FEATURE
    SIM_FEATURE_COUNT
} sim_feature;

// Of the features whose bits (1 << sim_feature) are set, those that the device lacks.
uint32_t sim_device_lacks(const sim_device *device, uint32_t features);

// "warp shuffles" and the compute capability from which on they are there.
const char *sim_feature_text(sim_feature feature, uint32_t *out_major, uint32_t *out_minor);

// Whether thread blocks form clusters on this device: from compute capability 9.0 on.
bool sim_device_has_clusters(const sim_device *device);

// Compute capability that kernels are compiled for. Machine code, and with it registers, merged
// accesses and spills, is that of this one, whatever is simulated.
enum { SIM_COMPILED_MAJOR = 9, SIM_COMPILED_MINOR = 0 };

// Whether the device is of another one.
bool sim_device_is_foreign(const sim_device *device);

// Whether times of launches are the cycle-level model's (timing/sm): on compute capability 9.0, for
// which there is machine code and whose latencies were measured, on an H200. Else they are the
// analytical model's.
bool sim_device_has_sm_model(const sim_device *device);

// What to add to a message about too many registers: "" where they are the device's own.
const char *sim_device_registers_origin(const sim_device *device);

// ---- cuda_numbers.c -----------------------------------------------------------------------------
// What host and device code of the CUDA runtime answer alike, by the numbers of its enumerations:
// errors (errors.def) and attributes of a device (attributes.def). Needs no header of CUDA.

// enum cudaError, as far as kernels meet it.
enum {
#define RUNTIME_ERROR(code, number, words) SIM_##code = number,
#include "device/errors.def"
#undef RUNTIME_ERROR
};

// "cudaErrorInvalidValue", "invalid argument"; of numbers that are no error as the runtime says it.
const char *sim_error_name(int err);
const char *sim_error_text(int err);

// All names and texts one after the other, each with its NUL: what lies in device memory for
// kernels.
size_t sim_error_strings(char *out_text, size_t bytes); // returns the bytes of all
// Where in it the name or the text of an error begins.
size_t sim_error_string_at(int err, bool is_name);

// The value of an attribute of the device; false when there is none of this number.
bool sim_attribute(const sim_device *device, int attribute, int *out_value);

// ---- queues -------------------------------------------------------------------------------------
// What the checks are told of the order of work on the device: which stream it was put into, and
// what waits for what (CUDA C++ Programming Guide, "Streams", "Default Stream"; CUDA Runtime API,
// "API synchronization behavior").

// Where work is done one piece after the other, or a point that others can wait for. A number of
// the program's choice, shifted, with a sim_queue_kind below it; never used again for another one.
typedef uint64_t sim_queue;

// What kind of queue it is: the low bits of a sim_queue.
typedef enum sim_queue_kind {
    SIM_QUEUE_HOST,     // the program; only as SIM_HOST_QUEUE
    SIM_QUEUE_LEGACY,   // a device's default stream; only as SIM_LEGACY_QUEUE on it
    SIM_QUEUE_BLOCKING, // a stream that waits for the default stream, and that one for it
    SIM_QUEUE_APART,    // a stream made with cudaStreamNonBlocking
    SIM_QUEUE_NODES,    // nodes of a graph that wait for one another
    SIM_QUEUE_EVENT,    // a point behind what was in a queue then
    SIM_QUEUE_KINDS
} sim_queue_kind;

// The queue of a kind with a number; and its kind.
#define SIM_QUEUE(kind, number) ((sim_queue)(number) << 3 | (kind))
// See SIM_QUEUE.
#define SIM_QUEUE_KIND(queue) ((sim_queue_kind)((queue)&7))
// Of a queue of device 0 the same one of another device; and the device of one. Each device has a
// default stream, for which its own blocking streams wait.
#define SIM_QUEUE_ON(queue, device) ((queue) | (sim_queue)(device) << 56)
// See SIM_QUEUE_ON.
#define SIM_QUEUE_DEVICE(queue) ((uint32_t)((queue) >> 56))
// The host's own queue.
#define SIM_HOST_QUEUE SIM_QUEUE(SIM_QUEUE_HOST, 0)
// The queue of the legacy default stream.
#define SIM_LEGACY_QUEUE SIM_QUEUE(SIM_QUEUE_LEGACY, 0)

// What the checks are told, with the queues that it is about.
typedef enum sim_order_step {
    // Copies and fills from here on are a piece of work in `queue`, made by the call that `text`
    // names: "cudaMemset\nFILE+0xADDRESS 0xADDRESS". SIM_HOST_QUEUE: they are not looked at,
    // and a launch that follows is that call's.
    SIM_STEP_WORK,
    // What is put into `queue` from here on comes after all that is in `other` by now. An event as
    // `queue` is recorded anew; the host as `queue` waits.
    SIM_STEP_AFTER,
    SIM_STEP_GONE, // nothing will name `queue` any more
    SIM_STEP_ALL,  // the host waits for everything
    SIM_STEP_COUNT
} sim_order_step;

// What work that the host has not waited for does with pages of memory that both share.
typedef enum sim_pages_use {
    SIM_PAGES_WRITTEN = 1,
    SIM_PAGES_READ = 2,
    SIM_PAGES_IN_PART = 4 // not with all their bytes
} sim_pages_use;

// ---- device_text.c ------------------------------------------------------------------------------
// A device as text: the format of files for --device, and what processes exchange when such a
// device is simulated. Lines, or parts between ';', are `field = value`; what follows '#' is a
// comment. `like = ID` takes over a row of devices.def and comes first; without it every number
// must be given. The other fields are `name` (free text) and those of device_fields.def; a list of
// sizes is written with blanks.
//
//     like = k40
//     name = Tesla K20X      # 14 SMs, 732 MHz
//     sm_count = 14
//     clock_mhz = 732

enum { SIM_DEVICE_TEXT = 3072 }; // bytes of a device's `id` at most, with its end

// Whether a word means a device as text (it has a '='), or a file with one (it has a '/' or a '.').
bool sim_device_is_text(const char *word);
bool sim_device_is_file(const char *word);

// Reads a device. out_device->id becomes its text on one line without comments, which is read again
// as the same device. The device lives as long as the process, as the rows of devices.def do.
// SIM_INVALID_VALUE says the line and what is wrong: an unknown field, a number outside its range,
// a field given twice or missing, numbers that contradict one another. SIM_OUT_OF_MEMORY.
sim_status sim_device_from_text(const char *text, const sim_device **out_device, kl_error *err);

// A row, a text or a file, whichever `word` is; NULL: the default row.
sim_status sim_device_open(const char *word, const sim_device **out_device, kl_error *err);

// Writes a device in this format, each number with what it is and, for a row of devices.def, where
// it comes from (device_sources.def).
void sim_device_write(FILE *out, const sim_device *device);

// A number by its field's name; false when there is none of this name.
bool sim_device_number(const sim_device *device, const char *field, double *out_value);

// The source of a row's number; NULL when none is stated.
const char *sim_device_source(const char *id, const char *field);
