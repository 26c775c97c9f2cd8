// What a launch is asked for and what is known of it afterwards: plain data, which the modules
// above fill (the executor a fault, timing/ the times) and engine/engine.h hands out.
#pragma once

#include "base/base.h"
#include "device/counters.h"
#include "device/device.h"

// ---- report.c -----------------------------------------------------------------------------------

// How much an engine keeps of what it executes; each mode is slower than the one before.
typedef enum sim_mode {
    SIM_MODE_FUNCTIONAL, // results only
    SIM_MODE_COUNT,      // results, counters, modelled time
    SIM_MODE_CHECK       // results and the checks of `ladder check`
} sim_mode;

// Sizes or indices in three dimensions, x fastest.
typedef struct sim_dim3 {
    uint32_t x, y, z; // sizes are at least 1, indices count from 0
} sim_dim3;

// In which order blocks, and the warps of a block, are run. Results of a correct program do not
// depend on it.
typedef enum sim_schedule_kind {
    SIM_SCHEDULE_FORWARD,
    SIM_SCHEDULE_REVERSE,
    SIM_SCHEDULE_HURRIED,     // blocks that wait for each other: each goes on as far as it can
    SIM_SCHEDULE_ALTERNATING, // warps, and lanes that are apart, alternate at each synchronisation
    SIM_SCHEDULE_RANDOM       // a permutation that follows from the seed
} sim_schedule_kind;

// The order of one engine.
typedef struct sim_schedule {
    sim_schedule_kind kind; // the same for blocks and for warps
    uint64_t seed;          // of SIM_SCHEDULE_RANDOM
} sim_schedule;

// The words for orders, for messages.
#define SIM_SCHEDULE_WORDS "reverse, hurried, alternating or random:SEED"
// "forward" or one of these. False: it is not.
bool sim_schedule_parse(const char *text, sim_schedule *out_schedule);

// A launch as cudaLaunchKernelEx is asked for one.
typedef struct sim_launch_config {
    sim_dim3 grid, block;            // in blocks, and in threads
    uint32_t dynamic_shared_bytes;   // of each block, beside what the kernel declares
    uint32_t preferred_shared_bytes; // of an SM, for shared memory rather than L1; 0: no wish
    sim_dim3 cluster;                // blocks of a cluster; 0 x 0 x 0: launched without clusters
    bool cooperative; // all blocks must be resident at once, so that they can wait for each other
    // What others do may end its wait: the program has streams beside a default one, or several
    // devices, or the kernel has memory that the host sees.
    bool streams;
    uint64_t queue;  // sim_queue: the stream that it is put into, for the checks; 0: not told
    uint32_t stream; // its number, for texts
    double start_us; // when it may begin, on the program's clock
    uint32_t device; // on which of the engine's devices: the one in use (sim_device_use)
} sim_launch_config;

// How far an engine has come, for somebody who waits for it: what another process may see through
// shared memory. Decides nothing.
typedef struct sim_progress {
    _Atomic uint64_t launches, warp_instructions; // so far
} sim_progress;

// What happened when a kernel went wrong; `kind` SIM_OK: nothing did.
typedef struct sim_fault {
    sim_status kind;          // SIM_ILLEGAL_ADDRESS and the like
    char kernel[256];         // mangled; "": unknown
    char file[256];           // of the source; "": unknown
    uint32_t line;            // from 1; 0: unknown
    sim_dim3 block, thread;   // indices of who did it
    uint64_t address;         // that was accessed; in shared and local memory an offset
    uint32_t access_bytes;    // of the access; 0: it was none
    char text[KL_ERROR_TEXT]; // whole explanation for people
} sim_fault;

// A term of the timing model: the time the launch would take if only this limited it.
typedef struct sim_time_bound {
    sim_bound_kind kind; // what limits
    double time_us;      // in microseconds
} sim_time_bound;

// What the instructions of one line of source counted.
typedef struct sim_line_counters {
    uint32_t file;         // index into report files
    uint32_t line;         // from 1
    sim_counters counters; // of all warps of the launch
} sim_line_counters;

// Everything known about one launch. Freed by sim_launch_report_free.
typedef struct sim_launch_report {
    char *kernel;             // mangled
    sim_launch_config config; // as it was asked for
    uint32_t from_launch; // number of the launch whose kernel made this one, from 1; 0: the host's
    uint64_t cancelled_blocks;    // that never ran, as others cancelled their launch
    uint32_t static_shared_bytes; // per block, that the kernel declares
    uint32_t registers;   // that the launch gave each thread: never fewer than the device's least
    uint32_t local_bytes; // a thread
    // Widths of the machine instructions that move registers to local memory and back, one of each
    // place in the code, as ptxas -v prints them. 0 also without machine code.
    uint32_t spill_store_bytes, spill_load_bytes;
    bool registers_estimated;
    uint32_t lacking; // bits of sim_feature: what the kernel used and the device does not have
    sim_occupancy occupancy;                 // device/device.h
    double time_us;                          // modelled: the largest of the estimates
    sim_estimate estimate;                   // which one that is
    double estimates_us[SIM_ESTIMATE_COUNT]; // by sim_estimate; 0: does not apply
    double bounded_us;                       // by the analytical model (timing/bounds/bounds.h)
    sim_time_bound bounds[SIM_TIME_BOUNDS];  // largest first
    char explanation[256];                   // one sentence: which bound wins and why
    double host_seconds;
    sim_mode mode;
    sim_counters totals;
    sim_line_counters *lines; // sorted by file, line; only lines that executed
    uint32_t line_count;
    char **files;
    uint32_t file_count;
    sim_fault fault;
    sim_timeline *timeline; // of SM 0; NULL: none was asked for
    sim_code *code;         // likewise
    sim_launch_maps *maps;  // NULL: none were asked for
} sim_launch_report;

// Whether its time is the cycle-level model's, not that of its bounds together.
bool sim_report_has_sm_time(const sim_launch_report *report);

// Whether starting the kernel took longer than all that it did.
bool sim_report_launch_bound(const sim_launch_report *report, const sim_device *device);

// Frees the report and what it points to; accepts NULL.
void sim_launch_report_free(sim_launch_report *report);

// How much of the device a launch keeps at work: the SMs that get a block, waves and their tail,
// and the occupancy that is reached. Follows from a report's sizes and counters.

// Use of the device by one launch.
typedef struct sim_activity {
    uint64_t blocks;   // of the grid
    uint32_t sms_used; // min(blocks, SMs): blocks go to an idle SM first
    double waves;      // blocks / (SMs x resident blocks per SM): launch__waves_per_multiprocessor
    double tail_idle;  // share of the last wave's places that get no block, 0 .. 1
    // Resident warps on average, of the most that an SM can hold, 0 .. 1; NaN: not counted. Over
    // the cycles in which an SM holds any: sm__warps_active.avg.pct_of_peak_sustained_active / 100.
    double achieved;
    // The same over all SMs and the launch's whole time: ..pct_of_peak_sustained_elapsed / 100.
    double achieved_elapsed;
    // Of the cycles in which an SM holds a warp, 0 .. 1, mean of its schedulers: tensor core and
    // special-function unit both work, only the one, only the other; NaN: not counted.
    double tensor_and_xu, tensor_alone, xu_alone;
} sim_activity;

// The figures of a launch, of the blocks that ran. waves and tail_idle are 0 when no block fits on
// an SM.
sim_activity sim_activity_of(const sim_device *device, const sim_launch_report *report);

// What SIM_MODE_CHECK has to say of a program: findings as data. check/ makes them.

// The rows of checks.def.
typedef enum sim_check_class {
#define SIM_CHECK(id, name, is_warning, meaning) SIM_CHECK_##id,
#include "device/checks.def"
#undef SIM_CHECK
    SIM_CHECK_COUNT
} sim_check_class;

// What an access does.
typedef enum sim_check_action {
    SIM_ACTION_NONE,
    SIM_ACTION_READ,
    SIM_ACTION_WRITE,
    SIM_ACTION_ATOMIC
} sim_check_action;

// What the instruction takes the numbers of a value to be.
typedef enum sim_value_kind { SIM_VALUE_UNKNOWN, SIM_VALUE_INTEGER, SIM_VALUE_REAL } sim_value_kind;

// One of the accesses that a finding is about.
typedef struct sim_check_side {
    sim_check_action action; // SIM_ACTION_NONE: there is no such side
    char file[256];          // "": unknown
    uint32_t line;           // from 1; 0: unknown
    sim_dim3 block, thread;  // indices of who did it, from 0
    uint32_t value_bytes;    // of value, 0: not known
    uint8_t value[16];       // what it read or wrote, as in memory
    uint8_t value_kind;      // sim_value_kind
    uint8_t element_bytes;   // of each of its numbers, by the instruction
    // Of a stream-race or host-race: which kernel does it (mangled), or which call of the host
    // ("cudaMemset"), or "host code".
    // Of a call `file` has its machine code's address and those of the calls around it,
    // "PROGRAM+0xADDRESS 0xADDRESS"; `ladder` makes them a file and a line.
    char kernel[256], call[64];
} sim_check_side;

// One finding: the first of its class at its line or pair of lines, and how often it was seen.
typedef struct sim_finding {
    sim_check_class kind; // what is wrong
    uint64_t count;       // how often it was seen, at least 1
    char kernel[256];     // mangled; "": not of a kernel
    uint32_t launch;      // index of the first launch
    uint64_t address;     // device address, or offset in shared or local memory
    char space[8];        // "global", "shared", "local" or ""
    uint32_t bytes;       // size of the access
    // What holds the address, where that is known: its number among the program's allocations (from
    // 1; 0: none) or the name of the variable.
    uint32_t allocation;
    uint32_t argument; // of the kernel, from 1: the only one that points there; 0: not known
    uint64_t allocation_bytes, allocation_offset;
    char variable[256];
    uint64_t bound; // INDEX_WIDTH: the argument that the index is compared with; else 0
    // The later access first, but of a stream-race the earlier one; unused ones have
    // SIM_ACTION_NONE.
    sim_check_side sides[2];
    char text[KL_ERROR_TEXT];
} sim_finding;

// By what threads of a launch waited for each other, or chose their way, so that another order of
// blocks and warps may show another fault.
typedef enum sim_dependence {
    SIM_DEPENDS_ON_FLAGS = 1,       // in memory, that others set while the kernel ran
    SIM_DEPENDS_ON_MANY = 2,        // likewise, of blocks that ran at the same time
    SIM_DEPENDS_ON_ACTIVE_LANES = 4 // __activemask()
} sim_dependence;

// Everything the checks have to say of a program so far. Freed by sim_check_report_free.
typedef struct sim_check_report {
    sim_finding *findings;                // in the order of their first occurrence, leaks last
    uint32_t count;                       // of `findings`
    uint64_t left_out;                    // findings beyond the cap on their number
    uint64_t launches, warp_instructions; // that were checked
    double host_seconds;                  // that checked launches took on the host
    bool times_exhausted;                 // a launch was too long to tell races in its later part
    uint32_t depends;                     // sim_dependence as bits
    uint64_t *host_reads;                 // digest of the bytes of each copy to the host, in order
    uint32_t host_read_count;             // of `host_reads`
} sim_check_report;

// Frees the report and what it points to; accepts NULL.
void sim_check_report_free(sim_check_report *report);

// The name in JSON and on the screen: "race". A constant.
const char *sim_check_name(sim_check_class kind);
// What such a finding means, as one phrase. A constant.
const char *sim_check_meaning(sim_check_class kind);
// True when a program with it may still be right, so that it costs no points.
bool sim_check_is_warning(sim_check_class kind);
// True when it is about a call of the host's, at sides[0], not about threads of a kernel.
bool sim_check_is_of_host(sim_check_class kind);
