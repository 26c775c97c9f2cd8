// The engine: simulated devices of one kind, mostly one. Handles, byte copies and descriptors only,
// never host pointers into device memory, so that the same interface works in-process (inprocess.c)
// and over a socket (remote/client.c, with remote/server.c at the other end). Knows nothing of
// labs, of CUDA's API or of grading. Calls may come from several threads; they are serialised here.
#pragma once

#include "device/descriptors.h"
#include "device/report.h"
#include "device/spans.h"

typedef struct sim_engine sim_engine;
typedef uint32_t sim_module_handle;   // 0 is never valid
typedef uint32_t sim_function_handle; // likewise

// SIM_LIMIT_OUTPUT of a process that sets none (H200).
#define SIM_DEFAULT_OUTPUT_BYTES UINT64_C(8650752)

// What cudaDeviceSetLimit sets, in bytes but for the last two; the last is this kit's own.
typedef enum sim_limit {
    SIM_LIMIT_STACK,            // of a thread, for calls
    SIM_LIMIT_OUTPUT,           // of device printf between two sim_take_output
    SIM_LIMIT_HEAP,             // of malloc in kernels; fixed once per launch that calls it has run
    SIM_LIMIT_PENDING_LAUNCHES, // tail launches that a grid may have waiting
    SIM_LIMIT_INSTRUCTIONS,     // warp instructions of all launches from now on together, within
                                // max_instructions of each; 0: no such limit
    SIM_LIMIT_COUNT
} sim_limit;

// How an engine is opened. Zeros are the default: results only, on an H100.
typedef struct sim_options {
    const char *device;        // row of device/devices.def; NULL: "h100"
    uint32_t devices;          // that there are of it, at most SIM_MOST_DEVICES; 0: one
    sim_mode mode;             // for the life of the engine, but see sim_engine_count
    uint32_t threads;          // host threads; 0: all cores. Changes speed, never results or counts
    uint64_t memory_bytes;     // host memory a device may use; 0: its part of 3/4 of what is free
    uint64_t max_instructions; // a launch, in warp instructions; 0: a generous default
    // Likewise of a block: an endless loop shows in its first block, however large the grid; 0:
    // none
    uint64_t max_block_instructions;
    sim_progress *progress; // NULL: nobody waits; must outlive the engine
    sim_schedule schedule;
    uint32_t timelines; // SIM_MODE_COUNT: of how many launches, from the first, to make a timeline
    uint32_t codes;     // likewise: of how many reports hold the code, with what each did
    // SIM_MODE_COUNT: of how many launches of each kernel to record accesses and branches
    // (device/counters.h); 0: none, and code runs as if there were no maps. On cards that count by
    // older rules (memory/access.h) only of what they have themselves.
    uint32_t maps;
    // A module with an instruction that the simulator does not have is not loaded; else only
    // launches of the kernels that reach the instruction fail.
    bool strict;
    // SIM_MODE_CHECK: how large the number of elements may be that a kernel is told; 2^31 or more:
    // loops are found whose index is too narrow for it (INDEX_WIDTH). 0: not known
    uint64_t most_elements;
    bool resident;      // all blocks of a launch that fit on the device run at the same time, as in
                        // cooperative launches
    bool serves_others; // the callers are in another process: attached memory is copied
    bool guarded;       // 512 bytes stay free behind each allocation, as where `judged`
    bool judged;        // SIM_MODE_COUNT: notes are kept of who writes what (sim_writers_get)
    bool uncached;      // SIM_MODE_COUNT: neither caches nor times are modelled, which is faster;
                        // counts of caches and of memory behind them are 0
    bool bounded_times; // launches take the time of the analytical model alone
    struct sim_debugger *debugger; // of debug/debugger.h, to which launches stop; NULL: none
} sim_options;

// What is known of a kernel before it is launched.
typedef struct sim_function_info {
    char name[256];     // mangled, truncated if longer
    uint32_t registers; // per thread, from the cubin; estimated from PTX when registers_estimated
    bool registers_estimated; // no machine code was there to read them from
    uint32_t shared_bytes;    // static, per block
    uint32_t local_bytes;     // per thread
    uint32_t barriers; // that a block uses, 16 when their numbers are not constants; 0: not known
    uint32_t constant_bytes;              // of the module's __constant__ variables
    uint32_t max_threads;                 // a block, from limits and registers
    uint32_t max_dynamic_shared_bytes;    // current limit (48 KiB unless raised)
    uint32_t ptx_version, binary_version; // 90 each, say
    sim_dim3 cluster; // blocks of a cluster that the kernel is compiled for; 0 x 0 x 0: not given
    sim_dim3 required_threads;    // .reqntid; x 0: not given
    uint32_t most_cluster_blocks; // third parameter of __launch_bounds__; 0: not given
    uint32_t param_count;         // parameters of the kernel
    struct {
        uint32_t offset, size_bytes;
    } params[256];        // in the parameter block
    uint32_t param_bytes; // of the parameter block
} sim_function_info;

// What may be wrong with the configuration of a launch, in the order in which it is looked at.
typedef enum sim_launch_flaw {
    SIM_FLAW_NONE,
    SIM_FLAW_GRID,           // no blocks along an axis, or more than a grid may have there
    SIM_FLAW_THREADS,        // more threads than a block of the device may have
    SIM_FLAW_BLOCK,          // no threads along an axis, or more than a block may have there
    SIM_FLAW_DYNAMIC_SHARED, // more than the kernel's limit
    SIM_FLAW_REGISTERS,      // those of a block do not fit on an SM
    SIM_FLAW_BOUNDS,         // more threads than the kernel's __launch_bounds__ or registers allow
    SIM_FLAW_REQUIRED,       // other threads than those that the kernel is compiled for
    SIM_FLAW_COOPERATIVE,    // more blocks than run at the same time
    SIM_FLAW_CLUSTER, // of a size that the kernel may not have or that does not divide the grid
    SIM_FLAW_THREAD_REGISTERS, // more than a thread of the device may have
    SIM_FLAW_NO_CLUSTERS       // the device has none
} sim_launch_flaw;

// What a launch gave.
typedef struct sim_launch_result {
    uint32_t index;             // of the launch in this engine, from 0: key of its report
    double time_us;             // modelled duration on the device, launch overhead not included
    double share;               // of the device that its grid fills, at most 1
    uint64_t warp_instructions; // executed, all blocks together
    double host_seconds;        // that it took on the host
    sim_fault fault;            // SIM_OK unless the kernel went wrong
    double waited_us;           // for other launches, beside time_us
    // sim_launch_kernel: not 0: it waits, and has been set aside under this number.
    // sim_launch_go_on: which of those has ended; 0: none.
    uint32_t held;
    // What launches from kernels below this one made of it: their number is in the reports that
    // follow; time_us and warp_instructions include them.
    char note[512]; // why some of them failed without their kernel asking; "": none
} sim_launch_result;

// An engine in this process. SIM_INVALID_VALUE for a device that is no row of devices.def. Close
// with sim_engine_close.
sim_status sim_engine_open_local(const sim_options *options, sim_engine **out_engine,
                                 kl_error *err);
// Speaks to an engine server through a connected stream socket; takes the descriptor over.
sim_status sim_engine_open_remote(int descriptor, sim_engine **out_engine, kl_error *err);
void sim_engine_close(sim_engine *engine);

// Whether launches from now on are counted and timed. Without, an engine of SIM_MODE_COUNT in this
// process gives results alone, in a third of the time; its reports say SIM_MODE_FUNCTIONAL. Nothing
// in other modes, nor of an engine in another process, whose owner wants what it counts.
void sim_engine_count(sim_engine *engine, bool counts);

// Device parameters (constant for the life of the engine).
const sim_device *sim_engine_device(sim_engine *engine);
uint32_t sim_engine_device_count(sim_engine *engine);

// Conditions of graphs: numbers from 1 on with a value, which kernels set (cudaGraphSetConditional
// in device code). Setting one makes it and those before it; SIM_INVALID_VALUE: there is none.
enum { SIM_MOST_CONDITIONS = 1 << 20 };

// The first flaw of a launch with this configuration, and the occupancy of its blocks, zeros where
// these are no blocks. Clusters have at most `cluster_blocks` blocks.
sim_launch_flaw sim_launch_check(const sim_device *device, const sim_function_info *kernel,
                                 const sim_launch_config *config, uint32_t cluster_blocks,
                                 sim_occupancy *out_occupancy);
// How many blocks of config->block threads fit on an SM: by threads, registers, shared memory, the
// carve-out that is asked for, and barriers.
void sim_launch_occupancy(const sim_device *device, const sim_function_info *kernel,
                          const sim_launch_config *config, sim_occupancy *out_occupancy);
// The clusters of a launch that asks for none, of a kernel that is compiled for such: with 1 along
// an axis that is left out. 0 x 0 x 0: for none.
sim_dim3 sim_compiled_cluster(sim_dim3 compiled);
// Whether a cluster has at most `most` blocks, and some along each axis.
bool sim_cluster_fits(sim_dim3 cluster, uint32_t most);

// How long launches that are set aside go on.
typedef enum sim_patience {
    SIM_WAIT_NOT,         // as long as one of them writes memory
    SIM_WAIT_UNTIL_STUCK, // until all of them wait for ever, if nothing else changes memory
    SIM_WAIT_TO_THE_END,  // likewise; then that is the fault of the first of them (SIM_DEADLOCK)
                          // and the end of the others, whose faults have no text
    SIM_PATIENCE_COUNT
} sim_patience;

// The calls, each with its contract in its row of calls.def:
//   sim_status sim_NAME(sim_engine *engine, ITS FIELDS, kl_error *err)
#define SIM_CALL(id, call, way, who)                                                               \
    sim_status sim_##call(sim_engine *engine SIM_PARAMS(call), kl_error *err);
#include "engine/calls.def"
#undef SIM_CALL
