// SPDX-License-Identifier: MIT
// Fuzz target: Matrix Market text; what is accepted is converted to CSR and measured. Must never
// crash, hang, leak or read outside the text, and must not depend on how the text is cut into
// blocks.
#include <stdlib.h>
#include <string.h>

#include "mtx_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

// The same text in blocks of few lines, by place or as a stream: the same entries, or the same
// complaint.
static void check_small_blocks(const char *text, size_t bytes, bool streamed, kl_status status,
                               const kl_coo *coo, const kl_error *err) {
    kl_mtx_how how = {.threads = 1, .block_bytes = 1 + bytes % 61, .streamed = streamed};
    kl_error other_err = {.status = KL_OK};
    kl_coo other;
    if (kl_mtx_parse_how("input", text, bytes, &how, &other, NULL, &other_err) != status) abort();
    if (status != KL_OK && strcmp(err->text, other_err.text) != 0) abort();
    size_t n = (size_t)coo->nnz;
    if (status == KL_OK &&
        (other.nnz != coo->nnz || memcmp(other.row, coo->row, n * sizeof *coo->row) != 0 ||
         memcmp(other.col, coo->col, n * sizeof *coo->col) != 0 ||
         memcmp(other.val, coo->val, n * sizeof *coo->val) != 0))
        abort();
    kl_coo_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    kl_error err = {.status = KL_OK};
    kl_coo coo;
    kl_status status = kl_mtx_parse("input", (const char *)data, bytes, &coo, NULL, &err);
    check_small_blocks((const char *)data, bytes, false, status, &coo, &err);
    check_small_blocks((const char *)data, bytes, true, status, &coo, &err);
    if (status != KL_OK) {
        if (err.text[0] == '\0' || coo.row != NULL) abort();
        return 0;
    }
    kl_csr csr = {0};
    kl_sparse_stats stats;
    // Rows without entries cost memory too; a short text may announce 2^28 of them.
    if (coo.rows + coo.cols < 1 << 20) {
        if (kl_csr_from_coo(&coo, &csr, &err) != KL_OK) abort();
        if (kl_sparse_stats_of(&csr, &stats, &err) != KL_OK || stats.nnz > coo.nnz) abort();
    }
    kl_csr_free(&csr);
    kl_coo_free(&coo);
    return 0;
}
