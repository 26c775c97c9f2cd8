// Pruning by magnitude: the weights nearest to zero are taken out. Source: Han, Pool, Tran and
// Dally, "Learning both Weights and Connections for Efficient Neural Networks", NIPS 2015.
#pragma once

#include "json.h"
#include "sparse.h"
#include "table.h"

// ---- prune.c ------------------------------------------------------------------------------------

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

// ---- what was measured --------------------------------------------------------------------------
// What was measured of a network that was pruned step by step; pictures and JSON are pure functions
// of it.

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

// ---- columns of a record ------------------------------------------------------------------------
// Columns of a pruning record, as its pictures and crossovers use them. Private to
// common/topics/pruning.

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
