// Call adapter of lab 04: generic buffers (common/host/call.h) to the typed calls of gemv_row.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include "gemv_row.h"

_Static_assert((int)GEMV_ROW_PLAN_BYTES == (int)KL_PLAN_BYTES, "the lab's plan is the kit's");

// ints[0]: m; ints[1]: n. Inputs: A, x; output: y.
static gemv_row_matrix matrix_of(const kl_call *c) {
    return (gemv_row_matrix){
        .a = c->d_inputs[0],
        .m = c->ints[0],
        .n = c->ints[1],
        .d_prepared = c->d_prepared,
        .prepared_bytes = (size_t)c->prepared_bytes,
        .h_plan = c->h_plan,
    };
}

static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(gemv_row_function, step, step_function);
    gemv_row_matrix matrix = matrix_of(c);
    return step(&matrix, c->d_inputs[1], c->d_outputs[0], c->d_workspace,
                (size_t)c->workspace_bytes);
}

static int prepare(void *prepare_function, const kl_call *c) {
    KL_FUNCTION(gemv_row_prepare_function, step, prepare_function);
    gemv_row_matrix matrix = matrix_of(c);
    return step(&matrix);
}

KL_LAB_ADAPTER(gemv_row, GEMV_ROW_NOT_IMPLEMENTED, .prepare_symbol = "gemv_row_prepare%d",
               .call = call, .prepare = prepare);
