// SPDX-License-Identifier: MIT
// Maps of a launch as data: see maps.h. engine/maps.c makes them.
#include "device/maps.h"

#include <stdlib.h>
#include <string.h>

enum { GLOBAL, SHARED, LOCAL };
static const struct {
    const char *name;
    int memory;
    sim_counter requests, units;
} kinds[SIM_MAP_KIND_COUNT] = {
#define SIM_MAP_KIND(id, name, memory, requests, units)                                            \
    {name, memory, SIM_COUNTER_##requests, SIM_COUNTER_##units},
#include "device/map_kinds.def"
#undef SIM_MAP_KIND
};

const char *sim_map_kind_name(sim_map_kind kind) {
    return kinds[kind].name;
}

bool sim_map_is_shared(sim_map_kind kind) {
    return kinds[kind].memory == SHARED;
}

bool sim_map_is_local(sim_map_kind kind) {
    return kinds[kind].memory == LOCAL;
}

sim_counter sim_map_requests(sim_map_kind kind) {
    return kinds[kind].requests;
}

sim_counter sim_map_units(sim_map_kind kind) {
    return kinds[kind].units;
}

void sim_launch_maps_free(sim_launch_maps *maps) {
    if (!maps) return;
    free(maps->accesses);
    free(maps->branches);
    free(maps->boxes);
    free(maps);
}

sim_launch_maps *sim_launch_maps_copy(const sim_launch_maps *maps) {
    sim_launch_maps *copy = malloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *maps;
    copy->accesses = calloc((size_t)maps->access_count + 1, sizeof *copy->accesses);
    copy->branches = calloc((size_t)maps->branch_count + 1, sizeof *copy->branches);
    copy->boxes = calloc((size_t)maps->box_count + 1, sizeof *copy->boxes);
    if (!copy->accesses || !copy->branches || !copy->boxes) {
        sim_launch_maps_free(copy);
        return NULL;
    }
    if (maps->access_count)
        memcpy(copy->accesses, maps->accesses, maps->access_count * sizeof *copy->accesses);
    if (maps->branch_count)
        memcpy(copy->branches, maps->branches, maps->branch_count * sizeof *copy->branches);
    if (maps->box_count) memcpy(copy->boxes, maps->boxes, maps->box_count * sizeof *copy->boxes);
    return copy;
}
