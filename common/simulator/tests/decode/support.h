// Helpers of the decoder's tests: PTX text in, program or error text out. Device addresses are
// handed out from SIM_GLOBAL_BASE on.
#pragma once

#include "program/ir.h"
#include "support/bytes.h"

// What every PTX text starts with.
#define DECODE_HEADER ".version 9.0\n.target sm_90a\n.address_size 64\n"

// Parses and decodes; NULL with error->text when either fails. Free with sim_program_free.
sim_program *decode_try(const char *text, bool keep_registers, kl_error *err);
// The same, but a failure stops the test and shows the error; freed behind the test.
sim_program *decode_text(const char *text);
sim_program *decode_kept(const char *text); // with keep_registers
// Stops the test unless decoding fails with a message that holds `fragment`.
void decode_refuses(const char *text, const char *fragment);

// The whole file with a NUL after it, malloc'ed, or stops the test.
char *decode_read_file(const char *path);
// The instruction as text in a static buffer.
const char *decode_print(const sim_function *function, uint32_t pc);
// The first instruction with this operation, or stops the test.
const sim_instr *decode_first(const sim_function *function, sim_op op);
