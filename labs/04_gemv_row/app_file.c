// The equations of lab 04's application from a Matrix Market file: see app.h. The file's elements
// become a dense matrix; b is random, as without a file.
#include "app.h"

#include "sparse.h"

// What the iteration and the contract cannot take, with its place.
static kl_status check_entries(const char *path, const kl_coo *coo, kl_error *err) {
    if (coo->rows != coo->cols)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s: %lld rows and %lld columns; equations need as many", path,
                       (long long)coo->rows, (long long)coo->cols);
    if (coo->rows < 1 || coo->rows > JACOBI_MOST_ORDER)
        return kl_fail(err, KL_ERROR_LIMIT, "%s: order %lld; a dense matrix has 1 to %d", path,
                       (long long)coo->rows, JACOBI_MOST_ORDER);
    for (int64_t k = 0; k < coo->nnz; k++)
        if (!isfinite((float)coo->val[k]))
            return kl_fail(err, KL_ERROR_INPUT,
                           "%s: row %d, column %d is %g, which is no finite float", path,
                           coo->row[k] + 1, coo->col[k] + 1, coo->val[k]);
    return KL_OK;
}

kl_status jacobi_file_open(const char *path, kl_coo *out_coo, kl_error *err) {
    TRY(kl_mtx_read(path, NULL, NULL, out_coo, NULL, err));
    kl_status status = check_entries(path, out_coo, err);
    if (status != KL_OK) kl_coo_free(out_coo);
    return status;
}

kl_status jacobi_take(jacobi_system *system, const char *path, const kl_coo *coo, kl_error *err) {
    int64_t n = system->n;
    for (int64_t i = 0; i < n * n; i++) system->r[i] = 0.0f;
    for (int64_t i = 0; i < n; i++) system->d[i] = 0.0f;
    for (int64_t k = 0; k < coo->nnz; k++) { // entries of the same row and column are added up
        int64_t i = coo->row[k], j = coo->col[k];
        if (i == j)
            system->d[i] += (float)coo->val[k];
        else
            system->r[i * n + j] += (float)coo->val[k];
    }
    for (int64_t i = 0; i < n; i++) {
        if (system->d[i] == 0.0f)
            return kl_fail(err, KL_ERROR_INPUT,
                           "%s: the diagonal is zero in row %lld, and the iteration divides by it; "
                           "exchange rows",
                           path, (long long)i + 1);
    }
    jacobi_measure(system);
    if (!isfinite(system->bound)) // entries of the same row and column
        return kl_fail(err, KL_ERROR_INPUT, "%s: the sum of two elements is no finite float", path);
    return KL_OK;
}
