// SPDX-License-Identifier: MIT
// Inside of the drop-in CUDA runtime (libcudart.so.13): one state for the process, as the runtime's
// ABI forces, and what its files share. Everything above engine/engine.h: this header must not be included
// by the engine, by labs or by the autograder.
#ifndef SIM_RUNTIME_RUNTIME_H
#define SIM_RUNTIME_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include "engine/engine.h"
#include "runtime/clock.h"
#include "runtime/map.h"

// ---- one API call (context.c) -----------------------------------------------------------

typedef enum runtime_need {
    RUNTIME_NOTHING, // works without a device and after a fault
    RUNTIME_OPEN,    // opens the device, and works after a fault
    RUNTIME_DEVICE,  // opens the device; returns an error that sticks to the context
    RUNTIME_SYNC     // likewise, and waits: a fault of an earlier kernel surfaces here
} runtime_need;

// A call that might wait for, or change, what a captured stream will do: it is refused during a capture
// that was begun in a strict mode ("cudaStreamBeginCapture"). To be or-ed to the others.
#define RUNTIME_UNSAFE 0x100u

// Every API function is: enter, work while the status is cudaSuccess, return leave(status).
// enter takes the runtime's lock; leave gives it back, remembers the error for cudaGetLastError and
// prints the call when LADDER_SIM_TRACE is set (`format`: the call as it should read).
cudaError_t runtime_enter(unsigned need, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
cudaError_t runtime_leave(cudaError_t status);
// Replaces the text of the call under way in the trace, once more is known about it.
void runtime_describe(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The cudaError of an engine status (outside launches).
cudaError_t runtime_status(sim_status status);
// Likewise, and keeps `error`'s text for the trace of this call.
cudaError_t runtime_fail(const sim_error *error);
// A line of the error log (logs.c) about a call that has failed.
void runtime_log(const char *call, const char *error, const char *reason);
// Prints `text` on stderr after the simulator's name.
void runtime_say(const char *text);
// Keeps a kernel's fault until a call may report it.
void runtime_fault(cudaError_t error);
// Tells the engine's checks of a failed launch whose error nobody asked for, and forgets it.
void runtime_report_unchecked(void);
void runtime_say_findings(void);                   // check.c
const char *runtime_error_name(cudaError_t error); // errors.c
void runtime_limits_reset(void);                   // device.c

// ---- streams and events (stream.c, event.c) -------------------------------------

// Nodes of a graph (runtime/graph/graph.h).
typedef struct runtime_node_set {
    struct CUgraphNode_st **nodes;
    size_t count, capacity;
} runtime_node_set;

struct CUstream_st {
    runtime_queue queue;
    unsigned flags;
    int priority;
    unsigned long long id;
    cudaStreamAttrValue access_policy, sync_policy, priority_value;
    struct runtime_capture *capture; // NULL: work runs
    runtime_node_set tail;           // what the next captured node waits for
};

struct CUevent_st {
    unsigned flags;
    bool recorded;
    double time_us;             // on the virtual clock
    unsigned long long capture; // id of the capture that it was recorded in; 0: none
    runtime_node_set tail;      // of the stream, when it was recorded in a capture
};

// The stream behind a handle (0, cudaStreamLegacy and cudaStreamPerThread included); NULL for a
// handle that no live stream has.
struct CUstream_st *runtime_stream_find(cudaStream_t stream);
// Runs in the default stream of a call: `_ptsz` and `_ptds` entry points set it around the plain
// one.
void runtime_default_stream_set(bool per_thread);
void runtime_streams_reset(void);
void runtime_events_reset(void);

// ---- memory (runtime/memory/memory.c, runtime/memory/ranges.c, runtime/memory/copy.c, runtime/memory/host_pages.c) -------------

typedef enum runtime_memory_kind {
    RUNTIME_MEMORY_DEVICE,    // cudaMalloc: engine memory only
    RUNTIME_MEMORY_MANAGED,   // pages of the engine's shared file
    RUNTIME_MEMORY_PINNED,    // cudaHostAlloc, cudaMallocHost: likewise
    RUNTIME_MEMORY_REGISTERED // cudaHostRegister: pages of the user, attached to the engine
} runtime_memory_kind;

typedef struct runtime_range {
    uint64_t base, bytes;     // the same for the program, for kernels and in the engine
    bool is_variable;         // a __managed__ one: its module holds the memory
    sim_module_handle module; // of a variable
    bool is_copied;           // registered with an engine elsewhere: copied around launches
    uint8_t *sent;            // then: what the present launch was given; NULL: none runs
    runtime_memory_kind kind;
    unsigned flags;                  // of the call that made it
    bool read_mostly;                // advice about managed memory
    int preferred, last_prefetch;    // devices, or cudaCpuDeviceId, or cudaInvalidDeviceId
    struct CUmemPoolHandle_st *pool; // cudaMallocAsync
} runtime_range;

// The live range that holds `address`, NULL when none does. Ranges are sorted and do not overlap.
runtime_range *runtime_range_find(uint64_t address);
// cudaErrorMemoryAllocation when the table cannot grow.
cudaError_t runtime_range_add(const runtime_range *range);
void runtime_range_remove(runtime_range *range);

cudaError_t runtime_alloc(uint64_t bytes, struct CUmemPoolHandle_st *pool, void **out_pointer);
cudaError_t runtime_free(void *pointer);
void runtime_memory_reset(void);
void runtime_pools_reset(void); // runtime/memory/pool.c
// Tells a pool that `bytes` of its memory were freed.
void runtime_pool_returned(struct CUmemPoolHandle_st *from, uint64_t bytes);

// Moves bytes between any two places at once, whatever stream asked; kind as in cudaMemcpy. Fills
// out_transfer with what a device would have moved.
cudaError_t runtime_copy(void *destination, const void *source, uint64_t bytes,
                         enum cudaMemcpyKind kind, runtime_transfer *out_transfer);
// A box of rows in linear memory or of an array. Linear copies have one row, 2D copies one slice.
typedef struct runtime_box {
    void *to;
    const void *from;
    size_t width, height, depth; // bytes, rows, slices
    size_t to_pitch, from_pitch; // bytes from row to row
    size_t to_slice, from_slice; // bytes from slice to slice
    enum cudaMemcpyKind kind;
} runtime_box;
// `waiting`: the call returns when the bytes have arrived.
cudaError_t runtime_copy_box(runtime_box box, cudaStream_t stream, bool waiting);
cudaError_t runtime_copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool waiting);
// The box that `p` describes; one without rows when there is nothing to copy.
cudaError_t runtime_box_of(const struct cudaMemcpy3DParms *p, runtime_box *out_box);
// Whether its pitches, pointers and direction are right; moves nothing.
cudaError_t runtime_box_check(const runtime_box *box);
// Moves the bytes of a box; the caller charges the clock.
cudaError_t runtime_box_move(const runtime_box *box, runtime_transfer *out_transfer);
void runtime_arrays_reset(void);   // runtime/memory/array.c
void runtime_textures_reset(void); // runtime/memory/texture.c
// Rows to be filled with elements of 1, 2 or 4 bytes.
typedef struct runtime_filling {
    void *start;
    size_t pitch, slice; // bytes from row to row, from slice to slice
    uint32_t value, element_bytes;
    size_t width, height, depth; // elements, rows, slices
} runtime_filling;
cudaError_t runtime_filling_check(const runtime_filling *filling);
cudaError_t runtime_filling_do(const runtime_filling *filling, runtime_transfer *out_transfer);
// Whether memory from `destination` on can be filled, or copied to and from.
cudaError_t runtime_fill_check(void *destination, uint64_t bytes);
cudaError_t runtime_copy_check(void *destination, const void *source, uint64_t bytes,
                               enum cudaMemcpyKind kind);
cudaError_t runtime_fill(void *destination, uint32_t value, uint32_t element_bytes, uint64_t count);

// Memory that host and kernels share, managed or page-locked: `flags` of the call that asks.
cudaError_t runtime_shared_alloc(runtime_memory_kind kind, uint64_t bytes, unsigned flags,
                                 struct CUmemPoolHandle_st *pool, void **out_pointer);
// Makes a __managed__ variable, whose engine address is `address`, readable by the host.
cudaError_t runtime_managed_adopt(sim_module_handle module, uint64_t address, uint64_t bytes);
// Lets kernels use memory that the program has.
cudaError_t runtime_host_attach(uint64_t address, uint64_t bytes, unsigned flags);
// Unmaps, frees and forgets a range.
cudaError_t runtime_range_release(runtime_range *range);
// Registered memory that the engine cannot reach in place.
cudaError_t runtime_copies_to_device(void);
cudaError_t runtime_copies_to_host(void);

// Address ranges of the device in the host's address space (runtime/memory/guard.c).
void runtime_guard_install(void);
bool runtime_is_device_address(uint64_t address);

// ---- modules, kernels, symbols (module.c) -----------------------------------------------

// What one __cudaRegisterFatBinary or cudaLibraryLoadData brought; loaded into the engine when
// something in it is first needed.
typedef struct runtime_module {
    const void *
        *images; // containers; of a program built with -rdc: the linked one, then the files'
    size_t image_count;
    sim_module_handle handle;           // 0: not loaded
    cudaError_t load_error;             // sticks, so that a bad image is reported once
    struct CUkern_st *kernels;          // list
    struct runtime_variable *variables; // list
    struct runtime_module *next;
} runtime_module;

// A kernel: what cudaKernel_t and cudaFunction_t point to.
struct CUkern_st {
    runtime_module *module;
    char *name;                 // mangled
    const void *host;           // the stub's address; NULL for kernels of a library
    sim_function_handle handle; // 0: not looked up yet
    sim_function_info info;     // valid with handle
    int carveout;               // cudaFuncAttributePreferredSharedMemoryCarveout, -1: default
    bool prefers_l1;            // cudaFuncCachePreferL1: like a carve-out of 0 (an H100's answers)
    struct CUkern_st *next;
};

// Most blocks of a portable cluster (CUDA C++ Programming Guide, "Thread Block Clusters").
enum { RUNTIME_CLUSTER_BLOCKS = 8 };

// A launch as a program asks for it. The device takes the low 32 bits of the dynamic shared memory, as
// an H100's driver does.
typedef struct runtime_launch {
    const void *function; // host function or handle
    dim3 grid, block;
    void **arguments;
    size_t shared_bytes; // dynamic
    cudaStream_t stream;
    bool cooperative;
} runtime_launch;

// Finds the kernel, and what an H100 says about the configuration.
cudaError_t runtime_launch_check(const runtime_launch *launch, struct CUkern_st **out_kernel);
// block: info.param_bytes, the arguments as the kernel's parameters.
cudaError_t runtime_launch_gather(const struct CUkern_st *kernel, void *const *arguments,
                                  uint8_t *block);
// Runs what was checked and gathered. `alone`: not as a part of a graph.
cudaError_t runtime_launch_run(const runtime_launch *launch, struct CUkern_st *kernel,
                               const uint8_t *block, runtime_queue *queue, bool alone);

// ---- stream capture (runtime/graph/capture.c) ---------------------------------------------------------

// Whether work for this stream is to be captured rather than run; an error when it may do neither.
cudaError_t runtime_capturing(struct CUstream_st *stream, bool *out_captured);
// Each appends a node to a stream that is being captured; mistakes end the capture.
cudaError_t runtime_capture_launch(struct CUstream_st *stream, const runtime_launch *launch);
cudaError_t runtime_capture_copy(struct CUstream_st *stream, const runtime_box *box);
cudaError_t runtime_capture_fill(struct CUstream_st *stream, const runtime_filling *filling);
// out_pointer: where the memory will be.
cudaError_t runtime_capture_allocation(struct CUstream_st *stream, uint64_t bytes,
                                       void **out_pointer);
cudaError_t runtime_capture_release(struct CUstream_st *stream, void *pointer);
cudaError_t runtime_capture_host(struct CUstream_st *stream, cudaHostFn_t function, void *data);
// `external`: a node of its own; else the event only marks the place.
cudaError_t runtime_capture_record(struct CUstream_st *stream, struct CUevent_st *event,
                                   bool external);
// Also for a stream that is not captured yet and joins. `event` NULL: a dead handle. *out_done false: an
// ordinary wait.
cudaError_t runtime_capture_wait(struct CUstream_st *stream, struct CUevent_st *event,
                                 bool external, bool *out_done);
// What a call gets that waits for the stream, the event or the device, or asks about it.
cudaError_t runtime_capture_no_stream(const struct CUstream_st *stream);
cudaError_t runtime_capture_no_event(const struct CUevent_st *event);
cudaError_t runtime_capture_no_device(void);
// What RUNTIME_UNSAFE gets.
cudaError_t runtime_capture_no_unsafe(void);
// The stream is about to go.
void runtime_capture_stream_ends(struct CUstream_st *stream);
void runtime_captures_reset(void);
void runtime_graphs_reset(void); // runtime/graph/graph.c
// Calls the destructors; without the lock, as they are the program's.
void runtime_user_objects_destroy(struct CUuserObject_st *dead); // runtime/graph/user_object.c

typedef struct runtime_variable {
    runtime_module *module;
    char *name;
    const void *host; // shadow variable; of a managed one, its pointer (void **)
    bool managed;
    uint64_t address; // 0: not looked up yet
    uint64_t bytes;
    struct runtime_variable *next;
} runtime_variable;

// `image` may be NULL when there are `linked` ones: the containers of the object files of a program
// built with -rdc, whose PTX is linked when it is loaded.
cudaError_t runtime_module_add(const void *image, const void *const *linked, size_t linked_count,
                               runtime_module **out_module);
// Unloads and frees the module, its kernels and its variables.
void runtime_module_remove(runtime_module *module);
void runtime_modules_reset(void); // forgets what the device held
cudaError_t runtime_module_load(runtime_module *module);

cudaError_t runtime_kernel_add(runtime_module *module, const char *name, const void *host,
                               struct CUkern_st **out_kernel);
cudaError_t runtime_variable_add(runtime_module *module, const char *name, const void *host,
                                 bool managed);
// Finds the kernel in its module's images, loading them, and asks the engine about it.
cudaError_t runtime_kernel_ready(struct CUkern_st *kernel);
// The kernel behind a host function, cudaKernel_t or cudaFunction_t, made ready.
cudaError_t runtime_kernel_find(const void *function, struct CUkern_st **out_kernel);
// Bytes of an SM that the program wants for shared memory (sim_occupancy_limit_carve_out); 0: no wish.
uint32_t runtime_preferred_shared(const struct CUkern_st *kernel);
cudaError_t runtime_module_symbol(runtime_module *module, const char *name, uint64_t *out_address,
                                  uint64_t *out_bytes);
cudaError_t runtime_symbol_find(const void *symbol, uint64_t *out_address, size_t *out_bytes);

// ---- the state ----------------------------------------------------------------------------------

typedef struct runtime_state {
    pthread_mutex_t lock;
    bool started, trace, launch_blocking, unloading;
    bool forked; // a child of the process that opened the device: it cannot use it
    sim_engine *engine;
    cudaError_t open_error; // sticks
    cudaError_t pending;    // of a kernel that nobody has waited for yet
    double pending_since;   // seconds on the host's clock
    cudaError_t sticky;     // after it surfaced; cudaDeviceReset clears it
    // A <<<..>>> that failed and whose error nobody has asked for yet; "": none.
    char unchecked[512];
    sim_function_handle unchecked_kernel;
    bool says_findings;       // an engine in this process checks
    bool faults_are_findings; // the engine checks: it tells of faults, too
    bool output_due;          // launches since device printf was last flushed
    uint64_t launches, warp_instructions;
    sim_counters counted; // totals of the first counted_launches reports: sim_runtime_counter
    uint32_t counted_launches;
    runtime_clock clock;
    struct CUstream_st legacy, per_thread;
    runtime_map streams, events;  // live handles
    runtime_map arrays, textures; // likewise; textures and surfaces share their handles
    runtime_map graphs, nodes, execs, user_objects;
    struct CUuserObject_st *dead_objects; // to be destroyed when the call under way ends
    struct runtime_capture *captures;     // list
    unsigned long long next_capture_id, next_graph_id, next_node_serial;
    unsigned long long next_stream_id;
    runtime_range *ranges;
    size_t range_count, range_capacity;
    size_t copied_count; // of the ranges: is_copied
    runtime_module *modules;
    runtime_map kernels;   // host function, CUkern_st -> CUkern_st
    runtime_map variables; // host variable -> runtime_variable
    sim_mode mode;         // that the environment asks for
    size_t limits[8];      // cudaDeviceGetLimit, by enum cudaLimit
    enum cudaFuncCache cache;
    unsigned device_flags;
    struct CUmemPoolHandle_st *pools; // list; the default pool is first
    struct CUmemPoolHandle_st *current_pool;
} runtime_state;

extern runtime_state runtime;

#endif
