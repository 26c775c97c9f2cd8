// SPDX-License-Identifier: MIT
// Columns of a pruning record, as its pictures and crossovers use them. Private to
// common/topics/pruning.
#ifndef KL_PRUNING_COLUMNS_H
#define KL_PRUNING_COLUMNS_H

#include "pruning_record.h"

// In %, us and kB.
typedef enum kl_pruning_what {
    KL_SPARSITY,
    KL_PRUNED,
    KL_TUNED,
    KL_BLOCKS, // after fine-tuning, pruned by blocks
    KL_UNPRUNED,
    KL_DENSE_US,
    KL_KERNEL_US, // of kernel `index`
    KL_DENSE_KB,
    KL_BITMAP_KB,
    KL_BLOCKS_KB,
    KL_FORMAT_KB // of format `index`
} kl_pruning_what;

// out: [pruning->count].
void kl_pruning_column(const kl_pruning *pruning, kl_pruning_what what, int index, double *out);

#endif
