// Call adapter of lab 02: generic buffers (common/host/call.h) to the typed call of reduction.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include "reduction.h"

// ints[0]: n; ints[1]: reduction_op. Input 0: x; output 0: the result.
static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(reduction_function, step, step_function);
    return step(c->d_inputs[0], c->ints[0], (reduction_op)c->ints[1], c->d_outputs[0],
                c->d_workspace, (size_t)c->workspace_bytes);
}

KL_LAB_ADAPTER(reduction, REDUCTION_NOT_IMPLEMENTED, .call = call);
