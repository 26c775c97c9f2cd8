// SPDX-License-Identifier: MIT
// A progress bar (progress.h) for reading a matrix file: the remark is the rate.
#ifndef KL_MTX_PROGRESS_H
#define KL_MTX_PROGRESS_H

#include "matrix_market.h"
#include "progress.h"

// A kl_mtx_progress whose context is a kl_bar.
void kl_mtx_bar_show(void *bar, uint64_t done_bytes, uint64_t total_bytes);

// The bar's text for a terminal of any width from 40 columns: at most `bytes` - 1 characters.
void kl_mtx_bar_text(const char *name, double seconds, uint64_t done_bytes, uint64_t total_bytes,
                     char *out, size_t bytes);

#endif
