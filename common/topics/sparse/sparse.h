// SPDX-License-Identifier: MIT
// Sparse matrices in host memory: the coordinate form that files and generators give, compressed
// rows, and what each of the four formats of lab 08 would take. Source: Bell and Garland,
// "Implementing Sparse Matrix-Vector Multiplication on Throughput-Oriented Processors", SC 2009.
//
// Row and column indices count from 0. Values are held in double; a lab narrows them itself.
#ifndef KL_SPARSE_H
#define KL_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

// The largest matrix the kit takes: indices and row pointers are 32-bit integers on the device.
#define KL_SPARSE_MAX_SIDE    (INT64_C(1) << 28)
#define KL_SPARSE_MAX_ENTRIES ((INT64_C(1) << 31) - 1)

// Coordinate form: entry k is (row[k], col[k], val[k]).
typedef struct kl_coo {
    int64_t rows, cols; // of the matrix
    int64_t nnz;        // entries, also those that have the same row and column
    int32_t *row;       // [nnz]
    int32_t *col;       // [nnz]
    double *val;        // [nnz]
} kl_coo;

// Compressed sparse rows: row i's entries are ptr[i] .. ptr[i+1]-1, by ascending column.
typedef struct kl_csr {
    int64_t rows, cols; // of the matrix
    int64_t nnz;        // entries, those with value 0 included
    int32_t *ptr;       // [rows + 1], ptr[0] == 0, ptr[rows] == nnz
    int32_t *col;       // [nnz]
    double *val;        // [nnz]
} kl_csr;

// These free the arrays and leave an empty matrix; an empty one may be freed again.
void kl_coo_free(kl_coo *m);
void kl_csr_free(kl_csr *m);

// Row-major order with ascending columns; entries of the same place are added up in the order in
// which they stand. Zeros that are stored stay stored. KL_ERROR_INPUT on an index that is outside
// the matrix or on more than KL_SPARSE_MAX_ENTRIES entries.
kl_status kl_csr_from_coo(const kl_coo *coo, kl_csr *out_csr, kl_error *err);
// The same, but the entries of a row keep their order, and equal places stay apart.
kl_status kl_csr_group_coo(const kl_coo *coo, kl_csr *out_csr, kl_error *err);

// Of a matrix's rows, and what each format would take of it.
typedef struct kl_sparse_stats {
    int64_t rows, cols, nnz;     // of the matrix
    int64_t row_min, row_max;    // entries in the shortest and the longest row
    double row_mean, row_stddev; // over all rows, population deviation
    int64_t empty_rows;          // without an entry
    int64_t lower, upper;        // bandwidths: the largest i - j and j - i of an entry, at least 0
    int64_t diagonals;           // that hold an entry
    int64_t explicit_zeros;      // entries stored with value 0
} kl_sparse_stats;

// Counts the entries of a matrix whose columns ascend in each row. KL_ERROR_MEMORY.
kl_status kl_sparse_stats_of(const kl_csr *csr, kl_sparse_stats *out_stats, kl_error *err);

// The formats of lab 08, in the order of its tables.
typedef enum kl_sparse_format {
    KL_COO,
    KL_CSR,
    KL_ELL,
    KL_DIA,
    KL_SPARSE_FORMATS
} kl_sparse_format;

const char *kl_sparse_format_name(kl_sparse_format format); // "COO", ...

// Bytes of a matrix of these statistics in a format, with 4-byte indices and values of value_bytes.
// In double, because ELL's and DIA's may exceed any memory.
double kl_sparse_storage_bytes(const kl_sparse_stats *stats, kl_sparse_format format,
                               int value_bytes);

#endif
