// SPDX-License-Identifier: MIT
// See warp.h.
#include "warps/warp.h"

#include <stdlib.h>

#include "warps/block.h"

sim_product *sim_product_add(sim_warp *warp) {
    sim_products *products = &warp->products;
    if (products->count == products->capacity) {
        uint32_t capacity = products->capacity ? 2 * products->capacity : 16;
        sim_product *grown = realloc(products->items, capacity * sizeof *grown);
        if (!grown) {
            sim_fault_memory(warp);
            return NULL;
        }
        products->items = grown;
        products->capacity = capacity;
    }
    sim_product *product = &products->items[products->count++];
    *product = (sim_product){.group = products->groups};
    return product;
}
