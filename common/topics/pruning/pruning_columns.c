// SPDX-License-Identifier: MIT
// Columns of a pruning record, and crossovers: see prune.h.
#include "prune.h"

#include <math.h>

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
