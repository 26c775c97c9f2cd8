// The backward pass of attention in double: see reference.h and backward.h.
//
// The bound. With u = 2^-11, what rounding to half makes of 1 at most, and e = 2^-22 for each sum
// in float (tensor cores cut off where others round):
//
//   S     float products: off by e sum |q k| / sqrt(width) + the rounding of the logarithm, e |log|
//   P     by the relative error of exp(S - log): that of S, and 2 e of the exponential
//   D     O came as half: off by u sum |dO O|, and e of the sum
//   dS    P (dP - D): off by P (e sum |dO v| + that of D) + |dS| that of P
//   P, dS are rounded to half before they are multiplied: u of each, or 2^-25 where halves are
//         subnormal
//
// Each derivative is a sum of products with exact halves: the errors of its terms add up, then e of
// the sum of their magnitudes for each 256 terms, and u of the result, or 2^-25, as it is stored.
#include "reference.h"

static const double half = 0x1p-11, tiny = 0x1p-25, sum_error = 0x1p-22;

int64_t backward_head_doubles(int64_t queries, int64_t keys, int width) {
    return queries * (5 * width + 1) + keys * 6 * width;
}

static double *take(double **memory, int64_t count) {
    double *at = *memory;
    *memory += count;
    return at;
}

void backward_head_lay(backward_head *h, double *memory) {
    const int64_t of_queries = h->queries * h->width, of_keys = h->keys * h->width;
    h->q = take(&memory, of_queries);
    h->k = take(&memory, of_keys);
    h->v = take(&memory, of_keys);
    h->d_o = take(&memory, of_queries);
    h->o = take(&memory, of_queries);
    h->log = take(&memory, h->queries);
    h->dq = take(&memory, of_queries);
    h->dk = take(&memory, of_keys);
    h->dv = take(&memory, of_keys);
    h->far_q = take(&memory, of_queries);
    h->far_k = take(&memory, of_keys);
    h->far_v = take(&memory, of_keys);
}

static int64_t seen(const backward_head *h, int64_t i) {
    const int64_t last = i + h->keys - h->queries;
    return !h->causal ? h->keys : last < 0 ? 0 : last + 1;
}

static double dot(const double *a, const double *b, int width) {
    double sum = 0;
    for (int c = 0; c < width; c++) sum += a[c] * b[c];
    return sum;
}

static double dot_of_magnitudes(const double *a, const double *b, int width) {
    double sum = 0;
    for (int c = 0; c < width; c++) sum += fabs(a[c] * b[c]);
    return sum;
}

// Row i of the scores, and the logarithm of the sum of their exponentials.
static double scores(const backward_head *h, int64_t i, double *out) {
    const int64_t count = seen(h, i);
    double most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < count; j++) {
        out[j] = dot(h->q + i * h->width, h->k + j * h->width, h->width) / sqrt(h->width);
        most = fmax(most, out[j]);
    }
    for (int64_t j = 0; j < count; j++) sum += exp(out[j] - most);
    return count > 0 ? most + log(sum) : 0;
}

static void forward_row(backward_head *h, int64_t i, double *s) {
    double *o = h->o + i * h->width;
    h->log[i] = scores(h, i, s);
    for (int c = 0; c < h->width; c++) o[c] = 0;
    for (int64_t j = 0; j < seen(h, i); j++)
        for (int c = 0; c < h->width; c++) o[c] += exp(s[j] - h->log[i]) * h->v[j * h->width + c];
}

// What query i and key j see of each other, and how far off a step may have it.
typedef struct pair {
    double p, ds, far_p, far_ds;
} pair;

static pair pair_of(const backward_head *h, int64_t i, int64_t j, double s) {
    const int width = h->width;
    const double *q = h->q + i * width, *k = h->k + j * width, *v = h->v + j * width,
                 *o = h->o + i * width, *d_o = h->d_o + i * width;
    pair x = {.p = exp(s - h->log[i])};
    const double d = dot(d_o, o, width), dp = dot(d_o, v, width);
    const double of_s =
        sum_error * (dot_of_magnitudes(q, k, width) / sqrt(width) + fabs(h->log[i]) + 2);
    const double of_d = (half + sum_error) * dot_of_magnitudes(d_o, o, width);
    x.ds = x.p * (dp - d);
    x.far_p = x.p * (of_s + half) + tiny;
    x.far_ds = x.p * (sum_error * dot_of_magnitudes(d_o, v, width) + of_d) +
               fabs(x.ds) * (of_s + half) + tiny;
    return x;
}

// sum [width] += x row; far: how far the sum may be off.
static void add(double x, double far_x, double of_sum, const double *row, int width, double *sum,
                double *far) {
    for (int c = 0; c < width; c++) {
        sum[c] += x * row[c];
        far[c] += (far_x + of_sum * fabs(x)) * fabs(row[c]);
    }
}

static void backward_row(backward_head *h, int64_t i, const double *s) {
    const int width = h->width;
    const double scale = 1 / sqrt(width);
    const double of_q = sum_error * (double)(h->keys / 256 + 1),
                 of_k = sum_error * (double)(h->queries / 256 + 1);
    for (int64_t j = 0; j < seen(h, i); j++) {
        const pair x = pair_of(h, i, j, s[j]);
        const int64_t of_query = i * width, of_key = j * width;
        add(scale * x.ds, scale * x.far_ds, of_q, h->k + of_key, width, h->dq + of_query,
            h->far_q + of_query);
        add(scale * x.ds, scale * x.far_ds, of_k, h->q + of_query, width, h->dk + of_key,
            h->far_k + of_key);
        add(x.p, x.far_p, of_k, h->d_o + of_query, width, h->dv + of_key, h->far_v + of_key);
    }
}

// As they are stored.
static void round_results(const double *x, double *far, int64_t count) {
    for (int64_t i = 0; i < count; i++) far[i] += half * fabs(x[i]) + tiny;
}

static double *scratch_of(const backward_head *h) {
    return malloc(sizeof(double) * (size_t)(h->keys + 1));
}

kl_status backward_head_solve(backward_head *h, kl_error *err) {
    const int64_t of_queries = h->queries * h->width, of_keys = h->keys * h->width;
    double *s = scratch_of(h);
    if (!s) return kl_fail(err, KL_ERROR_MEMORY, "no memory for scores");
    for (int64_t i = 0; i < of_queries; i++) h->dq[i] = h->far_q[i] = 0;
    for (int64_t i = 0; i < of_keys; i++) h->dk[i] = h->dv[i] = h->far_k[i] = h->far_v[i] = 0;
    for (int64_t i = 0; i < h->queries; i++) {
        forward_row(h, i, s);
        backward_row(h, i, s);
    }
    free(s);
    round_results(h->dq, h->far_q, of_queries);
    round_results(h->dk, h->far_k, of_keys);
    round_results(h->dv, h->far_v, of_keys);
    return KL_OK;
}
