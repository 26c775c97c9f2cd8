// SPDX-License-Identifier: MIT
// Wrong kernels written as a small change to a lab's solution (wrong/README.md says how): reading
// and applying them. For tests only.
#ifndef EDIT_H
#define EDIT_H

#include "error.h"

// The heading of a wrong or lazy kernel, whether written as an edit or in full, or of a fault.
typedef struct edit_heading {
    int step;
    char file[64];   // of the step, as it is submitted
    char expect[64]; // identifier of grade/rubric/outcomes.def
    int misses;      // lazy kernels: a criterion of the step, counted from 1; else 0
} edit_heading;

// Reads `// wrong-kernel: step=N file=NAME expect=OUTCOME` (or `// fault: ..`) in the second line
// of a text; a lazy kernel's says ` misses=K` behind that. What else follows is not for grading (`
// check=CLASS`, wrong/README.md).
kl_status edit_read_heading(const char *text, edit_heading *out_heading, kl_error *err);

// Applies an edit to the text of its step. KL_ERROR_INPUT when a part is missing, when the old text
// is not there or is there more than once, or when nothing is changed. out_text: the heading, then
// the changed step; to be freed.
kl_status edit_apply(const char *edit, const char *step, char **out_text, kl_error *err);

#endif
