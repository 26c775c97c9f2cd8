// SPDX-License-Identifier: MIT
// The entries of a matrix file as parsed blocks in the order of the file; several threads parse ahead. Private to
// common/sparse.
#ifndef KL_MTX_POOL_H
#define KL_MTX_POOL_H

#include "line_reader.h"
#include "mtx_block.h"

typedef struct kl_mtx_pool kl_mtx_pool;

// Takes over what `lines` has read and not given away, and its source; both stay the caller's.
// threads: 1 parses in kl_mtx_pool_next itself; more than 1 adds threads - 1 others. block_bytes >= 64.
kl_status kl_mtx_pool_open(const kl_mtx_form *form, kl_lines *lines, int threads,
                           size_t block_bytes, kl_mtx_pool **out_pool, kl_error *err);

// *out_block: the next one; NULL at the end. Good until the next call. Fails as kl_bytes_read and kl_lines_next do;
// `lines_before` is the number of lines before the block, for messages.
kl_status kl_mtx_pool_next(kl_mtx_pool *pool, int64_t lines_before, kl_mtx_block **out_block,
                           kl_error *err);

void kl_mtx_pool_close(kl_mtx_pool *pool);

#endif
