// Call adapter of lab 08: generic buffers (common/host/call.h) to the typed calls of spmv.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include "spmv.h"

_Static_assert((int)SPMV_PLAN_BYTES == (int)KL_PLAN_BYTES, "the lab's plan is the kit's");

// ints[0]: rows; [1]: columns; [2]: entries; [3]: spmv_type. Inputs: ptr, col, val, x; output: y.
static spmv_matrix matrix_of(const kl_call *c) {
    return (spmv_matrix){
        .rows = c->ints[0],
        .cols = c->ints[1],
        .nnz = c->ints[2],
        .ptr = c->d_inputs[0],
        .col = c->d_inputs[1],
        .val = c->d_inputs[2],
        .type = (spmv_type)c->ints[3],
    };
}

static spmv_prepared memory_of(const kl_call *c) {
    return (spmv_prepared){c->d_prepared, c->prepared_bytes, c->h_plan};
}

static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(spmv_function, step, step_function);
    spmv_matrix matrix = matrix_of(c);
    spmv_prepared memory = memory_of(c);
    return step(&matrix, c->d_inputs[3], c->d_outputs[0], &memory);
}

static int prepare(void *prepare_function, const kl_call *c) {
    KL_FUNCTION(spmv_prepare_function, step, prepare_function);
    spmv_matrix matrix = matrix_of(c);
    spmv_prepared memory = memory_of(c);
    return step(&matrix, &memory);
}

KL_LAB_ADAPTER(spmv, SPMV_NOT_IMPLEMENTED, .prepare_symbol = "spmv_prepare%d", .call = call,
               .prepare = prepare);
