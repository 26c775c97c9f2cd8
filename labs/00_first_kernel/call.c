// Call adapter of lab 00: generic buffers (common/host/call.h) to the typed calls of
// first_kernel.h. Used by the lab program and by the graded runner; it must know neither inputs nor
// answers.
#include "call.h"

#include <string.h>

#include "first_kernel.h"

// One pointer, seen as the function of each task: ISO C has no cast from data to function pointers.
typedef union step_pointer {
    void *address;
    first_kernel_scale *scale;
    first_kernel_difference *difference;
    first_kernel_polynomial *polynomial;
    first_kernel_lookup *lookup;
    first_kernel_paths *paths;
    first_kernel_program *program;
    first_kernel_elect *elect;
    first_kernel_map *map;
    first_kernel_others *others;
} step_pointer;

// What a whole program returned is its second output: an error is a right answer where one is due.
static int call_program(first_kernel_program *program, const kl_call *c) {
    int32_t code = program(c->d_inputs[0], c->ints[1], (float)c->reals[0], (int)c->ints[2],
                           c->ints[3], c->d_outputs[0]);
    if (code == FIRST_KERNEL_NOT_IMPLEMENTED) return code;
    memcpy(c->d_outputs[1], &code, sizeof code); // host memory, see kl_case.host
    return 0;
}

// ints[0]: the task; ints[1]: n, blocks or groups; ints[2]: rounds or threads; ints[3]:
// scratch_bytes; reals[]: a, or the coefficients.
static int call(void *step_function, const kl_call *c) {
    step_pointer step = {.address = step_function};
    const void *d_x = c->d_inputs[0];
    void *d_y = c->d_outputs[0];
    float coefs[FIRST_KERNEL_COEFS];
    switch ((enum first_kernel_task)c->ints[0]) {
    case FIRST_KERNEL_SCALE: return step.scale(d_x, c->ints[1], (float)c->reals[0], d_y);
    case FIRST_KERNEL_DIFFERENCE: return step.difference(d_x, c->ints[1], d_y);
    case FIRST_KERNEL_POLYNOMIAL:
        for (int k = 0; k < FIRST_KERNEL_COEFS; k++) coefs[k] = (float)c->reals[k];
        return step.polynomial(d_x, c->ints[1], coefs, d_y);
    case FIRST_KERNEL_LOOKUP: return step.lookup(d_x, c->ints[1], c->d_inputs[1], d_y);
    case FIRST_KERNEL_PATHS: return step.paths(d_x, c->ints[1], (int)c->ints[2], d_y);
    case FIRST_KERNEL_ELECT: return step.elect(c->ints[1], d_y);
    case FIRST_KERNEL_FORWARD:
    case FIRST_KERNEL_TWICE:
    case FIRST_KERNEL_PLUS_TWO: return step.map(d_x, c->ints[1], d_y);
    case FIRST_KERNEL_OTHERS: return step.others(d_x, c->ints[1], d_y);
    case FIRST_KERNEL_PROGRAM: break;
    }
    return call_program(step.program, c);
}

KL_LAB_ADAPTER(first_kernel, FIRST_KERNEL_NOT_IMPLEMENTED, .call = call);
