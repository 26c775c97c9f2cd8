// SPDX-License-Identifier: MIT
// Text forms of the parser's stages, for golden files and for looking at what the simulator reads.
#ifndef SIM_PTX_DUMP_H
#define SIM_PTX_DUMP_H

#include <stdio.h>

#include "ptx/ast.h"

// One line a token: `12:5 WORD ld.global.f32`. Stops at the first bad token and returns its error.
sim_status ptx_dump_tokens(const char *text, size_t bytes, FILE *out, kl_error *err);

// The tree as canonical PTX-like text: one line a node, every field that is set, in a fixed order.
void ptx_dump_module(const ptx_module *module, FILE *out);

#endif
