// SPDX-License-Identifier: MIT
// Pruning by magnitude: the weights nearest to zero are taken out. Source: Han, Pool, Tran and
// Dally, "Learning both Weights and Connections for Efficient Neural Networks", NIPS 2015.
#ifndef KL_PRUNE_H
#define KL_PRUNE_H

#include "sparse.h"

// One tensor of those that are pruned together.
typedef struct kl_prunable {
    const float *weights; // [count]
    int64_t count;        // of its weights
    uint8_t *mask;        // [count], filled: 1 stays, 0 is taken out
    int64_t kept;         // set
} kl_prunable;

// Of all weights of the tensors, keeps the round((1 - sparsity) * count) with the largest
// magnitude; of equal ones those that come first. Together, a tensor with small weights loses more
// than another; for the same sparsity in each, call it for each. sparsity: 0 .. 1.
// KL_ERROR_USAGE on another sparsity, KL_ERROR_INPUT with the index on a weight that is not finite:
// the network has diverged.
kl_status kl_prune(kl_prunable *tensors, int tensor_count, double sparsity, kl_error *err);

// Sets to 0 what the mask takes out. Of weights after each step of fine-tuning, and of gradients
// and momentum, so that what is taken out stays out.
void kl_prune_apply(const uint8_t *mask, int64_t count, float *values);

// weights: [rows][cols] row-major; mask: the same, or NULL: what is not 0 stays. A weight that
// stays is stored even if it is 0. Free with kl_csr_free.
kl_status kl_csr_from_dense(int64_t rows, int64_t cols, const float *weights, const uint8_t *mask,
                            kl_csr *out_csr, kl_error *err);

// Bytes of a weight matrix, dense and in each sparse format, values and indices of 4 bytes.
typedef struct kl_pruned_storage {
    double dense_bytes;              // all weights at 4 bytes
    double bytes[KL_SPARSE_FORMATS]; // as kl_sparse_storage_bytes says
    double bitmap_bytes;             // a bit per weight that says whether it stays, and the values
    double block_bytes; // in blocks of weights, of another mask: set by who prunes so; else 0
} kl_pruned_storage;

// The bytes of a pruned matrix; block_bytes is 0. KL_ERROR_MEMORY.
kl_status kl_pruned_storage_of(const kl_csr *csr, kl_pruned_storage *out_storage, kl_error *err);

// Where curve a comes to lie below curve b for good, from its last point backwards: between two
// points by a straight line. x: [count] ascending; a, b: [count]. NaN when a does not end below b;
// x[0] when it is below everywhere.
double kl_crossover(int count, const double *x, const double *a, const double *b);

#endif
