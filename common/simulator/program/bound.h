// SPDX-License-Identifier: MIT
// A function as one executor has prepared it (ops/bind.c): what it knows beyond the code.
#ifndef SIM_PROGRAM_BOUND_H
#define SIM_PROGRAM_BOUND_H

#include "program/ir.h"

typedef struct sim_executor sim_executor; // grids/internal.h

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

#endif
