// Call adapter of lab 10: generic buffers (common/host/call.h) to the typed call of pruning.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include <stdbool.h>

#include "pruning.h"

// ints: op, images, rows, columns, entries, keep, relu. reals: learning rate, momentum.
// Inputs and outputs: in the order of the contract's table.
static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(pruning_function, step, step_function);
    pruning_task t = {.op = (pruning_op)c->ints[0],
                      .shape = {c->ints[1], c->ints[2], c->ints[3], c->ints[4]},
                      .keep = c->ints[5],
                      .relu = (int)c->ints[6],
                      .learning_rate = (float)c->reals[0],
                      .momentum = (float)c->reals[1],
                      .d_workspace = c->d_workspace};
    const void *const *in = c->d_inputs;
    void *const *out = c->d_outputs;
    bool dense = t.op == PRUNING_LAYER;
    switch (t.op) {
    case PRUNING_LAYER:
    case PRUNING_BLOCKS:
        t.d_x = *in++;
        if (dense) t.d_w = *in++;
        t.d_ptr = in[0], t.d_col = in[1], t.d_val = in[2], t.d_b = in[3];
        t.d_y = out[0];
        break;
    case PRUNING_SELECT: t.d_w = in[0], t.d_select = out[0]; break;
    case PRUNING_MASK: t.d_w = in[0], t.d_select_in = in[1], t.d_mask = out[0]; break;
    case PRUNING_UPDATE:
        t.d_w = in[0], t.d_v = in[1], t.d_g = in[2], t.d_mask_in = in[3];
        t.d_w_out = out[0], t.d_v_out = out[1];
        break;
    case PRUNING_CSR:
        t.d_w = in[0], t.d_mask_in = in[1];
        t.d_ptr_out = out[0], t.d_col_out = out[1], t.d_val_out = out[2];
        break;
    case PRUNING_OPS: break;
    }
    return step(&t);
}

KL_LAB_ADAPTER(pruning, PRUNING_NOT_IMPLEMENTED, .call = call);
