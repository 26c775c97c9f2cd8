// The network: its modules in order, one step of descent layer by layer. See model.h.
//
//   image [channels][side][side] -> conv_pool -> [filters1][pooled1][pooled1] -> conv_pool
//     -> [flat] -> fc -> [hidden] -> relu -> [hidden] -> fc -> logits [10] -> loss
#include "model/model.h"
#include "cuda_check.h"
#include "reference.h"

static kl_status make_arrays(cnn_model *model, kl_error *err) {
    size_t bytes = sizeof(float) * (size_t)model->layout.total;
    float **all[] = {&model->d_parameters, &model->d_velocity, &model->d_gradient,
                     &model->d_parameters_out, &model->d_velocity_out};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        KL_CUDA(err, cudaMalloc((void **)all[i], bytes));
        KL_CUDA(err, cudaMemset(*all[i], 0, bytes));
    }
    KL_CUDA(err, cudaMalloc((void **)&model->d_labels, sizeof(int32_t) * (size_t)model->most));
    KL_CUDA(err, cudaMalloc((void **)&model->d_losses, sizeof(float) * (size_t)model->most));
    KL_CUDA(err, cudaMalloc((void **)&model->d_delta,
                            sizeof(float) * (size_t)(model->most * CNN_CLASSES)));
    return KL_OK;
}

static cnn_parameters parameters_at(const cnn_model *m, int64_t w, int64_t b) {
    return (cnn_parameters){m->d_parameters + w, m->d_parameters + b, m->d_gradient + w,
                            m->d_gradient + b};
}

static kl_status make_modules(cnn_model *m, kl_error *err) {
    const cnn_network *net = &m->shape;
    const cnn_layout *l = &m->layout;
    const cnn_parameters none = {NULL, NULL, NULL, NULL};
    const struct {
        const cnn_module_kind *kind;
        cnn_shape shape;
        cnn_parameters parameters;
    } all[CNN_MODULES] = {
        {&cnn_conv_pool,
         {1, net->channels, net->side, net->side, net->filters1},
         parameters_at(m, l->w1, l->b1)},
        {&cnn_conv_pool,
         {1, net->filters1, l->pooled1, l->pooled1, net->filters2},
         parameters_at(m, l->w2, l->b2)},
        {&cnn_fc, {1, l->flat, 1, 1, net->hidden}, parameters_at(m, l->w3, l->b3)},
        {&cnn_relu, {1, net->hidden, 1, 1, 1}, none},
        {&cnn_fc, {1, net->hidden, 1, 1, CNN_CLASSES}, parameters_at(m, l->w4, l->b4)},
    };
    for (int i = 0; i < CNN_MODULES; i++)
        TRY(cnn_module_new(all[i].kind, all[i].shape, all[i].parameters, m->most, &m->modules[i],
                           err));
    return KL_OK;
}

kl_status cnn_model_new(const cnn_network *shape, int64_t most, uint64_t seed, cnn_model *out,
                        kl_error *err) {
    memset(out, 0, sizeof *out);
    out->shape = *shape;
    out->layout = cnn_layout_of(shape);
    out->most = most;
    TRY(make_arrays(out, err));
    TRY(make_modules(out, err));
    size_t bytes = sizeof(float) * (size_t)out->layout.total;
    float *w = malloc(bytes);
    if (!w) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the network's parameters");
    cnn_make_parameters(shape, seed, w);
    cudaError_t code = cudaMemcpy(out->d_parameters, w, bytes, cudaMemcpyHostToDevice);
    free(w);
    KL_CUDA(err, code);
    return KL_OK;
}

void cnn_model_free(cnn_model *m) {
    float *all[] = {m->d_parameters,   m->d_velocity, m->d_gradient, m->d_parameters_out,
                    m->d_velocity_out, m->d_losses,   m->d_delta};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) cudaFree(all[i]);
    cudaFree(m->d_labels);
    for (int i = 0; i < CNN_MODULES; i++) cnn_module_free(&m->modules[i]);
    memset(m, 0, sizeof *m);
}

static const float *input_of(const cnn_model *m, int module, const float *d_x) {
    return module == 0 ? d_x : m->modules[module - 1].d_y;
}

kl_status cnn_model_forward(cnn_model *m, cnn_ops *ops, int64_t images, const float *d_x,
                            kl_error *err) {
    for (int i = 0; i < CNN_MODULES; i++)
        TRY(m->modules[i].kind->forward(&m->modules[i], ops, images, input_of(m, i, d_x), err));
    return KL_OK;
}

kl_status cnn_model_predict(cnn_model *m, cnn_ops *ops, int64_t images, const float *d_x,
                            float *h_logits, kl_error *err) {
    TRY(cnn_model_forward(m, ops, images, d_x, err));
    KL_CUDA(err,
            cudaMemcpy(h_logits, m->modules[CNN_MODULES - 1].d_y,
                       sizeof(float) * (size_t)(images * CNN_CLASSES), cudaMemcpyDeviceToHost));
    return KL_OK;
}

static kl_status backward(cnn_model *m, cnn_ops *ops, int64_t images, const float *d_x,
                          kl_error *err) {
    cnn_task loss = {.op = CNN_LOSS,
                     .shape = {images, CNN_CLASSES, 1, 1, 1},
                     .d_x = m->modules[CNN_MODULES - 1].d_y,
                     .d_labels = m->d_labels,
                     .d_losses = m->d_losses,
                     .d_delta_out = m->d_delta};
    TRY(cnn_ops_run(ops, &loss, err));
    const float *d_delta = m->d_delta;
    for (int i = CNN_MODULES - 1; i >= 0; i--) {
        TRY(m->modules[i].kind->backward(&m->modules[i], ops, images, input_of(m, i, d_x), d_delta,
                                         err));
        d_delta = m->modules[i].d_dx;
    }
    return KL_OK;
}

static void swap(float **a, float **b) {
    float *kept = *a;
    *a = *b;
    *b = kept;
}

// Weights and velocity move on to the other pair of arrays, and the modules with them.
void cnn_model_exchange(cnn_model *m) {
    const float *from = m->d_parameters;
    swap(&m->d_parameters, &m->d_parameters_out);
    swap(&m->d_velocity, &m->d_velocity_out);
    for (int i = 0; i < CNN_MODULES; i++) {
        cnn_parameters *p = &m->modules[i].parameters;
        if (!p->d_w) continue;
        p->d_w = m->d_parameters + (p->d_w - from);
        p->d_b = m->d_parameters + (p->d_b - from);
    }
}

static kl_status descend(cnn_model *m, cnn_ops *ops, double learning_rate, double momentum,
                         kl_error *err) {
    if (m->descent) return m->descent(m->descent_context, m, learning_rate, momentum, err);
    cnn_task sgd = {.op = CNN_SGD,
                    .shape = {1, m->layout.total, 1, 1, 1},
                    .d_x = m->d_parameters,
                    .d_w = m->d_velocity,
                    .d_delta = m->d_gradient,
                    .d_y = m->d_parameters_out,
                    .d_dw = m->d_velocity_out,
                    .learning_rate = (float)learning_rate,
                    .momentum = (float)momentum};
    return cnn_ops_run(ops, &sgd, err);
}

kl_status cnn_model_step(cnn_model *m, cnn_ops *ops, int64_t images, const float *d_x,
                         const int32_t *h_labels, double learning_rate, double momentum,
                         float *h_losses, kl_error *err) {
    KL_CUDA(err, cudaMemcpy(m->d_labels, h_labels, sizeof(int32_t) * (size_t)images,
                            cudaMemcpyHostToDevice));
    TRY(cnn_model_forward(m, ops, images, d_x, err));
    TRY(backward(m, ops, images, d_x, err));
    TRY(descend(m, ops, learning_rate, momentum, err));
    cnn_model_exchange(m);
    KL_CUDA(err, cudaMemcpy(h_losses, m->d_losses, sizeof(float) * (size_t)images,
                            cudaMemcpyDeviceToHost));
    return KL_OK;
}
