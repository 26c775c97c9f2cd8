// Fuzz target: Matrix Market text; what is accepted is converted to CSR and measured. Must never
// crash, hang, leak or read outside the text.
#include "sparse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    kl_error err = {.status = KL_OK};
    kl_coo coo;
    kl_status status = kl_mtx_parse("input", (const char *)data, bytes, &coo, NULL, &err);
    if (status != KL_OK) {
        if (err.text[0] == '\0' || coo.row) abort();
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
