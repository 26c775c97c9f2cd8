// The answer of a case: the layers in double precision with their bounds (bounds.c), laid out as
// the judge keeps it, and the comparison. Must not be linked into anything that a submission can
// read.
#include "reference.h"

#include "compare.h"

cnn_shape cnn_case_shape(const kl_case *c) {
    return (cnn_shape){c->ints[1], c->ints[2], c->ints[3], c->ints[4], c->ints[5]};
}

cnn_network cnn_case_network(const kl_case *c) {
    return (cnn_network){c->ints[3], c->ints[4], c->ints[5], c->ints[6], c->ints[7]};
}

// An output takes 16 bytes per element in the answer, whatever its type: simple, and never
// misaligned.
uint64_t cnn_answer_bytes(const kl_case *c) {
    uint64_t elems = 0;
    for (int i = 0; i < c->output_count; i++) elems += c->outputs[i].elems;
    return 2 * sizeof(double) * elems + sizeof(double);
}

// Where output i lies in the answer.
static cnn_values answer_values(const kl_case *c, const void *answer, int i) {
    double *at = (double *)answer;
    for (int k = 0; k < i; k++) at += 2 * c->outputs[k].elems;
    int64_t count = (int64_t)c->outputs[i].elems;
    return (cnn_values){count, at, at + count};
}

// ---- one layer
// -----------------------------------------------------------------------------------

// An input as doubles; value NULL: no memory.
static cnn_values widen(const float *x, int64_t count) {
    cnn_values values = {count, malloc((size_t)(count + 1) * sizeof(double)), NULL};
    for (int64_t i = 0; values.value && i < count; i++) values.value[i] = x[i];
    return values;
}

static bool take_inputs(const kl_case *c, const void *const *inputs, cnn_bounded *l) {
    const struct {
        cnn_tensor tensor;
        cnn_values *values;
    } floats[] = {{CNN_X, &l->x}, {CNN_W, &l->w}, {CNN_B, &l->b}, {CNN_DELTA, &l->delta}};
    unsigned set = cnn_tensors_of(l->op);
    int next = 0;
    bool made = true;
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        if (!(set & CNN_BIT(floats[i].tensor))) continue;
        *floats[i].values = widen(inputs[next], (int64_t)c->inputs[next].elems);
        made = made && floats[i].values->value;
        next++;
    }
    if (set & CNN_BIT(CNN_WHERE_IN)) l->where_in = inputs[next++];
    if (set & CNN_BIT(CNN_LABELS)) l->labels = inputs[next++];
    return made;
}

static void take_outputs(const kl_case *c, void *answer, cnn_bounded *l) {
    unsigned set = cnn_tensors_of(l->op);
    int next = 0;
    if (set & CNN_BIT(CNN_Y)) l->y = answer_values(c, answer, next++);
    if (set & CNN_BIT(CNN_DX)) l->dx = answer_values(c, answer, next++);
    if (set & CNN_BIT(CNN_DW)) l->dw = answer_values(c, answer, next++);
    if (set & CNN_BIT(CNN_DB)) l->db = answer_values(c, answer, next++);
    if (set & CNN_BIT(CNN_WHERE)) {
        cnn_values values = answer_values(c, answer, next++);
        l->where = (cnn_choices){values.count, (uint8_t *)values.value};
    }
    if (set & CNN_BIT(CNN_LOSSES)) l->losses = answer_values(c, answer, next++);
    if (set & CNN_BIT(CNN_DELTA_OUT)) l->delta_out = answer_values(c, answer, next++);
}

static kl_status answer_layer(const kl_case *c, bool exact, const void *const *inputs, void *answer,
                              kl_error *err) {
    cnn_bounded l = {.op = (cnn_op)c->ints[0],
                     .shape = cnn_case_shape(c),
                     .exact = exact,
                     .learning_rate = (float)c->reals[0],
                     .momentum = (float)c->reals[1]};
    bool made = take_inputs(c, inputs, &l);
    take_outputs(c, answer, &l);
    kl_status status = made ? cnn_bound(&l, err)
                            : kl_fail(err, KL_ERROR_MEMORY, "no memory for the answer of lab 09");
    cnn_values *all[] = {&l.x, &l.w, &l.b, &l.delta};
    for (int i = 0; i < 4; i++) cnn_values_free(all[i]);
    return status;
}

static kl_status answer_training(const kl_case *c, const void *const *inputs, void *answer,
                                 kl_error *err) {
    cnn_training t = {
        .network = cnn_case_network(c),
        .batch = c->ints[1],
        .batches = c->ints[2],
        .count = (int64_t)c->inputs[1].elems,
        .d_images = inputs[0],
        .d_labels = inputs[1],
        .d_order = inputs[2],
        .d_parameters_in = inputs[3],
        .d_velocity_in = inputs[4],
        .learning_rate = (float)c->reals[0],
        .momentum = (float)c->reals[1],
    };
    return cnn_bound_training(&t, answer_values(c, answer, 0), answer_values(c, answer, 1),
                              answer_values(c, answer, 2), err);
}

kl_status cnn_answer(const kl_case *c, bool exact, const void *const *inputs, void *out_answer,
                     kl_error *err) {
    memset(out_answer, 0, cnn_answer_bytes(c));
    if ((cnn_op)c->ints[0] == CNN_TRAIN) return answer_training(c, inputs, out_answer, err);
    return answer_layer(c, exact, inputs, out_answer, err);
}

// ---- comparison
// ----------------------------------------------------------------------------------

static void verify_where(const uint8_t *got, const cnn_values *answer, kl_verdict *out_verdict) {
    const uint8_t *allowed = (const uint8_t *)answer->value;
    out_verdict->ok = true;
    for (int64_t i = 0; i < answer->count; i++) {
        out_verdict->compared++;
        if (got[i] <= CNN_NOWHERE && allowed[i] >> got[i] & 1) continue;
        int want = 0;
        while (!(allowed[i] >> want & 1)) want++;
        out_verdict->ok = false;
        out_verdict->first_wrong = (uint64_t)i;
        out_verdict->expected = want;
        out_verdict->got = got[i];
        return;
    }
}

// What kind of mistake this looks like.
static const char *explain(const kl_case *c, const char *name, double want, double got) {
    cnn_op op = (cnn_op)c->ints[0];
    bool flipped = fabs(got + want) < 1e-3 * fabs(want);
    if (got != got) return "";
    if (want != 0.0 && flipped) return "the right value with the other sign";
    if (op == CNN_LOSS && want != 0.0 && fabs(got - want * (double)c->ints[1]) < 1e-3 * fabs(got))
        return "N times too large: the loss is the mean of the batch";
    if (op == CNN_FC_BACKWARD && strcmp(name, "dx") == 0)
        return "dx is delta times the TRANSPOSED weights: its element i takes row i of w";
    if (op == CNN_FC_BACKWARD && strcmp(name, "dw") == 0)
        return "dw is the TRANSPOSED input times delta: a sum over the images";
    if (op == CNN_CONV_BACKWARD && strcmp(name, "dx") == 0)
        return "x[i][j] took part in y[i-r][j-s] with w[r][s]: minus, and only where y exists";
    if (strcmp(name, "where") == 0)
        return "0, 1 above, 2, 3 below; the first of equal ones; 4: none";
    if (op == CNN_TRAIN && strcmp(name, "velocity") == 0)
        return "the first velocity is momentum * velocity + gradient";
    return "";
}

void cnn_verify(const kl_case *c, const void *answer, const void *const *outputs,
                kl_verdict *out_verdict) {
    uint64_t compared = 0;
    double max_error = 0.0;
    *out_verdict = (kl_verdict){.ok = true};
    for (int i = 0; i < c->output_count && out_verdict->ok; i++) {
        if (c->outputs[i].elems == 0) continue;
        cnn_values want = answer_values(c, answer, i);
        *out_verdict = (kl_verdict){.ok = true};
        if (c->outputs[i].dtype == KL_U8) {
            verify_where(outputs[i], &want, out_verdict);
        } else {
            kl_comparison found =
                kl_compare_f32(outputs[i], want.value, want.error, 0.0, (uint64_t)want.count);
            *out_verdict = kl_verdict_of(&found);
        }
        out_verdict->output = i;
        out_verdict->compared += compared;
        compared = out_verdict->compared;
        max_error = fmax(max_error, out_verdict->max_error);
        if (!out_verdict->ok)
            snprintf(out_verdict->hint, sizeof out_verdict->hint, "%s",
                     explain(c, c->outputs[i].name, out_verdict->expected, out_verdict->got));
    }
    out_verdict->max_error = max_error;
    if (compared == 0) { // no images: nothing to compare, and nothing may be written
        out_verdict->compared = 1;
    }
}
