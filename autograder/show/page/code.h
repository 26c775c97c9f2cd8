// SPDX-License-Identifier: MIT
// PTX and machine code on the page: the text once for each kernel, and for each launch how often
// its instructions were executed. code.js puts both under the source line that is chosen.
#ifndef LADDER_PAGE_CODE_H
#define LADDER_PAGE_CODE_H

#include "show/page/internal.h"

// Numbers the texts: launches of one kernel share one (page_launch.code, from 1). Returns how many
// there are.
int page_number_codes(page_launch *launches, int count);

// Attributes of the element that holds the launch's source; nothing for a launch without code.
void page_put_code_counts(FILE *out, ladder_glossary *glossary, const page_launch *launch);

// The text with the launch's number. Appends to a growing page: the caller asks for its size.
void page_put_code_text(FILE *out, ladder_glossary *glossary, const page_launch *launch);

#endif
