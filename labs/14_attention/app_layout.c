// Where the parameters of lab 14's application are, and what they are at first: see app.h.
#include "app.h"
#include "random.h"

static int64_t take(int64_t *total, int64_t count) {
    const int64_t at = *total;
    *total += count;
    return at;
}

static lm_norm norm_of(int64_t *total, int64_t width) {
    return (lm_norm){take(total, width), take(total, width)};
}

static lm_linear linear_of(int64_t *total, int64_t inputs, int64_t outputs) {
    const int64_t w = take(total, inputs * outputs);
    return (lm_linear){w, take(total, outputs), inputs, outputs};
}

lm_layout lm_layout_of(const lm_shape *s) {
    const int64_t width = lm_width(s);
    lm_layout l = {.total = 0};
    l.token = take(&l.total, s->symbols * width);
    l.position = take(&l.total, s->context * width);
    for (int64_t i = 0; i < s->layers; i++) {
        lm_layer *layer = &l.layers[i];
        layer->norm1 = norm_of(&l.total, width);
        layer->norm2 = norm_of(&l.total, width);
        layer->qkv = linear_of(&l.total, width, 3 * width);
        layer->out = linear_of(&l.total, width, width);
        layer->up = linear_of(&l.total, width, 4 * width);
        layer->down = linear_of(&l.total, 4 * width, width);
    }
    l.norm = norm_of(&l.total, width);
    l.head = linear_of(&l.total, width, s->symbols);
    return l;
}

// Uniform in +-most; each array has a stream of its own.
static void fill(float *out, int64_t count, uint64_t seed, int64_t at, double most) {
    const uint64_t stream = kl_random_fork(seed, (uint64_t)at);
    for (int64_t i = 0; i < count; i++)
        out[at + i] = (float)most * kl_random_signed(stream, (uint64_t)i);
}

static void set(float *out, int64_t at, int64_t count, float value) {
    for (int64_t i = 0; i < count; i++) out[at + i] = value;
}

// What a product gives has the variance of its input, over three; times `share`, squared.
static void fill_linear(float *out, uint64_t seed, const lm_linear *l, double share) {
    fill(out, l->inputs * l->outputs, seed, l->w, share / sqrt((double)l->inputs));
    set(out, l->b, l->outputs, 0.0f);
}

static void fill_norm(float *out, const lm_norm *n, int64_t width) {
    set(out, n->gain, width, 1.0f);
    set(out, n->shift, width, 0.0f);
}

void lm_initial(const lm_shape *s, uint64_t seed, float *out) {
    const lm_layout l = lm_layout_of(s);
    const int64_t width = lm_width(s);
    const double added = 1 / sqrt(2.0 * (double)s->layers); // so many terms make up a row
    fill(out, s->symbols * width, seed, l.token, 0.1);
    fill(out, s->context * width, seed, l.position, 0.1);
    for (int64_t i = 0; i < s->layers; i++) {
        const lm_layer *layer = &l.layers[i];
        fill_norm(out, &layer->norm1, width);
        fill_norm(out, &layer->norm2, width);
        fill_linear(out, seed, &layer->qkv, 1);
        fill_linear(out, seed, &layer->out, added);
        fill_linear(out, seed, &layer->up, 1);
        fill_linear(out, seed, &layer->down, added);
    }
    fill_norm(out, &l.norm, width);
    fill_linear(out, seed, &l.head, 1);
}
