// What the hardware issues for the instructions of PTX: their costs, their operands, what ptxas
// made of them, and the operations of a function in the order of their issue.
#pragma once

#include "device/counters.h"
#include "device/device.h"
#include "image/image.h"
#include "program/ir.h"
#include <string.h>

// ---- issue_code.c -------------------------------------------------------------------------------
// A function as the schedulers see it: operations in the order in which ptxas would
// schedule them, with their pipes, latencies and registers. PTX is not machine code: what ptxas
// drops (moves, loads of parameters) costs nothing here, what it makes of several instructions
// (division, 64-bit sums) as many, and a short loop around loads that it unrolls four times is
// taken in fours.

// Which units an operation can go to; several: the one that is free first.
enum {
    ISSUE_PIPE_ALU,      // integers and logic: half a warp per cycle
    ISSUE_PIPE_FMA,      // of float and of integers
    ISSUE_PIPE_FMA_LITE, // of float alone
    ISSUE_PIPE_XU,       // special functions
    ISSUE_PIPE_FP64,     // double
    ISSUE_PIPE_TENSOR,   // matrices
    ISSUE_PIPES          // the load/store unit belongs to the SM: memory.h
};

// What an operation waits for.
typedef enum issue_kind {
    ISSUE_PLAIN,    // registers only
    ISSUE_FREE,     // nothing in the machine code: its result is there when its operands are
    ISSUE_GLOBAL,   // load, store, atomic of global or local memory
    ISSUE_SHARED,   // likewise of shared memory, shuffles
    ISSUE_CONSTANT, // load by a computed address
    ISSUE_TEXTURE,  // fetch from a texture
    ISSUE_BRANCH,   // may change the flow
    ISSUE_BARRIER   // of the block
} issue_kind;

// One operation. Copies are those of the iterations of an unrolled loop.
typedef struct issue_op {
    uint32_t pc;              // of the function
    uint32_t operands;        // index of its registers: sources, then results
    uint8_t sources, results; // how many of each
    uint8_t kind, pipes;      // issue_kind; bit p: may go to pipe p; 0: to none of them
    uint8_t issues, copy;     // machine instructions; number of the iteration
    uint8_t holds;            // its pipe as long as that many simple ones: products of 64 bits two
    uint8_t stall;            // cycles until the warp's next operation, at least
    bool counted;             // pipes are those of its machine instructions: works
    uint8_t works[SIM_MACHINE_PIPES]; // by sim_machine_pipe, how many of them
    // Registers from each bank, behind the warp's last operation and behind another warp's.
    uint8_t reads[SIM_REGISTER_BANKS], reads_alone[SIM_REGISTER_BANKS];
    uint8_t sets, waits; // scoreboards, a bit each, as in sim_machine_op
    uint16_t latency;    // cycles until what it writes can be read; of memory: as ptxas expects
} issue_op;

// A straight-line region, inside which instructions are moved.
typedef struct issue_region {
    uint32_t first, last;   // pcs
    uint32_t ops, op_count; // index of its operations
    uint32_t batch;   // of ISSUE_UNROLL iterations of the loop that it is; 0: it is not unrolled
    uint32_t length;  // pcs, those of all copies included
    uint32_t numbers; // of values: all are below
} issue_region;

enum {
    ISSUE_UNROLL = 4,        // iterations of a loop that ptxas puts into one
    ISSUE_UNROLLED_MOST = 64 // instructions of such a loop
};

// A function, made ready.
typedef struct issue_code {
    const sim_function *function; // NULL: not made yet
    issue_op *ops;                // of all regions, one after the other
    uint32_t op_count;            // of `ops`
    uint32_t op_capacity;         // that there is memory for
    uint16_t *operands;           // numbers of values, below number_count
    uint32_t operand_count;       // of `operands`
    uint32_t operand_capacity;    // that there is memory for
    issue_region *regions;        // in the order of the code
    uint32_t region_count;        // of `regions`
    uint32_t *region_of;          // [code_count]
    bool *asks;                   // [code_count] has entries in a warp's trace
    uint32_t register_count;      // numbers that all regions share; above, each has its own
    uint32_t number_count;        // of the region that has most
} issue_code;

// A program's functions: each is made when a launch needs it first, and kept for the next launches.
typedef struct sim_issue_codes {
    uint32_t count;  // of functions
    issue_code of[]; // [count]; function NULL: not made
} sim_issue_codes;

// Accepts NULL.
void sim_issue_codes_free(sim_issue_codes *codes);

// Of a decoded function; false: no memory, or too many registers. To be freed either way.
bool issue_code_make(issue_code *code, const sim_device *device, const sim_function *function);
// Frees what issue_code_make made, also of one that failed.
void issue_code_free(issue_code *code);

// ---- cost.c -------------------------------------------------------------------------------------
// What one instruction of the PTX costs in machine code of compute capability 9.0: how many machine
// instructions, on which pipes, with which latency.

// What an instruction is to the schedulers.
issue_kind issue_kind_of(const sim_instr *instr);

// Whether it is at a barrier of a part of the block.
static inline bool issue_is_part_barrier(const sim_instr *instr) {
    return sim_is_barrier(instr) && instr->src[1] != SIM_NO_SLOT;
}

// Whether a warp's trace has entries of sim_traced_kind for it: bulk copies, mbarriers, barriers of
// a part of the block.
static inline bool issue_has_events(const sim_instr *instr) {
    return sim_is_bulk(instr) || sim_uses_mbarrier(instr) || issue_is_part_barrier(instr);
}

// Of global memory, or of any.
static inline bool issue_is_in_memory(const sim_instr *instr) {
    return instr->space == PTX_SPACE_GLOBAL || instr->space == PTX_SPACE_NONE;
}

// Whether pcs `first` to `last` are a short loop around loads: ptxas unrolls it four times more
// than the PTX shows, so that many iterations wait together (machine code of a summing loop: 16
// loads per iteration where its PTX has 4). Where an iteration also stores, the next one's loads
// must stay behind that, unless they are known to read what nobody writes (`__restrict__`).
bool issue_is_unrolled(const sim_function *function, uint32_t first, uint32_t last);

// Groups of a warp's asynchronous work, as the cycles at which each is done, latest first: those of
// ends[0] to ends[most] that are looked at. Commits one that is done at `end`.
static inline void issue_commit_group(double *ends, uint32_t most, double end) {
    memmove(ends + 1, ends, most * sizeof *ends);
    ends[0] = end;
}

// kind, pipes, issues and latency of the instruction at `pc`, whose region begins at `first`.
issue_op issue_cost_of(const sim_device *device, const sim_function *function, uint32_t pc,
                       uint32_t first);

// Whether it is a quotient or remainder of integers of 32 bits in a loop, before which ptxas has
// made the divisor's reciprocal.
bool issue_has_reciprocal(const sim_function *function, uint32_t pc);

// A branch over a few instructions, which ptxas makes instructions under a predicate.
bool issue_is_predicated(const sim_function *function, uint32_t pc);

// What a branch costs its warp, in the cycle-level model and on a clock alike. Of one that guards
// something: the cycles that it waits longer for its predicate than arithmetic does.
double issue_branch_wait(const sim_instr *branch);
// Whether its lanes may part and meet again behind it: machine_constant.reconvergence more where
// they part.
bool issue_branch_reconverges(const sim_instr *branch);
// From its start to the warp's next instruction, where all lanes go the same way.
double issue_branch_cycles(const sim_function *function, uint32_t pc, bool taken);

// Cycles that a pipe of a scheduler is busy with a simple operation.
double issue_pipe_cycles(const sim_device *device, int pipe);

// Whether an atomic on shared memory adds floats, which is a loop of a load and a compare-and-swap,
// an iteration for each lane of an address. Warps that add to one address make each other try
// again.
bool issue_is_loop_of_sums(const sim_instr *atomic);
// Whether its address is the same in all threads: that of a variable.
bool issue_is_one_address(const sim_function *function, const sim_instr *instr);

// Of a product of a warp group: wavefronts of shared memory, for all four warps, and cycles that it
// keeps the tensor cores of the SM.
// ISSUE_GROUP_QUEUE: that a tensor core has taken before the first one must end. H200: a group that
// issues 16 products of 64 cycles waits before the tenth and the others; when it has issued the
// last one, nearly seven are not done.
enum { ISSUE_GROUP_QUEUE = 7 };
uint32_t issue_group_wavefronts(const sim_instr *product);
double issue_group_cycles(const sim_instr *product);

// Cycles by which a fence of the whole card takes longer on this one than on an H200, with nothing
// to wait for; and cycles of a fence behind stores that are on their way to the L2.
double issue_fence_more(const sim_device *device);
double issue_fence_cycles(const sim_device *device, const sim_instr *fence);
// Whether it stores behind a fence of its scope, which is an instruction of its own (MEMBAR). A
// load that acquires costs no more than another one, as flags on an H200 showed.
bool issue_is_release(const sim_instr *instr);
// Cycles of a load that the L2 answers.
double issue_l2_latency(const sim_device *device);

// Numbers of constants.def.
typedef struct machine_constants {
#define MACHINE_CONSTANT(name, value, unit, text, source) double name;
#include "machine/constants.def"
#undef MACHINE_CONSTANT
} machine_constants;
// Their values.
extern const machine_constants machine_constant;

// ---- operands.c ---------------------------------------------------------------------------------
// What an instruction reads and writes, and which unit of the SM executes it.

// The hardware unit that executes an instruction, by operation and type.
sim_pipe sim_pipe_of(const sim_instr *instr);

// The slots whose values an instruction waits for, and those that it writes: [SIM_OPERAND_SLOTS], a
// count returned.
enum { SIM_OPERAND_SLOTS = 40 }; // a matrix product of 32 registers, and what else it reads
uint32_t sim_operand_sources(const sim_function *function, const sim_instr *instr,
                             uint32_t slots[SIM_OPERAND_SLOTS]);
uint32_t sim_operand_results(const sim_function *function, const sim_instr *instr,
                             uint32_t slots[SIM_OPERAND_SLOTS]);

// ---- match.c ------------------------------------------------------------------------------------
// What ptxas made of a kernel's loads, stores and atomics: machine instructions matched to the PTX
// ones they came from, by the line table of the cubin. Sets sim_instr.machine, from which the
// executor counts accesses as the hardware executes them. Right or absent: where an access is not
// accounted for exactly it is marked as different, and where the machine code does not belong to
// this PTX nothing is marked.
//
// Worked example: PTX loads [r], [r+4], [r+8], [r+12] on lines 91, 94, 97, 100; the machine code
// has one shared load of 16 bytes, of line 94, and none of the others. Four accesses in a row
// without a gap, of one register, and as wide together as the one there is: it does the work of all
// four. Local memory of a kernel whose machine code has no stack frame lies in registers.

// `kernel` is of `cubin` and of the same name as `function`, compiled from the PTX it was decoded
// from. Where it belongs to the PTX, its instructions are listed, too, in the arena.
void sim_machine_match(sim_arena *arena, sim_function *function, sim_cubin *cubin,
                       const sim_cubin_kernel *kernel);

// The first part of it, with the lines of the PTX that the kernel's code belongs to, ascending by
// offset. Returns whether it does belong to the PTX.
bool sim_machine_match_lines(sim_function *function, const sim_cubin_kernel *kernel,
                             const sim_cubin_line *lines, uint32_t line_count);

// The second part: sets function->machine and machine_jumps, the machine instructions with the PTX
// ones that they came from. What lies behind the jump to itself that ends a kernel's code is left
// out.
void sim_machine_list(sim_arena *arena, sim_function *function, const sim_cubin_kernel *kernel,
                      const sim_cubin_line *lines, uint32_t line_count);

// ---- index.c ------------------------------------------------------------------------------------
// What the machine code beside the PTX has of a region: how many instructions for each operation,
// and in which order.

// ---- paths.c ------------------------------------------------------------------------------------
// Sets function->machine_weights, from which the machine instructions follow that a launch of the
// kernel executes. Exact, or absent: where the machine code has a loop, calls, or branches that
// cannot be laid beside those of the PTX in one way alone. A branch that ptxas made predicates of
// is recognised.
//
// Worked example: `if (i < n) y[i] = ..` is, in machine code, 7 instructions, an EXIT with a
// predicate, and 11 more. Every warp executes the first 8; the 11 are executed by the warps that
// come to the PTX instruction behind the branch.
//
// That takes a while: sim_machine_keep keeps the code, and sim_machine_weigh looks at it when a
// launch is counted first.
void sim_machine_keep(sim_arena *arena, sim_function *function, const sim_cubin_kernel *kernel);
void sim_machine_weigh(sim_arena *arena, sim_function *function);

// The machine instructions of a function by the PTX ones that they came from.
typedef struct machine_index {
    const sim_function *function; // that is indexed
    uint32_t *pcs;       // [machine_count]: the instruction that it came from, or is done with
    uint32_t *first;     // [code_count + 1]: index of `positions`; NULL: no machine code
    uint32_t *positions; // [machine_count]: indices of function->machine, ascending for each pc
} machine_index;

// False: no memory. To be freed either way. A function without machine code has no positions.
bool machine_index_make(machine_index *machine, const sim_function *function);
void machine_index_free(machine_index *machine);

// What ptxas does before a loop for the instructions of a region in it counts to what stands
// before it in the machine code: once, not in each iteration. region_of[pc]: numbers of the
// regions, which ascend. False: no memory.
bool machine_index_hoist(machine_index *machine, const uint32_t *region_of);

// How many copies of the region from pc `first` to `last` the innermost loops of the machine code
// have; 1 without machine code.
uint32_t machine_index_copies(const machine_index *machine, uint32_t first, uint32_t last);

// Gives ops[0..count), the region from `first` to `last` in the order of the program, some
// iterations of it, the machine instructions that they became on average: what became none is free.
// What costs more than a few by itself (a division, whose subroutine is seldom entered) and what
// the region has once for all its iterations stay as they are. out_positions: where each is in
// the machine code, from 1; 0: nowhere.
void machine_index_take(const machine_index *machine, uint32_t first, uint32_t last, issue_op *ops,
                        uint32_t count, uint32_t *out_positions);

// ---- Words of the machine code ------------------------------------------------------------------
// Machine code of compute capability 9.0 as ptxas 13.0 writes it: what list.c and paths.c read.

// Operation codes, as in image/machine_opcodes.def.
enum {
    MACHINE_OPCODE_BITS = 0x1FF,
    MACHINE_NOP = 0x118,
    MACHINE_CALL = 0x144,
    MACHINE_BRA = 0x147
};

// The first word of instruction `index`: code, predicate, operands.
static inline uint64_t machine_word(const sim_cubin_kernel *kernel, size_t index) {
    uint64_t word;
    memcpy(&word, kernel->code + index * SIM_MACHINE_BYTES, sizeof word);
    return word;
}

// The second word. Bit 27 of a branch says that warps take it whose lanes are not together; bits
// 41 .. 44 are the stall, 46 .. 48 the scoreboard of the result (7: none), 52 .. 57 those that are
// waited for.
static inline uint64_t machine_control(const sim_cubin_kernel *kernel, size_t index) {
    uint64_t word;
    memcpy(&word, kernel->code + index * SIM_MACHINE_BYTES + sizeof word, sizeof word);
    return word;
}

// Index of the instruction that a branch at `index` leads to. Bits 34 .. 63 and behind them
// 16 .. 23 of its first word are the distance from the instruction behind it, in units of 4 bytes.
static inline int64_t machine_target(uint64_t word, size_t index) {
    enum { UNIT_BYTES = 4 };
    int64_t units = (int64_t)((int32_t)(word >> 32) >> 2) * 256 + (int64_t)(word >> 16 & 0xFF);
    return (int64_t)index + 1 + units / (SIM_MACHINE_BYTES / UNIT_BYTES);
}
