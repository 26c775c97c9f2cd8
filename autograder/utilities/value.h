// SPDX-License-Identifier: MIT
// Values in device memory as numbers of the type that the source gives them.
#ifndef LADDER_KIT_VALUE_H
#define LADDER_KIT_VALUE_H

#include "device/findings.h"

// "-7", "0.5", "(1, 2)" for the value of one side of a finding: of the type that `declared`, the
// declaration up to the variable's name, names ("__shared__ unsigned char"); where that is no type
// of one number (NULL, a structure, a template's parameter), of the type that the instruction has.
// Where neither says it, the word in hexadecimal and what it is as an integer and as a float.
void ladder_value_text(const sim_check_side *side, const char *declared, char *text,
                       size_t text_bytes);

#endif
