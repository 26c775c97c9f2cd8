// SPDX-License-Identifier: MIT
// What a host thread keeps while it runs blocks of a launch: see sim_worker in block.h.
#include <stdlib.h>

#include "warps/block.h"

sim_raw_counts *sim_worker_counts(sim_worker *worker, const sim_function *function) {
    sim_raw_counts **counts = &worker->counts[function->bound->index];
    if (!*counts) *counts = calloc((size_t)function->code_count + 2, sizeof **counts);
    return *counts;
}
