// SPDX-License-Identifier: MIT
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

#include <stdio.h>
#include <string.h>

#include "cuda_check.h"
#include "device.h"

extern const kl_adapter kl_lab_adapter;

static int64_t padded(int64_t n, int64_t unit) {
    return (n + unit - 1) / unit * unit;
}

static kl_status grow(void **d_array, int64_t *bytes, int64_t needed, kl_error *err) {
    if (needed <= *bytes) return KL_OK;
    cudaFree(*d_array);
    *d_array = NULL;
    *bytes = 0;
    KL_CUDA(err, cudaMalloc(d_array, (size_t)needed));
    *bytes = needed;
    return KL_OK;
}

static kl_status check(const net_products *p, int code, kl_error *err) {
    if (code == 0) return KL_OK;
    const char *fault = kl_device_sim_fault();
    return kl_fail(err, KL_ERROR_CUDA, "step %d: %s%s%s", p->number,
                   code == TENSOR_GEMM_NOT_IMPLEMENTED ? "not implemented yet"
                                                       : cudaGetErrorString((cudaError_t)code),
                   fault[0] != '\0' ? ": " : "", fault);
}

static int call_step(const net_products *p, int64_t m, int64_t n, int64_t k) {
    kl_call call = {.input_count = 2,
                    .output_count = 1,
                    .d_inputs = {p->d_a, p->d_b},
                    .d_outputs = {p->d_d},
                    .input_bytes = {(uint64_t)(2 * m * k), (uint64_t)(2 * n * k)},
                    .output_bytes = {(uint64_t)(4 * m * n)},
                    .ints = {m, n, k, p->type}};
    return kl_lab_adapter.call(p->step.function, &call);
}

// The sums stay in d_d, in rows of *out_stride.
static kl_status multiply(net_products *p, const net_matrix *a, const net_matrix *b,
                          int64_t *out_stride, kl_error *err) {
    int64_t m = padded(a->rows, TENSOR_GEMM_SIDE), n = padded(b->rows, TENSOR_GEMM_SIDE);
    int64_t k = padded(a->columns, TENSOR_GEMM_DEPTH);
    TRY(grow(&p->d_a, &p->a_bytes, 2 * m * k, err));
    TRY(grow(&p->d_b, &p->b_bytes, 2 * n * k, err));
    TRY(grow(&p->d_d, &p->d_bytes, 4 * m * n, err));
    TRY(check(p, net_pack(a, p->type, m, k, p->d_a), err));
    TRY(check(p, net_pack(b, p->type, n, k, p->d_b), err));
    *out_stride = n;
    return check(p, call_step(p, m, n, k), err);
}

static net_matrix plain(net_order order, const float *d_from, int64_t rows, int64_t columns,
                        float scale) {
    return (net_matrix){
        .order = order, .d_from = d_from, .rows = rows, .columns = columns, .scale = scale};
}

// Rows a and rows b to d_to [a][b].
static kl_status product(net_products *p, net_matrix a, net_matrix b, float scale,
                         const float *d_bias, float *d_to, kl_error *err) {
    int64_t stride = 0;
    net_matrix to = plain(NET_ROWS, NULL, a.rows, b.rows, scale);
    TRY(multiply(p, &a, &b, &stride, err));
    return check(p, net_unpack(&to, p->d_d, stride, d_bias, d_to), err);
}

static kl_status fc_forward(net_products *p, const cnn_task *t, kl_error *err) {
    const cnn_shape *s = &t->shape;
    return product(p, plain(NET_ROWS, t->d_x, s->images, s->channels, 1),
                   plain(NET_COLUMNS, t->d_w, s->filters, s->channels, 1), 1, t->d_b, t->d_y, err);
}

static kl_status fc_backward(net_products *p, const cnn_task *t, kl_error *err) {
    const cnn_shape *s = &t->shape;
    int64_t n = s->images, c = s->channels, f = s->filters;
    TRY(product(p, plain(NET_ROWS, t->d_delta, n, f, p->scale), plain(NET_ROWS, t->d_w, c, f, 1),
                1 / p->scale, NULL, t->d_dx, err));
    TRY(product(p, plain(NET_COLUMNS, t->d_x, c, n, 1),
                plain(NET_COLUMNS, t->d_delta, f, n, p->scale), 1 / p->scale, NULL, t->d_dw, err));
    return check(p, net_bias(t->d_delta, n, f, 1, t->d_db), err);
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
    net_matrix w = plain(NET_ROWS, t->d_w, s->filters, CNN_TAPS * s->channels, 1);
    for (int64_t first = 0; first < s->images; first += most) {
        int64_t images = s->images - first < most ? s->images - first : most;
        const float *d_x = t->d_x + first * s->channels * s->height * s->width;
        net_matrix x = conv_matrix(NET_PATCHES, t, images, d_x, 1);
        net_matrix y = conv_matrix(NET_MAPS, t, images, NULL, 1);
        TRY(multiply(p, &x, &w, &stride, err));
        TRY(check(p, net_unpack(&y, p->d_d, stride, t->d_b, t->d_y + first * s->filters * pixels),
                  err));
    }
    return KL_OK;
}

static kl_status conv_backward(net_products *p, const cnn_task *t, kl_error *err) {
    const cnn_shape *s = &t->shape;
    int64_t stride = 0, pixels = cnn_conv_out(s->height) * cnn_conv_out(s->width);
    net_matrix delta = conv_matrix(NET_MAPS, t, s->images, t->d_delta, p->scale);
    net_matrix w = plain(NET_COLUMNS, t->d_w, CNN_TAPS * s->channels, s->filters, 1);
    net_matrix back = conv_matrix(NET_PATCHES, t, s->images, NULL, 1 / p->scale);
    TRY(multiply(p, &delta, &w, &stride, err));
    TRY(check(p, net_unpack_patches(&back, s->images, p->d_d, stride, t->d_dx), err));
    TRY(product(p, conv_matrix(NET_MAPS_COLUMNS, t, s->images, t->d_delta, p->scale),
                conv_matrix(NET_PATCHES_COLUMNS, t, s->images, t->d_x, 1), 1 / p->scale, NULL,
                t->d_dw, err));
    return check(p, net_bias(t->d_delta, s->images, s->filters, pixels, t->d_db), err);
}

kl_status net_products_run(void *context, const cnn_task *task, bool *out_done, kl_error *err) {
    net_products *p = context;
    *out_done = task->shape.images > 0;
    if (task->shape.images == 0) return KL_OK;
    switch (task->op) {
    case CNN_FC_FORWARD: return fc_forward(p, task, err);
    case CNN_FC_BACKWARD: return fc_backward(p, task, err);
    case CNN_CONV_FORWARD: return conv_forward(p, task, err);
    case CNN_CONV_BACKWARD: return conv_backward(p, task, err);
    default: *out_done = false; return KL_OK;
    }
}

// One product of a tile of zeros.
static kl_status try_step(net_products *p, int *out_code, kl_error *err) {
    const int64_t side = TENSOR_GEMM_SIDE, k = TENSOR_GEMM_DEPTH;
    TRY(grow(&p->d_a, &p->a_bytes, 2 * side * k, err));
    TRY(grow(&p->d_b, &p->b_bytes, 2 * side * k, err));
    TRY(grow(&p->d_d, &p->d_bytes, 4 * side * side, err));
    KL_CUDA(err, cudaMemset(p->d_a, 0, (size_t)(2 * side * k)));
    KL_CUDA(err, cudaMemset(p->d_b, 0, (size_t)(2 * side * k)));
    *out_code = call_step(p, side, side, k);
    if (*out_code == 0) *out_code = cudaDeviceSynchronize();
    return KL_OK;
}

kl_status net_products_open(const char *folder, int chosen, net_products *out, kl_error *err) {
    memset(out, 0, sizeof *out);
    out->number = -1;
    for (int s = chosen >= 0 ? chosen : NET_LAST_STEP; s >= (chosen >= 0 ? chosen : 0); s--) {
        kl_error why = {KL_OK, ""};
        if (kl_step_open(folder, s, &kl_lab_adapter, &out->step, &why) != KL_OK) continue;
        int code = 0;
        out->number = s;
        TRY(try_step(out, &code, err));
        if (code == 0) return KL_OK;
        kl_step_close(&out->step);
        memset(&out->step, 0, sizeof out->step);
        if (chosen >= 0) return check(out, code, err);
    }
    out->number = -1;
    return kl_fail(err, KL_ERROR_INPUT, "%s: no step of lab 13 is written that runs here",
                   chosen >= 0 ? "the chosen step" : folder);
}

void net_products_close(net_products *products) {
    cudaFree(products->d_a);
    cudaFree(products->d_b);
    cudaFree(products->d_d);
    if (products->number >= 0) kl_step_close(&products->step);
    memset(products, 0, sizeof *products);
    products->number = -1;
}
