// SPDX-License-Identifier: MIT
// Look-alikes: matrices made to given statistics, so that a kernel meets the row lengths and the
// locality of a known matrix without its file. The fourteen classical ones are listed, with their
// sources, in classic.def.
#ifndef KL_SPARSE_LOOKALIKE_H
#define KL_SPARSE_LOOKALIKE_H

#include "sparse.h"

// How far the entries of a row lie apart, and how much neighbouring rows have in common. Terms as
// in classic.def.
typedef struct kl_sparse_locality {
    double span_mean, span_stddev; // columns
    int64_t span_max;              // columns
    int64_t runs;                  // groups of entries in neighbouring columns
    double similar;                // 0 .. 1
} kl_sparse_locality;

// csr: columns ascend within a row.
void kl_sparse_locality_of(const kl_csr *csr, kl_sparse_locality *out_locality);

// The bandwidth of an original for which no source says one.
#define KL_UNLISTED (-1)

// The statistics to which a matrix is made.
typedef struct kl_lookalike {
    const char *name, *file;     // of the original: in papers, in the SuiteSparse collection
    int64_t rows, cols, nnz;     // of the original, met exactly
    int64_t row_min, row_max;    // entries in its shortest and its longest row, met exactly
    double row_stddev;           // of the rows' lengths, population deviation
    kl_sparse_locality locality; // met closely
    int64_t bandwidth;           // of the original, KL_UNLISTED: not known; not aimed at
} kl_lookalike;

enum { KL_CLASSICS = 14 };

// Of the fourteen, 0 .. KL_CLASSICS - 1, in the order of classic.def.
kl_lookalike kl_classic(int index);
// The one of this name or file name, letters of either case; -1: none.
int kl_classic_find(const char *name);

// Rows, columns, entries, shortest and longest row are met exactly; the deviation of the lengths,
// mean, deviation and maximum of the spans, runs and similarity closely, as far as they are
// consistent. Which row gets which length is drawn: lengths are alike within groups of similar
// rows, and otherwise independent of the place. Windows lie around the diagonal. Values as in
// sparse_generate.h. KL_ERROR_INPUT when no such rows exist.
kl_status kl_make_lookalike(const kl_lookalike *like, uint64_t seed, kl_csr *out_csr,
                            kl_error *err);

#endif
