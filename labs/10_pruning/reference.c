// The answer of a case of lab 10 in double precision with its error bound, and the comparison. Must
// not be linked into anything that a submission can read.
//
// The layer. An output is a sum of K products and a bias. In any order of additions, fused or not,
// each passes through at most K + 1 roundings, so with u = 2^-24 and the sum s of all magnitudes
// the error is at most (K + 1) u / (1 - (K + 1) u) s (Higham, "Accuracy and Stability of Numerical
// Algorithms", 2nd ed., section 3.1). A dense step adds products with 0, too: these additions do
// not round. Where all products are integers and s is below 2^24 every partial sum is a float, and
// the bound is 0. ReLU is a function of slope 0 or 1: the bound stays.
//
// The update. v' = m v + g has two roundings, w' = w - rate v' two more: |error of v'| <= 2 u (|m
// v| + |g|) (1 + u), and of w' that times the rate, u of the product and u of the result. What is
// pruned is 0 exactly.
//
// Selection, mask, CSR: exact.
#include "reference.h"

#include "compare.h"
#include "parallel.h"
#include "prune.h"

static const double unit = 0x1p-24;

enum { IMAGES = 64 }; // outputs of a row that are added up side by side

pruning_op pruning_case_op(const kl_case *c) {
    return (pruning_op)c->ints[0];
}

pruning_shape pruning_case_shape(const kl_case *c) {
    return (pruning_shape){c->ints[1], c->ints[2], c->ints[3], c->ints[4]};
}

// Whatever an output's type, its elements take two doubles each in the answer.
uint64_t pruning_answer_bytes(const kl_case *c) {
    uint64_t elems = 0;
    for (int i = 0; i < c->output_count; i++) elems += c->outputs[i].elems;
    return 2 * sizeof(double) * elems + sizeof(double);
}

typedef struct answer {
    double *value, *bound;
} answer;

static answer answer_of(const kl_case *c, const void *solution, int output) {
    double *at = (double *)solution;
    for (int k = 0; k < output; k++) at += 2 * c->outputs[k].elems;
    return (answer){at, at + c->outputs[output].elems};
}

// ---- the layer ----------------------------------------------------------------------------------

// One output of the layer: sum of `count` products; the weights lie `stride` apart.
typedef struct dot {
    const int32_t *col;
    const float *val;
    int64_t count, stride;
    double bias;
} dot;

// Sums of one row for `count` neighbouring images, at most IMAGES.
typedef struct sums {
    double sum[IMAGES], magnitudes[IMAGES];
    bool exact[IMAGES]; // all products so far are integers
    bool any_exact;
} sums;

static void add_products(sums *s, double weight, const float *x, int64_t count) {
    for (int64_t n = 0; n < count; n++) {
        double product = weight * (double)x[n];
        s->sum[n] += product;
        s->magnitudes[n] += fabs(product);
    }
    if (!s->any_exact) return;
    s->any_exact = false;
    for (int64_t n = 0; n < count; n++) {
        double product = weight * (double)x[n];
        s->exact[n] = s->exact[n] && product == floor(product);
        s->any_exact = s->any_exact || s->exact[n];
    }
}

// x: the first of these images, rows of `images` elements. Each output adds its products up in the
// order of the entries.
static void solve_dots(const dot *d, const float *x, int64_t images, int64_t count, int relu,
                       double *out_value, double *out_bound) {
    sums s = {.any_exact = true};
    for (int64_t n = 0; n < count; n++) {
        s.sum[n] = d->bias;
        s.magnitudes[n] = fabs(d->bias);
        s.exact[n] = d->bias == floor(d->bias);
    }
    for (int64_t k = 0; k < d->count; k++)
        add_products(&s, (double)d->val[k * d->stride], x + d->col[k] * images, count);
    double roundings = (double)(d->count + 1) * unit;
    double share = roundings / (1.0 - roundings);
    for (int64_t n = 0; n < count; n++) {
        double all = s.magnitudes[n];
        out_value[n] = relu && !(s.sum[n] > 0.0) ? 0.0 : s.sum[n];
        out_bound[n] = s.exact[n] && all < 0x1p24 ? 0.0 : share * all + 0x1p-46 * all + 0x1p-140;
    }
}

typedef struct layer_work {
    const kl_case *c;
    const void *const *inputs;
    answer y;
} layer_work;

// One row of outputs.
static void solve_row(void *context, int row) {
    const layer_work *w = context;
    pruning_shape s = pruning_case_shape(w->c);
    bool blocks = pruning_case_op(w->c) == PRUNING_BLOCKS;
    int height = blocks ? PRUNING_BLOCK : 1;
    const void *const *in = w->inputs + (blocks ? 1 : 2);
    const int32_t *ptr = in[0], *col = in[1];
    const float *val = in[2], *b = in[3];
    int64_t first = ptr[row / height], count = ptr[row / height + 1] - first;
    dot d = {col + first, val + first * height + row % height, count, height, b[row]};
    for (int64_t n = 0; n < s.images; n += IMAGES) {
        int64_t some = s.images - n < IMAGES ? s.images - n : IMAGES, at = row * s.images + n;
        solve_dots(&d, (const float *)w->inputs[0] + n, s.images, some, (int)w->c->ints[6],
                   &w->y.value[at], &w->y.bound[at]);
    }
}

static void solve_layer(const kl_case *c, const void *const *inputs, answer y) {
    layer_work work = {c, inputs, y};
    kl_parallel((int)pruning_case_shape(c).rows, solve_row, &work);
}

// ---- the others ---------------------------------------------------------------------------------

static uint32_t magnitude(float w) {
    uint32_t bits;
    memcpy(&bits, &w, sizeof bits);
    return pruning_magnitude(bits);
}

static int descending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

// By sorting, which is what the step need not do.
static kl_status solve_select(const kl_case *c, const float *w, answer select, kl_error *err) {
    int64_t count = (int64_t)c->inputs[0].elems, keep = c->ints[5], equal = 0;
    uint32_t *all = malloc((size_t)count * sizeof *all), limit = 0x7fffffffu;
    if (!all) return kl_fail(err, KL_ERROR_MEMORY, "no memory to select");
    for (int64_t i = 0; i < count; i++) all[i] = magnitude(w[i]);
    qsort(all, (size_t)count, sizeof *all, descending);
    if (keep > 0) limit = all[keep - 1];
    for (int64_t i = 0; i < keep; i++) equal += all[i] == limit;
    free(all);
    select.value[0] = (double)limit;
    select.value[1] = (double)equal;
    return KL_OK;
}

static void solve_mask(const kl_case *c, const float *w, const int32_t *select, answer mask) {
    int64_t equal = select[1];
    for (uint64_t i = 0; i < c->inputs[0].elems; i++) {
        uint32_t m = magnitude(w[i]), limit = (uint32_t)select[0];
        mask.value[i] = m > limit || (m == limit && equal-- > 0);
    }
}

static void solve_update(const kl_case *c, const void *const *inputs, answer w_out, answer v_out) {
    const float *w = inputs[0], *v = inputs[1], *g = inputs[2];
    const uint8_t *mask = inputs[3];
    double rate = (float)c->reals[0], momentum = (float)c->reals[1];
    for (uint64_t i = 0; i < c->inputs[0].elems; i++) {
        if (!mask[i]) continue; // the answer is 0 as it is
        double velocity = momentum * v[i] + g[i];
        double error = 2.01 * unit * (fabs(momentum * v[i]) + fabs((double)g[i])) + 0x1p-148;
        v_out.value[i] = velocity;
        v_out.bound[i] = error;
        w_out.value[i] = w[i] - rate * velocity;
        w_out.bound[i] =
            rate * error + 2.01 * unit * (rate * fabs(velocity) + fabs((double)w[i])) + 0x1p-148;
    }
}

static kl_status solve_csr(const kl_case *c, const void *const *inputs, void *solution,
                           kl_error *err) {
    pruning_shape s = pruning_case_shape(c);
    answer ptr = answer_of(c, solution, 0), col = answer_of(c, solution, 1);
    answer val = answer_of(c, solution, 2);
    kl_csr csr;
    TRY(kl_csr_from_dense(s.rows, s.cols, inputs[0], inputs[1], &csr, err));
    for (int64_t i = 0; i <= s.rows; i++) ptr.value[i] = csr.ptr[i];
    for (int64_t k = 0; k < csr.nnz && k < s.nnz; k++) {
        col.value[k] = csr.col[k];
        val.value[k] = csr.val[k];
    }
    kl_csr_free(&csr);
    return KL_OK;
}

kl_status pruning_answer(const kl_case *c, const void *const *inputs, void *out_answer,
                         kl_error *err) {
    memset(out_answer, 0, pruning_answer_bytes(c));
    answer first = answer_of(c, out_answer, 0);
    switch (pruning_case_op(c)) {
    case PRUNING_LAYER:
    case PRUNING_BLOCKS: solve_layer(c, inputs, first); break;
    case PRUNING_SELECT: return solve_select(c, inputs[0], first, err);
    case PRUNING_MASK: solve_mask(c, inputs[0], inputs[1], first); break;
    case PRUNING_UPDATE: solve_update(c, inputs, first, answer_of(c, out_answer, 1)); break;
    case PRUNING_CSR: return solve_csr(c, inputs, out_answer, err);
    case PRUNING_OPS: break;
    }
    return KL_OK;
}

// ---- comparison ---------------------------------------------------------------------------------

static double whole_number(kl_dtype dtype, const void *values, uint64_t i) {
    if (dtype == KL_U8) return ((const uint8_t *)values)[i];
    int32_t value = ((const int32_t *)values)[i];
    return kl_integer_seen((uint32_t)value, value);
}

static void verify_whole(const kl_buffer *buffer, const void *got, answer want,
                         kl_verdict *out_verdict) {
    *out_verdict = (kl_verdict){.ok = true, .compared = buffer->elems};
    for (uint64_t i = 0; i < buffer->elems; i++) {
        double value = whole_number(buffer->dtype, got, i);
        if (value == want.value[i]) continue;
        *out_verdict = (kl_verdict){.compared = buffer->elems,
                                    .max_error = kl_distance(value, want.value[i]),
                                    .first_wrong = i,
                                    .expected = want.value[i],
                                    .got = value};
        return;
    }
}

// What kind of mistake this looks like.
static const char *explain(const kl_case *c, int output, uint64_t at, double want, double got) {
    pruning_op op = pruning_case_op(c);
    if (got != got) return "";
    switch (op) {
    case PRUNING_LAYER:
    case PRUNING_BLOCKS:
        if (want == 0.0 && got < 0.0) return "ReLU: what is not positive becomes 0";
        return "y[row][image] is the bias and the sum of val * x[col][image] over the row's "
               "entries";
    case PRUNING_SELECT:
        return at == 0 ? "the bits of the smallest magnitude that stays, without the sign bit"
                       : "how many of the weights of that very magnitude are among the `keep`";
    case PRUNING_MASK: return "of equal magnitudes those with the smallest index stay";
    case PRUNING_UPDATE:
        return want == 0.0 ? "what the mask takes out is 0, its velocity, too"
                           : "v_out = momentum * v + g, then w_out = w - rate * v_out";
    case PRUNING_CSR:
        return output == 0 ? "ptr[i] is the number of entries in all rows before i"
                           : "entries by row, and in a row by ascending column";
    case PRUNING_OPS: break;
    }
    return "";
}

void pruning_verify(const kl_case *c, const void *solution, const void *const *outputs,
                    kl_verdict *out_verdict) {
    uint64_t compared = 0;
    double max_error = 0.0;
    *out_verdict = (kl_verdict){.ok = true};
    for (int i = 0; i < c->output_count && out_verdict->ok; i++) {
        const kl_buffer *buffer = &c->outputs[i];
        if (buffer->elems == 0) continue;
        answer want = answer_of(c, solution, i);
        if (buffer->dtype == KL_F32) {
            kl_comparison found =
                kl_compare_f32(outputs[i], want.value, want.bound, 0.0, buffer->elems);
            *out_verdict = kl_verdict_of(&found);
        } else {
            verify_whole(buffer, outputs[i], want, out_verdict);
        }
        out_verdict->output = i;
        compared += out_verdict->compared;
        out_verdict->compared = compared;
        max_error = fmax(max_error, out_verdict->max_error);
        if (!out_verdict->ok)
            snprintf(
                out_verdict->hint, sizeof out_verdict->hint, "%s",
                explain(c, i, out_verdict->first_wrong, out_verdict->expected, out_verdict->got));
    }
    out_verdict->max_error = max_error;
    if (compared == 0) out_verdict->compared = 1; // no images: nothing may be written
}
