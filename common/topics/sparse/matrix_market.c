// Reader and writer of Matrix Market files: see sparse.h. One pass, line by line; nothing is
// believed of the header before the entries are there.

#include "sparse_internal.h"
#include <strings.h>

enum {
    WORD = 40,
    START_ENTRIES = 1 << 16,
    ENTRIES_PER_REPORT = 1 << 17 // of the progress: a few MiB of text
};

typedef struct reader {
    kl_lines lines;
    const char *line; // that is read
    kl_mtx_info info;
    kl_coo coo;
    int64_t capacity;               // of coo's arrays
    int64_t promised;               // entries that the size line announces
    int64_t below_line, above_line; // first entry below and above the diagonal, 0: none yet
    kl_mtx_progress *progress;
    void *context;
    kl_error *err;
} reader;

static kl_status wrong(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static kl_status wrong(reader *r, const char *format, ...) {
    char text[KL_ERROR_TEXT - 64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return kl_fail(r->err, KL_ERROR_INPUT, "line %lld: %s", (long long)r->lines.number, text);
}

// The line, or the file, ends at `at` where something else is expected: says what and where.
static kl_status ends_early(reader *r, const char *at, const char *expected) {
    const kl_lines *lines = &r->lines;
    const char *what = kl_lines_at_end(lines) ? "file" : "line";
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    return kl_fail(r->err, KL_ERROR_INPUT,
                   "line %lld, column %lld: expected %s, but the %s ends here",
                   (long long)lines->number, (long long)(at - r->line) + 1, expected, what);
}

// ---- header ----------------------------------------------------------------------------------

// Index of the next word among `names`, or -1; case does not matter.
static int choose(const char **at, const char *const *names, int count) {
    char word[WORD];
    kl_show_word(*at, word, sizeof word);
    while (**at == ' ' || **at == '\t') (*at)++;
    *at += strlen(word);
    for (int i = 0; i < count; i++)
        if (strcasecmp(word, names[i]) == 0) return i;
    return -1;
}

static kl_status read_banner(reader *r) {
    static const char *const objects[] = {"matrix"}, *const formats[] = {"coordinate"};
    static const char *const fields[] = {"real", "integer", "pattern", "double"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
    static const char banner[] = "%%MatrixMarket", byte_order_mark[] = "\xEF\xBB\xBF";
    const char *at = NULL;
    TRY(kl_lines_next(&r->lines, &at, r->err));
    if (!at) return kl_fail(r->err, KL_ERROR_INPUT, "the file is empty");
    r->line = at;
    if (strncmp(at, byte_order_mark, sizeof byte_order_mark - 1) == 0)
        at += sizeof byte_order_mark - 1;
    if (strncasecmp(at, banner, sizeof banner - 1) != 0)
        return wrong(r, "not a Matrix Market file: it must begin with %s", banner);
    at += sizeof banner - 1;
    char shown[WORD];
    if (kl_line_is_done(at)) return ends_early(r, at, "the object, \"matrix\"");
    kl_show_word(at, shown, sizeof shown);
    if (choose(&at, objects, 1) < 0)
        return wrong(r, "object \"%s\": only \"matrix\" is read", shown);
    if (kl_line_is_done(at)) return ends_early(r, at, "the format, \"coordinate\"");
    kl_show_word(at, shown, sizeof shown);
    if (choose(&at, formats, 1) < 0) {
        return wrong(
            r, "format \"%s\": only \"coordinate\" is read, as a dense array is no sparse matrix",
            shown);
    }
    if (kl_line_is_done(at))
        return ends_early(r, at, "the kind of values (real, integer or pattern)");
    kl_show_word(at, shown, sizeof shown);
    int field = choose(&at, fields, 4);
    if (field < 0) return wrong(r, "values \"%s\": real, integer and pattern are read", shown);
    if (kl_line_is_done(at))
        return ends_early(r, at, "the symmetry (general, symmetric or skew-symmetric)");
    kl_show_word(at, shown, sizeof shown);
    int symmetry = choose(&at, symmetries, 3);
    if (symmetry < 0)
        return wrong(r, "symmetry \"%s\": general, symmetric and skew-symmetric are read", shown);
    if (!kl_line_is_done(at)) return wrong(r, "more words than a Matrix Market header has");
    r->info.field = field == 3 ? KL_MTX_REAL : (kl_mtx_field)field;
    r->info.symmetry = (kl_mtx_symmetry)symmetry;
    if (r->info.field == KL_MTX_PATTERN && r->info.symmetry == KL_MTX_SKEW)
        return wrong(r, "a pattern has no signs, so it cannot be skew-symmetric");
    return KL_OK;
}

static kl_status read_sizes(reader *r) {
    const char *at = NULL;
    do {
        TRY(kl_lines_next(&r->lines, &at, r->err));
        if (!at) return wrong(r, "the file ends before the line with rows, columns and entries");
    } while (*at == '%' || kl_line_is_done(at));
    int64_t rows = 0, cols = 0;
    r->line = at;
    if (!kl_read_count(&at, &rows) || !kl_read_count(&at, &cols) ||
        !kl_read_count(&at, &r->promised)) {
        char word[WORD];
        if (kl_line_is_done(at))
            return ends_early(r, at, "rows, columns and entries, three counts below 2^63");
        return wrong(r, "\"%s\": expected rows, columns and entries, three counts below 2^63",
                     kl_show_word(at, word, sizeof word));
    }
    if (!kl_line_is_done(at)) return wrong(r, "more than rows, columns and entries");
    kl_status status = kl_sparse_check_shape(rows, cols, r->promised, r->err);
    if (status != KL_OK) return kl_fail_prefix(r->err, "line %lld", (long long)r->lines.number);
    if (rows != cols && r->info.symmetry != KL_MTX_GENERAL) {
        return wrong(r, "a symmetric matrix is square, this one has %lld rows and %lld columns",
                     (long long)rows, (long long)cols);
    }
    if (r->promised > 0 && (double)r->promised > (double)rows * (double)cols) {
        return wrong(r, "%lld entries do not fit %lld x %lld places", (long long)r->promised,
                     (long long)rows, (long long)cols);
    }
    r->coo.rows = rows;
    r->coo.cols = cols;
    return KL_OK;
}

// ---- entries ---------------------------------------------------------------------------------

static kl_status resize(reader *r, int64_t capacity) {
    size_t n = (size_t)(capacity > 0 ? capacity : 1);
    void *row = realloc(r->coo.row, n * sizeof *r->coo.row);
    if (row) r->coo.row = row;
    void *col = !row ? NULL : realloc(r->coo.col, n * sizeof *r->coo.col);
    if (col) r->coo.col = col;
    void *val = !col ? NULL : realloc(r->coo.val, n * sizeof *r->coo.val);
    if (!val) {
        return kl_fail(r->err, KL_ERROR_MEMORY, "no memory for %lld entries (%.3g GB)",
                       (long long)capacity, 16e-9 * (double)capacity);
    }
    r->coo.val = val;
    r->capacity = capacity;
    return KL_OK;
}

static kl_status grow(reader *r) {
    if (r->coo.nnz == KL_SPARSE_MAX_ENTRIES) {
        return kl_fail(r->err, KL_ERROR_LIMIT,
                       "line %lld: with its mirrored entries the matrix has more than %lld",
                       (long long)r->lines.number, (long long)KL_SPARSE_MAX_ENTRIES);
    }
    int64_t larger = r->capacity < START_ENTRIES ? START_ENTRIES : 2 * r->capacity;
    return resize(r, larger < KL_SPARSE_MAX_ENTRIES ? larger : KL_SPARSE_MAX_ENTRIES);
}

static kl_status append(reader *r, int64_t row, int64_t col, double value) {
    if (r->coo.nnz == r->capacity) TRY(grow(r));
    r->coo.row[r->coo.nnz] = (int32_t)row;
    r->coo.col[r->coo.nnz] = (int32_t)col;
    r->coo.val[r->coo.nnz] = value;
    r->coo.nnz++;
    return KL_OK;
}

// Symmetric files hold one triangle. Both would give every entry twice, so that is an error, not a
// matter of taste.
static kl_status check_triangle(reader *r, int64_t row, int64_t col, double value) {
    if (row == col) {
        if (r->info.symmetry == KL_MTX_SKEW && value != 0.0) {
            return wrong(r, "(%lld, %lld) = %g: the diagonal of a skew-symmetric matrix is 0",
                         (long long)row + 1, (long long)col + 1, value);
        }
        return KL_OK;
    }
    int64_t *here = row > col ? &r->below_line : &r->above_line;
    if (*here == 0) *here = r->lines.number;
    if (r->below_line != 0 && r->above_line != 0) {
        return wrong(
            r,
            "entries on both sides of the diagonal (first on lines %lld and %lld): a symmetric "
            "file stores one triangle",
            (long long)r->below_line, (long long)r->above_line);
    }
    return KL_OK;
}

static kl_status read_index(reader *r, const char **at, int64_t limit, const char *what,
                            int64_t *out_index) {
    char word[WORD];
    const char *start = *at;
    char expected[32];
    snprintf(expected, sizeof expected, "a %s number", what);
    if (kl_line_is_done(start)) return ends_early(r, start, expected);
    if (!kl_read_count(at, out_index))
        return wrong(r, "\"%s\" is no %s number", kl_show_word(start, word, sizeof word), what);
    if (*out_index == 0)
        return wrong(r,
                     "%s 0 is outside 1..%lld: indices of this format count from 1, so those of "
                     "a file that counts from 0 need 1 added",
                     what, (long long)limit);
    if (*out_index < 1 || *out_index > limit) {
        return wrong(r, "%s %lld is outside 1..%lld", what, (long long)*out_index,
                     (long long)limit);
    }
    --*out_index;
    return KL_OK;
}

static kl_status read_value(reader *r, const char **at, double *out_value) {
    char word[WORD];
    const char *start = *at;
    *out_value = 1.0;
    if (r->info.field == KL_MTX_PATTERN) return KL_OK;
    bool integer = r->info.field == KL_MTX_INTEGER;
    if (kl_line_is_done(*at))
        return ends_early(r, *at, integer ? "the value, an integer" : "the value, a number");
    if (!(integer ? kl_read_integer(at, out_value) : kl_read_real(at, out_value))) {
        return wrong(r, "\"%s\" is no finite %s", kl_show_word(start, word, sizeof word),
                     integer ? "integer" : "number");
    }
    return KL_OK;
}

static kl_status read_entry(reader *r, const char *at) {
    int64_t row = 0, col = 0;
    double value = 0.0;
    r->line = at;
    if (r->info.stored == r->promised) {
        return wrong(r, "more entries than the %lld that the header announces",
                     (long long)r->promised);
    }
    TRY(read_index(r, &at, r->coo.rows, "row", &row));
    TRY(read_index(r, &at, r->coo.cols, "column", &col));
    TRY(read_value(r, &at, &value));
    if (!kl_line_is_done(at)) {
        char word[WORD];
        return wrong(r, "\"%s\" after the entry", kl_show_word(at, word, sizeof word));
    }
    r->info.stored++;
    TRY(append(r, row, col, value));
    if (r->info.symmetry == KL_MTX_GENERAL) return KL_OK;
    TRY(check_triangle(r, row, col, value));
    return row == col ? KL_OK
                      : append(r, col, row, r->info.symmetry == KL_MTX_SKEW ? -value : value);
}

static void report(reader *r) {
    uint64_t done = 0, total = 0;
    if (!r->progress) return;
    kl_bytes_progress(r->lines.source, &done, &total);
    r->progress(r->context, done, total);
}

static kl_status read_entries(reader *r) {
    const char *line = NULL;
    for (;;) {
        TRY(kl_lines_next(&r->lines, &line, r->err));
        if (!line) break;
        if (*line != '%' && !kl_line_is_done(line)) TRY(read_entry(r, line));
        if (r->lines.number % ENTRIES_PER_REPORT == 0) report(r);
    }
    report(r);
    if (r->info.stored < r->promised) {
        return kl_fail(
            r->err, KL_ERROR_INPUT, "the file ends after line %lld with %lld of %lld entries",
            (long long)r->lines.number, (long long)r->info.stored, (long long)r->promised);
    }
    return resize(r, r->coo.nnz); // gives back what was taken too much
}

static kl_status read_all(reader *r) {
    TRY(read_banner(r));
    TRY(read_sizes(r));
    return read_entries(r);
}

// Closes the source.
static kl_status read_source(const char *name, kl_byte_source *source, kl_mtx_progress *progress,
                             void *context, kl_coo *out_coo, kl_mtx_info *out_info, kl_error *err) {
    reader r = {.progress = progress, .context = context, .err = err};
    kl_status status = kl_lines_open(source, &r.lines, err);
    if (status == KL_OK) status = read_all(&r);
    if (status != KL_OK) {
        kl_fail_prefix(err, "%s", name);
        kl_coo_free(&r.coo);
    }
    kl_lines_close(&r.lines);
    kl_bytes_close(source);
    *out_coo = r.coo;
    if (out_info) *out_info = r.info;
    return status;
}

kl_status kl_mtx_read(const char *path, kl_mtx_progress *progress, void *context, kl_coo *out_coo,
                      kl_mtx_info *out_info, kl_error *err) {
    kl_byte_source *source = NULL;
    memset(out_coo, 0, sizeof *out_coo);
    TRY(kl_bytes_open(path, &source, err));
    return read_source(path, source, progress, context, out_coo, out_info, err);
}

kl_status kl_mtx_parse(const char *name, const char *text, size_t text_bytes, kl_coo *out_coo,
                       kl_mtx_info *out_info, kl_error *err) {
    kl_byte_source *source = NULL;
    memset(out_coo, 0, sizeof *out_coo);
    TRY(kl_bytes_from_memory(text, text_bytes, &source, err));
    return read_source(name, source, NULL, NULL, out_coo, out_info, err);
}
