// SPDX-License-Identifier: MIT
// Names and texts of the counters (counters.def), and shares that are computed from them.
#include "device/counters.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *text;
} counter_rows[SIM_COUNTER_COUNT] = {
#define SIM_COUNTER(id, name, source, text) {name, text},
#include "device/counters.def"
#undef SIM_COUNTER
};

const char *sim_counter_name(sim_counter counter) {
    return (unsigned)counter < SIM_COUNTER_COUNT ? counter_rows[counter].name : "?";
}

const char *sim_counter_text(sim_counter counter) {
    return (unsigned)counter < SIM_COUNTER_COUNT ? counter_rows[counter].text : "?";
}

sim_counter sim_counter_find(const char *name) {
    for (int i = 0; i < SIM_COUNTER_COUNT; i++)
        if (!strcmp(counter_rows[i].name, name)) return (sim_counter)i;
    return SIM_COUNTER_COUNT;
}

static double percent(uint64_t part, uint64_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : NAN;
}

double sim_l1_hit_percent(const sim_counters *counters) {
    return percent(counters->value[SIM_COUNTER_L1_HITS], counters->value[SIM_COUNTER_L1_SECTORS]);
}

double sim_l2_hit_percent(const sim_counters *counters) {
    return percent(counters->value[SIM_COUNTER_L2_READ_HITS],
                   counters->value[SIM_COUNTER_L2_READS]);
}
