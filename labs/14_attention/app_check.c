// Whether the gradients of lab 14's application are right: see app.h. All arrays of a kind move
// along their gradient g, a little to both sides; the loss must then change by |g| times the way.
//
// What is allowed: a half is off by 2^-12 of itself, and so is each of the ten roundings that a
// derivative passes, which adds up to 10 * 2^-12 = 0.24 % if they all have one sign. The two losses
// lie `shift` apart; roundings of halves move each by 2^-12 of the spread of its logits, about 1,
// over the root of the number of rows: 0.14 % of `shift` for both. The third derivative of the loss
// adds an error by the square of the way. Measured: 0.2 % in all, and not much more with twice the
// shift.
#include "app.h"
#include "cuda_check.h"
#include "random.h"

enum { SYMBOLS = 11, CONTEXT = 40, BATCH = 2, LAYERS = 2, HEADS = 2, KINDS = 18 };
static const double shift = 0.04, allowed = 0.01;

typedef struct checked {
    lm_model model;
    int32_t symbols[BATCH * CONTEXT], targets[BATCH * CONTEXT];
    float *before, *gradient, *moved; // [layout.total]
} checked;

// A kind of arrays: one in each layer, or one.
typedef struct kind {
    int64_t at[LM_MOST_LAYERS], count;
    int64_t arrays;
} kind;

static kind one(int64_t at, int64_t count) {
    return (kind){{at}, count, 1};
}

static void kinds_of(const lm_model *m, kind *out) {
    const lm_layout *l = &m->layout;
    const int64_t width = lm_width(&m->shape);
    out[0] = one(l->token, m->shape.symbols * width);
    out[1] = one(l->position, m->shape.context * width);
    out[2] = one(l->norm.gain, width);
    out[3] = one(l->norm.shift, width);
    out[4] = one(l->head.w, width * m->shape.symbols);
    out[5] = one(l->head.b, m->shape.symbols);
    for (int64_t i = 0; i < m->shape.layers; i++) {
        const lm_layer *layer = &l->layers[i];
        const lm_linear *const linears[] = {&layer->qkv, &layer->out, &layer->up, &layer->down};
        const int64_t norms[] = {layer->norm1.gain, layer->norm1.shift, layer->norm2.gain,
                                 layer->norm2.shift};
        for (int n = 0; n < 4; n++) {
            kind *weights = &out[6 + n], *biases = &out[10 + n], *norm = &out[14 + n];
            weights->at[i] = linears[n]->w;
            weights->count = linears[n]->inputs * linears[n]->outputs;
            biases->at[i] = linears[n]->b;
            biases->count = linears[n]->outputs;
            norm->at[i] = norms[n];
            norm->count = width;
            weights->arrays = biases->arrays = norm->arrays = m->shape.layers;
        }
    }
}

static double length_of(const checked *c, const kind *k) {
    double sum = 0;
    for (int64_t a = 0; a < k->arrays; a++)
        for (int64_t i = 0; i < k->count; i++)
            sum += (double)c->gradient[k->at[a] + i] * (double)c->gradient[k->at[a] + i];
    return sqrt(sum);
}

// The loss behind a way of `way` along the gradient.
static kl_status loss_at(checked *c, const kind *k, double way, double length, double *out_loss,
                         kl_error *err) {
    const int64_t total = c->model.layout.total;
    for (int64_t i = 0; i < total; i++) c->moved[i] = c->before[i];
    for (int64_t a = 0; a < k->arrays; a++)
        for (int64_t i = 0; i < k->count; i++)
            c->moved[k->at[a] + i] += (float)(way * (double)c->gradient[k->at[a] + i] / length);
    KL_CUDA(err, cudaMemcpy(c->model.d_parameters, c->moved, sizeof(float) * (size_t)total,
                            cudaMemcpyHostToDevice));
    return lm_model_loss(&c->model, c->symbols, c->targets, out_loss, err);
}

static kl_status compare(checked *c, const kind *k, double *out_most, kl_error *err) {
    const double length = length_of(c, k), slope = length / (BATCH * CONTEXT);
    const double way = shift / slope / 2;
    double above = 0, below = 0;
    TRY(loss_at(c, k, way, length, &above, err));
    TRY(loss_at(c, k, -way, length, &below, err));
    const double error = fabs((above - below) / (2 * way) - slope) / slope;
    if (!(error <= *out_most) && !isnan(*out_most)) *out_most = error; // a NaN stays
    return KL_OK;
}

static kl_status make(checked *c, const lm_kernels *kernels, kl_error *err) {
    const lm_shape shape = {SYMBOLS, CONTEXT, BATCH, LAYERS, HEADS};
    TRY(lm_model_new(&shape, 1, kernels, &c->model, err));
    const size_t bytes = sizeof(float) * (size_t)c->model.layout.total;
    c->before = malloc(bytes);
    c->gradient = malloc(bytes);
    c->moved = malloc(bytes);
    if (!c->before || !c->gradient || !c->moved)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for gradients");
    for (int i = 0; i < BATCH * CONTEXT; i++) {
        c->symbols[i] = (int32_t)kl_random_below(2, (uint64_t)i, SYMBOLS);
        c->targets[i] = (int32_t)kl_random_below(3, (uint64_t)i, SYMBOLS);
    }
    KL_CUDA(err, cudaMemcpy(c->before, c->model.d_parameters, bytes, cudaMemcpyDeviceToHost));
    return KL_OK;
}

static kl_status differences(checked *c, double *out_most, kl_error *err) {
    kind kinds[KINDS];
    double loss = 0;
    kinds_of(&c->model, kinds);
    TRY(lm_model_loss(&c->model, c->symbols, c->targets, &loss, err));
    TRY(lm_model_backward(&c->model, err));
    KL_CUDA(err, cudaMemcpy(c->gradient, c->model.d_gradient,
                            sizeof(float) * (size_t)c->model.layout.total, cudaMemcpyDeviceToHost));
    *out_most = 0;
    for (int k = 0; k < KINDS; k++) TRY(compare(c, &kinds[k], out_most, err));
    return KL_OK;
}

kl_status lm_check(const lm_kernels *kernels, double *out_most, kl_error *err) {
    checked c = {.before = NULL};
    kl_status status = make(&c, kernels, err);
    if (status == KL_OK) status = differences(&c, out_most, err);
    lm_model_free(&c.model);
    free(c.before);
    free(c.gradient);
    free(c.moved);
    if (status != KL_OK || *out_most <= allowed) return status;
    return kl_fail(err, KL_ERROR_INPUT,
                   "a gradient is %.2g %% off what a difference of losses gives, with step %d; "
                   "does `./ladder run attention %d` find it right?",
                   100 * *out_most, kernels->attention->number, kernels->attention->number);
}
