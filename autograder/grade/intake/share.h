// SPDX-License-Identifier: MIT
// Work on many submissions, shared among processes: what one of them breaks costs it alone.
#ifndef LADDER_INTAKE_SHARE_H
#define LADDER_INTAKE_SHARE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

// Does the work of one index; what it writes lies in memory of ladder_share_memory. An error ends
// the whole.
typedef kl_status ladder_share_work(void *context, size_t index, kl_error *err);

// Memory that this process shares with those that ladder_share starts, zeroed; NULL: there is none.
void *ladder_share_memory(size_t bytes);
void ladder_share_memory_free(void *memory, size_t bytes);

// Does the work of 0 .. count-1 in at most `workers` processes; with one worker in this one.
// out_lost: [count], zeroed: becomes true where a process died at it. On a terminal a line says how
// far it is. The caller has no other children.
kl_status ladder_share(size_t count, int workers, ladder_share_work *work, void *context,
                       bool *out_lost, kl_error *err);

#endif
