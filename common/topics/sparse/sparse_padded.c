// SPDX-License-Identifier: MIT
// The padded formats ELL and DIA, from CSR and back. See sparse.h for their layout.
#include <stdlib.h>
#include <string.h>

#include "sparse_memory.h"

void kl_ell_free(kl_ell *m) {
    free(m->col);
    free(m->val);
    memset(m, 0, sizeof *m);
}

void kl_dia_free(kl_dia *m) {
    free(m->offset);
    free(m->val);
    memset(m, 0, sizeof *m);
}

static kl_status check_limit(const char *format, const kl_csr *csr, int64_t each, const char *what,
                             double bytes, uint64_t limit_bytes, kl_error *err) {
    if (bytes <= (double)limit_bytes) return KL_OK;
    return kl_fail(
        err, KL_ERROR_LIMIT,
        "%s would take %.3g GB for %lld entries (%lld rows x %lld %s); the limit is %.3g GB: "
        "use CSR",
        format, bytes * 1e-9, (long long)csr->nnz, (long long)csr->rows, (long long)each, what,
        (double)limit_bytes * 1e-9);
}

kl_status kl_ell_from_csr(const kl_csr *csr, uint64_t limit_bytes, kl_ell *out_ell, kl_error *err) {
    memset(out_ell, 0, sizeof *out_ell);
    int64_t width = 0;
    for (int64_t i = 0; i < csr->rows; i++) {
        int64_t length = csr->ptr[i + 1] - csr->ptr[i];
        width = length > width ? length : width;
    }
    TRY(check_limit("ELL", csr, width, "in the longest row",
                    12.0 * (double)csr->rows * (double)width, limit_bytes, err));
    kl_ell ell = {.rows = csr->rows, .cols = csr->cols, .nnz = csr->nnz, .width = width};
    uint64_t places = (uint64_t)csr->rows * (uint64_t)width;
    kl_status status = kl_sparse_alloc(places, sizeof *ell.col, false, &ell.col, err);
    if (status == KL_OK) status = kl_sparse_alloc(places, sizeof *ell.val, true, &ell.val, err);
    if (status != KL_OK) {
        kl_ell_free(&ell);
        return status;
    }
    memset(ell.col, 0xff, places * sizeof *ell.col); // -1
    for (int64_t i = 0; i < csr->rows; i++) {
        for (int32_t k = csr->ptr[i]; k < csr->ptr[i + 1]; k++) {
            int64_t at = (k - csr->ptr[i]) * csr->rows + i;
            ell.col[at] = csr->col[k];
            ell.val[at] = csr->val[k];
        }
    }
    *out_ell = ell;
    return KL_OK;
}

kl_status kl_csr_from_ell(const kl_ell *ell, kl_csr *out_csr, kl_error *err) {
    TRY(kl_csr_alloc(ell->rows, ell->cols, ell->nnz, out_csr, err));
    int32_t end = 0;
    for (int64_t i = 0; i < ell->rows; i++) {
        for (int64_t e = 0; e < ell->width && ell->col[e * ell->rows + i] >= 0; e++) {
            out_csr->col[end] = ell->col[e * ell->rows + i];
            out_csr->val[end] = ell->val[e * ell->rows + i];
            end++;
        }
        out_csr->ptr[i + 1] = end;
    }
    return KL_OK;
}

// places[offset + rows - 1]: the diagonal's number, or -1. Counts the diagonals with an entry.
static int64_t number_diagonals(const kl_csr *csr, int32_t *places) {
    int64_t span = csr->rows + csr->cols;
    memset(places, 0xff, (size_t)span * sizeof *places);
    for (int64_t i = 0; i < csr->rows; i++)
        for (int32_t k = csr->ptr[i]; k < csr->ptr[i + 1]; k++)
            places[csr->col[k] - i + csr->rows - 1] = 0;
    int32_t count = 0;
    for (int64_t d = 0; d < span; d++)
        if (places[d] == 0) places[d] = count++;
    return count;
}

static kl_status fill_diagonals(const kl_csr *csr, const int32_t *places, kl_dia *dia,
                                kl_error *err) {
    TRY(kl_sparse_alloc((uint64_t)dia->diagonals, sizeof *dia->offset, false, &dia->offset, err));
    TRY(kl_sparse_alloc((uint64_t)dia->diagonals * (uint64_t)dia->rows, sizeof *dia->val, true,
                        &dia->val, err));
    for (int64_t d = 0; d < csr->rows + csr->cols; d++)
        if (places[d] >= 0) dia->offset[places[d]] = (int32_t)(d - (csr->rows - 1));
    for (int64_t i = 0; i < csr->rows; i++)
        for (int32_t k = csr->ptr[i]; k < csr->ptr[i + 1]; k++)
            dia->val[places[csr->col[k] - i + csr->rows - 1] * csr->rows + i] = csr->val[k];
    return KL_OK;
}

kl_status kl_dia_from_csr(const kl_csr *csr, uint64_t limit_bytes, kl_dia *out_dia, kl_error *err) {
    memset(out_dia, 0, sizeof *out_dia);
    int32_t *places = NULL;
    TRY(kl_sparse_alloc((uint64_t)(csr->rows + csr->cols), sizeof *places, false, &places, err));
    kl_dia dia = {.rows = csr->rows, .cols = csr->cols};
    dia.diagonals = number_diagonals(csr, places);
    kl_status status =
        check_limit("DIA", csr, dia.diagonals, "diagonals",
                    8.0 * (double)csr->rows * (double)dia.diagonals, limit_bytes, err);
    if (status == KL_OK) status = fill_diagonals(csr, places, &dia, err);
    free(places);
    if (status != KL_OK) {
        kl_dia_free(&dia);
        return status;
    }
    *out_dia = dia;
    return KL_OK;
}

kl_status kl_csr_from_dia(const kl_dia *dia, kl_csr *out_csr, kl_error *err) {
    int64_t nnz = 0;
    for (int64_t at = 0; at < dia->diagonals * dia->rows; at++) nnz += dia->val[at] != 0.0;
    TRY(kl_csr_alloc(dia->rows, dia->cols, nnz, out_csr, err));
    int32_t end = 0;
    for (int64_t i = 0; i < dia->rows; i++) {
        for (int64_t d = 0; d < dia->diagonals; d++) { // ascending offsets: ascending columns
            double value = dia->val[d * dia->rows + i];
            if (value != 0.0) {
                out_csr->col[end] = (int32_t)(i + dia->offset[d]);
                out_csr->val[end] = value;
                end++;
            }
        }
        out_csr->ptr[i + 1] = end;
    }
    return KL_OK;
}
