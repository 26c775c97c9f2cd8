// What the files of this module share: the cost of instructions, the caches, and the time of a
// device, of a block and of a warp.
#pragma once

#include "machine/machine.h"
#include "timing/kernel_clock/kernel_clock.h"

// ---- code.c -------------------------------------------------------------------------------------
// A function as its warps' clocks see it: for each instruction its cost in machine code
// (machine/machine.h, refined where a chain of one operation shows more), and its registers.

// How an instruction passes through a warp's clock.
typedef enum clock_kind {
    CLOCK_PLAIN,    // registers only
    CLOCK_FREE,     // nothing in the machine code
    CLOCK_MEMORY,   // global, shared or local
    CLOCK_SHUFFLE,  // through the load/store unit, without an address
    CLOCK_CONSTANT, // load by a computed address
    CLOCK_BRANCH,
    CLOCK_BARRIER, // of the block
    CLOCK_CLUSTER_BARRIER,
    CLOCK_FENCE,
    CLOCK_SLEEP,
    CLOCK_WAIT_COPIES, // asynchronous ones
    CLOCK_BULK,        // a bulk copy
    CLOCK_BULK_WAIT,   // at an mbarrier
    CLOCK_ARRIVE,      // at an mbarrier
    CLOCK_RELEASE,     // an arrival that releases to the cluster
    CLOCK_PRODUCT,     // of a warp group
    CLOCK_PRODUCTS,    // commit_group, wait_group of such
    CLOCK_READ         // of a clock
} clock_kind;

// An instruction.
typedef struct clock_op {
    sim_exec_fn exec;         // what the instruction does
    uint32_t operands;        // index of its registers: sources, then results
    uint8_t sources, results; // how many of each
    uint8_t kind;             // clock_kind
    uint8_t issues;           // machine instructions
    uint8_t pipes, holds;     // as issue_op has them
    uint16_t latency;         // cycles until what it writes can be read; of memory: of its nearest
    bool hoists;              // a comparison: moved up where its registers are old
} clock_op;

// sim_bound.clock.
struct sim_clock_code {
    clock_op *ops;      // [code_count]
    uint16_t *operands; // numbers of registers
    uint32_t registers; // that the function writes
    bool reads;         // a clock, itself or in what it calls: of kernels
};

// Replaces handlers by sim_clock_exec; called by sim_clocks_bind.
void sim_clock_exec(sim_warp *warp, const sim_instr *instr, uint32_t lanes);

// ---- caches.c -----------------------------------------------------------------------------------
// Where a kernel that reads clocks finds its data: tags of the L1s and of the L2, line by line. The
// L1s are empty when a launch begins. The L2 keeps what such kernels have touched, and otherwise
// knows what copies, fills and other kernels can have left in it, by allocations: a kernel without
// a clock is not watched.

// Ways of a set, of either cache; ranges that are kept.
enum { CACHES_WAYS = 16, CACHES_RANGES = 64 };

// An entry of a set.
typedef struct caches_line {
    uint64_t line;  // of 128 bytes, from address 0
    uint64_t stamp; // L1: the launch; L2: of the last range before; 0: empty
    uint32_t used;  // number of the access
} caches_line;

// Bytes that something else has touched.
typedef struct caches_range {
    uint64_t first, end, stamp; // stamp: counts up; ranges lie in this order
} caches_range;

// The tags of a device.
typedef struct caches {
    const sim_device *device;           // whose caches they are
    caches_line **l1;                   // [sm_count]; NULL until the SM has loaded something
    uint32_t l1_lines, l1_sets;         // l1_lines: of this launch
    caches_line *l2;                    // [l2_sets][CACHES_WAYS]
    uint32_t l2_sets, accesses;         // accesses: so far, of all caches
    caches_range ranges[CACHES_RANGES]; // [range_count], the youngest last
    uint32_t range_count;               // of `ranges`
    uint64_t stamp;                     // of the youngest range
    uint64_t oldest;                    // what was touched then or before has left the L2
    uint64_t launch;                    // counts up
} caches;

// Where the farthest sector of a line was.
typedef enum caches_level {
    CACHES_L1,
    CACHES_L2,       // seen before by a kernel that read clocks
    CACHES_L2_FIRST, // left there by others
    CACHES_DRAM
} caches_level;

// Empty tags, once; false: no host memory. To be ended either way.
bool caches_begin(caches *of, const sim_device *device);
// Frees what caches_begin made.
void caches_end(caches *of);
// A launch begins, which leaves so many bytes to the L1.
void caches_launch(caches *of, uint32_t l1_bytes);
// One line; past_l1: the L1 is not asked.
caches_level caches_find(caches *of, uint32_t sm, uint64_t line, bool past_l1);
// Something that is not watched has used [address, address + bytes).
void caches_touched(caches *of, uint64_t address, uint64_t bytes);

// ---- units.c ------------------------------------------------------------------------------------
// What the warps of a block take from each other.

enum { CLOCK_WINDOWS = 512, CLOCK_SCHEDULERS = 4 };

// What is taken of a window of cycles.
typedef struct clock_window {
    uint16_t taken, lap; // lap: number of the window by CLOCK_WINDOWS
} clock_window;

// Something that one warp uses at a time.
typedef struct clock_unit {
    uint32_t width; // of a window, cycles
    clock_window of[CLOCK_WINDOWS];
} clock_unit;

// Those of an SM.
typedef struct clock_units {
    clock_unit schedulers[CLOCK_SCHEDULERS], pipes[CLOCK_SCHEDULERS][ISSUE_PIPES];
    clock_unit memory, port, constants; // load/store unit; to the L2; cache of constants
} clock_units;

// All are free.
void clock_units_begin(clock_units *units, const sim_device *device);
// Takes a unit for so many cycles, not before `from`. When that begins.
double clock_use(clock_unit *unit, double from, double cycles);

// ---- clock.c, warp.c, memory.c, bulk.c ----------------------------------------------------------
// The time of a device, of a block and of a warp whose kernel reads clocks. Private to this module.

enum {
    CLOCK_TENSOR_CORES = 4,
    CLOCK_CONSTANT_LINES = 32, // of 64 bytes: the nearest cache of constants
    CLOCK_BULK_BARRIERS = 32   // mbarriers whose copies and arrivals are followed
};

// A barrier: what its phase has seen. Two phases, because warps that have not gone on since the
// last one still read it.
typedef struct clock_barrier {
    uint32_t phase;                // counts up
    uint32_t count[2];             // arrivals
    double earliest[2], latest[2]; // of them
} clock_barrier;

// sim_grid.clocks.
struct sim_clocks {
    const sim_device *device; // whose time it is
    caches caches;            // of the device
    double now;               // cycle at which the launch begins, or the last one has ended
    uint64_t serial;          // of the launch; counts up
    bool keeps;               // time in this launch
    double *place_free;       // [sm_count][places]: when the place of a block is free
    uint32_t places;          // blocks that an SM holds at once
    uint32_t registers;       // most of any function of the program
    clock_barrier cluster;    // of the clusters, which run one after the other
};

// The time of a warp.
typedef struct clock_warp {
    const sim_frame *frame; // whose registers `ready` is about
    uint32_t next;          // pc after the last instruction; UINT32_MAX: anywhere
    double now;             // cycle in which the next instruction can issue
    double order;           // nothing that comes later can be put before this cycle
    double order_before;    // likewise at the jump or reading before the last
    double idle;            // issue slots since then that are free
    double unit_free;       // load/store unit, as far as this warp uses it
    double stored, copied;  // when its stores are in the L2, its asynchronous copies have arrived
    double latest;          // when all results are there
    // When the last product of a warp group ends, and those of the groups committed, latest first.
    double products_end, groups_end[SIM_MOST_GROUPS + 1];
    uint8_t barrier;        // waits at it; UINT8_MAX: at none
    uint32_t phase;         // of that barrier
    uint32_t cluster_phase; // in which it has come to the cluster's
    double *ready;          // [registers]: cycle at which it can be read
} clock_warp;

// A tensor core, as far as the block's warps use it for products of warp groups.
typedef struct clock_tensor {
    double free;                    // when the last product ends
    double ends[ISSUE_GROUP_QUEUE]; // of the last ones, a ring
    uint32_t next;                  // in it: the oldest one
} clock_tensor;

// sim_block.clock: one piece of memory.
typedef struct clock_block {
    sim_clocks *clocks;                       // of the device
    uint64_t launch, serial;                  // that it is about; of sim_clocks and of the block
    uint32_t warps, registers;                // there is room for
    double begin;                             // cycle
    double *place;                            // of sim_clocks.place_free
    clock_barrier barriers[SIM_BARRIERS];     // by number
    uint64_t constants[CLOCK_CONSTANT_LINES]; // the youngest first
    struct {
        uint32_t mbarrier; // its offset in shared memory + 1; 0: none
        double arrives;    // cycle at which its last copy is there and seen
    } bulk[CLOCK_BULK_BARRIERS];
    uint32_t bulk_next;                      // of `bulk`: the oldest one
    double bulk_free;                        // when the copies issued so far have moved their bytes
    clock_tensor tensor[CLOCK_TENSOR_CORES]; // of warps by their numbers
    bool shared;                             // of several warps, which share
    clock_units units;
    clock_warp of[]; // [warps], and their `ready`
} clock_block;

// The warp's time; NULL: none is kept in this launch, or there is no memory.
clock_warp *clock_warp_of(sim_warp *warp, clock_block **out_block);

// When an instruction starts that could by itself at `from`: its scheduler and its pipe.
double clock_issue(clock_block *block, const sim_warp *warp, const clock_op *op, double from);

// When the results of a memory instruction are there that starts at `now`; op->latency: of its
// nearest memory.
double clock_memory(clock_warp *w, clock_block *block, sim_warp *warp, const sim_instr *instr,
                    const clock_op *op, uint32_t lanes, double now);
// A shuffle asks the load/store unit: when that begins.
double clock_shuffle(clock_warp *w, clock_block *block, double now);
// Threads arrive at mbarriers, which is seen at `seen`.
void clock_arrive(clock_block *block, sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                  double seen);
// A bulk copy is issued in cycle `now`; and the cycle at which a look at the mbarrier of a warp's
// first lane sees what has been announced to it.
void clock_bulk(clock_block *block, const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                double now);
double clock_bulk_seen(const clock_block *block, sim_warp *warp, const sim_instr *instr,
                       uint32_t lanes);
// When all bulk copies of the block that have been issued are there: an arrival that releases to
// the cluster is a fence, which waits for them.
double clock_bulk_all(const clock_block *block);
// When the results of a load from constant memory by a computed address are there.
double clock_constant(clock_block *block, sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                      double now);
