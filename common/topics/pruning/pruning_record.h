// SPDX-License-Identifier: MIT
// What was measured of a network that was pruned step by step; pictures and JSON are pure functions
// of it.
#ifndef KL_PRUNING_RECORD_H
#define KL_PRUNING_RECORD_H

#include <stdio.h>

#include "json.h"
#include "prune.h"
#include "table.h"

enum { KL_PRUNING_KERNELS = 6, KL_PRUNING_POINTS = 64 };

// The network at one sparsity.
typedef struct kl_pruning_point {
    double sparsity;               // 0 .. 1, as it came out
    double pruned, tuned;          // test accuracy before and after fine-tuning; NaN: not taken
    double blocks;                 // the same after fine-tuning, pruned by whole blocks of weights
    double us[KL_PRUNING_KERNELS]; // of the pruned layers with each kernel; NaN: not taken
    kl_pruned_storage storage;     // of the pruned layers together
} kl_pruning_point;

// A network over all its sparsities. Texts and arrays belong to the caller.
typedef struct kl_pruning {
    const char *network, *dataset, *device; // in words: layers, name of the data set, name of the
                                            // device
    bool simulated;                         // then times are modelled
    bool blocks;                // the points have accuracy and storage of pruning by blocks
    double accuracy;            // on the test images before pruning, 0 .. 1
    double dense_us;            // of the layers with the dense kernel; NaN: not taken
    int64_t weights, batch;     // of the pruned layers together; images that a timed call works on
    int kernel_count;           // of `kernels`, at most KL_PRUNING_KERNELS
    const char *const *kernels; // [kernel_count], e.g. "CSR vector"
    int count;                  // at most KL_PRUNING_POINTS
    const kl_pruning_point *points; // [count], sparsity ascending
} kl_pruning;

// Accuracy, time and storage against sparsity, as SVG for light and dark pages. KL_ERROR_USAGE on
// more kernels or points than the bounds above, KL_ERROR_SYSTEM when it cannot be written.
kl_status kl_draw_pruning(const kl_pruning *pruning, FILE *out, kl_error *err);
// The same as a table, with the sparsities from which a kernel is faster than the dense one and a
// format smaller.
void kl_show_pruning(const kl_pruning *pruning, const kl_style *style, FILE *out);
// As an item of a JSON array: of "batches" of ladder.pruning-run/1 in docs/schemas.txt.
void kl_pruning_put(const kl_pruning *pruning, kl_json *json);

// From which sparsity on kernel k is faster than the dense one, or a format smaller: NaN when it
// never is.
double kl_pruning_faster_from(const kl_pruning *pruning, int kernel);
double kl_pruning_smaller_from(const kl_pruning *pruning, kl_sparse_format format);

#endif
