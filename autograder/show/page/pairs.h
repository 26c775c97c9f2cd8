// SPDX-License-Identifier: MIT
// Launches before and after a change, two by two.
#ifndef LADDER_PAGE_PAIRS_H
#define LADDER_PAGE_PAIRS_H

#include "show/page/internal.h"

// Pairs the launches of the first part with those of the second: the first of a kernel's name with
// the first of that name, the second with the second. Where no name is in both, as with two steps
// of a lab, by order alone. Sets page_launch.pair.
void page_pair(page_launch *launches, int count, const ladder_page_part *parts);

// Their times side by side, and the launches that have no partner.
void page_put_pairs(FILE *out, ladder_glossary *glossary, const page_launch *launches, int count,
                    const ladder_page_part *parts);

#endif
