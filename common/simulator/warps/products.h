// SPDX-License-Identifier: MIT
// Products of a warp group (wgmma) that a warp has issued and not yet waited for. They are computed
// when they are issued; this is kept for an observer alone.
#ifndef SIM_WARPS_PRODUCTS_H
#define SIM_WARPS_PRODUCTS_H

#include "program/ir.h"

typedef struct sim_warp sim_warp;

// One wgmma.mma_async of one warp.
typedef struct sim_product {
    const sim_instr *instr;       // the instruction
    const sim_function *function; // in which it stands
    uint64_t a, b;                // descriptors; a: only where A is in shared memory
    uint32_t group;               // number of the group that it will belong to
    uint32_t begun;               // the observer's: when it was told of it first; 0: not yet
} sim_product;

// All of a warp, oldest first.
typedef struct sim_products {
    sim_product *items;       // [capacity]
    uint32_t count, capacity; // of `items`: used, allocated
    uint32_t groups;          // committed so far by the present block
} sim_products;

// A product for the caller to fill; NULL: no host memory, and the block has faulted.
sim_product *sim_product_add(sim_warp *warp);

#endif
