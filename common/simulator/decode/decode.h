// From the tree of a PTX module to a program: operations chosen by opcode and type, registers as
// slots of a frame, branches with their reconvergence points.
#pragma once

#include "program/ir.h"

// Gives an address to a module-scope .global or .const variable before code is decoded. Called for
// extern ones too (another module may define them); SIM_NOT_FOUND for those is an error only where
// the variable is used.
typedef sim_status (*sim_place_fn)(void *context, const ptx_variable *variable,
                                   uint64_t *out_address, kl_error *err);

// How a module is decoded.
typedef struct sim_decode_options {
    bool keep_registers;    // a slot for every PTX register, none shared: for debugging
    bool refuses_functions; // what the simulator does not have costs the function that contains it
                            // (sim_function.refusal), not the whole module; wrong PTX still does
    bool linked;            // of several files, whose declarations nobody compares with definitions
} sim_decode_options;

// Decodes a whole module; takes ownership of `module` on success. options NULL: the defaults.
// `text` is the PTX source for carets. Unknown opcodes, types and operand forms are errors that
// name the instruction and show its line. Does not bind handlers: see ops/ops.h. Initialisers are
// written by sim_program_initialise.
sim_status sim_decode(const sim_decode_options *options, ptx_module *module, const char *text,
                      size_t text_bytes, sim_place_fn place, void *place_context,
                      sim_program **out_program, kl_error *err);

// A special register by its name in PTX ("%tid.x"). False: there is none of that name that keeps
// its value during a launch.
bool sim_special_find(const char *name, sim_special_id *out_id);
