// SPDX-License-Identifier: MIT
// Matrix Market files (.mtx, .mtx.gz): coordinate format with real, integer or pattern values,
// general, symmetric or skew-symmetric. Source: Boisvert, Pozo and Remington, "The Matrix Market
// Exchange Formats: Initial Design", NISTIR 5935, 1996.
#ifndef KL_MATRIX_MARKET_H
#define KL_MATRIX_MARKET_H

#include <stdio.h>

#include "sparse.h"

// What the header says of values: a pattern has none.
typedef enum kl_mtx_field { KL_MTX_REAL, KL_MTX_INTEGER, KL_MTX_PATTERN } kl_mtx_field;
// Whether the file has only one of the entries (i, j) and (j, i), equal or, of a skew matrix, with
// the other sign.
typedef enum kl_mtx_symmetry { KL_MTX_GENERAL, KL_MTX_SYMMETRIC, KL_MTX_SKEW } kl_mtx_symmetry;

// Bytes of the file that have been read, and its size (0: not known). Called every few MiB.
typedef void kl_mtx_progress(void *context, uint64_t done_bytes, uint64_t total_bytes);

// What the header of a file says.
typedef struct kl_mtx_info {
    kl_mtx_field field;       // of the values
    kl_mtx_symmetry symmetry; // of what is stored
    int64_t stored;           // entries in the file; a symmetric matrix has more
} kl_mtx_info;

// Reads a file to its end in one pass. Memory grows with the entries that are there, not with what
// the header promises. Entries come in the order of the file; of a symmetric or skew-symmetric
// matrix the mirrored entry follows its original. Pattern entries have value 1. Lines may end in
// CR LF.
// KL_ERROR_SYSTEM when the file cannot be read, KL_ERROR_LIMIT when it is larger than the kit
// takes, KL_ERROR_INPUT with the line number when it is wrong. out_info and progress may be NULL.
kl_status kl_mtx_read(const char *path, kl_mtx_progress *progress, void *context, kl_coo *out_coo,
                      kl_mtx_info *out_info, kl_error *err);

// The same from memory; `name` stands for the path in messages. Never decompresses.
kl_status kl_mtx_parse(const char *name, const char *text, size_t text_bytes, kl_coo *out_coo,
                       kl_mtx_info *out_info, kl_error *err);

#endif
