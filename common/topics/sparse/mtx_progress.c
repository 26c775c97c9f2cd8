// SPDX-License-Identifier: MIT
// A progress bar for reading a matrix file: see mtx_progress.h.
#include "mtx_progress.h"

enum { REMARK = 48 };

// Of a pipe nobody knows how much will come: what has come instead of the share.
static double describe(double seconds, uint64_t done_bytes, uint64_t total_bytes, char *remark) {
    double mb = 1e-6 * (double)done_bytes, rate = seconds > 0 ? mb / seconds : 0;
    if (total_bytes == 0)
        snprintf(remark, REMARK, "%.0f MB  %.0f MB/s", mb, rate);
    else
        snprintf(remark, REMARK, "%.0f MB/s", rate);
    return total_bytes == 0 ? -1 : (double)done_bytes / (double)total_bytes;
}

void kl_mtx_bar_text(const char *name, double seconds, uint64_t done_bytes, uint64_t total_bytes,
                     char *out, size_t bytes) {
    char remark[REMARK];
    double share = describe(seconds, done_bytes, total_bytes, remark);
    kl_bar_text(name, share, remark, out, bytes);
}

void kl_mtx_bar_show(void *bar, uint64_t done_bytes, uint64_t total_bytes) {
    char remark[REMARK];
    kl_bar_show(bar, describe(kl_bar_seconds(bar), done_bytes, total_bytes, remark), remark);
}
