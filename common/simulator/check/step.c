// SPDX-License-Identifier: MIT
// The instructions of a warp that is watched: because it holds unknown values, or because products
// of it are under way.
#include "check/products.h"
#include "check/unknown.h"
#include "warps/block.h"

bool check_on_step(void *context, const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                   uint32_t on) {
    sim_checker *checker = context;
    bool products = false;
    if (warp->products.count) {
        check_switch_to(checker, warp->block->index);
        products = check_products_step(checker, warp, instr);
    }
    return check_unknown_step(checker, warp, instr, lanes, on) || products;
}
