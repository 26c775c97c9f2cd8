// Inputs of the cases: see reference.h.
#include "reference.h"

#include "random.h"

static float draw(cnn_numbers numbers, uint64_t seed, uint64_t i) {
    switch (numbers) {
    case CNN_INTEGERS: return (float)kl_random_below(seed, i, 17) - 8.0f;
    case CNN_TIES: return (float)kl_random_below(seed, i, 7) - 3.0f;
    case CNN_LOGITS: return 8.0f * kl_random_signed(seed, i);
    case CNN_LARGE: return 500.0f * kl_random_signed(seed, i);
    case CNN_REALS: break;
    }
    return kl_random_signed(seed, i);
}

static void fill(const kl_case *c, int input, cnn_numbers numbers, float *x) {
    uint64_t seed = kl_random_fork(c->seed, (uint64_t)input);
    for (uint64_t i = 0; i < c->inputs[input].elems; i++) x[i] = draw(numbers, seed, i);
}

void cnn_make_layer(const kl_case *c, cnn_numbers numbers, void *const *inputs) {
    cnn_op op = (cnn_op)c->ints[0];
    uint64_t classes = (uint64_t)c->ints[2];
    uint64_t seed = kl_random_fork(c->seed, 77);
    for (int i = 0; i < c->input_count; i++) {
        uint8_t *where = inputs[i];
        int32_t *labels = inputs[i];
        float *x = inputs[i];
        if (c->inputs[i].dtype == KL_F32) {
            fill(c, i, numbers, x);
            continue;
        }
        for (uint64_t k = 0; k < c->inputs[i].elems; k++) {
            if (c->inputs[i].dtype == KL_U8)
                where[k] = (uint8_t)kl_random_below(seed, k, CNN_NOWHERE + 1);
            else
                labels[k] = (int32_t)kl_random_below(seed, k, classes);
        }
    }
    float *x = c->inputs[0].elems > 0 ? inputs[0] : NULL;
    for (uint64_t i = 0; x && i < c->inputs[0].elems; i++) {
        if (op == CNN_RELU_BACKWARD) x[i] = x[i] > 0.0f ? x[i] : 0.0f; // an output of ReLU
        if (numbers == CNN_TIES && op != CNN_RELU_BACKWARD && i % 19 == 7) x[i] = NAN;
        if (numbers == CNN_LARGE && i / classes % 4 == 1) x[i] = x[i / classes * classes];
    }
}

static void fill_layer(float *w, int64_t count, int64_t fan_in, uint64_t seed) {
    float scale = 1.0f / sqrtf((float)fan_in);
    for (int64_t i = 0; i < count; i++) w[i] = scale * kl_random_signed(seed, (uint64_t)i);
}

void cnn_make_parameters(const cnn_network *net, uint64_t seed, float *w) {
    cnn_layout l = cnn_layout_of(net);
    int64_t fan1 = net->channels * CNN_TAPS, fan2 = net->filters1 * CNN_TAPS;
    fill_layer(w + l.w1, l.w2 - l.w1, fan1, kl_random_fork(seed, 3));
    fill_layer(w + l.w2, l.w3 - l.w2, fan2, kl_random_fork(seed, 4));
    fill_layer(w + l.w3, l.w4 - l.w3, l.flat, kl_random_fork(seed, 5));
    fill_layer(w + l.w4, l.total - l.w4, net->hidden, kl_random_fork(seed, 6));
}

void cnn_make_training(const kl_case *c, void *const *inputs) {
    cnn_network net = cnn_case_network(c);
    cnn_layout l = cnn_layout_of(&net);
    float *images = inputs[0], *w = inputs[3], *v = inputs[4];
    int32_t *labels = inputs[1], *order = inputs[2];
    uint64_t count = c->inputs[1].elems;
    for (uint64_t i = 0; i < c->inputs[0].elems; i++) images[i] = kl_random_signed(c->seed, i);
    for (uint64_t i = 0; i < count; i++)
        labels[i] = (int32_t)kl_random_below(kl_random_fork(c->seed, 1), i, CNN_CLASSES);
    for (uint64_t i = 0; i < c->inputs[2].elems; i++)
        order[i] = (int32_t)kl_random_below(kl_random_fork(c->seed, 2), i, count);
    cnn_make_parameters(&net, c->seed, w);
    for (int64_t i = 0; i < l.total; i++)
        v[i] = 0.01f * kl_random_signed(kl_random_fork(c->seed, 7), (uint64_t)i);
}
