// A stopped thread that is none: tests say what its registers and its memory hold.
#pragma once

#include "debug/variables/variables.h"

enum { FAKE_REGISTERS = 16, FAKE_BYTES = 4096 };

typedef struct fake_thread {
    sim_variables_thread thread; // to be given to sim_variables_evaluate
    sim_variables *variables;
    char names[FAKE_REGISTERS][24];
    uint64_t values[FAKE_REGISTERS];
    uint32_t register_count;
    uint8_t memory[PTX_SPACE_TEX + 1][FAKE_BYTES]; // by space, from its address 0 on
    uint32_t reads;                                // of registers and memory so far
} fake_thread;

// Everything zero. Registers are those that compilers name (%r1, %rd1, %f1, %fd1, %rs1, %p1,
// %tid.x ..), memory has FAKE_BYTES a space, global memory from SIM_GLOBAL_BASE on. Symbols lie at:
// __local_depotN local 0x100, .._param_N parameters 16 N, "tile" shared 0x40, "rest" shared 0x200,
// "weights" constant, "counter" and scale global.
void fake_open(fake_thread *fake, const char *ptx, size_t bytes);
void fake_close(fake_thread *fake);

void fake_set_register(fake_thread *fake, const char *name, uint64_t value);
// The register in which a variable lies; stops the test if it does not.
void fake_set_variable(fake_thread *fake, const char *name, uint64_t value);
// Where a variable lies.
void fake_write(fake_thread *fake, const char *name, const void *data, size_t bytes);

// "= TEXT" of a value, "ERROR" of an error; in a static buffer.
const char *fake_print(fake_thread *fake, char letter, const char *expression);
#define EXPECT(fake, expression, text) ck_assert_str_eq(fake_print(fake, 0, expression), text)
