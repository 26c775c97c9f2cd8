// SPDX-License-Identifier: MIT
// The texts of bounds.def.
#include "device/bounds.h"

static const struct {
    const char *name, *advice;
} bounds[SIM_BOUND_COUNT] = {
    {"", ""},
#define SIM_BOUND(id, name, advice) {name, advice},
#include "device/bounds.def"
#undef SIM_BOUND
};

const char *sim_bound_name(sim_bound_kind bound) {
    return bounds[bound].name;
}

const char *sim_bound_advice(sim_bound_kind bound) {
    return bounds[bound].advice;
}
