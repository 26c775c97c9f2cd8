// What is asked of a decoded program (ir.h): control flow, loops, what an executor has prepared,
// matrices in registers.
#pragma once

#include "program/ir.h"

// ---- cfg.c --------------------------------------------------------------------------------------
// Control-flow graphs of decoded functions: basic blocks, immediate post-dominators (Cooper,
// Harvey, Kennedy: A Simple, Fast Dominance Algorithm, 2001, on the reversed graph with a virtual
// exit), reconvergence points. Memory comes from the caller's arena; false means that it is short.

// A directed graph over nodes 0..count-1; node `count` is the virtual exit and may be a target.
typedef struct sim_graph {
    uint32_t count; // of nodes, the virtual exit not among them
    // [count + 1]: successors of n are targets[first[n]] .. targets[first[n + 1] - 1]
    uint32_t *first;
    uint32_t *targets;
} sim_graph;

// out_ipdom[n]: the first node after n on every path from n to the exit; `count` when that is the
// exit itself. A part of the graph that cannot reach the exit (an endless loop) is given an edge to
// it at its last node in depth-first order, which in a loop is where it jumps back.
bool sim_graph_ipdom(sim_arena *arena, const sim_graph *graph, uint32_t *out_ipdom);

// Basic blocks of a function, and the graph of them.
typedef struct sim_cfg {
    uint32_t *first_pc; // [graph.count + 1]: block b is first_pc[b] .. first_pc[b + 1] - 1
    uint32_t *block_of; // [code_count]
    sim_graph graph;    // all edges a thread may take, exit included
} sim_cfg;

// Blocks of `code`, whose branch targets are pcs below code_count; `slots` holds BRX tables. The
// last instruction must not fall through.
bool sim_cfg_build(sim_arena *arena, const sim_instr *code, uint32_t code_count,
                   const uint32_t *slots, sim_cfg *out_cfg);

// Sets `reconverge` of every BRA and BRX. Threads that leave for good do not hold the others up:
// where a branch leads straight out of the function (to a bare ret or exit, or to a block that ends
// in trap or exit) on one side and forward on the other, the point is that of the threads that
// stay.
bool sim_cfg_set_reconvergence(sim_arena *arena, const sim_cfg *cfg, sim_instr *code);

// ---- cfg.c -------------------------------------------------------------------------------------
// Loops of a decoded function, as its code lies: from the target of a jump back to that jump.

// A loop: from the instruction that is jumped back to, to the one that jumps.
typedef struct sim_loop {
    uint32_t first_pc, last_pc; // both are part of it
} sim_loop;

// The innermost and the outermost loop around `pc`, which may be the same; false: there is none.
bool sim_loops_around(const sim_function *function, uint32_t pc, sim_loop *out_inner,
                      sim_loop *out_outer);
// Source lines of a loop, first to last, as far as they stand in the file where it begins; false:
// none is known.
bool sim_loop_lines(const sim_function *function, const sim_loop *loop, uint32_t *out_file,
                    uint32_t *out_first, uint32_t *out_last);

// ---- exits.c ------------------------------------------------------------------------------------
// What decides whether the loops around an instruction end: the registers that their exits depend
// on, by data and by control, and those that what they do to others depends on. Counters of polls
// and back-off times are mostly not among them.

// A part of the frame that holds a register.
typedef struct sim_exit_slot {
    uint32_t offset, bytes; // of all lanes
    bool narrow;            // 16 bits of each lane's 32 have a meaning
} sim_exit_slot;

// Of the state before an instruction.
typedef struct sim_exits {
    bool in_loop;               // false: no loop of its function is around it
    const sim_exit_slot *slots; // [slot_count]: registers that count
    uint32_t slot_count;        // of `slots`
    bool reads_local;           // so does local memory
    bool reads_memory;          // what others can write counts: the loop waits for something
    uint64_t clocks;  // as bits, pc modulo 64: reads of a clock of which the result counts
    uint32_t look_pc; // a load or an atomic that counts and others can answer, or
                      // SIM_PC_EXIT
} sim_exits;

// Of instruction `pc` of `function`, for all loops around it. `called`: by a function that is in a
// loop, to which its results matter, too. Memory comes from `arena`, that of the result as well;
// false: it is short.
bool sim_exits_find(sim_arena *arena, const sim_program *program, const sim_function *function,
                    uint32_t pc, bool called, sim_exits *out_exits);

// ---- bound --------------------------------------------------------------------------------------
// A function as one executor has prepared it (ops/bind.c): what it knows beyond the code.

typedef struct sim_executor sim_executor; // grids/grids.h

// Code from one instruction on.
typedef struct sim_run {
    uint32_t plain;  // straight-line instructions from here
    uint8_t control; // 1: a control instruction follows them and belongs to the run
    uint8_t joins;   // 1: lanes may have to meet here
    uint8_t guards;  // 1: some of `plain` have a guard
    uint8_t waits;   // 1: some of `plain` may wait for other lanes, or be polling
} sim_run;

// A part of a frame.
typedef struct sim_range {
    uint32_t offset, bytes; // from its beginning
} sim_range;

// A function as one executor has prepared it.
typedef struct sim_bound {
    uint32_t index;                 // in program->functions
    bool orders_blocks, calls_heap; // blocks may have to wait for earlier ones (job.h); it calls
                                    // malloc or free
    bool draws_tickets;             // a loop has an addition to device memory that returns what
                                    // was there
    bool cancels;                   // it takes over launches of clusters that have not started
    bool polls;                     // it reads in a loop what others may write there
    bool calls_runtime;             // of device code: launches from the kernel among them
    uint8_t uses;                   // of built-in functions, as program/builtins.def says
    bool has_bounded_stack;         // neither recursion nor calls through pointers
    sim_run *runs;                  // by pc
    sim_range *registers;           // parts of the frame that are neither constants nor specials
    uint32_t register_range_count;  // of `registers`
    sim_exec_fn *unprobed; // by pc: what probed instructions had before; NULL: it is not probed
    sim_special *block_specials;  // change from block to block; the rest only from launch to launch
    uint32_t block_special_count; // of `block_specials`
    struct sim_clock_code *clock; // NULL: no kernel that reads a clock comes here
    const sim_executor *owner;    // that gave program_stamp
    uint64_t program_stamp;       // which no other program of that executor has
} sim_bound;

// ---- matrix layout ------------------------------------------------------------------------------
// Where the elements of a matrix lie in the registers of a warp (PTX ISA 9.0, "Matrix Fragments for
// mma.m16n8k16" and its siblings). All of them follow one pattern. The warp is 8 groups of 4 lanes.
// A register holds `pack` neighbours along k, and the 4 lanes of a group hold neighbours, so a
// group covers 4 * pack steps of k:
//   A  row = group, or group + 8 for odd registers of a 16-row tile; further registers go on along
//      k
//   B  column = group; further registers go on along k
//   C  row = group or group + 8, columns 2 * lane in group, and the next
// wmma leaves its layout open: tiles of this pattern one after the other, and where a fragment has
// more registers than elements, the same again.

// Where in its matrix an element is.
typedef struct sim_element_place {
    uint32_t row, column; // from 0
} sim_element_place;

static inline uint32_t sim_element_bits(sim_element element) {
    static const uint8_t bits[] = {
#define MATRIX_ELEMENT(id, text, bits) bits,
#include "program/matrix_elements.def"
#undef MATRIX_ELEMENT
    };
    return bits[element];
}

static inline sim_element sim_matrix_element(const sim_matrix *matrix, sim_matrix_part part) {
    const uint8_t types[] = {matrix->a, matrix->b, matrix->c, matrix->d};
    return (sim_element)types[part];
}

// Elements of one register.
static inline uint32_t sim_element_pack(sim_element element) {
    uint32_t bits = sim_element_bits(element);
    return bits < 32 ? 32 / bits : 1;
}

static inline uint32_t sim_matrix_rows(const sim_matrix *matrix, sim_matrix_part part) {
    return part == SIM_MATRIX_B ? matrix->k : matrix->m;
}
static inline uint32_t sim_matrix_columns(const sim_matrix *matrix, sim_matrix_part part) {
    return part == SIM_MATRIX_A ? matrix->k >> matrix->sparse : matrix->n;
}

// Registers per lane that hold every element once.
static inline uint32_t sim_matrix_registers(const sim_matrix *matrix, sim_matrix_part part) {
    uint32_t elements = sim_matrix_rows(matrix, part) * sim_matrix_columns(matrix, part);
    return elements / (SIM_WARP_LANES * sim_element_pack(sim_matrix_element(matrix, part)));
}

// The place of element `index` of register `number` in `lane`.
static inline sim_element_place sim_matrix_place(const sim_matrix *matrix, sim_matrix_part part,
                                                 uint32_t lane, uint32_t number, uint32_t index) {
    uint32_t pack = sim_element_pack(sim_matrix_element(matrix, part));
    uint32_t group = lane / 4, inner = lane % 4, tall = matrix->m >= 16 ? 2 : 1;
    number %= sim_matrix_registers(matrix, part);
    if (part == SIM_MATRIX_B) {
        uint32_t a_tile = matrix->k / (4 * pack), along = number % a_tile;
        return (sim_element_place){along * 4 * pack + inner * pack + index,
                                   number / a_tile * 8 + group};
    }
    if (part == SIM_MATRIX_A) {
        uint32_t columns = sim_matrix_columns(matrix, part);
        uint32_t a_tile = tall * (columns / (4 * pack)), inside = number % a_tile;
        return (sim_element_place){number / a_tile * 16 + group + inside % tall * 8,
                                   inside / tall * 4 * pack + inner * pack + index};
    }
    uint32_t element = number * pack + index, tile = element / (2 * tall);
    uint32_t inside = element % (2 * tall), across = matrix->n / 8;
    return (sim_element_place){tile / across * 16 + group + inside / 2 * 8,
                               tile % across * 8 + inner * 2 + inside % 2};
}
