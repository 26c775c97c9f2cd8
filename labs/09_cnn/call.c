// Call adapter of lab 09: generic buffers (common/host/call.h) to the typed call of cnn.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include "cnn.h"
#include "tensors.h"

_Static_assert((int)CNN_PLAN_BYTES == (int)KL_PLAN_BYTES, "the lab's plan is the kit's");

// The next of the call's buffers when the operation has this tensor, else NULL.
static const void *input(const kl_call *c, cnn_op op, cnn_tensor tensor, int *next) {
    return cnn_tensors_of(op) & CNN_BIT(tensor) ? c->d_inputs[(*next)++] : NULL;
}

static void *output(const kl_call *c, cnn_op op, cnn_tensor tensor, int *next) {
    return cnn_tensors_of(op) & CNN_BIT(tensor) ? c->d_outputs[(*next)++] : NULL;
}

// ints: op, images, channels, height, width, filters. reals: learning rate, momentum.
static cnn_task layer_of(const kl_call *c, cnn_op op) {
    int in = 0, out = 0;
    cnn_task task = {.op = op,
                     .shape = {c->ints[1], c->ints[2], c->ints[3], c->ints[4], c->ints[5]},
                     .learning_rate = (float)c->reals[0],
                     .momentum = (float)c->reals[1],
                     .d_workspace = c->d_workspace};
    task.d_x = input(c, op, CNN_X, &in);
    task.d_w = input(c, op, CNN_W, &in);
    task.d_b = input(c, op, CNN_B, &in);
    task.d_delta = input(c, op, CNN_DELTA, &in);
    task.d_where_in = input(c, op, CNN_WHERE_IN, &in);
    task.d_labels = input(c, op, CNN_LABELS, &in);
    task.d_y = output(c, op, CNN_Y, &out);
    task.d_dx = output(c, op, CNN_DX, &out);
    task.d_dw = output(c, op, CNN_DW, &out);
    task.d_db = output(c, op, CNN_DB, &out);
    task.d_where = output(c, op, CNN_WHERE, &out);
    task.d_losses = output(c, op, CNN_LOSSES, &out);
    task.d_delta_out = output(c, op, CNN_DELTA_OUT, &out);
    return task;
}

// ints: op, batch, batches, channels, side, filters1, filters2, hidden. Inputs: images, labels,
// order, parameters, velocity; outputs: parameters, velocity, losses.
static cnn_training training_of(const kl_call *c) {
    return (cnn_training){
        .network = {c->ints[3], c->ints[4], c->ints[5], c->ints[6], c->ints[7]},
        .batch = c->ints[1],
        .batches = c->ints[2],
        .count = (int64_t)(c->input_bytes[1] / sizeof(int32_t)),
        .d_images = c->d_inputs[0],
        .d_labels = c->d_inputs[1],
        .d_order = c->d_inputs[2],
        .learning_rate = (float)c->reals[0],
        .momentum = (float)c->reals[1],
        .d_parameters_in = c->d_inputs[3],
        .d_velocity_in = c->d_inputs[4],
        .d_parameters = c->d_outputs[0],
        .d_velocity = c->d_outputs[1],
        .d_losses = c->d_outputs[2],
        .d_prepared = c->d_prepared,
        .h_plan = c->h_plan,
    };
}

static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(cnn_function, step, step_function);
    cnn_op op = (cnn_op)c->ints[0];
    if (op != CNN_TRAIN) {
        cnn_task task = layer_of(c, op);
        return step(&task);
    }
    cnn_training training = training_of(c);
    cnn_task task = {.op = op, .training = &training, .d_workspace = c->d_workspace};
    return step(&task);
}

static int prepare(void *prepare_function, const kl_call *c) {
    return (cnn_op)c->ints[0] == CNN_TRAIN ? call(prepare_function, c) : 0;
}

KL_LAB_ADAPTER(cnn, CNN_NOT_IMPLEMENTED, .prepare_symbol = "cnn_prepare%d", .call = call,
               .prepare = prepare);
