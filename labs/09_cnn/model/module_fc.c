// Modules without a plane: the fully connected layer and ReLU, and what all modules share. See
// model.h.
//
//   fully connected   x [images][inputs] -> y [images][outputs] = x w + b, w [inputs][outputs]
//                     delta [images][outputs] -> dx [images][inputs], dw, db
//   ReLU              x [images][inputs] -> y [images][inputs]; its derivative is known from y
#include "model/model.h"
#include "cuda_check.h"

static kl_status fc_forward(cnn_module *m, cnn_ops *ops, int64_t images, const float *d_x,
                            kl_error *err) {
    cnn_task task = {.op = CNN_FC_FORWARD,
                     .shape = m->shape,
                     .d_x = d_x,
                     .d_w = m->parameters.d_w,
                     .d_b = m->parameters.d_b,
                     .d_y = m->d_y};
    task.shape.images = images;
    return cnn_ops_run(ops, &task, err);
}

static kl_status fc_backward(cnn_module *m, cnn_ops *ops, int64_t images, const float *d_x,
                             const float *d_delta, kl_error *err) {
    cnn_task task = {.op = CNN_FC_BACKWARD,
                     .shape = m->shape,
                     .d_x = d_x,
                     .d_w = m->parameters.d_w,
                     .d_delta = d_delta,
                     .d_dx = m->d_dx,
                     .d_dw = m->parameters.d_dw,
                     .d_db = m->parameters.d_db};
    task.shape.images = images;
    return cnn_ops_run(ops, &task, err);
}

static kl_status relu_forward(cnn_module *m, cnn_ops *ops, int64_t images, const float *d_x,
                              kl_error *err) {
    cnn_task task = {.op = CNN_RELU_FORWARD, .shape = m->shape, .d_x = d_x, .d_y = m->d_y};
    task.shape.images = images;
    return cnn_ops_run(ops, &task, err);
}

static kl_status relu_backward(cnn_module *m, cnn_ops *ops, int64_t images, const float *d_x,
                               const float *d_delta, kl_error *err) {
    (void)d_x;
    cnn_task task = {.op = CNN_RELU_BACKWARD,
                     .shape = m->shape,
                     .d_x = m->d_y,
                     .d_delta = d_delta,
                     .d_dx = m->d_dx};
    task.shape.images = images;
    return cnn_ops_run(ops, &task, err);
}

const cnn_module_kind cnn_fc = {"fully connected", fc_forward, fc_backward};
const cnn_module_kind cnn_relu = {"ReLU", relu_forward, relu_backward};

static void count_elements(cnn_module *m) {
    const cnn_shape *s = &m->shape;
    m->inputs = s->channels * s->height * s->width;
    m->outputs = m->kind == &cnn_relu ? s->channels : s->filters;
    if (m->kind == &cnn_conv_pool)
        m->outputs *=
            (cnn_conv_out(s->height) / CNN_WINDOW) * (cnn_conv_out(s->width) / CNN_WINDOW);
}

static kl_status make_floats(int64_t count, float **out, kl_error *err) {
    KL_CUDA(err, cudaMalloc((void **)out, sizeof(float) * (size_t)count));
    return KL_OK;
}

kl_status cnn_module_new(const cnn_module_kind *kind, cnn_shape shape, cnn_parameters parameters,
                         int64_t most, cnn_module *out, kl_error *err) {
    *out = (cnn_module){.kind = kind, .shape = shape, .parameters = parameters};
    count_elements(out);
    TRY(make_floats(most * out->outputs, &out->d_y, err));
    TRY(make_floats(most * out->inputs, &out->d_dx, err));
    if (kind != &cnn_conv_pool) return KL_OK;
    int64_t maps = most * shape.filters * cnn_conv_out(shape.height) * cnn_conv_out(shape.width);
    TRY(make_floats(maps, &out->d_maps, err));
    TRY(make_floats(maps, &out->d_maps_delta, err));
    KL_CUDA(err, cudaMalloc((void **)&out->d_where, (size_t)(most * out->outputs)));
    return KL_OK;
}

void cnn_module_free(cnn_module *m) {
    cudaFree(m->d_y);
    cudaFree(m->d_dx);
    cudaFree(m->d_maps);
    cudaFree(m->d_maps_delta);
    cudaFree(m->d_where);
    memset(m, 0, sizeof *m);
}
