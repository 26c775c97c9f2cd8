// What the sweep of lab 16 does on devices (sweep_sums.cu). All functions return a cudaError_t.
#pragma once

#include <stdbool.h>

#include "two_gpus.h"

#ifdef __cplusplus
extern "C" {
#endif

// Numbers of its own in each rank's d_x, NaN in d_y and d_work.
int sweep_fill(int64_t n, const two_gpus_plan *plan);
// Compares all of d_y on all ranks with the rounds' result. *out_wrong: elements, of all ranks.
int sweep_compare(int64_t n, const two_gpus_plan *plan, int64_t *out_wrong);
// In a capture that stream 0 of rank 0 has begun: that of each other rank joins it, or comes back.
int sweep_join(const two_gpus_plan *plan, bool back);
int sweep_wait(const two_gpus_plan *plan);

#ifdef __cplusplus
}
#endif
