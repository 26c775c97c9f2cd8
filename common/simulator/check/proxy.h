// SPDX-License-Identifier: MIT
// Reads by bulk copies of what ordinary stores have written (PTX ISA, "Proxies").
#ifndef SIM_CHECK_PROXY_H
#define SIM_CHECK_PROXY_H

#include "check/internal.h"

// Reads shared memory by the asynchronous proxy.
static inline bool check_is_async(const sim_instr *instr) {
    return sim_is_bulk(instr) || instr->op == SIM_OP_WGMMA;
}

// Lanes execute fence.proxy.async.
void check_proxy_fence(sim_checker *checker, const sim_sync_event *event);
// A bulk copy, or a product of a warp group, reads shared memory.
void check_proxy(sim_checker *checker, const sim_access_event *event, uint32_t site);

#endif
