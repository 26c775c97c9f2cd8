// The one state of the process, as the runtime's ABI forces. Its lock is held from runtime_enter to
// runtime_leave. What hangs from it belongs to the modules above: here they are only pointers.
#pragma once

#include "engine/engine.h"
#include "runtime/base/base.h"
#include <pthread.h>

// ---- state.c ------------------------------------------------------------------------------------
// The table of live memory that the program got from the runtime, sorted by address.

typedef enum runtime_memory_kind {
    RUNTIME_MEMORY_DEVICE,    // cudaMalloc: engine memory only
    RUNTIME_MEMORY_MANAGED,   // pages of the engine's shared file
    RUNTIME_MEMORY_PINNED,    // cudaHostAlloc, cudaMallocHost: likewise
    RUNTIME_MEMORY_REGISTERED // cudaHostRegister: pages of the user, attached to the engine
} runtime_memory_kind;

typedef struct runtime_range {
    uint64_t base, bytes;     // the same for the program, for kernels and in the engine
    uint64_t pitch;           // bytes from one row to the next; 0: there are no rows
    bool is_variable;         // a __managed__ one: its module holds the memory
    sim_module_handle module; // of a variable
    bool is_copied;           // registered with an engine elsewhere: copied around launches
    uint8_t *sent;            // then: what the present launch was given; NULL: none runs
    runtime_memory_kind kind;
    int device;                      // that was current when it was made
    unsigned flags;                  // of the call that made it
    bool read_mostly;                // advice about managed memory
    int preferred, last_prefetch;    // devices, or cudaCpuDeviceId, or cudaInvalidDeviceId
    struct CUmemPoolHandle_st *pool; // cudaMallocAsync
    uint64_t offset;                 // in the pool (memory/pool.c)
    bool is_mapped;                  // by cuMemMap (memory/virtual.c)
} runtime_range;

// The live range that holds `address`, NULL when none does. Ranges are sorted and do not overlap.
runtime_range *runtime_range_find(uint64_t address);
// cudaErrorMemoryAllocation when the table cannot grow.
cudaError_t runtime_range_add(const runtime_range *range);
void runtime_range_remove(runtime_range *range);

// The captures under way, and what they forbid every call ("cudaStreamBeginCapture"): what is
// captured is in runtime/submit.

typedef struct runtime_capture {
    struct CUgraph_st *graph; // NULL: destroyed by the program
    bool owns_graph;
    enum cudaStreamCaptureMode mode;
    pthread_t thread; // that began it
    unsigned long long id;
    bool invalid;
    struct CUstream_st *origin;
    runtime_node_set left;    // what streams captured last that were destroyed meanwhile
    cudaGraphEdgeData *edges; // zeros, for cudaStreamGetCaptureInfo
    struct runtime_capture *next;
} runtime_capture;

// NULL: no capture that is under way has this number.
runtime_capture *runtime_capture_find(unsigned long long id);
// What a call gets that waits for the device.
cudaError_t runtime_capture_no_device(void);
// What RUNTIME_UNSAFE gets.
cudaError_t runtime_capture_no_unsafe(void);
// Sets the mode of the calling thread and returns the one before.
enum cudaStreamCaptureMode runtime_capture_thread_mode(enum cudaStreamCaptureMode mode);

// Something of the program's that is to be destroyed, by its own function. The first member of what
// is to be freed with free() after that.
typedef struct runtime_destructor {
    cudaHostFn_t destroy;
    void *data;
    struct runtime_destructor *next;
} runtime_destructor;

enum { RUNTIME_LAUNCH_VALUES = 6 }; // api/query.c names them

// The context that a process has on a device (CUDA's primary context).
typedef struct runtime_device {
    bool has_context;     // a call has made one, as the driver's functions want
    bool output_due;      // launches since device printf was last flushed
    uint8_t peers;        // devices whose memory its kernels may use, a bit each
    cudaError_t pending;  // of a kernel that nobody has waited for yet
    double pending_since; // seconds on the host's clock
    size_t limits[8];     // cudaDeviceGetLimit, by enum cudaLimit
    enum cudaFuncCache cache;
    unsigned flags;
    struct CUmemPoolHandle_st *current_pool; // NULL: the default one
} runtime_device;

typedef struct runtime_state {
    pthread_mutex_t lock;
    bool started, trace, launch_blocking, unloading;
    bool forked; // a child of the process that opened the device: it cannot use it
    sim_engine *engine;
    cudaError_t open_error; // sticks
    cudaError_t sticky;     // a kernel's error after it surfaced; all devices have it (H200)
    bool is_lost; // reset after that: no call reaches a device any more, as on an H100 and H200
    runtime_device devices[SIM_MOST_DEVICES];
    int device_count;    // of them that there are
    int device;          // which one the call under way is about (runtime_use)
    runtime_device *now; // that one
    int engine_device;   // which one the engine was told
    int first_device;    // of a thread that has not set one (cudaSetValidDevices)
    // A <<<..>>> that failed and whose error nobody has asked for yet; "": none.
    char unchecked[1024];
    char unchecked_name[256];   // its kernel
    uint64_t unchecked_count;   // of those before, on an engine that does not check
    char unchecked_first[1024]; // the first of them
    sim_function_handle unchecked_kernel;
    bool says_findings;       // an engine in this process checks
    bool faults_are_findings; // the engine checks: it tells of faults, too
    bool ends_at_fault;       // the program, because nobody wants what it does after the first one
    bool span_places;         // spans have those of calls in the program's code
    bool says_differences;    // what the program asks and a card would answer otherwise
    uint64_t launches, warp_instructions;
    sim_counters counted; // totals of the first counted_launches reports: sim_runtime_counter
    uint32_t counted_launches;
    double launch_values[RUNTIME_LAUNCH_VALUES]; // of these: sums of what launches asked for
    runtime_clock clock;
    void (*span_recorder)(const sim_span *span); // spans.c
    runtime_map streams, events;                 // live handles
    runtime_map contexts, descriptors;
    runtime_map arrays, mipmaps, textures; // likewise; textures and surfaces share their handles
    runtime_map graphs, nodes, execs, user_objects;
    runtime_destructor *destructors; // to be called when the call under way ends
    runtime_capture *captures;       // list
    unsigned long long next_capture_id, next_graph_id, next_node_serial;
    unsigned long long last_context_id; // from 1 on: the devices'
    unsigned long long next_stream_id, condition_count;
    struct {
        unsigned long long names; // given to queues
        bool many;                // there has been more than the default stream
        bool with_host;           // the host's own accesses are looked at
        bool unknown;             // there is work that the host may not have waited for
        bool changed;             // what it may not have waited for, since host_watch.c asked
    } order;                      // order.c
    runtime_range *ranges;
    size_t range_count;
    uint32_t range_capacity;
    size_t copied_count; // of the ranges: is_copied
    struct runtime_module *modules;
    runtime_map kernels;              // host function, CUkern_st -> CUkern_st
    runtime_map variables;            // host variable -> runtime_variable
    sim_mode mode;                    // that the environment asks for
    struct CUmemPoolHandle_st *pools; // list; without the default ones
    struct runtime_virtual *virtual_memory;
    struct runtime_task *tasks; // work that waits for other work, in the order of its submission
    bool going_on;              // a thread is at it (graph/task.c)
    bool is_helped;             // a thread of ours lets them go on while the host polls memory
    uint64_t calls;             // so far
    // Waits for all of them that are for a device; -1: the program ends. Set while there are any.
    void (*settle)(int device);
} runtime_state;

extern runtime_state runtime;

// What is done from here on, in this call, is done on this device.
void runtime_use(int device);
// Sets limits and preferences to those of a device that nobody has used.
void runtime_limits_reset(runtime_device *device);

// ---- call.c -------------------------------------------------------------------------------------
// One call of the API: lock, device, errors, trace.

typedef enum runtime_need {
    RUNTIME_NOTHING, // works without a device and after a fault
    RUNTIME_OPEN,    // opens the device, and works after a fault
    RUNTIME_DEVICE,  // opens the device; returns an error that sticks to the context
    RUNTIME_SYNC     // likewise, and waits: a fault of an earlier kernel surfaces here
} runtime_need;

// A call that might wait for, or change, what a captured stream will do: it is refused during a
// capture that was begun in a strict mode ("cudaStreamBeginCapture"). To be or-ed to the others.
#define RUNTIME_UNSAFE 0x100u

// The device of the calling thread, which cudaSetDevice sets: enter begins with it.
int runtime_thread_device(void);
void runtime_thread_device_set(int device);
// How many devices there are: until the first one is opened, what the environment says now.
int runtime_devices(void);
static inline bool runtime_has_device(int device) {
    return device >= 0 && device < runtime.device_count;
}

// Every API function is: enter, work while the status is cudaSuccess, return leave(status).
// enter takes the runtime's lock; leave gives it back, remembers the error for cudaGetLastError and
// prints the call when LADDER_SIM_TRACE is set (`format`: the call as it should read).
cudaError_t runtime_enter(unsigned need, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
cudaError_t runtime_leave(cudaError_t status);
// The same for functions of the driver, whose errors cudaGetLastError never tells.
cudaError_t runtime_leave_driver(cudaError_t status);
// Replaces the text of the call under way, once more is known about it: when calls are traced, or
// when it fails with `status`.
void runtime_describe(cudaError_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Keeps why the call under way fails; returns `status`.
cudaError_t runtime_refuse(cudaError_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// The same for cudaErrorInvalidValue.
cudaError_t runtime_invalid(const char *why);
// The name of the thread's call under way, "cudaMemcpy".
const char *runtime_call_name(void);
// Why the thread's last call failed, as far as anybody has said; else "".
const char *runtime_reason(void);

// Of the thread's last call that failed, "" where nobody has said why.
const char *runtime_last_reason(void);
// Whether the thread's calls are from now on those of nvcc's stub, which a <<<..>>> calls.
void runtime_call_is_of_stub(bool is);

// From here until the same with NULL the calling thread runs a host function of a stream, which
// came there by `call`: CUDA permits it to call next to nothing (CUDA Runtime API reference,
// "cudaLaunchHostFunc"), and a card refuses it. What it leaves as last error is not the program's
// thread's.
void runtime_host_function(const char *call);
bool runtime_in_host_function(void);

// The cudaError of an engine status (outside launches).
cudaError_t runtime_status(sim_status status);
// Likewise, and keeps `error`'s text for the trace of this call.
cudaError_t runtime_fail(const kl_error *err);
// Of the calling thread's last call that failed; after this question no launch counts as unchecked.
// Takes the lock itself.
cudaError_t runtime_last_error(bool forget);
// For calls that neither enter nor leave.
void runtime_last_error_set(cudaError_t error);

// ---- order.c ------------------------------------------------------------------------------------
// What the checks are told of the order of work (device/device.h): which stream it is put into, and
// what waits for what (CUDA Runtime API reference, "API synchronization behavior"). Nothing where
// the engine does not check; and while the default stream is the only one, no more than which
// copies the program did not wait for.

// A queue's name that no other one has had.
sim_queue runtime_order_name(sim_queue_kind kind);

// A <<<..>>> of the program begins, which calls nvcc's stub to launch: the stub's lines tell
// nothing. false: it has launched.
void runtime_order_launch_here(bool begins);
// The name of the call under way and, behind a line feed, its places (runtime_caller_places).
void runtime_call_places(char text[512]);
// What a launch is put into, for sim_launch_config.
sim_queue runtime_order_launch(const runtime_queue *queue);
// What the engine is asked for from here on is no work of the program.
void runtime_order_no_work(void);
// The work begun last uses memory that the engine does not move itself. Device memory is left out.
void runtime_order_shared(const void *pointer, uint64_t bytes, bool writes);
// In the queue's order all of the live range that starts at `pointer` comes or goes.
void runtime_order_range(const runtime_queue *queue, const void *pointer);

void runtime_order_after(sim_queue queue, sim_queue other);
void runtime_order_gone(sim_queue queue); // 0: there was none
void runtime_order_host_waits(const runtime_queue *queue);
void runtime_order_host_waits_all(void);

// Who makes a copy or a fill: a call without "Async" in its name, one with it, a node of a graph.
typedef enum runtime_mover { RUNTIME_WAITING_CALL, RUNTIME_ASYNC_CALL, RUNTIME_NODE } runtime_mover;

// A copy in `queue` begins and ends.
typedef struct runtime_order_move {
    const runtime_queue *queue;
    bool host_waits; // for its end
    bool is_told;    // as a piece of work
} runtime_order_move;
runtime_order_move runtime_order_move_begin(const runtime_queue *queue,
                                            const runtime_transfer *transfer, runtime_mover mover);
void runtime_order_move_end(const runtime_order_move *move);
// Whether moves of the program are to be described to the checks now.
bool runtime_order_is_told(void);

// ---- spans.c ------------------------------------------------------------------------------------

// The kernel that the clock is charged for next (mangled); stays the caller's.
void runtime_span_kernel(const char *name);

// ---- guard.c ------------------------------------------------------------------------------------
// Address ranges of the device in the host's address space.

// Reserves them and explains faults in them from now on.
void runtime_guard_install(void);
bool runtime_is_device_address(uint64_t address);

// ---- fault.c ------------------------------------------------------------------------------------
// Errors of kernels, which the program learns later (CUDA Runtime API reference, "Error Handling").

// Keeps a kernel's fault until a call may report it.
void runtime_fault(cudaError_t error);
// A call that does not wait reports a fault too, of any device, once that had time to notice it.
void runtime_fault_notice(void);
// What the kernel did, in words, for sim_runtime_fault.
void runtime_fault_describe(const char *text);
const char *runtime_fault_text(void);
// From now on the fault of the device in use sticks.
void runtime_fault_surface(void);
// Tells the engine's checks of a failed launch whose error nobody asked for, and forgets it.
void runtime_report_unchecked(void);
// At the program's end, where nothing checks: how many such launches there were.
void runtime_say_unchecked(void);

// ---- host_findings.c ----------------------------------------------------------------------------
// What an engine that checks is told of the program's host code: calls that failed and whose error
// nobody looks at, and what else only the runtime sees. Without effect where nothing checks.

// A finding at the program's call that is under way, once per such place.
void runtime_tell(sim_check_class kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A kernel of one of the toolkit's libraries has run: its findings are told at the program's line
// that called the library.
void runtime_tell_caller(const char *kernel);
// The call under way has failed: if the program does not look at its result, and does not ask for
// the last error before it ends, that is a finding.
// Returns whether it will be told so.
bool runtime_note_failed(cudaError_t status, const char *call, const char *reason);
// The program calls a function that the simulator does not have: says so, once for each. What
// follows says nothing about the program.
void runtime_note_refused(const char *function);
const char *runtime_first_refused(void); // "": none so far
// The program has asked for the last error.
void runtime_forget_failed(void);
// Tells of those calls that nobody has asked about, and forgets them.
void runtime_report_failed(void);

// ---- output.c -----------------------------------------------------------------------------------
// What the runtime prints for the program: its own messages, and what kernels printed.

// Prints `text` on stderr after the simulator's name, or keeps it.
void runtime_say(const char *text);
// Answers that differ from a card's on purpose (docs/validation.md).
typedef enum runtime_difference {
    RUNTIME_DIFFERENCE_MEMORY,
    RUNTIME_DIFFERENCE_BUS,
    RUNTIME_DIFFERENCES
} runtime_difference;
// Says that the program has got such an answer, each once, where LADDER_SIM_DIFFERENCES asks for
// it.
void runtime_say_difference(runtime_difference difference);
// What was kept since the last call; from the first call on, what is said is kept.
const char *runtime_output_take(void);
// Device printf appears when the host waits, as on a GPU.
void runtime_output_flush(void);

// At the program's end: says what kernels have printed and nobody has waited for.
void runtime_output_end(void);
