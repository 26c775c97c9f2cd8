// SPDX-License-Identifier: MIT
// Reader and writer of Matrix Market files: see matrix_market.h. One pass; nothing is believed of
// the header before the entries are there. Blocks of ordinary entries are parsed by several threads
// (mtx_pool.h, mtx_block.h); this file reads the header, joins the blocks, and reads line by line
// what is not ordinary, wrong lines above all.
#include "matrix_market.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "mtx_reader.h"
#include "mtx_pool.h"
#include "number_text.h"
#include "sparse_memory.h"

enum {
    WORD = 40,
    START_ENTRIES = 1 << 16,
    SHORTEST_PLACE = 4, // bytes of "1 1" and a newline, and
    SHORTEST_ENTRY = 6  // of "1 1 1" and a newline
};

typedef struct reader {
    kl_lines lines;
    kl_mtx_info info;
    kl_coo coo;
    int64_t capacity;               // of coo's arrays
    int64_t promised;               // entries that the size line announces
    int64_t below_line, above_line; // first entry below and above the diagonal, 0: none yet
    kl_mtx_pool *pool;              // that reads the entries
    kl_mtx_progress *progress;
    void *context;
    uint64_t total_bytes; // of the source, 0: not known
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
    static const char banner[] = "%%MatrixMarket";
    const char *at = NULL;
    TRY(kl_lines_next(&r->lines, &at, r->err));
    if (at == NULL) return kl_fail(r->err, KL_ERROR_INPUT, "the file is empty");
    if (strncasecmp(at, banner, sizeof banner - 1) != 0)
        return wrong(r, "not a Matrix Market file: it must begin with %s", banner);
    at += sizeof banner - 1;
    char shown[WORD];
    kl_show_word(at, shown, sizeof shown);
    if (choose(&at, objects, 1) < 0)
        return wrong(r, "object \"%s\": only \"matrix\" is read", shown);
    kl_show_word(at, shown, sizeof shown);
    if (choose(&at, formats, 1) < 0) {
        return wrong(
            r, "format \"%s\": only \"coordinate\" is read, as a dense array is no sparse matrix",
            shown);
    }
    kl_show_word(at, shown, sizeof shown);
    int field = choose(&at, fields, 4);
    if (field < 0) return wrong(r, "values \"%s\": real, integer and pattern are read", shown);
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
        if (at == NULL)
            return wrong(r, "the file ends before the line with rows, columns and entries");
    } while (*at == '%' || kl_line_is_done(at));
    int64_t rows = 0, cols = 0;
    if (!kl_read_count(&at, &rows) || !kl_read_count(&at, &cols) ||
        !kl_read_count(&at, &r->promised)) {
        char word[WORD];
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

static kl_status resize(reader *r, int64_t capacity, kl_error *err) {
    size_t n = (size_t)(capacity > 0 ? capacity : 1);
    void *row = realloc(r->coo.row, n * sizeof *r->coo.row);
    if (row != NULL) r->coo.row = row;
    void *col = row == NULL ? NULL : realloc(r->coo.col, n * sizeof *r->coo.col);
    if (col != NULL) r->coo.col = col;
    void *val = col == NULL ? NULL : realloc(r->coo.val, n * sizeof *r->coo.val);
    if (val == NULL) {
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for %lld entries (%.3g GB)",
                       (long long)capacity, 16e-9 * (double)capacity);
    }
    r->coo.val = val;
    r->capacity = capacity;
    return KL_OK;
}

// Room for so many entries more.
static kl_status reserve(reader *r, int64_t more) {
    int64_t need = r->coo.nnz + more;
    if (need <= r->capacity) return KL_OK;
    if (need > KL_SPARSE_MAX_ENTRIES) {
        return kl_fail(r->err, KL_ERROR_LIMIT,
                       "line %lld: with its mirrored entries the matrix has more than %lld",
                       (long long)r->lines.number, (long long)KL_SPARSE_MAX_ENTRIES);
    }
    kl_mtx_pool_settle(r->pool); // the arrays may move
    int64_t larger = r->capacity < START_ENTRIES ? START_ENTRIES : 2 * r->capacity;
    larger = larger < need ? need : larger;
    return resize(r, larger < KL_SPARSE_MAX_ENTRIES ? larger : KL_SPARSE_MAX_ENTRIES, r->err);
}

static kl_status append(reader *r, int64_t row, int64_t col, double value) {
    TRY(reserve(r, 1));
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
    if (!kl_read_count(at, out_index))
        return wrong(r, "\"%s\" is no %s number", kl_show_word(start, word, sizeof word), what);
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
    if (kl_line_is_done(*at)) return wrong(r, "the value is missing");
    if (!(integer ? kl_read_integer(at, out_value) : kl_read_real(at, out_value))) {
        return wrong(r, "\"%s\" is no finite %s", kl_show_word(start, word, sizeof word),
                     integer ? "integer" : "number");
    }
    return KL_OK;
}

static kl_status read_entry(reader *r, const char *at) {
    int64_t row = 0, col = 0;
    double value = 0.0;
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

// A block that is not plain, or that does not go with those before it: line by line, with every
// check.
static kl_status read_lines(reader *r, const kl_mtx_block *block) {
    const char *end = block->text + block->bytes;
    for (const char *line = block->text; line < end;) {
        r->lines.number++;
        if (*line != '%' && !kl_line_is_done(line)) TRY(read_entry(r, line));
        line = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
    }
    return KL_OK;
}

// True when the lines of the block are right where they stand in the file.
static bool fits(const reader *r, const kl_mtx_block *block) {
    bool below = r->below_line != 0 || block->below_line != 0;
    bool above = r->above_line != 0 || block->above_line != 0;
    return block->plain && block->lines <= r->promised - r->info.stored && !(below && above) &&
           block->nnz <= KL_SPARSE_MAX_ENTRIES - r->coo.nnz;
}

static kl_status join_block(reader *r, kl_mtx_block *block, bool *out_keep) {
    if (!fits(r, block)) return read_lines(r, block);
    TRY(reserve(r, block->nnz));
    block->place = r->coo.nnz;
    *out_keep = block->nnz > 0;
    r->coo.nnz += block->nnz;
    r->info.stored += block->lines;
    if (r->below_line == 0 && block->below_line != 0)
        r->below_line = r->lines.number + block->below_line;
    if (r->above_line == 0 && block->above_line != 0)
        r->above_line = r->lines.number + block->above_line;
    r->lines.number += block->lines;
    return KL_OK;
}

// See kl_mtx_taker.
static kl_status take_block(void *context, kl_mtx_pool *pool, kl_mtx_block *block, bool *out_keep,
                            kl_error *err) {
    reader *r = context;
    bool keep = false;
    r->pool = pool;
    TRY(join_block(r, block, &keep));
    if (block->long_line) {
        return kl_fail(err, KL_ERROR_INPUT, "line %lld is longer than %d MiB",
                       (long long)r->lines.number + 1, KL_LINE_BYTES >> 20);
    }
    if (block->failure.status != KL_OK)
        return kl_fail(err, block->failure.status, "%s", block->failure.text);
    if (r->progress != NULL) r->progress(r->context, block->done_bytes, r->total_bytes);
    *out_keep = keep;
    return KL_OK;
}

static void keep_block(void *context, const kl_mtx_block *block) {
    const reader *r = context;
    size_t n = (size_t)block->nnz;
    memcpy(r->coo.row + block->place, block->row, n * sizeof *block->row);
    memcpy(r->coo.col + block->place, block->col, n * sizeof *block->col);
    memcpy(r->coo.val + block->place, block->val, n * sizeof *block->val);
}

// Of a text whose size is known, room for all entries at once, so that nothing need be moved: what
// the header promises, or, if that is more, what the text can hold. Memory that is not written to
// is none.
static void expect_entries(reader *r) {
    uint64_t done = 0;
    kl_bytes_progress(r->lines.source, &done, &r->total_bytes);
    if (!kl_bytes_have_places(r->lines.source)) return;
    int64_t left = (int64_t)(r->total_bytes - done + (r->lines.end - r->lines.next));
    int64_t most = left / (r->info.field == KL_MTX_PATTERN ? SHORTEST_PLACE : SHORTEST_ENTRY) + 1;
    most = most < r->promised ? most : r->promised;
    if (r->info.symmetry != KL_MTX_GENERAL) most *= 2;
    most = most < KL_SPARSE_MAX_ENTRIES ? most : KL_SPARSE_MAX_ENTRIES;
    resize(r, most, NULL); // if that much cannot be had, the arrays grow with the entries
}

static kl_status read_entries(reader *r, const kl_mtx_how *how) {
    expect_entries(r);
    kl_mtx_form form = {r->coo.rows, r->coo.cols, r->info.field, r->info.symmetry};
    kl_mtx_taker taker = {r, take_block, keep_block};
    TRY(kl_mtx_pool_run(&form, &r->lines, how, &taker, r->err));
    if (r->info.stored < r->promised) {
        return kl_fail(
            r->err, KL_ERROR_INPUT, "the file ends after line %lld with %lld of %lld entries",
            (long long)r->lines.number, (long long)r->info.stored, (long long)r->promised);
    }
    return resize(r, r->coo.nnz, r->err); // gives back what was taken too much
}

static kl_status read_all(reader *r, const kl_mtx_how *how) {
    TRY(read_banner(r));
    TRY(read_sizes(r));
    return read_entries(r, how);
}

// Closes the source.
static kl_status read_source(const char *name, kl_byte_source *source, const kl_mtx_how *how,
                             kl_coo *out_coo, kl_mtx_info *out_info, kl_error *err) {
    reader r = {.progress = how->progress, .context = how->context, .err = err};
    kl_status status = kl_lines_open(source, &r.lines, err);
    if (status == KL_OK) status = read_all(&r, how);
    if (status != KL_OK) {
        kl_fail_prefix(err, "%s", name);
        kl_coo_free(&r.coo);
    }
    kl_lines_close(&r.lines);
    kl_bytes_close(source);
    *out_coo = r.coo;
    if (out_info != NULL) *out_info = r.info;
    return status;
}

kl_status kl_mtx_read_how(const char *path, const kl_mtx_how *how, kl_coo *out_coo,
                          kl_mtx_info *out_info, kl_error *err) {
    kl_byte_source *source = NULL;
    memset(out_coo, 0, sizeof *out_coo);
    TRY(kl_bytes_open(path, &source, err));
    return read_source(path, source, how, out_coo, out_info, err);
}

kl_status kl_mtx_parse_how(const char *name, const char *text, size_t text_bytes,
                           const kl_mtx_how *how, kl_coo *out_coo, kl_mtx_info *out_info,
                           kl_error *err) {
    kl_byte_source *source = NULL;
    memset(out_coo, 0, sizeof *out_coo);
    TRY(kl_bytes_from_memory(text, text_bytes, &source, err));
    return read_source(name, source, how, out_coo, out_info, err);
}

kl_status kl_mtx_read(const char *path, kl_mtx_progress *progress, void *context, kl_coo *out_coo,
                      kl_mtx_info *out_info, kl_error *err) {
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    kl_mtx_how how = {.threads = cpus < 1 ? 1 : (int)cpus,
                      .block_bytes = KL_MTX_BLOCK_BYTES,
                      .progress = progress,
                      .context = context};
    return kl_mtx_read_how(path, &how, out_coo, out_info, err);
}

kl_status kl_mtx_parse(const char *name, const char *text, size_t text_bytes, kl_coo *out_coo,
                       kl_mtx_info *out_info, kl_error *err) {
    kl_mtx_how how = {.threads = 1, .block_bytes = KL_MTX_BLOCK_BYTES};
    return kl_mtx_parse_how(name, text, text_bytes, &how, out_coo, out_info, err);
}

// ---- writer ----------------------------------------------------------------------------------

kl_status kl_mtx_write(const kl_coo *coo, FILE *out, kl_error *err) {
    fprintf(out, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n",
            (long long)coo->rows, (long long)coo->cols, (long long)coo->nnz);
    for (int64_t k = 0; k < coo->nnz && !ferror(out); k++)
        fprintf(out, "%d %d %.17g\n", coo->row[k] + 1, coo->col[k] + 1, coo->val[k]);
    if (fflush(out) != 0 || ferror(out))
        return kl_fail(err, KL_ERROR_SYSTEM, "writing the matrix failed: %s", strerror(errno));
    return KL_OK;
}
