// Pruning by magnitude: see prune.h.
#include "prune.h"

enum { HALF = 16, BINS = 1 << HALF };

// Without the sign, floats are ordered as the whole numbers of their bits are.
static uint32_t magnitude(float weight) {
    uint32_t bits;
    memcpy(&bits, &weight, sizeof bits);
    return bits & 0x7FFFFFFF;
}

static kl_status check(const kl_prunable *tensors, int tensor_count, double sparsity,
                       int64_t *out_all, kl_error *err) {
    if (!(sparsity >= 0 && sparsity <= 1))
        return kl_fail(err, KL_ERROR_USAGE, "a sparsity of %g: it is a share, 0 to 1", sparsity);
    *out_all = 0;
    for (int t = 0; t < tensor_count; t++) {
        for (int64_t i = 0; i < tensors[t].count; i++) {
            if (isfinite(tensors[t].weights[i])) continue;
            return kl_fail(
                err, KL_ERROR_INPUT,
                "weight %lld of tensor %d is %g: the network has diverged, train it again "
                "with a lower learning rate",
                (long long)i, t, (double)tensors[t].weights[i]);
        }
        *out_all += tensors[t].count;
    }
    return KL_OK;
}

// The bin that holds the `rank`-th entry from above, counted from 1; *rank becomes its rank within
// that bin.
static uint32_t find_bin(const int64_t *bins, int64_t *rank) {
    uint32_t bin = BINS - 1;
    while (bins[bin] < *rank) *rank -= bins[bin--];
    return bin;
}

// The magnitude of the `keep`-th largest weight, by its upper half, then by its lower one.
// *out_equal: how many of that very magnitude stay.
static uint32_t threshold(const kl_prunable *tensors, int tensor_count, int64_t keep, int64_t *bins,
                          int64_t *out_equal) {
    memset(bins, 0, BINS * sizeof *bins);
    for (int t = 0; t < tensor_count; t++)
        for (int64_t i = 0; i < tensors[t].count; i++)
            bins[magnitude(tensors[t].weights[i]) >> HALF]++;
    uint32_t upper = find_bin(bins, &keep);
    memset(bins, 0, BINS * sizeof *bins);
    for (int t = 0; t < tensor_count; t++) {
        for (int64_t i = 0; i < tensors[t].count; i++) {
            uint32_t m = magnitude(tensors[t].weights[i]);
            if (m >> HALF == upper) bins[m & (BINS - 1)]++;
        }
    }
    uint32_t lower = find_bin(bins, &keep);
    *out_equal = keep;
    return upper << HALF | lower;
}

kl_status kl_prune(kl_prunable *tensors, int tensor_count, double sparsity, kl_error *err) {
    int64_t all = 0, equal = 0;
    TRY(check(tensors, tensor_count, sparsity, &all, err));
    int64_t keep = llround((1 - sparsity) * (double)all);
    int64_t *bins = malloc(BINS * sizeof *bins);
    if (!bins) return kl_fail(err, KL_ERROR_MEMORY, "no memory to prune");
    uint32_t least = keep > 0 ? threshold(tensors, tensor_count, keep, bins, &equal) : UINT32_MAX;
    free(bins);
    for (int t = 0; t < tensor_count; t++) {
        tensors[t].kept = 0;
        for (int64_t i = 0; i < tensors[t].count; i++) {
            uint32_t m = magnitude(tensors[t].weights[i]);
            uint8_t stays = m > least || (m == least && equal-- > 0);
            tensors[t].mask[i] = stays;
            tensors[t].kept += stays;
        }
    }
    return KL_OK;
}

void kl_prune_apply(const uint8_t *mask, int64_t count, float *values) {
    for (int64_t i = 0; i < count; i++)
        if (mask[i] == 0) values[i] = 0;
}

// ---- matrices --------------------------------------------------------------------------------

static bool stays(const float *weights, const uint8_t *mask, int64_t at) {
    return mask ? mask[at] != 0 : weights[at] != 0;
}

kl_status kl_csr_from_dense(int64_t rows, int64_t cols, const float *weights, const uint8_t *mask,
                            kl_csr *out_csr, kl_error *err) {
    *out_csr = (kl_csr){.rows = 0};
    if (rows < 0 || cols < 0 || rows > KL_SPARSE_MAX_SIDE || cols > KL_SPARSE_MAX_SIDE ||
        rows * cols > KL_SPARSE_MAX_ENTRIES) // at most 2^56
        return kl_fail(err, KL_ERROR_LIMIT, "%lld x %lld weights are more than the kit takes",
                       (long long)rows, (long long)cols);
    kl_coo coo = {.rows = rows, .cols = cols};
    for (int64_t i = 0; i < rows * cols; i++) coo.nnz += stays(weights, mask, i);
    size_t n = (size_t)coo.nnz + 1;
    coo.row = malloc(n * sizeof *coo.row);
    coo.col = malloc(n * sizeof *coo.col);
    coo.val = malloc(n * sizeof *coo.val);
    kl_status status = KL_OK;
    if (!coo.row || !coo.col || !coo.val)
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for %lld weights", (long long)coo.nnz);
    for (int64_t i = 0, k = 0; i < rows * cols && status == KL_OK; i++) {
        if (!stays(weights, mask, i)) continue;
        coo.row[k] = (int32_t)(i / cols);
        coo.col[k] = (int32_t)(i % cols);
        coo.val[k++] = (double)weights[i];
    }
    if (status == KL_OK) status = kl_csr_from_coo(&coo, out_csr, err);
    kl_coo_free(&coo);
    return status;
}

kl_status kl_pruned_storage_of(const kl_csr *csr, kl_pruned_storage *out_storage, kl_error *err) {
    enum { VALUE = sizeof(float) };
    kl_sparse_stats stats;
    TRY(kl_sparse_stats_of(csr, &stats, err));
    out_storage->dense_bytes = (double)csr->rows * (double)csr->cols * VALUE;
    out_storage->bitmap_bytes =
        ceil((double)csr->rows * (double)csr->cols / 8) + (double)csr->nnz * VALUE;
    out_storage->block_bytes = 0;
    for (int f = 0; f < KL_SPARSE_FORMATS; f++)
        out_storage->bytes[f] = kl_sparse_storage_bytes(&stats, (kl_sparse_format)f, VALUE);
    return KL_OK;
}

double kl_crossover(int count, const double *x, const double *a, const double *b) {
    int below = count; // the first of the last points at which a lies below b
    while (below > 0 && a[below - 1] < b[below - 1]) below--;
    if (below == count) return NAN;
    if (below == 0) return x[0];
    double before = a[below - 1] - b[below - 1], after = a[below] - b[below];
    return x[below - 1] + (x[below] - x[below - 1]) * before / (before - after);
}

// ---- columns of a pruning record, and crossovers ------------------------------------------------

static double value_of(const kl_pruning *p, kl_pruning_what what, int index, int i) {
    const kl_pruning_point *point = &p->points[i];
    switch (what) {
    case KL_SPARSITY: return 100 * point->sparsity;
    case KL_PRUNED: return 100 * point->pruned;
    case KL_TUNED: return 100 * point->tuned;
    case KL_BLOCKS: return 100 * point->blocks;
    case KL_UNPRUNED: return 100 * p->accuracy;
    case KL_DENSE_US: return p->dense_us;
    case KL_KERNEL_US: return point->us[index];
    case KL_DENSE_KB: return 1e-3 * point->storage.dense_bytes;
    case KL_BITMAP_KB: return 1e-3 * point->storage.bitmap_bytes;
    case KL_BLOCKS_KB: return 1e-3 * point->storage.block_bytes;
    case KL_FORMAT_KB: return 1e-3 * point->storage.bytes[index];
    }
    return NAN;
}

void kl_pruning_column(const kl_pruning *pruning, kl_pruning_what what, int index, double *out) {
    for (int i = 0; i < pruning->count; i++) out[i] = value_of(pruning, what, index, i);
}

// NaN where a point was not taken: then it is not below.
static double crossover(const kl_pruning *p, kl_pruning_what a, int index, kl_pruning_what b) {
    double x[KL_PRUNING_POINTS], first[KL_PRUNING_POINTS], second[KL_PRUNING_POINTS];
    kl_pruning_column(p, KL_SPARSITY, 0, x);
    kl_pruning_column(p, a, index, first);
    kl_pruning_column(p, b, 0, second);
    return kl_crossover(p->count, x, first, second) / 100;
}

double kl_pruning_faster_from(const kl_pruning *pruning, int kernel) {
    return crossover(pruning, KL_KERNEL_US, kernel, KL_DENSE_US);
}

double kl_pruning_smaller_from(const kl_pruning *pruning, kl_sparse_format format) {
    return crossover(pruning, KL_FORMAT_KB, (int)format, KL_DENSE_KB);
}
