// SPDX-License-Identifier: MIT
// A list of wanted cases, for those who choose them from a lab's suite: each pair of a family and a
// size once, and in the order in which the cases run.
#ifndef KL_CASE_LIST_H
#define KL_CASE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

enum { KL_CASE_LIST_MAX = 256 };

// One case that somebody wants.
typedef struct kl_listed_case {
    int family;   // index into kl_problem.families
    int64_t size; // in the problem's size unit
    bool marked;  // as the caller means it: it is timed, it belongs to the correctness check
} kl_listed_case;

// The list; zeros are an empty one.
typedef struct kl_case_list {
    kl_listed_case items[KL_CASE_LIST_MAX]; // no pair of family and size twice
    int count;                              // at most KL_CASE_LIST_MAX
} kl_case_list;

// Adds a pair; a second mention may only mark it. KL_ERROR_LIMIT when the list is full.
kl_status kl_case_list_add(kl_case_list *list, int family, int64_t size, bool marked,
                           kl_error *err);

// Small before large, but empty cases last: a failure on a few elements says more.
void kl_case_list_sort(kl_case_list *list);

#endif
