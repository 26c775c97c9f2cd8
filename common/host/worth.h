// What the results, counts and modelled times of a simulated run are worth, in a sentence or two.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Warp instructions executed, by how their results are known to be right.
typedef struct kl_worth {
    double card;     // bit for bit what a card gives
    double programs; // checked by test programs
    double manual;   // by the manual of PTX alone
    double inexact;  // known to differ from a card
    double misled;   // branches and accesses that may depend on a result of these
} kl_worth;

// The names of the simulator's counters of these, in this order.
extern const char *const kl_worth_counters[5];

// The mean error of modelled times in per cent, of a lab's steps ("reduction") or, without a lab or
// for one that was not compared, of kernels that the model was not built with; out_of_lab: whether
// it is the lab's. False: times of this card were not compared. device: a text with its
// full name.
bool kl_worth_time_error(const char *device, const char *lab, double *out_percent,
                         bool *out_of_lab);

// Sentences; "" when nothing was counted. lab NULL: no lab's steps. Returns text.
char *kl_worth_text(const kl_worth *worth, const char *device, const char *lab, char *text,
                    size_t text_bytes);
