// Layers of lab 09's network as products of lab 13: see app.h. With N images, C inputs or channels,
// F outputs or filters, P pixels of a filter's output, and rows of both factors multiplied with
// each other:
//
//   fully connected   y [N][F] = x [N][C], w^T [F][C]
//                     dx [N][C] = delta [N][F], w [C][F]     dw [C][F] = x^T [C][N], delta^T [F][N]
//   convolution       y [N P][F] = patches [N P][25 C], w [F][25 C]
//                     d patches [N P][25 C] = delta [N P][F], w^T [25 C][F]
//                     dw [F][25 C] = delta^T [F][N P], patches^T [25 C][N P]
//
// What is added up is float, and so are weights and their descent: only factors have 16 bits.
#include "app.h"

static net_layer layer_of(const cnn_task *t) {
    const cnn_shape *s = &t->shape;
    return (net_layer){.n = s->images,
                       .c = s->channels,
                       .f = s->filters,
                       .d_x = t->d_x,
                       .d_w = t->d_w,
                       .d_b = t->d_b};
}

// What a convolution of some images multiplies; r and c as app.h says.
static net_matrix conv_matrix(net_order order, const cnn_task *t, int64_t images,
                              const float *d_from, float scale) {
    const cnn_shape *s = &t->shape;
    bool patches = order == NET_PATCHES || order == NET_PATCHES_COLUMNS;
    bool turned = order == NET_PATCHES_COLUMNS || order == NET_MAPS_COLUMNS;
    int64_t pixels = cnn_conv_out(s->height) * cnn_conv_out(s->width);
    int64_t across = patches ? CNN_TAPS * s->channels : s->filters;
    return (net_matrix){.order = order,
                        .d_from = d_from,
                        .rows = turned ? across : images * pixels,
                        .columns = turned ? images * pixels : across,
                        .channels = s->channels,
                        .height = s->height,
                        .width = s->width,
                        .pixels = pixels,
                        .scale = scale};
}

enum { MOST_ROWS = 1 << 16 }; // of a factor: tensor_gemm.h

static kl_status conv_forward(net_products *p, const cnn_task *t, kl_error *err) {
    const cnn_shape *s = &t->shape;
    int64_t pixels = cnn_conv_out(s->height) * cnn_conv_out(s->width), stride = 0;
    int64_t most = MOST_ROWS / pixels;
    net_matrix w = net_plain(NET_ROWS, t->d_w, s->filters, CNN_TAPS * s->channels, 1);
    for (int64_t first = 0; first < s->images; first += most) {
        int64_t images = s->images - first < most ? s->images - first : most;
        const float *d_x = t->d_x + first * s->channels * s->height * s->width;
        net_matrix x = conv_matrix(NET_PATCHES, t, images, d_x, 1);
        net_matrix y = conv_matrix(NET_MAPS, t, images, NULL, 1);
        TRY(net_products_sums(p, &x, &w, &stride, err));
        TRY(net_products_check(
            p, net_unpack(&y, p->d_d, stride, t->d_b, t->d_y + first * s->filters * pixels), err));
    }
    return KL_OK;
}

static kl_status conv_backward(net_products *p, const cnn_task *t, kl_error *err) {
    const cnn_shape *s = &t->shape;
    int64_t stride = 0, pixels = cnn_conv_out(s->height) * cnn_conv_out(s->width);
    net_matrix delta = conv_matrix(NET_MAPS, t, s->images, t->d_delta, p->scale);
    net_matrix w = net_plain(NET_COLUMNS, t->d_w, CNN_TAPS * s->channels, s->filters, 1);
    net_matrix back = conv_matrix(NET_PATCHES, t, s->images, NULL, 1 / p->scale);
    TRY(net_products_sums(p, &delta, &w, &stride, err));
    TRY(net_products_check(p, net_unpack_patches(&back, s->images, p->d_d, stride, t->d_dx), err));
    TRY(net_product(p, conv_matrix(NET_MAPS_COLUMNS, t, s->images, t->d_delta, p->scale),
                    conv_matrix(NET_PATCHES_COLUMNS, t, s->images, t->d_x, 1), 1 / p->scale, NULL,
                    t->d_dw, err));
    return net_products_check(p, net_bias(t->d_delta, s->images, s->filters, pixels, t->d_db), err);
}

kl_status net_products_run(void *context, const cnn_task *task, bool *out_done, kl_error *err) {
    net_products *p = context;
    *out_done = task->shape.images > 0;
    if (task->shape.images == 0) return KL_OK;
    const net_layer layer = layer_of(task);
    switch (task->op) {
    case CNN_FC_FORWARD: return net_layer_forward(p, &layer, task->d_y, err);
    case CNN_FC_BACKWARD:
        return net_layer_backward(p, &layer, task->d_delta, task->d_dx, task->d_dw, task->d_db,
                                  err);
    case CNN_CONV_FORWARD: return conv_forward(p, task, err);
    case CNN_CONV_BACKWARD: return conv_backward(p, task, err);
    default: *out_done = false; return KL_OK;
    }
}
