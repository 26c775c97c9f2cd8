// Call adapter of lab 05: generic buffers (common/host/call.h) to the typed call of gemv_col.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include "gemv_col.h"

// ints[0]: gemv_col_op; [1]: rows; [2]: columns. Inputs: A, x; output: y.
static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(gemv_col_function, step, step_function);
    const gemv_col_task task = {
        .op = (gemv_col_op)c->ints[0],
        .m = c->ints[1],
        .n = c->ints[2],
        .d_a = c->d_inputs[0],
        .d_x = c->d_inputs[1],
        .d_y = c->d_outputs[0],
        .d_workspace = c->d_workspace,
        .workspace_bytes = (size_t)c->workspace_bytes,
    };
    return step(&task);
}

KL_LAB_ADAPTER(gemv_col, GEMV_COL_NOT_IMPLEMENTED, .call = call);
