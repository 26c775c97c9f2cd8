// SPDX-License-Identifier: MIT
// What the page has from recorded accesses and branches (device/maps.h): a list of accesses by what
// they waste, a bank map or a sector map of each, and the tree of branches that split warps.
#ifndef LADDER_PAGE_MAP_H
#define LADDER_PAGE_MAP_H

#include "page/inside.h"

// Empty where nothing was recorded. Freed with free(list).
kl_status page_accesses_make(const sim_launch_report *report, const sim_device *device,
                             page_accesses *out_accesses, kl_error *err);

// Links from a source line to the maps of its accesses.
void page_put_map_links(FILE *out, const page_launch *launch, uint32_t file, uint32_t line);

// The section of a launch: the list with maps, as many as its share of the page has room for.
void page_put_maps(FILE *out, ladder_glossary *glossary, const page_launch *launch);

// The picture of one execution with the sentences that say the same in words.
void page_put_map(FILE *out, ladder_glossary *glossary, const sim_access_map *access);

// Branches that split warps, each inside the one around it.
void page_put_branches(FILE *out, ladder_glossary *glossary, const page_launch *launch);

#endif
