// SPDX-License-Identifier: MIT
// Reading with a say in how: for the benchmark, tests and the fuzz target.
#ifndef KL_MTX_READER_H
#define KL_MTX_READER_H

#include "matrix_market.h"

enum {
    KL_MTX_BLOCK_BYTES = 512 << 10
}; // as kl_mtx_read takes: that and its entries fit a second-level cache

typedef struct kl_mtx_how {
    int threads;        // that parse, the caller's among them; at least 1
    size_t block_bytes; // of text that a thread takes at a time; at least 1
    // One block after the other, as from a pipe, even where blocks can be read by place.
    bool streamed;
    kl_mtx_progress *progress;
    void *context;
} kl_mtx_how;

// As kl_mtx_read and kl_mtx_parse; the result does not depend on threads and block_bytes.
kl_status kl_mtx_read_how(const char *path, const kl_mtx_how *how, kl_coo *out_coo,
                          kl_mtx_info *out_info, kl_error *err);
kl_status kl_mtx_parse_how(const char *name, const char *text, size_t text_bytes,
                           const kl_mtx_how *how, kl_coo *out_coo, kl_mtx_info *out_info,
                           kl_error *err);

#endif
