// SPDX-License-Identifier: MIT
// The entries of a matrix file as parsed blocks: several threads read and parse, and give their
// blocks away in the order of the file. Private to common/topics/sparse.
#ifndef KL_MTX_POOL_H
#define KL_MTX_POOL_H

#include "line_reader.h"
#include "mtx_block.h"
#include "mtx_reader.h"

typedef struct kl_mtx_pool kl_mtx_pool;

// Who gets the blocks.
typedef struct kl_mtx_taker {
    void *context;
    // In the order of the file, one at a time, by any of the threads. An error ends the reading.
    // *out_keep (false unless set): `keep` is to be called with this block. Not with an error.
    kl_status (*take)(void *context, kl_mtx_pool *pool, kl_mtx_block *block, bool *out_keep,
                      kl_error *err);
    // Copies the block's entries to block->place; others may be kept at the same time.
    void (*keep)(void *context, const kl_mtx_block *block);
} kl_mtx_taker;

// Takes over what `lines` has read and not given away, and its source; both stay the caller's.
// how->threads: the caller's thread and so many others, less if the text is short, that parse.
// KL_ERROR_MEMORY, or what `take` gives.
kl_status kl_mtx_pool_run(const kl_mtx_form *form, kl_lines *lines, const kl_mtx_how *how,
                          const kl_mtx_taker *taker, kl_error *err);

// For `take`: waits until nothing is being kept, so that arrays can be moved.
void kl_mtx_pool_settle(kl_mtx_pool *pool);

#endif
