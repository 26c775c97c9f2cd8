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

// Calls from here on are about this device, at first 0: what is allocated and loaded is its own,
// launches run on it, limits are its own. Copies, fills and frees take any device's addresses.
// SIM_INVALID_VALUE: there is no such device.
sim_status sim_device_use(sim_engine *engine, uint32_t device, kl_error *err);
// Kernels of `device` may use the memory of `peer`, but for what sim_memory_reach was told about;
// may 0: no longer.
sim_status sim_device_peer(sim_engine *engine, uint32_t device, uint32_t peer, uint32_t may,
                           kl_error *err);
// Beside its own device these alone, a bit each, may use the allocation that starts at `address`.
sim_status sim_memory_reach(sim_engine *engine, uint64_t address, uint32_t devices, kl_error *err);
// The device whose memory it is; SIM_INVALID_VALUE when it is in no allocation.
sim_status sim_memory_owner(sim_engine *engine, uint64_t address, uint32_t *out_device,
                            kl_error *err);

// `image`: a fat binary container, PTX text or a cubin. Globals are allocated and initialised.
sim_status sim_module_load(sim_engine *engine, const void *image, size_t bytes,
                           sim_module_handle *out_module, kl_error *err);
sim_status sim_module_unload(sim_engine *engine, sim_module_handle module, kl_error *err);
sim_status sim_function_find(sim_engine *engine, sim_module_handle module, const char *name,
                             sim_function_handle *out_function, kl_error *err);
// Kernel number `index` of a module, in the order of its text; SIM_NOT_FOUND past the last.
sim_status sim_module_kernel(sim_engine *engine, sim_module_handle module, uint32_t index,
                             sim_function_handle *out_function, kl_error *err);
sim_status sim_function_query(sim_engine *engine, sim_function_handle function,
                              sim_function_info *out_info, kl_error *err);
sim_status sim_function_set_max_dynamic_shared(sim_engine *engine, sim_function_handle function,
                                               uint32_t bytes, kl_error *err);
sim_status sim_symbol_find(sim_engine *engine, sim_module_handle module, const char *name,
                           uint64_t *out_address, uint64_t *out_bytes, kl_error *err);

// Memory that host and device use by the same addresses: whole pages of zeros, freed like other
// memory. Managed variables of a module are such allocations too.
sim_status sim_memory_alloc_shared(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                                   kl_error *err);
// A new descriptor, which the caller closes, of the file with the pages of such an allocation, to
// be mapped at `address` with MAP_SHARED. The page behind its last may be mapped with it.
sim_status sim_memory_shared_file(sim_engine *engine, uint64_t address, int *out_descriptor,
                                  uint64_t *out_offset, kl_error *err);
// Lets kernels use the host's own [address, address + bytes). *out_direct: they do so in place;
// else the engine keeps a copy, to be written before and read after launches under the same
// addresses.
sim_status sim_memory_attach(sim_engine *engine, uint64_t address, uint64_t bytes, bool *out_direct,
                             kl_error *err);
sim_status sim_memory_detach(sim_engine *engine, uint64_t address, kl_error *err);

// Device memory. Fresh memory is poisoned. All ranges must lie inside one allocation.
sim_status sim_memory_alloc(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                            kl_error *err);
// The same again at an address that sim_memory_alloc once gave for as many bytes and that was
// freed. SIM_OUT_OF_MEMORY also when another allocation lies there now.
sim_status sim_memory_alloc_at(sim_engine *engine, uint64_t address, uint64_t bytes, kl_error *err);
// Virtual memory, all of which sim_memory_free gives back (memory/memory.h, sim_mem_reserve):
// addresses without memory, memory without addresses, and memory at reserved addresses, at first
// inaccessible. is_fresh: it was mapped nowhere before, and nobody has written it.
sim_status sim_memory_reserve(sim_engine *engine, uint64_t bytes, uint64_t align, uint64_t wanted,
                              uint64_t *out_address, kl_error *err);
sim_status sim_memory_pages(sim_engine *engine, uint64_t bytes, uint64_t *out_pages, kl_error *err);
sim_status sim_memory_map(sim_engine *engine, uint64_t address, uint64_t pages, uint32_t is_fresh,
                          kl_error *err);
// rights: 0 none, 1 to read, 3 to read and write.
sim_status sim_memory_access(sim_engine *engine, uint64_t address, uint32_t rights, kl_error *err);
sim_status sim_memory_free(sim_engine *engine, uint64_t address, kl_error *err);
sim_status sim_memory_write(sim_engine *engine, uint64_t destination, const void *source,
                            uint64_t bytes, kl_error *err);
sim_status sim_memory_read(sim_engine *engine, void *destination, uint64_t source, uint64_t bytes,
                           kl_error *err);
// As sim_memory_read, before the program has asked for the bytes: nothing counts or knows of it.
// *out_set: sim_check_unset finds nothing in any part of them.
sim_status sim_memory_peek(sim_engine *engine, void *destination, uint64_t source, uint64_t bytes,
                           bool *out_set, kl_error *err);
// Fills `count` elements of `width` bytes (1, 2 or 4) with the low bytes of `value`.
sim_status sim_memory_fill(sim_engine *engine, uint64_t destination, uint32_t value, uint32_t width,
                           uint64_t count, kl_error *err);
// Copies or fills `rows` rows, a pitch of bytes apart and each no longer than that: one move. Where
// a row fails, those before it are done.
sim_status sim_memory_copy_rows(sim_engine *engine, uint64_t destination, uint64_t to_pitch,
                                uint64_t source, uint64_t from_pitch, uint64_t bytes, uint64_t rows,
                                kl_error *err);
sim_status sim_memory_fill_rows(sim_engine *engine, uint64_t destination, uint64_t pitch,
                                uint32_t value, uint32_t width, uint64_t count, uint64_t rows,
                                kl_error *err);
// The allocation that holds `address`; SIM_INVALID_VALUE when there is none.
sim_status sim_memory_find(sim_engine *engine, uint64_t address, uint64_t *out_base,
                           uint64_t *out_bytes, kl_error *err);
sim_status sim_memory_info(sim_engine *engine, uint64_t *out_free, uint64_t *out_total,
                           kl_error *err);

// Conditions of graphs: numbers from 1 on with a value, which kernels set (cudaGraphSetConditional
// in device code). Setting one makes it and those before it; SIM_INVALID_VALUE: there is none.
enum { SIM_MOST_CONDITIONS = 1 << 20 };
sim_status sim_condition_set(sim_engine *engine, uint64_t number, uint32_t value, kl_error *err);
sim_status sim_condition_get(sim_engine *engine, uint64_t number, uint32_t *out_value,
                             kl_error *err);

// ---- What a judge asks, whose program is not to be trusted ----

// Memory that the program may use but not free, and that nobody has written: poison.
sim_status sim_given_alloc(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                           kl_error *err);
sim_status sim_given_free(sim_engine *engine, uint64_t address, kl_error *err);
// The range, inside one such allocation, is taken as written by nobody: what lies there is the
// judge's.
sim_status sim_given_renew(sim_engine *engine, uint64_t address, uint64_t bytes, kl_error *err);
// A call of the program begins. An engine in another process answers the program from here on.
// instructions: warp instructions of all its launches together, within the limits of each, which
// the program cannot change; 0: no such limit.
sim_status sim_call_begin(sim_engine *engine, uint64_t instructions, kl_error *err);
// It has ended: all that it launched has run. An engine in another process answers the program no
// more until the next call begins, so that nothing changes meanwhile. *out_host_bytes: that went to
// the host since the begin, in copies, printed text, or written by kernels to pages that it shares
// (each byte once per launch). *out_moves: fills and copies on the device since then, which read
// and wrote *out_moved_bytes there.
sim_status sim_call_end(sim_engine *engine, uint64_t *out_host_bytes, uint64_t *out_moves,
                        uint64_t *out_moved_bytes, kl_error *err);
// Bytes of a range by who wrote them last: nobody, a fill, the host, kernels of calls before the
// one that began last, kernels of this one. Copies on the device hand this on. Needs
// sim_options.judged.
sim_status sim_writers_get(sim_engine *engine, uint64_t address, uint64_t bytes,
                           uint64_t *out_nobody, uint64_t *out_fill, uint64_t *out_host,
                           uint64_t *out_earlier, uint64_t *out_kernel, kl_error *err);

// From here on it is noted which thread of a kernel writes each byte of this range last, the first
// 64 KiB of it; nothing that was noted before stays. 0 bytes: no range. Launches then run on one
// host thread. Nothing on an engine that checks.
sim_status sim_writes_watch(sim_engine *engine, uint64_t address, uint64_t bytes, kl_error *err);
// The thread that wrote the byte there last, since its range is watched: blockIdx as x + y * 2^32 +
// z * 2^48, threadIdx as x + y * 2^10 + z * 2^20. *out_written false: no thread has.
sim_status sim_last_write_get(sim_engine *engine, uint64_t address, bool *out_written,
                              uint64_t *out_block, uint32_t *out_thread, kl_error *err);

// The L2 is full of what others stored, as behind a large fill: later launches find nothing there
// that was read or written before. A call of a judge begins so; not for its program to ask.
sim_status sim_caches_forget(sim_engine *engine, kl_error *err);

// Holds for later launches. SIM_INVALID_VALUE for a heap that exists already.
sim_status sim_limit_set(sim_engine *engine, sim_limit limit, uint64_t bytes, kl_error *err);

// Texture and surface objects; handles are what kernels take, 0 is none. Whether their memory is
// there is checked when a kernel reads it.
sim_status sim_texture_create(sim_engine *engine, const sim_texture_desc *texture,
                              uint64_t *out_handle, kl_error *err);
sim_status sim_texture_destroy(sim_engine *engine, uint64_t handle, kl_error *err);

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

// Runs a kernel to its end. `params`: the parameter block, laid out as sim_function_query says.
// A fault of the kernel is returned as the status and described in out_result->fault.
sim_status sim_launch_kernel(sim_engine *engine, sim_function_handle function,
                             const sim_launch_config *config, const void *params,
                             uint32_t param_bytes, sim_launch_result *out_result, kl_error *err);

// How long launches that are set aside go on.
typedef enum sim_patience {
    SIM_WAIT_NOT,         // as long as one of them writes memory
    SIM_WAIT_UNTIL_STUCK, // until all of them wait for ever, if nothing else changes memory
    SIM_WAIT_TO_THE_END,  // likewise; then that is the fault of the first of them (SIM_DEADLOCK)
                          // and the end of the others, whose faults have no text
    SIM_PATIENCE_COUNT
} sim_patience;
// Launches of a program with several streams or devices may wait for each other, or for the host: a
// launch whose threads all wait or poll is set aside (out_result->held, all else is 0), and goes on
// in this call, with others in the order of their launches, until one of them has ended, whose
// result this is, or none can go on.
sim_status sim_launch_go_on(sim_engine *engine, uint32_t patience, sim_launch_result *out_result,
                            kl_error *err);

// Device printf output collected since the last call; NUL-terminated, caller frees. "" when none.
sim_status sim_take_output(sim_engine *engine, char **out_text, kl_error *err);

// Reports of launches, in order. Kept for the life of the engine (a cap drops line tables of early
// ones).
sim_status sim_launch_count(sim_engine *engine, uint32_t *out_count, kl_error *err);
sim_status sim_launch_report_get(sim_engine *engine, uint32_t index, sim_launch_report **out_report,
                                 kl_error *err);

// A span of the program's time (device/spans.h). rest: sim_span_pack of it.
sim_status sim_span_add(sim_engine *engine, double begin_us, double end_us, uint64_t bytes,
                        uint32_t waits_for, uint32_t call, uint32_t stream, uint64_t rest,
                        const char *text, kl_error *err);
// A copy of all of them, for sim_spans_free. *out_first: index of the first one since
// sim_call_begin.
sim_status sim_spans_get(sim_engine *engine, sim_spans *out_spans, uint32_t *out_first,
                         kl_error *err);

// Tells the checks of a launch of `function` that failed before it ran and whose error the program
// never asked for. Without effect in other modes.
sim_status sim_check_unchecked_launch(sim_engine *engine, sim_function_handle function,
                                      const char *text, kl_error *err);
// Tells the checks of a finding in host code. Without effect in other modes.
sim_status sim_check_host_finding(sim_engine *engine, uint32_t kind, const char *text,
                                  kl_error *err);
// How many of [address, address + bytes), which goes to the host, nothing has written, and which
// byte is the first; 0 in other modes, and where that is as it should be: padding of structures and
// of rows (pitch: bytes from one to the next; 0: the memory has none), the unused end of what
// threads wrote where data told them to.
sim_status sim_check_unset(sim_engine *engine, uint64_t address, uint64_t bytes, uint64_t pitch,
                           uint64_t *out_unset_bytes, uint64_t *out_first, kl_error *err);
// How many findings in kernels of the toolkit's libraries have no place in the program yet; and
// that place, for all of them.
sim_status sim_check_library_findings(sim_engine *engine, uint32_t *out_count, kl_error *err);
sim_status sim_check_called_at(sim_engine *engine, const char *text, kl_error *err);
// Tells the checks of a step in the order of work between streams (device/device.h).
// SIM_INVALID_VALUE for a step or a queue of no kind. Without effect in other modes.
sim_status sim_check_order(sim_engine *engine, uint32_t step, sim_queue queue, sim_queue other,
                           const char *text, kl_error *err);
// The work that began with the last SIM_STEP_WORK reads (writes 0) or writes these bytes, beyond
// what sim_memory_* do: memory that the host shares, allocations and releases. Without effect where
// no such memory is, and in other modes.
sim_status sim_check_uses(sim_engine *engine, uint64_t address, uint64_t bytes, uint32_t writes,
                          kl_error *err);
// What work that the host has not waited for uses of [address, address + bytes), memory that both
// share: the next run of pages of 4096 bytes that are used alike (*out_use: sim_pages_use). It may
// begin before `address` and end behind the range. *out_run_bytes 0: there is none. Known only of
// programs that have had more than the default stream; and nothing in other modes.
sim_status sim_check_in_progress(sim_engine *engine, uint64_t address, uint64_t bytes,
                                 uint64_t *out_first, uint64_t *out_run_bytes, uint32_t *out_use,
                                 kl_error *err);
// The host reads (writes 0) or writes the byte at `address` now. text: "host code" and its places,
// as SIM_STEP_WORK has them. Without effect in other modes.
sim_status sim_check_host_access(sim_engine *engine, uint64_t address, uint32_t writes,
                                 const char *text, kl_error *err);
// SIM_INVALID_VALUE when the engine does not check. What is allocated now counts as leaked. Freed
// by sim_check_report_free.
sim_status sim_check_report_get(sim_engine *engine, sim_check_report **out_report, kl_error *err);
