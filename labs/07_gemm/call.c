// Call adapter of lab 07: generic buffers (common/host/call.h) to the typed call of gemm.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include "gemm.h"

// ints: m, n, k; reals: alpha, beta. Inputs: A, B and, where there is a third, D; output 0: C.
static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(gemm_function, step, step_function);
    const gemm_task task = {
        .m = c->ints[0],
        .n = c->ints[1],
        .k = c->ints[2],
        .d_a = c->d_inputs[0],
        .d_b = c->d_inputs[1],
        .d_c = c->d_outputs[0],
        .alpha = (float)c->reals[0],
        .beta = (float)c->reals[1],
        .d_d = c->input_count > 2 ? c->d_inputs[2] : NULL,
        .d_workspace = c->d_workspace,
    };
    return step(&task);
}

KL_LAB_ADAPTER(gemm, GEMM_NOT_IMPLEMENTED, .call = call);
