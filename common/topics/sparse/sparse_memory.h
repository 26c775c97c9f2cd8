// SPDX-License-Identifier: MIT
// Checked allocation for the formats. Private to common/topics/sparse.
#ifndef KL_SPARSE_MEMORY_H
#define KL_SPARSE_MEMORY_H

#include "sparse.h"

// KL_ERROR_INPUT or KL_ERROR_LIMIT when the kit cannot hold a matrix of this shape.
kl_status kl_sparse_check_shape(int64_t rows, int64_t cols, int64_t nnz, kl_error *err);

// out_pointer: address of a pointer of any object type. Never gives NULL with KL_OK.
kl_status kl_sparse_alloc(uint64_t elems, size_t elem_bytes, bool clear, void *out_pointer,
                          kl_error *err);

// ptr is all 0, col and val are not set.
kl_status kl_csr_alloc(int64_t rows, int64_t cols, int64_t nnz, kl_csr *out_csr, kl_error *err);

#endif
