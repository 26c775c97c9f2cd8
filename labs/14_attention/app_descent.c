// The model of lab 14's application, backward, and a step of Adam: see app.h. Gradients are of the
// sum of the losses of all rows, not of their mean: derivatives of a row then are as large as in a
// small batch, and halves hold them.
#include "app.h"
#include "cuda_check.h"

#define RUN(call) KL_CUDA(err, (cudaError_t)(call))

static int64_t rows_of(const lm_model *m) {
    return m->shape.batch * m->shape.context;
}

// From d_delta, the derivative by the layer's outputs, to d_dx, by its inputs.
static kl_status linear(lm_model *m, const lm_linear *l, const float *d_x, const float *d_delta,
                        float *d_dx, kl_error *err) {
    const net_layer layer = {.n = rows_of(m),
                             .c = l->inputs,
                             .f = l->outputs,
                             .d_x = d_x,
                             .d_w = m->d_parameters + l->w,
                             .d_b = m->d_parameters + l->b};
    return net_layer_backward(m->kernels.products, &layer, d_delta, d_dx, m->d_gradient + l->w,
                              m->d_gradient + l->b, err);
}

// Adds to d_dx what comes through the norm: its outputs' derivative is in d_narrow.
static kl_status normalise(lm_model *m, const lm_norm *norm, const float *d_x, kl_error *err) {
    const lm_norm_task task = {rows_of(m), lm_width(&m->shape), d_x, m->d_parameters + norm->gain,
                               m->d_parameters + norm->shift};
    RUN(lm_normalise_backward(&task, m->d_narrow, m->d_moments, m->d_dx, m->d_gradient + norm->gain,
                              m->d_gradient + norm->shift));
    return KL_OK;
}

// From d_narrow, by what attention gave, to d_wide, by queries, keys and values [3 width].
static kl_status mix(lm_model *m, const lm_saved *s, kl_error *err) {
    const int64_t heads = m->shape.heads, width = lm_width(&m->shape);
    const lm_heads from = {m->shape.batch, heads, m->shape.context, width, 0};
    const attention_backward_task task = {.heads = m->shape.batch * heads,
                                          .queries = m->shape.context,
                                          .keys = m->shape.context,
                                          .width = LM_HEAD,
                                          .causal = 1,
                                          .d_q = s->d_q,
                                          .d_k = s->d_k,
                                          .d_v = s->d_v,
                                          .d_o = s->d_o,
                                          .d_do = m->d_do,
                                          .d_log = m->d_log,
                                          .d_dq = m->d_dq,
                                          .d_dk = m->d_dk,
                                          .d_dv = m->d_dv,
                                          .d_row = m->d_row,
                                          .describe = attention_describe_boxes};
    void *const parts[] = {m->d_dq, m->d_dk, m->d_dv};
    RUN(lm_to_heads(&from, m->d_narrow, m->d_do));
    RUN(attention_log_sums(&task, m->d_log));
    RUN(m->kernels.backward->run(&task));
    for (int p = 0; p < 3; p++) {
        const lm_heads to = {m->shape.batch, heads, m->shape.context, 3 * width, p * width};
        RUN(lm_from_heads(&to, parts[p], m->d_wide));
    }
    return KL_OK;
}

// d_dx: by what the layer gave, then by what it got.
static kl_status backward_layer(lm_model *m, int64_t index, kl_error *err) {
    const lm_layer *layer = &m->layout.layers[index];
    const lm_saved *s = &m->saved[index];
    TRY(linear(m, &layer->down, s->d_gelu, m->d_dx, m->d_wide, err));
    RUN(lm_gelu_backward(s->d_up, rows_of(m) * 4 * lm_width(&m->shape), m->d_wide));
    TRY(linear(m, &layer->up, s->d_norm2, m->d_wide, m->d_narrow, err));
    TRY(normalise(m, &layer->norm2, s->d_middle, err));
    TRY(linear(m, &layer->out, s->d_mixed, m->d_dx, m->d_narrow, err));
    TRY(mix(m, s, err));
    TRY(linear(m, &layer->qkv, s->d_norm1, m->d_wide, m->d_narrow, err));
    return normalise(m, &layer->norm1, s->d_x, err);
}

kl_status lm_model_backward(lm_model *m, kl_error *err) {
    const int64_t width = lm_width(&m->shape);
    const lm_saved *last = &m->saved[m->shape.layers];
    const lm_embedding embedding = {.d_symbols = m->d_symbols,
                                    .rows = rows_of(m),
                                    .context = m->shape.context,
                                    .width = width,
                                    .symbol_count = m->shape.symbols};
    KL_CUDA(err, cudaMemset(m->d_dx, 0, sizeof(float) * (size_t)(rows_of(m) * width)));
    TRY(linear(m, &m->layout.head, last->d_norm1, m->d_delta, m->d_narrow, err));
    TRY(normalise(m, &m->layout.norm, last->d_x, err));
    for (int64_t l = m->shape.layers - 1; l >= 0; l--) TRY(backward_layer(m, l, err));
    RUN(lm_embed_backward(&embedding, m->d_dx, m->d_gradient + m->layout.token,
                          m->d_gradient + m->layout.position));
    return KL_OK;
}

kl_status lm_model_descend(lm_model *m, double rate, kl_error *err) {
    const double keep1 = 0.9, keep2 = 0.99, eps = 1e-8;
    const double n = (double)++m->steps;
    const double whole = sqrt(1 - pow(keep2, n)); // the means begin at 0
    const lm_adam_step step = {.rate = (float)(rate * whole / (1 - pow(keep1, n))),
                               .scale = (float)(1.0 / (double)rows_of(m)),
                               .keep1 = (float)keep1,
                               .keep2 = (float)keep2,
                               .eps = (float)(eps * whole)};
    RUN(lm_adam(&step, m->layout.total, m->d_gradient, m->d_mean, m->d_square, m->d_parameters));
    return KL_OK;
}
