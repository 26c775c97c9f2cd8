// SPDX-License-Identifier: MIT
// What the page has from recorded accesses and branches (device/maps.h): a list of accesses by what
// they waste, a bank map or a sector map of each, boxes of bulk tensor copies with where their
// rows lie in the banks, and the tree of branches that split warps.
#ifndef LADDER_PAGE_MAP_H
#define LADDER_PAGE_MAP_H

#include "show/page/internal.h"

// Makes launch->accesses and launch->maps, the section with the list of accesses, their maps and
// the branches: most wasteful first, as much as fits into `available` bytes. Empty where nothing
// was recorded. Freed with page_maps_free, also after a failure.
kl_status page_maps_make(page_launch *launch, ladder_glossary *glossary, size_t available,
                         kl_error *err);
void page_maps_free(page_launch *launch);

// "file.cu:12", or that no line is known. line: 0: none.
void page_put_where(FILE *out, const sim_launch_report *report, uint32_t file, uint32_t line);

// Links from a source line to the accesses and boxes that are shown.
void page_put_map_links(FILE *out, const page_launch *launch, uint32_t file, uint32_t line);

// Links from a source line to the reason why an access has no map, and the list of these reasons.
void page_put_no_map_links(FILE *out, const page_launch *launch, const sim_line_counters *line);
void page_put_no_maps(FILE *out, ladder_glossary *glossary, const page_launch *launch);

// The picture of one execution, by the rules of the device, with the sentences that say the same in
// words.
void page_put_map(FILE *out, ladder_glossary *glossary, const sim_device *device,
                  const sim_access_map *access);

// The section with the boxes of bulk tensor copies and links to them from a source line, where
// there are any. Pictures as long as the whole text stays below `available` bytes.
void page_put_boxes(FILE *out, ladder_glossary *glossary, const page_launch *launch,
                    size_t available);
void page_put_box_links(FILE *out, const page_launch *launch, uint32_t file, uint32_t line);

// Branches that split warps, each inside the one around it.
void page_put_branches(FILE *out, ladder_glossary *glossary, const page_launch *launch);

#endif
