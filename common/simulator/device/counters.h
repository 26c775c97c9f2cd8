// What is counted and recorded of a launch, as data.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- counters.c ---------------------------------------------------------------------------------
// Counters: their names (counters.def), and the raw counts that the executor keeps per instruction.
// memory/access.h counts; counters/counters.h says which raw count goes into which counter.

// The rows of counters.def, in the order of tables and JSON.
typedef enum sim_counter {
#define SIM_COUNTER(id, name, source, text) SIM_COUNTER_##id,
#include "device/counters.def"
#undef SIM_COUNTER
    SIM_COUNTER_COUNT
} sim_counter;

// One set of counters, indexed by sim_counter.
typedef struct sim_counters {
    uint64_t value[SIM_COUNTER_COUNT]; // in the unit that the counter's name says
} sim_counters;

// Raw counts of one instruction of a decoded function, one cache line; the executor's hot path adds
// here. Which named counters they become follows from the instruction's operation and space.
typedef struct sim_raw_counts {
    uint64_t executed;   // warp instructions, any lane active (predicated-off ones too)
    uint64_t active;     // lanes active
    uint64_t on;         // lanes active and predicated on
    uint64_t requests;   // memory: executions with at least one lane on
    uint64_t sectors;    // global, local: distinct sectors
    uint64_t wavefronts; // shared: wavefronts
    uint64_t conflicts;  // shared: wavefronts beyond the conflict-free number; atomics on global
                         // memory: sectors beyond the distinct ones
    union {
        uint64_t divergent; // branches that split the warp
        uint64_t remote;    // memory: executions with a lane in another block's shared memory
    };
} sim_raw_counts;

// The name, Nsight Compute's where it has one: "smsp__inst_executed.sum". A constant.
const char *sim_counter_name(sim_counter counter);
// What it counts, as one phrase. A constant.
const char *sim_counter_text(sim_counter counter);
// Shares of lookups that hit, in percent; NAN when there were none: all of the L1's, and the reads
// of the L2. By Nsight Compute's names l1tex__t_sector_hit_rate.pct and
// lts__t_sector_op_read_hit_rate.pct. (Its lts__t_sector_hit_rate.pct is no sum of the reads and
// writes that it counts, and is near 100 where few of the reads hit.)
double sim_l1_hit_percent(const sim_counters *counters);
double sim_l2_hit_percent(const sim_counters *counters);

// What counters follow: a rule of the hardware, instructions of the PTX, a model.
typedef enum sim_counter_rule {
    SIM_RULE_HW,
    SIM_RULE_PTX,
    SIM_RULE_MODEL,
    SIM_RULE_COUNT
} sim_counter_rule;
// Of a counter, by its row.
sim_counter_rule sim_counter_rule_of(sim_counter counter);

// The counter with this name; SIM_COUNTER_COUNT when there is none.
sim_counter sim_counter_find(const char *name);

// What can limit a launch, as the rows of bounds.def name it: a resource, or what warps wait for.

// The rows of bounds.def, one term of the timing model each.
typedef enum sim_bound_kind {
    SIM_BOUND_NONE, // in a report without modelled times
#define SIM_BOUND(id, name, advice) SIM_BOUND_##id,
#include "device/bounds.def"
#undef SIM_BOUND
    SIM_BOUND_COUNT
} sim_bound_kind;

enum { SIM_TIME_BOUNDS = SIM_BOUND_COUNT - 1 };

// The name in JSON and on the screen: "dram", "latency". A constant.
const char *sim_bound_name(sim_bound_kind bound);
// One sentence, without a capital letter and a full stop: what is busy, and what would help.
const char *sim_bound_advice(sim_bound_kind bound);

// The rows of estimates.def: what the time of a launch was found by.
typedef enum sim_estimate {
    SIM_ESTIMATE_NONE, // in a report without modelled times
#define SIM_ESTIMATE(id, name, why) SIM_ESTIMATE_##id,
#include "device/estimates.def"
#undef SIM_ESTIMATE
    SIM_ESTIMATE_COUNT
} sim_estimate;

// The name in JSON: "longest_warp". A constant.
const char *sim_estimate_name(sim_estimate estimate);
// What bounds a launch whose time this estimate is: "the longest warp, ..". A constant.
const char *sim_estimate_text(sim_estimate estimate);

// The code of a launch's kernel as data: its PTX, instruction by instruction with what each did,
// and the machine code that ptxas made of it. engine/code.c makes it.

enum { SIM_CODE_NONE = -1 };

// An instruction of the PTX, of the kernel or of a function that it called.
typedef struct sim_code_instr {
    uint32_t file, line; // the user's: index into the report's files; line 0: not known
    uint32_t text;       // offset in sim_code.text
    uint64_t executed;   // warps
    uint64_t on;         // threads, active and predicated on
    bool untimed;        // no time is modelled of what it starts
} sim_code_instr;

// A machine instruction of 128 bits.
typedef struct sim_code_machine {
    uint64_t words[2]; // its bits, the low half first
    int32_t instr;     // index of the PTX instruction that it was made of, SIM_CODE_NONE: not known
} sim_code_machine;

// The code of one kernel.
typedef struct sim_code {
    uint32_t instr_count;      // of instrs
    sim_code_instr *instrs;    // in order of the text; those that were not executed too
    char *text;                // each instruction terminated
    uint32_t text_bytes;       // of text, terminators included
    uint32_t architecture;     // of the machine code, 90; 0: none that belongs to this PTX
    uint32_t machine_count;    // of machine
    sim_code_machine *machine; // in order of their addresses; NULL: none
} sim_code;

void sim_code_free(sim_code *code); // accepts NULL

// A copy; NULL without memory.
sim_code *sim_code_copy(const sim_code *code);

// A timeline of one SM: what each of its warps does in each cycle, as the cycle-level model
// (timing/sm) had it issue and wait, from which the launch's modelled time comes, too. A launch
// that the model followed to its end takes device.kernel_us and the timeline's cycles, the last of
// them perhaps in part. Deterministic; a model, not a measurement.

// What a warp does in a cycle: the rows of warp_phases.def.
typedef enum sim_warp_phase {
#define SIM_WARP_PHASE(id, name, symbol, text) SIM_PHASE_##id,
#include "device/warp_phases.def"
#undef SIM_WARP_PHASE
    SIM_PHASE_COUNT
} sim_warp_phase;

// The name in JSON and in the picture's key. A constant.
const char *sim_phase_name(sim_warp_phase phase);
// The letter that stands for the phase in a picture made of text.
char sim_phase_symbol(sim_warp_phase phase);
// What a warp does there, as one phrase. A constant.
const char *sim_phase_text(sim_warp_phase phase);

enum { SIM_TIMELINE_CYCLES = 16384 }; // shown at most

// Cycles that follow each other, in one phase.
typedef struct sim_timeline_span {
    uint32_t cycles, phase; // sim_warp_phase
} sim_timeline_span;

// A slot for a warp on the SM, from cycle 0 on. Its spans add up to the timeline's cycles, those
// that are not ABSENT to the lives of the warps in it.
typedef struct sim_timeline_row {
    sim_timeline_span *spans; // in the order of time, [count]
    uint32_t count, capacity; // of `spans`: used, and allocated
    uint32_t lived;           // cycles from the starts of its warps' blocks to the warps' ends
} sim_timeline_row;

// The timeline of an SM, from the first cycle on.
typedef struct sim_timeline {
    uint32_t cycles;        // that it covers, at most SIM_TIMELINE_CYCLES
    uint32_t schedulers;    // row r belongs to scheduler r mod schedulers
    uint32_t blocks;        // that began
    bool cut;               // the SM went on after the last cycle
    double in_flight;       // global memory requests under way, on average
    uint32_t row_count;     // slots for warps
    sim_timeline_row *rows; // [row_count]
} sim_timeline;

// Frees the timeline and its rows; accepts NULL.
void sim_timeline_free(sim_timeline *timeline);

// A copy; NULL without memory.
sim_timeline *sim_timeline_copy(const sim_timeline *timeline);

// Cycles that a row spends in each phase within [from, to).
void sim_timeline_count(const sim_timeline_row *row, uint32_t from, uint32_t to,
                        uint32_t cycles[SIM_PHASE_COUNT]);

// Where the lanes of a launch's memory instructions pointed, how its branches split warps, and
// which boxes its bulk tensor copies moved: of each instruction sums and one or two executions with
// the addresses of all lanes, or the first box. Recorded only
// when asked for (engine/engine.h, sim_options.maps), by record/traces.h; which executions are kept
// follows from the launch alone, never from host threads.

// What a memory instruction does, and to which memory.
typedef enum sim_map_kind {
#define SIM_MAP_KIND(id, name, memory, requests, units) SIM_MAP_##id,
#include "device/map_kinds.def"
#undef SIM_MAP_KIND
    SIM_MAP_KIND_COUNT
} sim_map_kind;

// "global load".
const char *sim_map_kind_name(sim_map_kind kind);
// Shared memory: it is served in wavefronts; else global or local memory, by sectors.
bool sim_map_is_shared(sim_map_kind kind);
// Local memory: see sim_access_sample.
bool sim_map_is_local(sim_map_kind kind);
// Counters of device/counters.def in which its requests, and its sectors or wavefronts, are.
sim_counter sim_map_requests(sim_map_kind kind);
sim_counter sim_map_units(sim_map_kind kind);

enum {
    SIM_MAP_LANES = 32,
    SIM_MAPS_ACCESSES = 512, // of a launch, those with most units beyond the least first
    SIM_MAPS_BRANCHES = 64,  // of a launch, those that split most often first
    SIM_MAPS_BOXES = 32      // of a launch, the first ones in the code
};

// One execution of a memory instruction by a warp.
typedef struct sim_access_sample {
    uint32_t block[3], warp; // index of the block in the grid; of the warp in the block
    uint32_t lanes;          // active and predicated on
    uint32_t units, least;   // sectors or wavefronts, and how few they could be
    // Device addresses, or byte offsets in the block's shared memory; of lanes that are off: 0. Of
    // local memory byte offsets in that of the warp, where word w of lane i lies at 128 w + 4 i:
    // an access of k words touches k rows of 128 bytes.
    uint64_t addresses[SIM_MAP_LANES];
} sim_access_sample;

// A memory instruction, as the hardware executes it where the machine code tells.
typedef struct sim_access_map {
    uint32_t file, line; // file: of the report's files; line 0: not known
    uint32_t order;      // of the instruction in the code, to tell several of a line apart
    sim_map_kind kind;   // what it does
    uint32_t bytes;      // that a lane moves
    uint32_t rounds;     // atomics on shared memory: wavefronts of a pass over the banks
    bool aggregated;     // atomics: one lane does it for all
    uint64_t requests;   // executions with a lane on
    uint64_t units;      // sectors or wavefronts of all
    uint64_t least;      // what the same lanes and bytes could do with
    // The first execution, and the first of those with most units beyond the least.
    sim_access_sample first, worst;
} sim_access_map;

// Where a branch lies inside another.
typedef enum sim_branch_side {
    SIM_SIDE_NONE,  // inside no other branch that splits
    SIM_SIDE_FALL,  // on the side of the lanes that went on behind the branch
    SIM_SIDE_JUMP,  // on the side of those that jumped
    SIM_SIDE_EITHER // on both
} sim_branch_side;

// A conditional branch that split a warp at least once.
typedef struct sim_branch_map {
    uint32_t file, line;         // line 0: not known
    uint32_t fall_line;          // where lanes go that do not jump; 0: not known
    uint32_t jump_line;          // where the others go; 0: not known, or several places
    bool meets;                  // again, before the end of the function
    uint32_t meet_line;          // where; 0: not known
    uint32_t parent;             // index + 1 of the branch around it; 0: none
    sim_branch_side side;        // of the parent
    bool is_switch;              // several ways: `taken` and `jumped` count the lanes that leave
                                 // the way of the first one
    uint64_t executions, splits; // of these, with lanes on both sides
    uint64_t active, taken;      // lanes of the splits; of these, those that jumped
    uint32_t block[3], warp;     // of the first split
    uint32_t lanes, jumped;      // its lanes; of these, those that jumped
} sim_branch_map;

// A bulk tensor copy, with the first box that it moved. A row of the box begins where the row
// before ends, with a swizzle at the next multiple of the swizzle's span.
typedef struct sim_box_map {
    uint32_t file, line;      // line 0: not known
    bool stores;              // to global memory; else into shared memory
    uint64_t copies;          // of all threads
    uint32_t rows, row_bytes; // along the innermost dimension
    uint32_t swizzle;         // its span: 32, 64 or 128 bytes; 0: none
    uint32_t offset;          // of the box in the block's shared memory, in bytes
} sim_box_map;

// All that is recorded of a launch.
typedef struct sim_launch_maps {
    sim_access_map *accesses;   // by units beyond the least, most first; then in the code's order
    uint32_t access_count;      // up to SIM_MAPS_ACCESSES
    uint32_t accesses_left_out; // instructions beyond these
    sim_branch_map *branches;   // in the code's order
    uint32_t branch_count;      // up to SIM_MAPS_BRANCHES
    uint32_t branches_left_out; // that split a warp, beyond these
    uint32_t branches_whole;    // conditional branches that were executed and split no warp
    sim_box_map *boxes;         // in the code's order
    uint32_t box_count;         // up to SIM_MAPS_BOXES
    uint32_t boxes_left_out;    // bulk tensor copies beyond these
} sim_launch_maps;

// NULL: nothing.
void sim_launch_maps_free(sim_launch_maps *maps);
// A copy; NULL without memory.
sim_launch_maps *sim_launch_maps_copy(const sim_launch_maps *maps);
