// SPDX-License-Identifier: MIT
// Whether a register can have been written before an instruction: a local variable whose register
// nothing has written has no value yet.
#ifndef SIM_DEBUG_VARIABLES_UNSET_H
#define SIM_DEBUG_VARIABLES_UNSET_H

#include "ptx/ast.h"

typedef struct var_code var_code; // the instructions of a module

// NULL: the text does not parse, or no memory.
var_code *var_code_new(const char *ptx, size_t bytes);
// The name of a file of the module by its number; NULL: it has none.
const char *var_code_file(const var_code *code, uint32_t number);
void var_code_free(var_code *code); // accepts NULL

// True where no path through the function that holds `ptx_line` writes the register before that
// line. False when it is not known. A name is known by its address: it must stay as it is.
bool var_is_unset(var_code *code, uint32_t ptx_line, const char *register_name);

#endif
