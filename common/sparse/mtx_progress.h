// SPDX-License-Identifier: MIT
// A progress bar for reading a matrix file, on a terminal: name, bar, share, rate.
#ifndef KL_MTX_PROGRESS_H
#define KL_MTX_PROGRESS_H

#include <stdio.h>

#include "matrix_market.h"

typedef struct kl_mtx_bar {
    const char *name; // of what is read
    FILE *out;        // NULL: show nothing
    double begun_s, shown_s;
} kl_mtx_bar;

// A bar on standard error if that is a terminal, otherwise one that shows nothing.
kl_mtx_bar kl_mtx_bar_begin(const char *name);
// A kl_mtx_progress whose context is the bar; draws at most ten times a second.
void kl_mtx_bar_show(void *bar, uint64_t done_bytes, uint64_t total_bytes);
void kl_mtx_bar_end(kl_mtx_bar *bar); // wipes it

// The bar's text for a terminal of any width from 40 columns: at most `bytes` - 1 characters.
void kl_mtx_bar_text(const char *name, double seconds, uint64_t done_bytes, uint64_t total_bytes,
                     char *out, size_t bytes);

#endif
