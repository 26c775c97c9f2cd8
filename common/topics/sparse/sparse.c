// Coordinate form and CSR: memory, the sort by rows and columns, statistics, storage.

#include "sparse_internal.h"

void kl_coo_free(kl_coo *m) {
    free(m->row);
    free(m->col);
    free(m->val);
    memset(m, 0, sizeof *m);
}

void kl_csr_free(kl_csr *m) {
    free(m->ptr);
    free(m->col);
    free(m->val);
    memset(m, 0, sizeof *m);
}

kl_status kl_sparse_check_shape(int64_t rows, int64_t cols, int64_t nnz, kl_error *err) {
    if (rows < 0 || cols < 0 || nnz < 0) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "a matrix cannot have %lld rows, %lld columns, %lld entries",
                       (long long)rows, (long long)cols, (long long)nnz);
    }
    if (rows > KL_SPARSE_MAX_SIDE || cols > KL_SPARSE_MAX_SIDE) {
        return kl_fail(err, KL_ERROR_LIMIT,
                       "%lld rows x %lld columns; at most %lld of each are taken", (long long)rows,
                       (long long)cols, (long long)KL_SPARSE_MAX_SIDE);
    }
    if (nnz > KL_SPARSE_MAX_ENTRIES) {
        return kl_fail(err, KL_ERROR_LIMIT,
                       "%lld entries; at most %lld are taken, as row pointers have 32 bits",
                       (long long)nnz, (long long)KL_SPARSE_MAX_ENTRIES);
    }
    return KL_OK;
}

kl_status kl_sparse_alloc(uint64_t elems, size_t elem_bytes, bool clear, void *out_pointer,
                          kl_error *err) {
    void *memory = NULL;
    if (elems <= SIZE_MAX / elem_bytes) { // one element at least: NULL means failure
        size_t bytes = (size_t)(elems > 0 ? elems : 1) * elem_bytes;
        memory = clear ? calloc(1, bytes) : malloc(bytes);
    }
    memcpy(out_pointer, &memory, sizeof memory);
    if (!memory) {
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for %.3g GB of a matrix",
                       (double)elems * (double)elem_bytes * 1e-9);
    }
    return KL_OK;
}

kl_status kl_csr_alloc(int64_t rows, int64_t cols, int64_t nnz, kl_csr *out_csr, kl_error *err) {
    memset(out_csr, 0, sizeof *out_csr);
    TRY(kl_sparse_check_shape(rows, cols, nnz, err));
    *out_csr = (kl_csr){.rows = rows, .cols = cols, .nnz = nnz};
    kl_status status =
        kl_sparse_alloc((uint64_t)rows + 1, sizeof(int32_t), true, &out_csr->ptr, err);
    if (status == KL_OK)
        status = kl_sparse_alloc((uint64_t)nnz, sizeof(int32_t), false, &out_csr->col, err);
    if (status == KL_OK)
        status = kl_sparse_alloc((uint64_t)nnz, sizeof(double), false, &out_csr->val, err);
    if (status != KL_OK) kl_csr_free(out_csr);
    return status;
}

// ---- from coordinates ------------------------------------------------------------------------

static kl_status check_indices(const kl_coo *coo, kl_error *err) {
    TRY(kl_sparse_check_shape(coo->rows, coo->cols, coo->nnz, err));
    for (int64_t k = 0; k < coo->nnz; k++) {
        if (coo->row[k] < 0 || coo->row[k] >= coo->rows || coo->col[k] < 0 ||
            coo->col[k] >= coo->cols) {
            return kl_fail(err, KL_ERROR_INPUT, "entry %lld is at (%d, %d), outside %lld x %lld",
                           (long long)k, coo->row[k], coo->col[k], (long long)coo->rows,
                           (long long)coo->cols);
        }
    }
    return KL_OK;
}

typedef struct row_entry {
    int32_t col;
    int32_t order; // place in the row as it came: keeps the order of entries that are added up
    double val;
} row_entry;

static int compare_entries(const void *left, const void *right) {
    const row_entry *a = left, *b = right;
    if (a->col != b->col) return a->col < b->col ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool is_ascending(const kl_csr *csr, int32_t from, int32_t to) {
    for (int32_t k = from + 1; k < to; k++)
        if (csr->col[k - 1] >= csr->col[k]) return false;
    return true;
}

// Sorts entries from .. to - 1 of one row by column and adds up equal places; returns how many
// stay, at the front.
static int32_t settle_row(kl_csr *csr, int32_t from, int32_t to, row_entry *entries) {
    if (is_ascending(csr, from, to)) return to - from;
    for (int32_t k = from; k < to; k++)
        entries[k - from] = (row_entry){csr->col[k], k - from, csr->val[k]};
    qsort(entries, (size_t)(to - from), sizeof *entries, compare_entries);
    int32_t kept = 0;
    for (int32_t k = 0; k < to - from; k++) {
        if (kept > 0 && csr->col[from + kept - 1] == entries[k].col) {
            csr->val[from + kept - 1] += entries[k].val;
        } else {
            csr->col[from + kept] = entries[k].col;
            csr->val[from + kept] = entries[k].val;
            kept++;
        }
    }
    return kept;
}

// Sorts every row, drops what was added up, closes the gaps.
static kl_status settle_rows(kl_csr *csr, kl_error *err) {
    int32_t longest = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        int32_t length = csr->ptr[i + 1] - csr->ptr[i];
        longest = length > longest ? length : longest;
    }
    row_entry *entries = NULL;
    TRY(kl_sparse_alloc((uint64_t)longest, sizeof *entries, false, &entries, err));
    int32_t end = 0, from = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        int32_t to = csr->ptr[i + 1];
        int32_t kept = settle_row(csr, from, to, entries);
        memmove(csr->col + end, csr->col + from, (size_t)kept * sizeof *csr->col);
        memmove(csr->val + end, csr->val + from, (size_t)kept * sizeof *csr->val);
        end += kept;
        from = to;
        csr->ptr[i + 1] = end;
    }
    csr->nnz = end;
    free(entries);
    return KL_OK;
}

kl_status kl_csr_group_coo(const kl_coo *coo, kl_csr *out_csr, kl_error *err) {
    memset(out_csr, 0, sizeof *out_csr);
    TRY(check_indices(coo, err));
    TRY(kl_csr_alloc(coo->rows, coo->cols, coo->nnz, out_csr, err));
    int32_t *ptr = out_csr->ptr;
    // A counting sort by rows: ptr[i] first counts row i, then is where its next entry goes.
    for (int64_t k = 0; k < coo->nnz; k++) ptr[coo->row[k]]++;
    int32_t start = 0;
    for (int64_t i = 0; i <= coo->rows; i++) {
        int32_t count = ptr[i];
        ptr[i] = start;
        start += count;
    }
    for (int64_t k = 0; k < coo->nnz; k++) {
        int32_t at = ptr[coo->row[k]]++;
        out_csr->col[at] = coo->col[k];
        out_csr->val[at] = coo->val[k];
    }
    memmove(ptr + 1, ptr, (size_t)coo->rows * sizeof *ptr);
    ptr[0] = 0;
    return KL_OK;
}

kl_status kl_csr_from_coo(const kl_coo *coo, kl_csr *out_csr, kl_error *err) {
    TRY(kl_csr_group_coo(coo, out_csr, err));
    kl_status status = settle_rows(out_csr, err);
    if (status != KL_OK) kl_csr_free(out_csr);
    return status;
}

// ---- statistics ------------------------------------------------------------------------------

kl_status kl_sparse_stats_of(const kl_csr *csr, kl_sparse_stats *out_stats, kl_error *err) {
    kl_sparse_stats s = {.rows = csr->rows, .cols = csr->cols, .nnz = csr->nnz};
    unsigned char *seen = NULL; // diagonal (j - i) at index j - i + rows - 1
    TRY(kl_sparse_alloc((uint64_t)(csr->rows + csr->cols), 1, true, &seen, err));
    double squares = 0.0;
    s.row_mean = csr->rows > 0 ? (double)csr->nnz / (double)csr->rows : 0.0;
    s.row_min = csr->rows > 0 ? INT64_MAX : 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        int64_t length = csr->ptr[i + 1] - csr->ptr[i];
        s.row_min = length < s.row_min ? length : s.row_min;
        s.row_max = length > s.row_max ? length : s.row_max;
        s.empty_rows += length == 0;
        squares += ((double)length - s.row_mean) * ((double)length - s.row_mean);
        for (int32_t k = csr->ptr[i]; k < csr->ptr[i + 1]; k++) {
            int64_t offset = csr->col[k] - i;
            s.lower = -offset > s.lower ? -offset : s.lower;
            s.upper = offset > s.upper ? offset : s.upper;
            s.explicit_zeros += csr->val[k] == 0.0;
            seen[offset + csr->rows - 1] = 1;
        }
    }
    s.row_stddev = csr->rows > 0 ? sqrt(squares / (double)csr->rows) : 0.0;
    for (int64_t d = 0; d < csr->rows + csr->cols; d++) s.diagonals += seen[d];
    free(seen);
    *out_stats = s;
    return KL_OK;
}

const char *kl_sparse_format_name(kl_sparse_format format) {
    switch (format) {
    case KL_COO: return "COO";
    case KL_CSR: return "CSR";
    case KL_ELL: return "ELL";
    case KL_DIA: return "DIA";
    case KL_SPARSE_FORMATS: break;
    }
    return "?";
}

double kl_sparse_storage_bytes(const kl_sparse_stats *stats, kl_sparse_format format,
                               int value_bytes) {
    double rows = (double)stats->rows, nnz = (double)stats->nnz;
    switch (format) {
    case KL_COO: return nnz * (8.0 + value_bytes);
    case KL_CSR: return (rows + 1.0) * 4.0 + nnz * (4.0 + value_bytes);
    case KL_ELL: return rows * (double)stats->row_max * (4.0 + value_bytes);
    case KL_DIA: return (double)stats->diagonals * (4.0 + rows * value_bytes);
    case KL_SPARSE_FORMATS: break;
    }
    return NAN;
}
