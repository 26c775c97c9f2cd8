// The equations of lab 04's application: see app.h.
#include "app.h"

#include "cuda_check.h"
#include "random.h"
#include "sparse.h"

enum { STREAM_MATRIX = 1, STREAM_RIGHT = 2 };

// Fills row i and its sum.
static void make_row(jacobi_system *s, int64_t i, uint64_t seed) {
    float *row = s->r + i * s->n;
    double sum = 0.0;
    for (int64_t j = 0; j < s->n; j++) {
        row[j] = i == j ? 0.0f : kl_random_unit(seed, (uint64_t)(i * s->n + j));
        sum += (double)row[j];
    }
    s->row_sum[i] = sum;
}

static kl_status take_memory(jacobi_system *s, kl_error *err) {
    size_t n = (size_t)s->n, bytes = n * n * sizeof(float);
    if (s->page_locked) {
        KL_CUDA(err, cudaMallocHost((void **)&s->r, bytes));
    } else {
        s->r = malloc(bytes);
    }
    s->row_sum = malloc(n * sizeof *s->row_sum);
    s->d = malloc(n * sizeof *s->d);
    s->b = malloc(n * sizeof *s->b);
    if (!s->r || !s->row_sum || !s->d || !s->b)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a matrix of order %lld",
                       (long long)s->n);
    return KL_OK;
}

kl_status jacobi_make(int64_t n, uint64_t seed, bool page_locked, jacobi_system *out,
                      kl_error *err) {
    *out = (jacobi_system){.n = n, .page_locked = page_locked};
    TRY(take_memory(out, err));
    uint64_t matrix = kl_random_fork(seed, STREAM_MATRIX);
    uint64_t right = kl_random_fork(seed, STREAM_RIGHT);
    for (int64_t i = 0; i < n; i++) make_row(out, i, matrix);
    for (int64_t i = 0; i < n; i++) out->b[i] = kl_random_unit(right, (uint64_t)i) - 0.5f;
    return KL_OK;
}

static void find_bound(jacobi_system *s) {
    s->bound = 0.0;
    for (int64_t i = 0; i < s->n; i++)
        s->bound = fmax(s->bound, s->row_sum[i] / fabs((double)s->d[i]));
}

// The row sums and the bound of what r and d hold.
static void jacobi_measure(jacobi_system *s) {
    for (int64_t i = 0; i < s->n; i++) {
        s->row_sum[i] = 0.0;
        for (int64_t j = 0; j < s->n; j++) s->row_sum[i] += fabs((double)s->r[i * s->n + j]);
    }
    find_bound(s);
}

void jacobi_set_alpha(jacobi_system *s, double alpha) {
    for (int64_t i = 0; i < s->n; i++) // order 1 has no elements off the diagonal
        s->d[i] = s->row_sum[i] > 0.0 ? (float)(alpha * s->row_sum[i]) : 1.0f;
    find_bound(s);
}

double jacobi_residual(const jacobi_system *s, const float *x) {
    double most = 0.0, size = 0.0;
    for (int64_t i = 0; i < s->n; i++) {
        const float *row = s->r + i * s->n;
        double sum = (double)s->d[i] * (double)x[i];
        for (int64_t j = 0; j < s->n; j++) sum += (double)row[j] * (double)x[j];
        double left = fabs(((double)s->b[i] - sum) / (double)s->d[i]);
        if (!isfinite(left)) return NAN;
        most = fmax(most, left);
        size = fmax(size, fabs((double)x[i]));
    }
    return size > 0.0 ? most / size : most;
}

void jacobi_free(jacobi_system *s) {
    if (s->page_locked)
        cudaFreeHost(s->r);
    else
        free(s->r);
    free(s->row_sum);
    free(s->d);
    free(s->b);
    *s = (jacobi_system){.n = 0};
}

// Among changes that are well above the rounding of x, from the second half: the first ones are
// those of parts of the error that vanish faster.
double jacobi_contraction(const jacobi_change *history, int iterations) {
    int count = 0;
    while (count < iterations && history[count].change >= 0x1p-13f * history[count].size) count++;
    int from = count / 2;
    if (count < 4) return NAN;
    double ratio = (double)history[count - 1].change / (double)history[from].change;
    return pow(ratio, 1.0 / (count - 1 - from));
}

// ---- From a Matrix Market file ----

// The file's elements become a dense matrix; b is random, as without a file.

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
