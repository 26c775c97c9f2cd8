// SPDX-License-Identifier: MIT
// What can limit a launch, as the rows of bounds.def name it: a resource, or what warps wait for.
#ifndef SIM_DEVICE_BOUNDS_H
#define SIM_DEVICE_BOUNDS_H

// The rows of bounds.def, one term of the timing model each.
typedef enum sim_bound_kind {
    SIM_BOUND_NONE, // in a report without modelled times
#define SIM_BOUND(id, name, advice) SIM_BOUND_##id,
#include "device/bounds.def"
#undef SIM_BOUND
    SIM_BOUND_COUNT
} sim_bound_kind;

enum { SIM_TIME_BOUNDS = SIM_BOUND_COUNT - 1 };

// The name in JSON and on the screen: "dram", "latency". A constant.
const char *sim_bound_name(sim_bound_kind bound);
// One sentence, without a capital letter and a full stop: what is busy, and what would help.
const char *sim_bound_advice(sim_bound_kind bound);

#endif
