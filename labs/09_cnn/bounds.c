// Error bounds of the layers, as a running error analysis (Higham, "Accuracy and Stability of
// Numerical Algorithms", 2nd ed., section 3.3): each layer takes bounds of its inputs' errors and
// gives bounds of its outputs'. Must not be linked into anything that a submission can read.
//
// Sums of products. Let u = 2^-24, and a sum of K products a b (a bias is a product with 1) whose
// factors are known within ea and eb. In any order of additions, fused or not, each product passes
// through at most K roundings, so
//
//     |computed - exact| <= sum ((|a| + ea)(|b| + eb) - |a||b|) + gamma_K sum (|a| + ea)(|b| + eb),
//     gamma_K = K u / (1 - K u).
//
// Both sums are the layer itself, applied to magnitudes. K is the number of products of an element:
// C + 1 or 25 C + 1 forward, F or 25 F for dx, N or N (H-4)(W-4) for dw and db.
//
// Exact cases. Where all factors are small integers and the sum of magnitudes stays below 2^24,
// each partial sum is an integer that float holds: the bound is 0.
//
// Decisions. ReLU and pooling choose. The largest of values within e of the exact ones is within
// the largest e of the exact maximum. Where another choice is possible within the errors, it is
// allowed, and a delta that may go to another element counts in full as that element's error.
//
// Softmax and loss, with d = x - largest, p = exp(d) / S: __expf(d) is off by a factor of
// 1 + (3 |d| + 4) u, S by the mean of these and K u; errors ex of the logits change p by
// p (ex + sum of p ex) to first order, for which a tenth is added; logarithms are off by 8 u.
#include "reference.h"

static const double unit = 0x1p-24;

cnn_values cnn_values_new(int64_t count) {
    cnn_values values = {.count = count};
    double *both = calloc((size_t)(2 * count + 1), sizeof *both);
    values.value = both;
    values.error = both ? both + count : NULL;
    return values;
}

void cnn_values_free(cnn_values *values) {
    free(values->value);
    memset(values, 0, sizeof *values);
}

static double gamma_factor(int64_t terms) {
    double tu = (double)terms * unit;
    return tu < 1.0 ? tu / (1.0 - tu) : INFINITY;
}

static double error_of(const cnn_values *values, int64_t i) {
    return values->error ? values->error[i] : 0.0;
}

// ---- sums of products --------------------------------------------------------------------------

// |value|, and |value| + error, one behind the other; NULL: no memory, or nothing there.
static double *magnitudes(const cnn_values *values) {
    int64_t count = values->count;
    double *both = malloc((size_t)(2 * count + 1) * sizeof *both);
    for (int64_t i = 0; both && i < count; i++) {
        both[i] = fabs(values->value[i]);
        both[count + i] = both[i] + error_of(values, i);
    }
    return both;
}

// small: the layer of |a| |b|; big: of (|a| + ea)(|b| + eb); to be turned into bounds.
static void combine(const cnn_values *out, const double *small, const double *big, int64_t terms) {
    double gamma = gamma_factor(terms);
    for (int64_t i = 0; i < out->count; i++)
        out->error[i] = (big[i] - small[i]) + gamma * big[i] + 0x1p-46 * big[i] + 0x1p-140;
}

typedef struct outputs {
    double *y, *dx, *dw, *db;
} outputs;

static bool make_outputs(const cnn_bounded *l, outputs *o) {
    o->y = calloc((size_t)l->y.count + 1, sizeof *o->y);
    o->dx = calloc((size_t)l->dx.count + 1, sizeof *o->dx);
    o->dw = calloc((size_t)l->dw.count + 1, sizeof *o->dw);
    o->db = calloc((size_t)l->db.count + 1, sizeof *o->db);
    return o->y && o->dx && o->dw && o->db;
}

static void free_outputs(outputs *o) {
    free(o->y);
    free(o->dx);
    free(o->dw);
    free(o->db);
}

// The layer on the values, then on magnitudes, to which `which` belongs: 0 without, 1 with errors.
static void apply(const cnn_bounded *l, cnn_layer *layer, double *const m[4], int which,
                  const outputs *o) {
    layer(&(cnn_arrays){.shape = l->shape,
                        .x = m[0] + which * l->x.count,
                        .w = m[1] + which * l->w.count,
                        .b = m[2] + which * l->b.count,
                        .delta = m[3] + which * l->delta.count,
                        .y = o->y,
                        .dx = o->dx,
                        .dw = o->dw,
                        .db = o->db});
}

static kl_status bound_sums(const cnn_bounded *l, cnn_layer *layer, kl_error *err) {
    outputs values = {l->y.value, l->dx.value, l->dw.value, l->db.value};
    double *const plain[4] = {l->x.value, l->w.value, l->b.value, l->delta.value};
    apply(l, layer, plain, 0, &values);
    if (l->exact) return KL_OK; // the errors are 0 as they are
    double *m[4] = {magnitudes(&l->x), magnitudes(&l->w), magnitudes(&l->b), magnitudes(&l->delta)};
    outputs small, big;
    bool made = make_outputs(l, &small) & make_outputs(l, &big);
    made = made && m[0] && m[1] && m[2] && m[3];
    if (made) {
        const cnn_shape *s = &l->shape;
        bool conv = l->op != CNN_FC_FORWARD && l->op != CNN_FC_BACKWARD;
        int64_t taps = conv ? CNN_TAPS : 1;
        int64_t places = conv ? cnn_conv_out(s->height) * cnn_conv_out(s->width) : 1;
        apply(l, layer, m, 0, &small);
        apply(l, layer, m, 1, &big);
        combine(&l->y, small.y, big.y, s->channels * taps + 1);
        combine(&l->dx, small.dx, big.dx, s->filters * taps);
        combine(&l->dw, small.dw, big.dw, s->images * places);
        combine(&l->db, small.db, big.db, s->images * places);
    }
    free_outputs(&small);
    free_outputs(&big);
    for (int i = 0; i < 4; i++) free(m[i]);
    return made ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the bounds of a layer");
}

// ---- decisions ---------------------------------------------------------------------------------

static void bound_relu(const cnn_bounded *l) {
    for (int64_t i = 0; i < l->x.count; i++) {
        double x = l->x.value[i], e = error_of(&l->x, i);
        if (l->op == CNN_RELU_FORWARD) {
            l->y.value[i] = x > 0.0 ? x : 0.0;
            l->y.error[i] = x > -e ? e : 0.0;
        } else {
            bool open = e > 0.0 && fabs(x) <= e; // either is possible
            double delta = l->delta.value[i], ed = error_of(&l->delta, i);
            l->dx.value[i] = x > 0.0 ? delta : 0.0;
            l->dx.error[i] = open ? fabs(delta) + ed : x > 0.0 ? ed : 0.0;
        }
    }
}

// One window: values v within e, of which `best` was chosen.
static uint8_t choices_of(const double v[CNN_NOWHERE], const double e[CNN_NOWHERE], int best) {
    double least = 0.0; // no choice can be below this: the largest lower bound
    for (int k = 0; k < CNN_NOWHERE; k++) least = fmax(least, v[k] - e[k]);
    uint8_t allowed = (uint8_t)(1 << best);
    for (int k = 0; k < CNN_NOWHERE; k++) {
        double slack = e[k] + (best < CNN_NOWHERE ? e[best] : 0.0);
        if (slack > 0.0 && v[k] + e[k] >= least && v[k] + e[k] > 0.0) allowed |= (uint8_t)(1 << k);
    }
    if (least <= 0.0 && best < CNN_NOWHERE && v[best] <= e[best]) allowed |= 1 << CNN_NOWHERE;
    return allowed;
}

static void bound_pool(const cnn_bounded *l, const cnn_shape *s, const cnn_values *x) {
    int64_t out_h = s->height / CNN_WINDOW, out_w = s->width / CNN_WINDOW;
    for (int64_t i = 0; i < l->y.count; i++) {
        int64_t m = i / (out_h * out_w), p = i % (out_h * out_w);
        double v[CNN_NOWHERE], e[CNN_NOWHERE], best = 0.0, most = 0.0;
        int where = CNN_NOWHERE;
        for (int k = 0; k < CNN_NOWHERE; k++) {
            int64_t row = p / out_w * CNN_WINDOW + k / CNN_WINDOW;
            int64_t at = (m * s->height + row) * s->width + p % out_w * CNN_WINDOW + k % CNN_WINDOW;
            v[k] = x->value[at];
            e[k] = error_of(x, at);
            most = fmax(most, e[k]);
            if (v[k] > best) {
                best = v[k];
                where = k;
            }
        }
        l->y.value[i] = best;
        l->y.error[i] = most;
        l->where.allowed[i] = choices_of(v, e, where);
    }
}

static int lowest(uint8_t set) {
    int k = 0;
    while (k < CNN_NOWHERE && !(set >> k & 1)) k++;
    return k;
}

static void bound_pool_backward(const cnn_bounded *l) {
    const cnn_shape *s = &l->shape;
    int64_t out_h = s->height / CNN_WINDOW, out_w = s->width / CNN_WINDOW;
    memset(l->dx.value, 0, (size_t)l->dx.count * sizeof *l->dx.value);
    memset(l->dx.error, 0, (size_t)l->dx.count * sizeof *l->dx.error);
    for (int64_t i = 0; i < l->delta.count; i++) {
        int64_t m = i / (out_h * out_w), p = i % (out_h * out_w);
        uint8_t set =
            l->where_set.allowed ? l->where_set.allowed[i] : (uint8_t)(1 << l->where_in[i]);
        bool open = (set & (set - 1)) != 0;
        double delta = l->delta.value[i], error = error_of(&l->delta, i);
        for (int k = 0; k < CNN_NOWHERE; k++) {
            if (!(set >> k & 1)) continue;
            int64_t row = p / out_w * CNN_WINDOW + k / CNN_WINDOW;
            int64_t at = (m * s->height + row) * s->width + p % out_w * CNN_WINDOW + k % CNN_WINDOW;
            l->dx.value[at] = k == lowest(set) ? delta : 0.0;
            l->dx.error[at] = open ? fabs(delta) + error : error;
        }
    }
}

// ---- softmax, loss, descent --------------------------------------------------------------------

static void bound_loss(const cnn_bounded *l) {
    int64_t classes = l->shape.channels, images = l->shape.images;
    for (int64_t n = 0; n < images; n++) {
        const double *x = l->x.value + n * classes;
        double most = x[0], sum = 0.0, rounding = 0.0, spread = 0.0;
        for (int64_t k = 1; k < classes; k++) most = fmax(most, x[k]);
        for (int64_t k = 0; k < classes; k++) {
            double term = exp(x[k] - most);
            sum += term;
            rounding += term * (3.0 * (most - x[k]) + 4.0) * unit;
            spread += term * error_of(&l->x, n * classes + k);
        }
        rounding = rounding / sum + (double)classes * unit;
        spread = 1.1 * spread / sum;
        int64_t label = l->labels[n];
        double d = x[label] - most;
        l->losses.value[n] = log(sum) - d;
        l->losses.error[n] = 1.1 * error_of(&l->x, n * classes + label) + spread + rounding +
                             8.0 * unit * (1.0 + log(sum) - d);
        for (int64_t k = 0; k < classes; k++) {
            int64_t i = n * classes + k;
            double p = exp(x[k] - most) / sum, target = k == label ? 1.0 : 0.0;
            double relative =
                1.1 * error_of(&l->x, i) + spread + rounding + (3.0 * (most - x[k]) + 8.0) * unit;
            l->delta_out.value[i] = (p - target) / (double)images;
            l->delta_out.error[i] =
                (p * relative + 4.0 * unit * (p + target)) / (double)images + 0x1p-126;
        }
    }
}

static void bound_sgd(const cnn_bounded *l) {
    for (int64_t i = 0; i < l->x.count; i++) {
        double kept = l->momentum * l->w.value[i], v = kept + l->delta.value[i];
        double ev = l->momentum * error_of(&l->w, i) + error_of(&l->delta, i) +
                    2.5 * unit * (fabs(kept) + fabs(l->delta.value[i]));
        l->dw.value[i] = v;
        l->dw.error[i] = ev + 0x1p-140;
        double step = l->learning_rate * v;
        l->y.value[i] = l->x.value[i] - step;
        l->y.error[i] = error_of(&l->x, i) + 1.1 * l->learning_rate * ev +
                        2.5 * unit * (fabs(l->x.value[i]) + fabs(step)) + 0x1p-140;
    }
}

static kl_status bound_conv_pool(const cnn_bounded *l, kl_error *err) {
    cnn_bounded conv = *l;
    conv.op = CNN_CONV_FORWARD;
    conv.y = cnn_values_new(cnn_tensor_elems(CNN_CONV_FORWARD, CNN_Y, &l->shape));
    if (!conv.y.value) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the bounds of a layer");
    kl_status status = bound_sums(&conv, cnn_conv_forward, err);
    cnn_shape maps = {l->shape.images, l->shape.filters, cnn_conv_out(l->shape.height),
                      cnn_conv_out(l->shape.width), 1};
    if (status == KL_OK) bound_pool(l, &maps, &conv.y);
    cnn_values_free(&conv.y);
    return status;
}

kl_status cnn_bound(const cnn_bounded *l, kl_error *err) {
    switch (l->op) {
    case CNN_FC_FORWARD: return bound_sums(l, cnn_fc_forward, err);
    case CNN_FC_BACKWARD: return bound_sums(l, cnn_fc_backward, err);
    case CNN_CONV_FORWARD: return bound_sums(l, cnn_conv_forward, err);
    case CNN_CONV_BACKWARD: return bound_sums(l, cnn_conv_backward, err);
    case CNN_CONV_POOL: return bound_conv_pool(l, err);
    case CNN_RELU_FORWARD:
    case CNN_RELU_BACKWARD: bound_relu(l); return KL_OK;
    case CNN_POOL_FORWARD: bound_pool(l, &l->shape, &l->x); return KL_OK;
    case CNN_POOL_BACKWARD: bound_pool_backward(l); return KL_OK;
    case CNN_LOSS: bound_loss(l); return KL_OK;
    case CNN_SGD: bound_sgd(l); return KL_OK;
    case CNN_TRAIN:
    case CNN_OPS: break;
    }
    return kl_fail(err, KL_ERROR_INPUT, "cnn: no bounds of operation %d", (int)l->op);
}
