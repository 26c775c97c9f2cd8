// Whether the layers are right that multiply on a step: a small one of each kind beside the host's
// floats. See app.h.
#include "app.h"
#include "cuda_check.h"
#include "random.h"

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
