// SPDX-License-Identifier: MIT
// A list of wanted cases, for those who choose them from a lab's suite: each pair of a family and a
// size once, and in the order in which the cases run.
#ifndef KL_WISHES_H
#define KL_WISHES_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

enum { KL_WISHES_MAX = 256 };

// One case that somebody wants.
typedef struct kl_wish {
    int family;   // index into kl_problem.families
    int64_t size; // in the problem's size unit
    bool marked;  // as the caller means it: it is timed, it belongs to the correctness check
} kl_wish;

// The list; zeros are an empty one.
typedef struct kl_wishes {
    kl_wish items[KL_WISHES_MAX]; // no pair of family and size twice
    int count;                    // at most KL_WISHES_MAX
} kl_wishes;

// Adds a pair; a second mention may only mark it. KL_ERROR_LIMIT when the list is full.
kl_status kl_wishes_add(kl_wishes *wishes, int family, int64_t size, bool marked, kl_error *err);

// Small before large, but empty cases last: a failure on a few elements says more.
void kl_wishes_sort(kl_wishes *wishes);

#endif
