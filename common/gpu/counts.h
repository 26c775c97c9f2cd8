// What the simulator counted while a step ran: totals over all launches of this process, by the
// names of Nsight Compute. On a GPU there are none: a profiler has to ask for them.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { KL_COUNTS_MAX = 160 };

// One value per counter: a total, or what was added to an earlier one.
typedef struct kl_counts {
    int count;                    // 0: nothing was counted
    double values[KL_COUNTS_MAX]; // by index, see kl_counts_name
} kl_counts;

// Totals so far, less those of `since` (NULL: from the beginning). count is 0 on a GPU.
void kl_counts_read(kl_counts *out_counts, const kl_counts *since);
// The name of counter `index`, NULL beyond the last.
const char *kl_counts_name(int index);

// Sum of the counters whose names stand in `names`, separated by blanks; NaN when one is unknown.
double kl_counts_sum(const kl_counts *counts, const char *names);

// Columns of the table of counts (counts.def).
int kl_count_columns(void);
const char *kl_count_column_title(int column);
// The cell's text, "-" where it has no value. Returns `text`.
const char *kl_count_column_text(const kl_counts *counts, int column, char *text,
                                 size_t text_bytes);
