// SPDX-License-Identifier: MIT
// Code as data: see code.h.
#include "device/code.h"

#include <stdlib.h>
#include <string.h>

void sim_code_free(sim_code *code) {
    if (!code) return;
    free(code->instrs);
    free(code->text);
    free(code->machine);
    free(code);
}

static void *copy_of(const void *from, size_t bytes) {
    void *to = malloc(bytes + 1);
    if (to && bytes) memcpy(to, from, bytes);
    return to;
}

sim_code *sim_code_copy(const sim_code *code) {
    sim_code *copy = malloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *code;
    copy->instrs = copy_of(code->instrs, code->instr_count * sizeof *code->instrs);
    copy->text = copy_of(code->text, code->text_bytes);
    copy->machine = copy_of(code->machine, code->machine_count * sizeof *code->machine);
    if (copy->instrs && copy->text && copy->machine) return copy;
    sim_code_free(copy);
    return NULL;
}
