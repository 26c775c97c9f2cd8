// The module of a convolution with ReLU and pooling. See model.h.
//
//   x [images][channels][height][width] -> maps [images][filters][height - 4][width - 4]
//     -> y [images][filters][pooled height][pooled width], and where in each window it was
//   delta like y -> delta of the maps -> dx like x, dw [filters][channels][5][5], db [filters]
//
// Forward the fused operation does both at once when there is one.
#include "model/model.h"

static kl_status forward(cnn_module *m, cnn_ops *ops, int64_t images, const float *d_x,
                         kl_error *err) {
    bool fused = cnn_ops_has(ops, CNN_CONV_POOL);
    cnn_task conv = {.op = fused ? CNN_CONV_POOL : CNN_CONV_FORWARD,
                     .shape = m->shape,
                     .d_x = d_x,
                     .d_w = m->parameters.d_w,
                     .d_b = m->parameters.d_b,
                     .d_y = fused ? m->d_y : m->d_maps,
                     .d_where = fused ? m->d_where : NULL};
    conv.shape.images = images;
    TRY(cnn_ops_run(ops, &conv, err));
    if (fused) return KL_OK;
    cnn_task pool = {.op = CNN_POOL_FORWARD,
                     .shape = {images, m->shape.filters, cnn_conv_out(m->shape.height),
                               cnn_conv_out(m->shape.width), 1},
                     .d_x = m->d_maps,
                     .d_y = m->d_y,
                     .d_where = m->d_where};
    return cnn_ops_run(ops, &pool, err);
}

static kl_status backward(cnn_module *m, cnn_ops *ops, int64_t images, const float *d_x,
                          const float *d_delta, kl_error *err) {
    cnn_task pool = {.op = CNN_POOL_BACKWARD,
                     .shape = {images, m->shape.filters, cnn_conv_out(m->shape.height),
                               cnn_conv_out(m->shape.width), 1},
                     .d_delta = d_delta,
                     .d_where_in = m->d_where,
                     .d_dx = m->d_maps_delta};
    TRY(cnn_ops_run(ops, &pool, err));
    cnn_task conv = {.op = CNN_CONV_BACKWARD,
                     .shape = m->shape,
                     .d_x = d_x,
                     .d_w = m->parameters.d_w,
                     .d_delta = m->d_maps_delta,
                     .d_dx = m->d_dx,
                     .d_dw = m->parameters.d_dw,
                     .d_db = m->parameters.d_db};
    conv.shape.images = images;
    return cnn_ops_run(ops, &conv, err);
}

const cnn_module_kind cnn_conv_pool = {"convolution, ReLU, pooling", forward, backward};
