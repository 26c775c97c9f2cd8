// SPDX-License-Identifier: MIT
// Helpers of the executor's tests: a rig that takes PTX text or a hand-made function, holds device
// memory, launches and shows what came out. Every failure of set-up stops the test.
#ifndef SIM_TEST_SUPPORT_RUN_H
#define SIM_TEST_SUPPORT_RUN_H

#include "grids/grids.h"
#include "support/random.h"

typedef struct exec_rig {
    sim_memory *memory;
    sim_executor *executor;
    sim_program *program;
    sim_output output;
    sim_launch launch;      // the next one; tests may change its configuration
    sim_grid grid;          // its grid; tests may change limits, mode, observer
    sim_grid_result result; // of the last one
} exec_rig;

// Parses, decodes, binds and initialises. `threads` as for sim_executor_new.
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

#endif
