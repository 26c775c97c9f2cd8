// What a wrong element of lab 14 looks like: its value is compared with those of common mistakes.
#include "compare.h"
#include "reference.h"

enum { PART = 8 }; // columns that are compared: one alone is like another value by chance

// A wrong element with its neighbours, and what the row's values would be with a mistake.
typedef struct suspect {
    const attention_check *check;
    int64_t head, query;
    int first;           // of PART columns, of which one is wrong
    const uint16_t *got; // [PART]
    double right[PART];  // what the columns should be
    double bound;        // of the wrong one
    double *weights;     // [keys], scratch
    char *hint;
    size_t bytes;
} suspect;

// Column first + c of the sum of so many values, times their weights.
static double value_of(const suspect *s, int64_t seen, int c) {
    const attention_check *a = s->check;
    const uint16_t *v = a->v + s->head * a->keys * a->width + s->first + c;
    double value = 0.0;
    for (int64_t j = 0; j < seen; j++)
        value += s->weights[j] * (double)attention_value(v[j * a->width]);
    return value;
}

// Sum of the squares of the differences between the columns and the values of the weights, divided
// by `sum`; INFINITY where these do not explain what was got, which must be much nearer to them
// than to the right values. Other columns' bounds are a little larger or smaller than the wrong
// one's.
static double distance_from(const suspect *s, int64_t seen, double sum) {
    double distance = 0.0, from_right = 0.0;
    for (int c = 0; c < PART; c++) {
        double value = value_of(s, seen, c) / sum, got = (double)attention_value(s->got[c]);
        if (!(fabs(value - got) <= 2.0 * s->bound + fabs(value) * 0x1p-10)) return INFINITY;
        distance += (value - got) * (value - got);
        from_right += (s->right[c] - got) * (s->right[c] - got);
    }
    return distance <= from_right / 8.0 ? distance : INFINITY;
}

static bool is_quotient(const suspect *s, int64_t seen, double sum) {
    return distance_from(s, seen, sum) < INFINITY;
}

// Whether the columns are those with another number of keys seen or another scale, and without
// the division where `divides` is false.
static bool is_with(const suspect *s, int64_t query, int64_t seen, double scale, bool divides) {
    double most = 0.0, sum = 1.0;
    if (seen > 0) attention_weights(s->check, s->head, query, seen, scale, s->weights, &most, &sum);
    return is_quotient(s, seen, divides ? sum : 1.0);
}

static int64_t clamp(int64_t x, int64_t most) {
    return x < 0 ? 0 : x < most ? x : most;
}

static bool explain_mask(const suspect *s, int64_t seen, double scale) {
    const attention_check *a = s->check;
    const char *what = NULL;
    if (!a->causal) return false;
    if (is_with(s, s->query, a->keys, scale, true))
        what = "as if the query saw all keys";
    else if (is_with(s, s->query, clamp(s->query + 1, a->keys), scale, true))
        what = "as if key i were the last one that query i sees: the last query sees the last key";
    else if (is_with(s, s->query, clamp(seen + 1, a->keys), scale, true))
        what = "as if the query saw one key more";
    else if (seen > 1 && is_with(s, s->query, seen - 1, scale, true))
        what = "as if the query saw one key less";
    if (what)
        snprintf(s->hint, s->bytes, "query %lld sees %lld of %lld keys; the value is %s",
                 (long long)s->query, (long long)seen, (long long)a->keys, what);
    return what != NULL;
}

static const int64_t tiles[] = {8, 16, 32, 64, 128, 160};
enum { TILES = sizeof tiles / sizeof tiles[0] };

static bool explain_missing(const suspect *s, int64_t seen, double scale) {
    for (int i = 0; i < TILES; i++) {
        int64_t rest = seen % tiles[i] ? seen % tiles[i] : tiles[i];
        if (rest >= seen || !is_with(s, s->query, seen - rest, scale, true)) continue;
        snprintf(s->hint, s->bytes, "the last %lld keys are missing", (long long)rest);
        return true;
    }
    return false;
}

// As if keys after the last one counted, up to the end of a tile: with scores and values of 0, or
// as copies of the last one. When weights are small two tiles may explain it: the nearer one.
static bool explain_excess(const suspect *s, int64_t seen, double scale) {
    double least = INFINITY;
    for (int i = 0; i < 2 * TILES; i++) {
        int64_t tile = tiles[i / 2], more = (tile - seen % tile) % tile;
        bool copies = i % 2 != 0;
        double most, sum, distance;
        attention_weights(s->check, s->head, s->query, seen, scale, s->weights, &most, &sum);
        sum += (double)more * (copies ? s->weights[seen - 1] : exp(-most));
        if (copies) s->weights[seen - 1] *= (double)more + 1.0;
        distance = more > 0 ? distance_from(s, seen, sum) : INFINITY;
        if (!(distance < least)) continue;
        least = distance;
        snprintf(s->hint, s->bytes,
                 "as if %lld keys after the last one counted, %s, up to the end of a tile of %lld",
                 (long long)more, copies ? "copies of it" : "with scores of 0", (long long)tile);
    }
    return least < INFINITY;
}

static bool explain_keys(const suspect *s, int64_t seen, double scale) {
    return explain_missing(s, seen, scale) || explain_excess(s, seen, scale);
}

static bool explain_row(const suspect *s, int64_t seen, double scale) {
    if (is_with(s, s->query, seen, 1.0, true)) {
        snprintf(s->hint, s->bytes, "the scores are not divided by sqrt(width)");
        return true;
    }
    if (is_with(s, s->query, seen, scale, false)) {
        snprintf(s->hint, s->bytes, "the sum of weights times values is not divided by their sum");
        return true;
    }
    int64_t first = s->query / 16 * 16;
    for (int64_t q = first; q < first + 16 && q < s->check->queries; q++) {
        if (q == s->query || !is_with(s, q, attention_seen(s->check, q), scale, true)) continue;
        snprintf(s->hint, s->bytes, "query %lld has the value of query %lld", (long long)s->query,
                 (long long)q);
        return true;
    }
    return false;
}

// Weights relative to the maximum of the tiles up to that of their key. Returns their sum.
static double leave_unscaled(const suspect *s, int64_t seen, int64_t tile) {
    double most = 0.0, sum = 0.0;
    for (int64_t first = 0; first < seen; first += tile) {
        int64_t end = clamp(first + tile, seen);
        for (int64_t j = first; j < end; j++) most = fmax(most, s->weights[j]);
        for (int64_t j = first; j < end; j++) sum += s->weights[j] /= most;
    }
    return sum;
}

static bool explain_factors(const suspect *s, int64_t seen, double scale) {
    double least = INFINITY;
    for (int i = 2 * 2; i < 2 * TILES && tiles[i / 2] < seen; i++) { // tiles of 32 keys at least
        bool both = i % 2 != 0;
        double most, sum, unscaled, distance;
        attention_weights(s->check, s->head, s->query, seen, scale, s->weights, &most, &sum);
        unscaled = leave_unscaled(s, seen, tiles[i / 2]);
        distance = distance_from(s, seen, both ? unscaled : sum);
        if (!(distance < least)) continue;
        least = distance;
        snprintf(s->hint, s->bytes, "query %lld: as if %s not rescaled when the maximum moves",
                 (long long)s->query,
                 both ? "sum and output were both" : "the output (sums of values) was");
    }
    return least < INFINITY;
}

// All columns right but for one factor: the values were added up well, what they are divided by is
// wrong.
static bool explain_sum(const suspect *s, int64_t seen, double scale) {
    double most, sum, of_both = 0.0, of_right = 0.0;
    attention_weights(s->check, s->head, s->query, seen, scale, s->weights, &most, &sum);
    for (int c = 0; c < PART; c++) {
        of_both += s->right[c] * (double)attention_value(s->got[c]);
        of_right += s->right[c] * s->right[c];
    }
    double factor = of_both / of_right;
    if (!(of_right > PART * pow(16.0 * s->bound, 2.0)) || !(factor > 0x1p-10)) return false;
    if (!is_quotient(s, seen, sum / factor)) return false;
    snprintf(s->hint, s->bytes, "query %lld: all columns are %.3g times what they should be",
             (long long)s->query, factor);
    return true;
}

// Beside a score of 0 for a key that does not exist, scores below -16 give 0, too: explain_keys.
static bool explain_zero(const suspect *s, int64_t seen, double scale) {
    double most, sum;
    attention_weights(s->check, s->head, s->query, seen, scale, s->weights, &most, &sum);
    if (most < -16.0) return false;
    for (int c = 0; c < PART; c++)
        if (attention_value(s->got[c]) != 0) return false;
    snprintf(s->hint, s->bytes, "query %lld sees %lld of %lld keys, but its output is 0, as if %s",
             (long long)s->query, (long long)seen, (long long)s->check->keys,
             s->check->causal && seen == 1 ? "it saw one key less, or no value was added"
                                           : "no value was added");
    return true;
}

static bool explain_part(suspect *s, int64_t seen) {
    double scale = 1.0 / sqrt(s->check->width), most, sum;
    attention_weights(s->check, s->head, s->query, seen, scale, s->weights, &most, &sum);
    for (int c = 0; c < PART; c++) s->right[c] = value_of(s, seen, c) / sum;
    return explain_zero(s, seen, scale) || explain_mask(s, seen, scale) ||
           explain_keys(s, seen, scale) || explain_row(s, seen, scale) ||
           explain_factors(s, seen, scale) || explain_sum(s, seen, scale);
}

void attention_explain(const attention_check *a, const uint16_t *o, kl_verdict *verdict) {
    int64_t row = (int64_t)verdict->first_wrong / a->width;
    int column = (int)((int64_t)verdict->first_wrong % a->width), first = column / PART * PART;
    char *hint = verdict->hint;
    size_t bytes = sizeof verdict->hint;
    suspect s = {.check = a,
                 .head = row / a->queries,
                 .query = row % a->queries,
                 .first = first,
                 .got = o + row * a->width + first,
                 .bound = fmin(verdict->bound, 0x1p-8), // some rows are compared with a range only
                 .hint = hint,
                 .bytes = bytes};
    int64_t seen = attention_seen(a, s.query);
    if (isnan(verdict->got)) {
        snprintf(hint, bytes, "head %lld, query %lld%s", (long long)s.head, (long long)s.query,
                 seen > 0 ? "" : ": it sees no key: 0 must be written");
        return;
    }
    if (seen == 0) {
        snprintf(hint, bytes, "query %lld sees no key: 0 must be written", (long long)s.query);
        return;
    }
    s.weights = malloc((size_t)a->keys * sizeof *s.weights + 1);
    bool explained = s.weights && explain_part(&s, seen);
    free(s.weights);
    if (explained) return;
    snprintf(hint, bytes, "head %lld, query %lld, column %d", (long long)s.head, (long long)s.query,
             column);
}
