// Helpers of the executor's tests: a rig that takes PTX text or a hand-made function, holds device
// memory, launches and shows what came out. Every failure of set-up stops the test.
#pragma once

#include "engine/engine.h"
#include "grids/grids.h"
#include "program/ir.h"
#include "support/bytes.h"

// ---- run.c --------------------------------------------------------------------------------------

typedef struct exec_rig {
    sim_memory *memory;
    sim_executor *executor;
    sim_program *program;
    sim_output output;
    sim_launch launch;      // the next one; tests may change its configuration
    sim_grid grid;          // its grid; tests may change limits, mode, observer
    sim_grid_result result; // of the last one
} exec_rig;

// Parses, decodes, binds and initialises. `threads` as for sim_executor_new. The rig is closed
// behind the test, if not before.
exec_rig *exec_open(const char *ptx, uint32_t threads);
// The PTX file that the build made of exec_sources/<name>.cu.
exec_rig *exec_open_file(const char *name, uint32_t threads);
void exec_close(exec_rig *rig);

// Device memory, poisoned or holding `bytes` of `data`.
uint64_t exec_alloc(exec_rig *rig, uint64_t bytes, const void *data);
void exec_read(exec_rig *rig, uint64_t address, void *data, uint64_t bytes);

// Parameters of a launch, as pointers to values of the sizes that the kernel declares, ended by
// NULL.
sim_status exec_launch(exec_rig *rig, const char *kernel, sim_dim3 grid, sim_dim3 block,
                       uint32_t dynamic_shared_bytes, ...);
// The same, and anything but SIM_OK stops the test and shows the fault.
#define EXEC_RUN(rig, ...) exec_expect_ok((rig), exec_launch((rig), __VA_ARGS__))
void exec_expect_ok(exec_rig *rig, sim_status status);
#define EXEC_DIM(x) ((sim_dim3){(x), 1, 1})

// Raw counts of the first instruction of the last launch's kernel with this operation and space
// (PTX_SPACE_NONE: any).
const sim_raw_counts *exec_counts(const exec_rig *rig, sim_op op, ptx_space space);
uint64_t exec_executed(const exec_rig *rig); // sum of `executed` over the program

// An engine with one module, for launches that are to succeed; closed behind the test.

typedef struct test_engine {
    sim_engine *engine;
    sim_module_handle module;
    uint64_t x; // every kernel's one parameter
} test_engine;

// x: memory of so many bytes, all 0.
test_engine engine_open(sim_options options, const char *ptx, uint64_t bytes);
sim_launch_result engine_launch(const test_engine *opened, const char *kernel, uint32_t blocks,
                                uint32_t threads);
// The same launch's report, freed behind the test.
sim_launch_report *engine_report(const test_engine *opened, const char *kernel, uint32_t blocks,
                                 uint32_t threads);

// ---- rows.c -------------------------------------------------------------------------------------
// Table tests of single instructions: rows of operands and the expected result, one row per lane.
// Every row set runs on every host variant that this machine has, with a full warp and with the
// rows' lanes alone.

enum { EXEC_ROW_OPERANDS = 4 };

typedef struct exec_row {
    uint64_t in[EXEC_ROW_OPERANDS];
    uint64_t expected;
} exec_row;

// `instruction`: PTX with d for the result and a, b, c, e for operands: "mad.lo.s32 d, a, b, 1;",
// or an opcode alone, which takes all that the shape has in this order.
// `shape`: the register types of d and of the operands in order: h b16, r b32, l b64, f f32, g f64,
// p predicate (1 or 0). Only the result's own bits are compared.
void exec_check_rows(const char *instruction, const char *shape, const exec_row *rows,
                     uint32_t count);
#define EXEC_ROWS(instruction, shape, ...)                                                         \
    do {                                                                                           \
        static const exec_row rows_[] = {__VA_ARGS__};                                             \
        exec_check_rows((instruction), (shape), rows_, sizeof rows_ / sizeof rows_[0]);            \
    } while (0)

// The same instruction on random operands: all variants and both masks must agree bit by bit.
void exec_check_variants_agree(const char *instruction, const char *shape);

// Results of `count` (up to 32) rows from one variant, 0: base, 1: v3; full: all 32 lanes run.
void exec_run_rows(const char *instruction, const char *shape, const exec_row *rows, uint32_t count,
                   int variant, int full, uint64_t *results);

// Bits of floats for rows.
uint64_t exec_f32(float value);
uint64_t exec_f64(double value);

// ---- single instructions ------------------------------------------------------------------------
// Decoded instructions for tests that need no PTX.

// An access of 4 bytes, a float's.
static inline sim_instr memory_instr(uint16_t op, uint8_t space) {
    return (sim_instr){.op = op,
                       .type = PTX_F32,
                       .space = space,
                       .vector = 1,
                       .guard = SIM_NO_SLOT,
                       .list = SIM_NO_SLOT};
}
