// SPDX-License-Identifier: MIT
// What a wrong element of lab 14 looks like: its value is compared with those of common mistakes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare.h"
#include "reference.h"

// One wrong element and what the row's value would be with a mistake.
typedef struct suspect {
    const attention_check *check;
    int64_t head, query;
    int column;
    double got, bound;
    double *weights; // [keys], scratch
    char *hint;
    size_t bytes;
} suspect;

// The element with another number of keys seen, another scale, so many keys after the last one
// whose scores and values are 0, and without the division where `divides` is false.
static double value_with(const suspect *s, int64_t query, int64_t seen, double scale,
                         int64_t padding, bool divides) {
    const attention_check *a = s->check;
    double most, sum, value = 0.0;
    if (seen <= 0) return 0.0;
    attention_weights(a, s->head, query, seen, scale, s->weights, &most, &sum);
    const uint16_t *v = a->v + s->head * a->keys * a->width + s->column;
    for (int64_t j = 0; j < seen; j++)
        value += s->weights[j] * (double)attention_value(v[j * a->width]);
    if (padding > 0) sum += (double)padding * exp(-most);
    return divides ? value / sum : value;
}

static bool is_like(const suspect *s, double value) {
    return fabs(value - s->got) <= s->bound + fabs(value) * 0x1p-10;
}

static int64_t clamp(int64_t x, int64_t most) {
    return x < 0 ? 0 : x < most ? x : most;
}

static bool explain_mask(const suspect *s, int64_t seen, double scale) {
    const attention_check *a = s->check;
    const char *what = NULL;
    if (!a->causal) return false;
    if (is_like(s, value_with(s, s->query, a->keys, scale, 0, true)))
        what = "as if the query saw all keys";
    else if (is_like(s, value_with(s, s->query, clamp(s->query + 1, a->keys), scale, 0, true)))
        what = "as if key i were the last one that query i sees: the last query sees the last key";
    else if (is_like(s, value_with(s, s->query, clamp(seen + 1, a->keys), scale, 0, true)))
        what = "as if the query saw one key more";
    else if (is_like(s, value_with(s, s->query, seen - 1, scale, 0, true)))
        what = "as if the query saw one key less";
    if (what)
        snprintf(s->hint, s->bytes, "query %lld sees %lld of %lld keys; the value is %s",
                 (long long)s->query, (long long)seen, (long long)a->keys, what);
    return what != NULL;
}

static bool explain_keys(const suspect *s, int64_t seen, double scale) {
    static const int64_t tiles[] = {8, 16, 32, 64, 128};
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        int64_t tile = tiles[i], rest = seen % tile ? seen % tile : tile;
        if (rest < seen && is_like(s, value_with(s, s->query, seen - rest, scale, 0, true))) {
            snprintf(s->hint, s->bytes, "the last %lld keys are missing", (long long)rest);
            return true;
        }
        if (rest < tile && is_like(s, value_with(s, s->query, seen, scale, tile - rest, true))) {
            snprintf(s->hint, s->bytes,
                     "%lld keys after the last one count, with scores of 0: is a tile of %lld keys "
                     "masked?",
                     (long long)(tile - rest), (long long)tile);
            return true;
        }
    }
    return false;
}

static bool explain_row(const suspect *s, int64_t seen, double scale) {
    if (is_like(s, value_with(s, s->query, seen, 1.0, 0, true))) {
        snprintf(s->hint, s->bytes, "the scores are not divided by sqrt(width)");
        return true;
    }
    if (is_like(s, value_with(s, s->query, seen, scale, 0, false))) {
        snprintf(s->hint, s->bytes, "the sum of weights times values is not divided by their sum");
        return true;
    }
    int64_t first = s->query / 16 * 16;
    for (int64_t q = first; q < first + 16 && q < s->check->queries; q++) {
        if (q == s->query ||
            !is_like(s, value_with(s, q, attention_seen(s->check, q), scale, 0, true)))
            continue;
        snprintf(s->hint, s->bytes, "query %lld has the value of query %lld", (long long)s->query,
                 (long long)q);
        return true;
    }
    return false;
}

void attention_explain(const attention_check *a, int64_t row, int column, double got, double bound,
                       char *hint, size_t bytes) {
    suspect s = {.check = a,
                 .head = row / a->queries,
                 .query = row % a->queries,
                 .column = column,
                 .got = got,
                 .bound = bound,
                 .hint = hint,
                 .bytes = bytes};
    int64_t seen = attention_seen(a, s.query);
    double scale = 1.0 / sqrt(a->width);
    if (isnan(got)) {
        snprintf(hint, bytes, "head %lld, query %lld: %s", (long long)s.head, (long long)s.query,
                 kl_is_never_written(got) || seen > 0
                     ? kl_nan_cause(got)
                     : "it sees no key: 0 must be written, and 0 / 0 is no number");
        return;
    }
    if (seen == 0) {
        snprintf(hint, bytes, "query %lld sees no key: 0 must be written", (long long)s.query);
        return;
    }
    s.weights = malloc((size_t)a->keys * sizeof *s.weights + 1);
    bool explained = s.weights && (explain_mask(&s, seen, scale) || explain_keys(&s, seen, scale) ||
                                   explain_row(&s, seen, scale));
    free(s.weights);
    if (explained) return;
    snprintf(hint, bytes,
             "head %lld, query %lld, column %d: look for sums that are not rescaled when the "
             "maximum moves, a missing barrier, rows or chunks of 8 elements that are exchanged",
             (long long)s.head, (long long)s.query, column);
}
