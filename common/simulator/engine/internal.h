// The in-process engine's own structures, shared by inprocess.c (memory), modules.c (images to
// programs), admit.c (a launch made and checked), launch.c (its run), held.c (launches that are set
// aside), children.c (launches, those by kernels too), report.c (counts to reports), maps.c and
// code.c (maps and code for reports). Private to these files.
#pragma once

#include "check/checker.h"
#include "engine/vtable.h"
#include "debug/debugger.h"
#include "timing/bounds/bounds.h"
#include "timing/kernel_clock/kernel_clock.h"
#include "timing/sm/sm.h"

// How devices are joined: device/links.def.
#define SIM_LINK(name, value, unit, source) static const double LINK_##name = value;
#include "device/links.def"
#undef SIM_LINK

typedef struct inprocess_code inprocess_code;               // code.c
typedef struct inprocess_held inprocess_held;               // held.c
typedef struct inprocess_last_writes inprocess_last_writes; // checks.c

typedef struct inprocess_module {
    sim_program *program;            // NULL once unloaded
    inprocess_code *code;            // NULL: nobody asked for it
    sim_issue_codes *codes;          // for timing/sm; NULL: none of its kernels ran yet
    sim_bounds_unvisited *unvisited; // for timing/bounds; likewise
    uint64_t image;                  // digest of what it was loaded from; 0: on the only device
    uint64_t *globals;               // device addresses of its variables, to free
    uint32_t global_count;
    char *text; // its PTX, for a debugger; NULL: there is none
    size_t text_bytes;
    uint32_t ptx_version; // 90 for sm_90's PTX
    bool launches;        // all its kernels have handles: kernels may launch them
} inprocess_module;

typedef struct inprocess_function {
    uint32_t module; // index
    sim_function *function;
    uint32_t max_dynamic_shared_bytes;
    uint32_t mapped; // launches of it that were recorded for maps
} inprocess_function;

// What each device has for itself, beside its allocations.
typedef struct inprocess_device {
    sim_l2_before recent; // window 0: nobody asks
    sim_output output;
    bool said_ring_is_full;    // of `output`
    uint32_t stack_bytes;      // cudaLimitStackSize
    uint32_t pending_launches; // cudaLimitDevRuntimePendingLaunchCount
} inprocess_device;

typedef struct inprocess_engine {
    sim_engine base;
    inprocess_device devices[SIM_MOST_DEVICES];
    inprocess_device *now; // the one in use
    sim_options options;
    bool counts; // opened in SIM_MODE_COUNT: sim_engine_count changes options.mode
    sim_memory *memory;
    sim_texture_table textures;
    sim_executor *executor;
    inprocess_held *held, *spare_held;  // set aside, in their order; ended ones, to be used again
    uint32_t held_count;                // that there have been
    double flags_us[SIM_MOST_DEVICES];  // when those that have ended wrote memory last, by device
    sim_checker *checker;               // SIM_MODE_CHECK, else NULL
    inprocess_last_writes *last_writes; // NULL: nobody watches
    uint64_t host_bytes;                // that went to the host since sim_call_begin
    uint64_t moves, moved_bytes;        // likewise fills and copies on the device, and their bytes
    uint32_t *conditions;               // [condition_count], of number 1 on
    uint64_t condition_count;
    uint64_t instructions_left;  // of SIM_LIMIT_INSTRUCTIONS; 0: no such limit
    uint64_t call_left;          // likewise of the call that began last
    sim_children device_runtime; // what all grids that launch share
    inprocess_module *modules;   // handle = index + 1
    uint32_t module_count;
    inprocess_function *functions; // handle = index + 1
    uint32_t function_count;
    sim_clocks *clocks;             // NULL: no kernel of any module reads a clock
    sim_cache_memory *cache_memory; // of replays; NULL until one is needed
    sim_launch_report **reports;
    uint32_t report_count, report_capacity;
    sim_spans spans;
    uint32_t call_span; // index of the first since sim_call_begin
} inprocess_engine;

// The run of one launch: what it is run with beside what it launches, and what it leaves.
typedef struct launch_run {
    const sim_launch *launch;         // checked
    inprocess_function *function;     // its kernel in the engine's list
    uint32_t from_launch;             // as in sim_launch_report
    const sim_check_descent *descent; // how a kernel launched it; NULL: the host did
    sim_children *children;           // gets what its kernel launches; NULL: that cannot launch
    sim_warp_traces *traces;          // for timing/sm; NULL: not recorded
    sim_probes *probes;               // for maps of accesses and branches; NULL: not recorded
    sim_clocks *clocks;               // that its kernel reads; NULL: it reads none
    sim_grid grid;                    // as the executor runs it
    uint64_t workspace;               // of a cooperative launch; 0: none
    bool waits, is_checked;           // it may be set aside (held.c); the checks look at it
    sim_grid_result result;           // status, fault and counts
    double start, host_seconds;       // on the host: when it went on last; that it has taken
} launch_run;

// The calls: those of modules, functions and symbols are in modules.c, those of reports in
// report.c, sim_launch_kernel in children.c, sim_check_* in checks.c, sim_writes_watch and
// sim_last_write_get in checks.c, all others in inprocess.c.
#define SIM_CALL(id, call, way, who) __typeof__(sim_##call) inprocess_##call;
#include "engine/calls.def"
#undef SIM_CALL

// modules.c
// NULL when the handle names no function of a loaded module.
inprocess_function *inprocess_function_of(inprocess_engine *engine, sim_function_handle handle);
void inprocess_modules_free(inprocess_engine *engine);

// admit.c
// Static shared memory of a block, from the cubin where there is one.
uint32_t inprocess_shared_bytes(const sim_function *function);
// Fills what a launch of this kernel is checked against: registers, shared memory, barriers,
// threads, cluster, bytes of parameters.
void inprocess_kernel_needs(const sim_device *device, const inprocess_function *function,
                            sim_function_info *out_info);
// Makes a launch and checks it. by_kernel: a kernel asks for it, for messages. The flaw of its
// configuration; out_launch->refusal is `out_why` where it cannot run, for this reason or another.
sim_launch_flaw inprocess_admit(const inprocess_engine *engine, const inprocess_function *function,
                                const sim_launch_config *config, const void *params,
                                uint32_t param_bytes, bool by_kernel, sim_launch *out_launch,
                                kl_error *out_why);

// What is done from here on is done on this device. Returns the one before.
static inline uint32_t inprocess_use(inprocess_engine *engine, uint32_t device) {
    uint32_t before = (uint32_t)(engine->now - engine->devices);
    engine->now = &engine->devices[device];
    sim_mem_use(engine->memory, device);
    return before;
}

// Whether launches get their times from timing/sm, where it knows the device.
static inline bool inprocess_is_timed(const inprocess_engine *engine) {
    return engine->options.mode == SIM_MODE_COUNT && !engine->options.bounded_times &&
           !engine->options.uncached;
}

// What the L2 has from before, for launches whose times are timing/sm's; NULL: nobody asks.
static inline sim_l2_before *inprocess_recent(inprocess_engine *engine) {
    return inprocess_is_timed(engine) && engine->now->recent.window ? &engine->now->recent : NULL;
}

// A copy or fill of the program's reads or writes this.
static inline void inprocess_note_use(inprocess_engine *engine, uint64_t address, uint64_t bytes,
                                      bool writes) {
    if (!engine->checker) return;
    sim_checker_uses(engine->checker, sim_mem_device(engine->memory, address), bytes, writes);
}

// launch.c
// Runs a launch to its end and makes its report. run: launch, function, and how it was launched.
sim_status inprocess_run_kernel(inprocess_engine *engine, launch_run *run,
                                sim_launch_result *out_result, kl_error *err);

// Its parts: what is before the grid runs, and what comes when it has ended.
sim_status inprocess_run_begin(inprocess_engine *engine, launch_run *run, kl_error *err);
sim_status inprocess_run_end(inprocess_engine *engine, launch_run *run,
                             sim_launch_result *out_result, kl_error *err);

// A launch of the host has ended, with those of kernels below it.
void inprocess_launch_done(inprocess_engine *engine, const sim_launch *launch,
                           sim_launch_result *result);

// held.c
// Whether a launch may have to wait for a later one, or for the host: it is run by this then.
bool inprocess_may_wait(const inprocess_engine *engine, const sim_launch *launch);
sim_status inprocess_run_waiting(inprocess_engine *engine, sim_function_handle handle,
                                 const sim_launch *launch, sim_launch_result *out_result,
                                 kl_error *err);
// Launches that are set aside do not go on.
void inprocess_held_free(inprocess_engine *engine);

// checks.c
// Who is told of the accesses of a launch that is watched; NULL: nobody. The grid outlives the run.
const sim_observer *inprocess_write_observer(const inprocess_engine *engine, const sim_grid *grid);

// children.c
void inprocess_device_runtime_free(inprocess_engine *engine);

// code.c
// Keeps a module's PTX; NULL without memory.
inprocess_code *inprocess_code_new(const char *text, size_t bytes, uint32_t function_count);
void inprocess_code_free(inprocess_code *code);
// Keeps the machine code of a function (index) of the program, which was compiled from this PTX.
// code NULL: nothing happens.
void inprocess_code_take(inprocess_code *code, uint32_t function, sim_cubin *cubin,
                         const sim_cubin_kernel *kernel);
// The code of a finished grid with its counts; NULL: none was kept, or no memory.
sim_code *inprocess_code_of(const inprocess_engine *engine, const inprocess_function *function,
                            const sim_recorded *result);

// maps.c
// What a launch is to be noted in; NULL: it is not recorded.
sim_probes *inprocess_probes_begin(inprocess_engine *engine, inprocess_function *function);
// NULL without memory, during the run or now: then there are no maps.
sim_launch_maps *inprocess_maps_make(const sim_probes *probes, const sim_program *program,
                                     const sim_recorded *result);

// report.c
// Makes the report of a launch that has run and stores it under the next index.
sim_status inprocess_report_add(inprocess_engine *engine, launch_run *run, uint32_t *out_index,
                                kl_error *err);
void inprocess_reports_free(inprocess_engine *engine);
