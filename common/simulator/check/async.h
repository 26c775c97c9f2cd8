// SPDX-License-Identifier: MIT
// What reads shared memory asynchronously, bulk copies and products of warp groups (wgmma): of what
// ordinary stores have written (PTX ISA, "Proxies"), and of the tiles of a product until its wait.
#ifndef SIM_CHECK_ASYNC_H
#define SIM_CHECK_ASYNC_H

#include "check/internal.h"

// Reads shared memory by the asynchronous proxy.
static inline bool check_is_async(const sim_instr *instr) {
    return sim_is_bulk(instr) || instr->op == SIM_OP_WGMMA;
}

// Lanes execute fence.proxy.async.
void check_proxy_fence(sim_checker *checker, const sim_sync_event *event);
// A bulk copy, or a product of a warp group, reads shared memory.
void check_proxy(sim_checker *checker, const sim_access_event *event, uint32_t site);

// A product reads a tile, when it is issued or when it has ended.
void check_products_read(sim_checker *checker, const sim_access_event *event, uint32_t site);
// A block has ended: whether all warps of each group issued as many products.
void check_products_end(sim_checker *checker, const check_block *block);

#endif
