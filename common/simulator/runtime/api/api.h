// What several files of the entry points, and programs that look for it, share.
#pragma once

#include "device/descriptors.h"
#include "runtime/abi/functions.h"

// ---- query.c ------------------------------------------------------------------------------------
// What the drop-in runtime offers beyond CUDA's API. Programs look these up with dlsym in the
// library that serves them: where they are missing, the runtime is the real one.

struct sim_engine;

// Fills *out and returns 0; -1 for an unknown key or when no device can be opened. Keys:
//   "simulated"           1
//   "ceiling.read_gbs"    10^9 bytes per second that a kernel which only reads can reach
//   "ceiling.copy_gbs"    likewise, copying (bytes read and bytes written)
//   "ceiling.link_gbs"    from and to the host at once, page-locked memory, both ways added
//   "ceiling.launch_us"   from one launch to the next, back to back
//   "ceiling.tensor_tflops"  likewise of products of 16-bit elements on tensor cores; 0: none
//   "ceiling.fma_tflops"  10^12 float operations per second when every scheduler issues a
//                         multiply-add a cycle
//   "launches", "warp_instructions", "spans" (device/spans.h)   of this process so far
int sim_runtime_query(const char *key, double *out);

// Keeps the default stream busy for `us` from now on, as a kernel that only waits would, where
// times are the cycle-level model's (LADDER_SIM_TIMES), and fills the L2 with what others stored:
// what is done before something is timed.
void sim_runtime_keep_busy(double us);

// From now on all launches together may execute this many warp instructions; the one that would
// execute more is stopped as an endless one. 0: no such limit.
void sim_runtime_allow(double warp_instructions);

// Whether launches from now on are counted and timed (sim_engine_count): without, a check of
// results takes a third of the time. Nothing where the engine is another process's.
void sim_runtime_count(int counts);

// What the runtime has said since the last call of this, a line each, "" when nothing; valid until
// the next call. From the first call on it is said here instead of on standard error: why a call
// failed, what a kernel that was stopped did.
const char *sim_runtime_said(void);

// The engine that serves this process (engine/engine.h), for its reports; opened if it is not.
// Belongs to the runtime. NULL when no device can be opened.
struct sim_engine *sim_runtime_engine(void);

// Counter `index` of device/counters.def, and behind these what launches asked for ("launches",
// "launch__grid_size", ..: query.c) and what its spans come to, where LADDER_SIM_SPANS has them
// recorded (sums of device/spans.def): its name and, unless out_total is NULL, its total over all
// launches of this process so far; divide by "launches" for a mean. Returns 0; -1 beyond the last
// counter or when no device can be opened. Asking for a name alone opens no device.
int sim_runtime_counter(unsigned index, const char **out_name, double *out_total);

// What the last kernel that was stopped did, with lines of source, in one or more lines of text;
// "" when none was.
const char *sim_runtime_fault(void);

// Watches who writes to device memory from here on (sim_writes_watch). 0 bytes: nobody does.
void sim_runtime_watch(const void *device, uint64_t bytes);
// The thread that wrote the byte there last, as sim_last_write_get has it. 0: no thread has; -1:
// nobody knows.
int sim_runtime_last_write(const void *device, uint64_t *out_block, uint32_t *out_thread);

// Why the thread's last call that failed did so, as a sentence; "" where nobody has said.
const char *sim_runtime_reason(void);

// ---- properties.c -------------------------------------------------------------------------------
// What the simulated device says about itself, in the structure of a version.

// Fills the cudaDeviceProp of `major` (11, 12 or 13); cudaGetDeviceProperties of all versions.
cudaError_t runtime_device_properties(void *out_properties, int device, int major);

// Exported, for libcuda.so.1: its name, as far as it has room, and the bytes of its memory.
cudaError_t sim_runtime_device(int device, char *out_name, size_t bytes, size_t *out_memory);

// ---- execution.c --------------------------------------------------------------------------------

void runtime_contexts_reset(void); // green contexts and what describes them

// ---- peer.c -------------------------------------------------------------------------------------

void runtime_peers_reset(void); // of the device in use: whose memory it may use, and who its own

// ---- driver.c -----------------------------------------------------------------------------------
// The driver's functions for tensor maps (CUDA Driver API, "Tensor Map Object Management").

// What a function about contexts asks: the current one, or another for current; that it is pushed
// or popped; whether a device's has been made (NULL: no).
typedef enum runtime_context_call {
    RUNTIME_CONTEXT_GET,
    RUNTIME_CONTEXT_SET,
    RUNTIME_CONTEXT_PUSH,
    RUNTIME_CONTEXT_POP,
    RUNTIME_CONTEXT_ASK
} runtime_context_call;

// Exported, for libcuda.so.1: the runtime's last error as it was; the driver's name or text of an
// error, NULL where it has none.
void sim_runtime_error_set(const cudaError_t *before);
const char *sim_runtime_driver_error(cudaError_t error, bool is_name);

// Exported, for libcuda.so.1.
cudaError_t sim_runtime_context(runtime_context_call call, void **context);
// cuTensorMapEncodeTiled and cuTensorMapReplaceAddress; `map` is 128 bytes of the program's.
// Exported, for libcuda.so.1.
cudaError_t sim_runtime_tensor_map_encode(void *map, const sim_tensor_request *request);
cudaError_t sim_runtime_tensor_map_move(void *map, void *address);
