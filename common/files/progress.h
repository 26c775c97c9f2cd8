// SPDX-License-Identifier: MIT
// A progress bar on a terminal: name, bar, share, a remark.
#ifndef KL_PROGRESS_H
#define KL_PROGRESS_H

#include <stddef.h>
#include <stdio.h>

// A bar under way. Its fields are set by kl_bar_begin and kl_bar_show.
typedef struct kl_bar {
    const char *name;        // of what is done; of a path, the file's name is shown
    FILE *out;               // NULL: show nothing
    double begun_s, shown_s; // by the monotonic clock, in seconds: the beginning, and the last
                             // time that it was drawn
} kl_bar;

// A bar on standard error if that is a terminal, otherwise one that shows nothing.
kl_bar kl_bar_begin(const char *name);
double kl_bar_seconds(const kl_bar *bar); // since it began

// share: of the work that is done, 0 .. 1; below 0 when nobody knows. Draws at most ten times a
// second.
void kl_bar_show(kl_bar *bar, double share, const char *remark);
void kl_bar_end(kl_bar *bar); // wipes it

// The bar's text: at most `bytes` - 1 characters; "NAME [####----]  50 %  REMARK".
void kl_bar_text(const char *name, double share, const char *remark, char *out, size_t bytes);

#endif
