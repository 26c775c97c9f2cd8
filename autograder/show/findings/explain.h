// SPDX-License-Identifier: MIT
// What a class of findings means, how to fix it, and a small program that has it: docs/findings.
#ifndef LADDER_FINDINGS_EXPLAIN_H
#define LADDER_FINDINGS_EXPLAIN_H

#include <stdio.h>

#include "table.h"
#include "utilities/kit.h"

// Prints it for a terminal. KL_ERROR_USAGE for a word that names no class; the text lists them.
kl_status ladder_explain(const ladder_kit *kit, const char *name, const kl_style *style, FILE *out,
                         kl_error *err);

#endif
