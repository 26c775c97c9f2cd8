// SPDX-License-Identifier: MIT
// Spans, runs and similarity of a matrix's rows: see sparse_lookalike.c.
#include <math.h>
#include <stdlib.h>

#include "sparse.h"

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
