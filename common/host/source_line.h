// SPDX-License-Identifier: MIT
// Lines of source on a terminal: what does not fit goes on in indented rows, nothing is cut.
#ifndef KL_SOURCE_LINE_H
#define KL_SOURCE_LINE_H

#include "table.h"

// Bytes of `text` (UTF-8, no newline) that stand on a row of `available` columns: all when they
// fit, else up to the last blank, or after the last comma, in the second half of the row, else as
// many as fit. At least one character. Blanks that follow belong to no row.
int kl_source_row(const char *text, int bytes, int available);

// Columns by which the rows after the first are indented: more than the line itself.
int kl_source_indent(const char *text, int bytes, int available);

// Prints a line of source, `used` columns of whose first row are taken, and a newline. Lines that
// are not for a terminal (style->uncut) stay on one row.
void kl_print_source(FILE *out, const kl_style *style, int used, const char *text, int bytes);

#endif
