// SPDX-License-Identifier: MIT
// Products of warp groups (wgmma): the tiles that they read until their wait, and who takes part.
#ifndef SIM_CHECK_PRODUCTS_H
#define SIM_CHECK_PRODUCTS_H

#include "check/internal.h"

// A product reads a tile, when it is issued or when it has ended.
void check_products_read(sim_checker *checker, const sim_access_event *event, uint32_t site);

// A block has ended: whether all warps of each group issued as many products.
void check_products_end(sim_checker *checker, const check_block *block);

#endif
