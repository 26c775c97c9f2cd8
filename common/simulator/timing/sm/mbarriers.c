// SPDX-License-Identifier: MIT
// See internal.h.
#include "timing/sm/internal.h"

#include <stddef.h>

#include "base/base.h"

sm_mbarrier *sm_mbarrier_at(sm_mbarriers *all, uint32_t offset) {
    for (uint32_t i = 0; i < SM_MBARRIERS && all->of[i].name; i++)
        if (all->of[i].name == offset + 1) return &all->of[i];
    return NULL;
}

void sm_mbarrier_init(sm_mbarriers *all, uint32_t offset, uint32_t arrivals) {
    uint32_t at = 0;
    while (at < SM_MBARRIERS && all->of[at].name && all->of[at].name != offset + 1) at++;
    if (at == SM_MBARRIERS) return;
    all->of[at] = (sm_mbarrier){.name = offset + 1, .wanted = arrivals, .per_phase = arrivals};
}

void sm_mbarrier_end(sm_mbarrier *barrier, double cycle) {
    barrier->wanted = barrier->per_phase;
    barrier->bytes = 0;
    barrier->parity = !barrier->parity;
    barrier->ended = cycle;
    barrier->latest = 0;
}

bool sm_mbarrier_change(sm_mbarrier *barrier, uint32_t arrivals, int64_t bytes, double cycle) {
    barrier->wanted -= arrivals < barrier->wanted ? arrivals : barrier->wanted;
    barrier->bytes += bytes;
    barrier->latest = sim_larger(barrier->latest, cycle);
    if (barrier->wanted || barrier->bytes) return false;
    sm_mbarrier_end(barrier, barrier->latest);
    return true;
}
