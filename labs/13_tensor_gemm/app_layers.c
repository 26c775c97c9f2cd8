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
#include "cuda_check.h"
#include "random.h"

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

// ---- Whether they are right: a small one of each kind beside the host's floats ----

// Of the largest value of a result: both factors of a product are off by 2^-9 of themselves in
// bfloat16, and the errors of many products cancel in part.
static const double allowed = 0.02;

enum {
    IMAGES = 3,
    CHANNELS = 3,
    SIDE = 12,
    FILTERS = 5,
    FIRST_WRITTEN = 4,
    ARRAYS = 7,
    MOST = 1 << 12
};

typedef struct layer_arrays {
    float *d[ARRAYS];  // device, [MOST]: x, w, b, delta, then y, dx, dw with db behind it
    float *got, *want; // [MOST]
} layer_arrays;

static kl_status make(layer_arrays *a, kl_error *err) {
    memset(a, 0, sizeof *a);
    a->got = malloc(sizeof(float) * MOST);
    a->want = malloc(sizeof(float) * MOST);
    if (!a->got || !a->want) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a layer");
    for (int i = 0; i < ARRAYS; i++) {
        for (int k = 0; k < MOST; k++)
            a->got[k] = kl_random_signed(kl_random_fork(1, (uint64_t)i), (uint64_t)k);
        KL_CUDA(err, cudaMalloc((void **)&a->d[i], sizeof(float) * MOST));
        KL_CUDA(err, cudaMemcpy(a->d[i], a->got, sizeof(float) * MOST, cudaMemcpyHostToDevice));
    }
    return KL_OK;
}

static kl_status run(cnn_ops *ops, layer_arrays *a, cnn_op op, cnn_shape shape, kl_error *err) {
    int64_t weights = shape.filters * shape.channels * CNN_TAPS; // at most
    cnn_task task = {.op = op,
                     .shape = shape,
                     .d_x = a->d[0],
                     .d_w = a->d[1],
                     .d_b = a->d[2],
                     .d_delta = a->d[3],
                     .d_y = a->d[4],
                     .d_dx = a->d[5],
                     .d_dw = a->d[6],
                     .d_db = a->d[6] + weights};
    return cnn_ops_run(ops, &task, err);
}

// The largest error of an array behind two runs, as a share of its largest value.
static double difference(const layer_arrays *a) {
    double error = 0, largest = 0;
    for (int k = 0; k < MOST; k++) {
        double distance = fabs((double)a->got[k] - (double)a->want[k]);
        if (isnan(distance)) return INFINITY;
        error = fmax(error, distance);
        largest = fmax(largest, fabs((double)a->want[k]));
    }
    return error / largest;
}

static kl_status compare(cnn_ops *host, cnn_ops *products, layer_arrays *a, cnn_op op,
                         cnn_shape shape, double *most, kl_error *err) {
    static const char *const names[ARRAYS] = {"x", "w", "b", "delta", "y", "dx", "dw or db"};
    for (int i = FIRST_WRITTEN; i < ARRAYS; i++) {
        size_t bytes = sizeof(float) * MOST;
        KL_CUDA(err, cudaMemset(a->d[i], 0, bytes));
        TRY(run(host, a, op, shape, err));
        KL_CUDA(err, cudaMemcpy(a->want, a->d[i], bytes, cudaMemcpyDeviceToHost));
        KL_CUDA(err, cudaMemset(a->d[i], 0, bytes));
        TRY(run(products, a, op, shape, err));
        KL_CUDA(err, cudaMemcpy(a->got, a->d[i], bytes, cudaMemcpyDeviceToHost));
        double here = difference(a);
        if (isnan(here)) continue; // 0 / 0: no output of this operation
        if (!(here <= allowed))
            return kl_fail(err, KL_ERROR_INPUT,
                           "layer %d of lab 09: %s is wrong by %.2g of its largest value: look at "
                           "the step with `ladder run tensor_gemm`",
                           (int)op, names[i], here);
        *most = fmax(*most, here);
    }
    return KL_OK;
}

kl_status net_check_layers(net_products *products, double *out_most, kl_error *err) {
    static const cnn_op ops[] = {CNN_FC_FORWARD, CNN_FC_BACKWARD, CNN_CONV_FORWARD,
                                 CNN_CONV_BACKWARD};
    cnn_ops host = {.instead = NULL};
    for (int i = 0; i < CNN_OPS; i++) host.step_of[i] = -1;
    cnn_ops own = host;
    own.instead = net_products_run;
    own.instead_context = products;
    layer_arrays a;
    *out_most = 0;
    kl_status status = make(&a, err);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0] && status == KL_OK; i++) {
        bool plane = ops[i] == CNN_CONV_FORWARD || ops[i] == CNN_CONV_BACKWARD;
        int64_t side = plane ? SIDE : 1;
        status = compare(&host, &own, &a, ops[i],
                         (cnn_shape){IMAGES, CHANNELS, side, side, FILTERS}, out_most, err);
    }
    for (int i = 0; i < ARRAYS; i++) cudaFree(a.d[i]);
    free(a.got);
    free(a.want);
    return status;
}
