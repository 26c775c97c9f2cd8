// SPDX-License-Identifier: MIT
// A progress bar for reading a matrix file: see mtx_progress.h.
#include "mtx_progress.h"

#include <string.h>
#include <unistd.h>

#include "monotonic_clock.h"

enum { CELLS = 24, NAME_CELLS = 24 };

kl_mtx_bar kl_mtx_bar_begin(const char *name) {
    return (kl_mtx_bar){.name = name,
                        .out = isatty(STDERR_FILENO) ? stderr : NULL,
                        .begun_s = kl_now_s(),
                        .shown_s = -1};
}

void kl_mtx_bar_text(const char *name, double seconds, uint64_t done_bytes, uint64_t total_bytes,
                     char *out, size_t bytes) {
    const char *slash = strrchr(name, '/');
    double mb = 1e-6 * (double)done_bytes, rate = seconds > 0 ? mb / seconds : 0;
    name = slash != NULL ? slash + 1 : name;
    if (total_bytes == 0) { // a pipe: nobody knows how much will come
        snprintf(out, bytes, "%.*s  %.0f MB  %.0f MB/s", NAME_CELLS, name, mb, rate);
        return;
    }
    double share = (double)done_bytes / (double)total_bytes;
    share = share > 1 ? 1 : share;
    char bar[CELLS + 1];
    for (int i = 0; i < CELLS; i++) bar[i] = (double)i + 0.5 < share * CELLS ? '#' : '-';
    bar[CELLS] = '\0';
    snprintf(out, bytes, "%.*s [%s] %3.0f %%  %.0f MB/s", NAME_CELLS, name, bar, 100 * share, rate);
}

void kl_mtx_bar_show(void *bar, uint64_t done_bytes, uint64_t total_bytes) {
    kl_mtx_bar *b = bar;
    double now = kl_now_s();
    if (b->out == NULL || (b->shown_s >= 0 && now - b->shown_s < 0.1)) return;
    char text[128];
    kl_mtx_bar_text(b->name, now - b->begun_s, done_bytes, total_bytes, text, sizeof text);
    fprintf(b->out, "\r\033[K%s", text);
    fflush(b->out);
    b->shown_s = now;
}

void kl_mtx_bar_end(kl_mtx_bar *bar) {
    if (bar->out == NULL || bar->shown_s < 0) return;
    fputs("\r\033[K", bar->out);
    fflush(bar->out);
}
