// SPDX-License-Identifier: MIT
// The instructions of a warp that is watched: because it holds unknown values, or because its
// kernel has products of warp groups.
#include "check/registers.h"
#include "check/unknown.h"
#include "warps/block.h"

bool check_on_step(void *context, const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                   uint32_t on) {
    sim_checker *checker = context;
    bool products = checker->observer.watches_all;
    if (products && on) {
        check_switch_to(checker, warp->block->index);
        check_registers_step(checker, warp, instr);
    }
    return check_unknown_step(checker, warp, instr, lanes, on) || products;
}
