// Call adapter of lab 01: generic buffers (common/host/call.h) to the typed call of transpose.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include "transpose.h"

// ints[0]: rows; ints[1]: columns. Input 0: the matrix; output 0: the transposed one.
static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(transpose_function, step, step_function);
    return step(c->d_inputs[0], c->ints[0], c->ints[1], c->d_outputs[0]);
}

KL_LAB_ADAPTER(transpose, TRANSPOSE_NOT_IMPLEMENTED, .call = call);
