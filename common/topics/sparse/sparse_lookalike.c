// Look-alikes: see sparse.h. Rows are made in groups of similar ones. A group has one
// template of runs within a window; from row to row it moves along the diagonal, and rows shorter
// than the group's longest leave entries of it out.

#include "random.h"
#include "sparse_internal.h"
#include <strings.h>

// ---- the listed ones -------------------------------------------------------------------------

typedef struct classic {
    const char *name, *file;
    int64_t rows, cols, nnz, row_min, row_max;
    double row_stddev, span_mean, span_stddev, span_max; // spans: fractions of the columns
    int64_t runs;
    double similar;
    int64_t bandwidth;
} classic;

static const classic classics[KL_CLASSICS] = {
#define KL_CLASSIC(name, file, source, ...) {name, file, __VA_ARGS__},
#include "classic.def"
#undef KL_CLASSIC
};

kl_lookalike kl_classic(int index) {
    const classic *c = &classics[index];
    double cols = (double)c->cols;
    return (kl_lookalike){
        .name = c->name,
        .file = c->file,
        .rows = c->rows,
        .cols = c->cols,
        .nnz = c->nnz,
        .row_min = c->row_min,
        .row_max = c->row_max,
        .row_stddev = c->row_stddev,
        .locality = {c->span_mean * cols, c->span_stddev * cols, llrint(c->span_max * cols),
                     c->runs, c->similar},
        .bandwidth = c->bandwidth,
    };
}

int kl_classic_find(const char *name) {
    for (int i = 0; i < KL_CLASSICS; i++)
        if (strcasecmp(name, classics[i].name) == 0 || strcasecmp(name, classics[i].file) == 0)
            return i;
    return -1;
}

// ---- lengths and spans of the rows -----------------------------------------------------------

typedef struct maker {
    const kl_lookalike *like;
    uint64_t seed;
    int64_t groups;
    int64_t *size;  // [groups] rows of the group that stands g-th in the matrix
    int64_t *order; // [groups] the groups in the order in which they take from the sorted lists
    int64_t *take;  // [groups] where a group's part of the sorted lists begins
    int32_t *length, *span; // [rows] ascending lengths, and the spans that go with them
    int32_t *start, *run;   // [row_max] template: first column and length of each run
    double owed;            // runs that rows so far should have had and did not
} maker;

// Shares 1 / (1 - similar) rows a group on the average: the last row of each is like its successor
// by chance only.
static int64_t draw_group(double similar, uint64_t seed, uint64_t g) {
    if (!(similar > 0)) return 1;
    double u = 1.0 - (double)kl_random_unit(seed, g); // (0, 1]
    double size = 1.0 + floor(log(u) / log(similar < 0.999999 ? similar : 0.999999));
    return size < 1e9 ? (int64_t)size : INT64_C(1000000000);
}

static kl_status divide_rows(maker *m, kl_error *err) {
    int64_t rows = m->like->rows, left = rows;
    uint64_t sizes = kl_random_fork(m->seed, 11), shuffle = kl_random_fork(m->seed, 12);
    TRY(kl_sparse_alloc((uint64_t)rows, sizeof *m->size, false, &m->size, err));
    for (m->groups = 0; left > 0; m->groups++) {
        int64_t size = draw_group(m->like->locality.similar, sizes, (uint64_t)m->groups);
        m->size[m->groups] = size < left ? size : left;
        left -= m->size[m->groups];
    }
    TRY(kl_sparse_alloc((uint64_t)m->groups, sizeof *m->order, false, &m->order, err));
    TRY(kl_sparse_alloc((uint64_t)m->groups, sizeof *m->take, false, &m->take, err));
    for (int64_t g = 0; g < m->groups; g++) {
        int64_t other = kl_random_below(shuffle, (uint64_t)g, (uint64_t)g + 1);
        m->order[g] = m->order[other];
        m->order[other] = g;
    }
    int64_t at = 0;
    for (int64_t g = 0; g < m->groups; g++) {
        m->take[m->order[g]] = at;
        at += m->size[m->order[g]];
    }
    return KL_OK;
}

// Rows that must have two entries or more, so that spans of this mean and deviation exist at all
// (all of them equal takes mean^2 rows / (mean^2 + deviation^2)), and a fifth more for some
// variety.
static int64_t rows_that_span(const kl_lookalike *like) {
    double mean = like->locality.span_mean, spread = like->locality.span_stddev;
    if (!(mean > 0)) return 0;
    return (int64_t)(1.2 * (double)like->rows * mean * mean / (mean * mean + spread * spread));
}

static int64_t count_short(const maker *m) {
    int64_t count = 0;
    while (count < m->like->rows && m->length[count] < 2) count++;
    return count;
}

static kl_status make_lengths(maker *m, kl_error *err) {
    const kl_lookalike *like = m->like;
    TRY(kl_sparse_alloc((uint64_t)like->rows, sizeof *m->length, false, &m->length, err));
    for (double offset = 0.5; offset < 100; offset *= 2) {
        TRY(kl_law_fill_exactly(like->row_max - like->row_min,
                                like->nnz - like->rows * like->row_min, like->row_stddev, offset,
                                like->rows, m->length, err));
        for (int64_t i = 0; i < like->rows; i++) m->length[i] += (int32_t)like->row_min;
        if (like->rows - count_short(m) >= rows_that_span(like) || like->row_min > 1) break;
    }
    return KL_OK;
}

// Rows of one entry or none span nothing, so the others have all of the spans' sum and sum of
// squares.
static kl_status make_spans(maker *m, kl_error *err) {
    const kl_sparse_locality *want = &m->like->locality;
    int64_t rows = m->like->rows, short_rows = count_short(m), others = rows - short_rows;
    TRY(kl_sparse_alloc((uint64_t)rows, sizeof *m->span, true, &m->span, err));
    if (others == 0 || want->span_max == 0) return KL_OK;
    double share = (double)rows / (double)others, most = 0.999 * (double)want->span_max;
    double mean = want->span_mean * share;
    double square =
        (want->span_mean * want->span_mean + want->span_stddev * want->span_stddev) * share;
    if (want->span_stddev == 0 && share == 1) {
        for (int64_t i = 0; i < rows; i++) m->span[i] = (int32_t)want->span_max;
        return KL_OK;
    }
    mean = mean < most ? mean : most;
    double variance = square - mean * mean;
    double widest = mean * ((double)want->span_max - mean);
    variance = variance < 0 ? 0 : variance > widest ? widest : variance;
    TRY(kl_law_fill(want->span_max, mean, sqrt(variance), 0.5, others, m->span + short_rows, err));
    m->span[rows - 1] = (int32_t)want->span_max;
    return KL_OK;
}

// ---- templates -------------------------------------------------------------------------------

// `runs` runs of `length` entries together that begin at 0 and end at `span`; the gaps lie where
// chance puts them.
static void make_template(maker *m, int64_t length, int64_t runs, int64_t span, uint64_t seed) {
    int64_t extra = span + 1 - length - (runs - 1), before = 0, first = 0;
    if (runs > 0) first = kl_random_below(seed, 0, (uint64_t)runs);
    for (int64_t k = 0; k < runs; k++) {
        // extra columns are spread over runs - 1 gaps: the k-th run is preceded by about k of them
        double part = k == 0 ? 0
                      : k == runs - 1
                          ? 1
                          : ((double)(k - 1) + (double)kl_random_unit(seed, (uint64_t)k)) /
                                (double)(runs - 2);
        m->run[k] = (int32_t)(length / runs + ((k + first) % runs < length % runs));
        m->start[k] = (int32_t)(before + k + (int64_t)floor(part * (double)extra));
        before += m->run[k];
    }
}

// The columns of one row: the template, less `surplus` entries, moved by `base`. Runs first become
// shorter, then disappear; the ends of the window stay as long as two entries are left. Gives the
// runs that are left.
static int64_t place_row(const maker *m, int64_t runs, int64_t surplus, int64_t base,
                         int32_t *col) {
    int64_t spare = 0, placed = 0, left = 0;
    for (int64_t k = 0; k < runs; k++) spare += m->run[k] - 1;
    int64_t shorten = surplus < spare ? surplus : spare, drop = surplus - shorten;
    for (int64_t k = 0; k < runs; k++) {
        int64_t cut = m->run[k] - 1 < shorten ? m->run[k] - 1 : shorten, from = m->start[k];
        shorten -= cut;
        if (k == runs - 1) from += cut;
        bool end = k == 0 || k == runs - 1;
        if (drop > 0 && (!end || drop >= runs - k)) {
            drop--;
            continue;
        }
        for (int64_t e = 0; e < m->run[k] - cut; e++) col[placed++] = (int32_t)(base + from + e);
        left++;
    }
    return left;
}

static int64_t limit(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

static void fill_group(maker *m, int64_t g, int64_t first_row, kl_csr *csr) {
    const kl_lookalike *like = m->like;
    uint64_t seed = kl_random_fork(m->seed, 100 + (uint64_t)g);
    int64_t size = m->size[g], entries = 0, span = 0;
    const int32_t *length = m->length + m->take[g];
    for (int64_t i = 0; i < size; i++) {
        entries += length[i];
        span += m->span[m->take[g] + i];
    }
    int64_t longest = length[size - 1]; // they ascend
    m->owed += (double)entries * (double)like->locality.runs / (double)like->nnz;
    span = limit(span / size, longest > 0 ? longest - 1 : 0, like->cols - 1);
    int64_t fewest = span > longest - 1 ? 2 : 1;
    int64_t most = limit(like->cols - longest + 1, 1, longest);
    int64_t runs =
        longest == 0 ? 0 : limit(llrint(m->owed / (double)size), limit(fewest, 1, longest), most);
    if (longest < 2 || runs == 1) span = longest > 0 ? longest - 1 : 0;
    span = limit(span, longest + runs - 2, like->cols - 1);
    if (longest > 0) make_template(m, longest, runs, span, seed);
    int64_t back = (int64_t)((double)span * (double)kl_random_unit(seed, 1u << 31));
    for (int64_t i = 0; i < size; i++) {
        int64_t row = first_row + i;
        int64_t diagonal = (int64_t)((__int128)row * like->cols / like->rows);
        int64_t base = limit(diagonal - back, 0, like->cols - 1 - (span > 0 ? span : 0));
        int32_t from = csr->ptr[row];
        int64_t left =
            length[i] == 0 ? 0 : place_row(m, runs, longest - length[i], base, csr->col + from);
        csr->ptr[row + 1] = from + length[i];
        m->owed -= (double)left;
    }
}

static kl_status check_like(const kl_lookalike *like, kl_error *err) {
    TRY(kl_sparse_check_shape(like->rows, like->cols, like->nnz, err));
    bool possible = like->row_min >= 0 && like->row_min <= like->row_max &&
                    like->row_max <= like->cols && like->locality.span_max < like->cols + 1 &&
                    like->nnz >= like->rows * like->row_min &&
                    like->nnz <= like->rows * like->row_max && like->rows > 0;
    if (!possible) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "no %lld x %lld matrix of %lld entries has %lld to %lld in each row",
                       (long long)like->rows, (long long)like->cols, (long long)like->nnz,
                       (long long)like->row_min, (long long)like->row_max);
    }
    return KL_OK;
}

kl_status kl_make_lookalike(const kl_lookalike *like, uint64_t seed, kl_csr *out_csr,
                            kl_error *err) {
    maker m = {.like = like, .seed = seed};
    memset(out_csr, 0, sizeof *out_csr);
    TRY(check_like(like, err));
    uint64_t longest = (uint64_t)like->row_max + 1;
    kl_status status = kl_csr_alloc(like->rows, like->cols, like->nnz, out_csr, err);
    if (status == KL_OK) status = kl_sparse_alloc(longest, sizeof *m.start, false, &m.start, err);
    if (status == KL_OK) status = kl_sparse_alloc(longest, sizeof *m.run, false, &m.run, err);
    if (status == KL_OK) status = divide_rows(&m, err);
    if (status == KL_OK) status = make_lengths(&m, err);
    if (status == KL_OK) status = make_spans(&m, err);
    int64_t row = 0;
    for (int64_t g = 0; g < m.groups && status == KL_OK; g++) {
        fill_group(&m, g, row, out_csr);
        row += m.size[g];
    }
    free(m.size);
    free(m.order);
    free(m.take);
    free(m.length);
    free(m.span);
    free(m.start);
    free(m.run);
    if (status != KL_OK) {
        kl_csr_free(out_csr);
        return status;
    }
    kl_make_values(out_csr, seed);
    return KL_OK;
}

// ---- spans, runs and similarity of a matrix's rows ---------------------------------------

// Entries of one row that have one of another row at most one column away. Both ascend.
static int64_t near_entries(const int32_t *a, int64_t count, const int32_t *b, int64_t others) {
    int64_t found = 0;
    for (int64_t i = 0, k = 0; i < count; i++) {
        while (k < others && b[k] < a[i] - 1) k++;
        found += k < others && b[k] <= a[i] + 1;
    }
    return found;
}

void kl_sparse_locality_of(const kl_csr *csr, kl_sparse_locality *out_locality) {
    kl_sparse_locality l = {0};
    double spans = 0, squares = 0, shares = 0;
    int64_t filled = 0, last = -1; // rows that have entries; the one before this
    for (int64_t i = 0; i < csr->rows; i++) {
        const int32_t *col = csr->col + csr->ptr[i];
        int64_t length = csr->ptr[i + 1] - csr->ptr[i];
        if (length == 0) continue;
        int64_t span = col[length - 1] - col[0];
        spans += (double)span;
        squares += (double)span * (double)span;
        l.span_max = span > l.span_max ? span : l.span_max;
        l.runs++;
        for (int64_t k = 1; k < length; k++) l.runs += col[k] - col[k - 1] > 1;
        if (last >= 0) {
            int64_t before = csr->ptr[last + 1] - csr->ptr[last];
            shares += (double)near_entries(csr->col + csr->ptr[last], before, col, length) /
                      (double)before;
        }
        last = i;
        filled++;
    }
    double rows = csr->rows > 0 ? (double)csr->rows : 1;
    l.span_mean = spans / rows;
    double variance = squares / rows - l.span_mean * l.span_mean;
    l.span_stddev = variance > 0 ? sqrt(variance) : 0;
    l.similar = filled > 0 ? shares / (double)filled : 0;
    *out_locality = l;
}
