// SPDX-License-Identifier: MIT
// Whether the program looks at what a call of the runtime returns.
#ifndef SIM_RUNTIME_STATE_RESULT_USE_H
#define SIM_RUNTIME_STATE_RESULT_USE_H

#include <stdbool.h>
#include <stdint.h>

// code: [count] where calls return to, that of the call under way first, then those of the
// functions around it. True when the machine code there certainly overwrites the result before it
// reads it.
bool runtime_result_is_unused(void *const *code, int count);

#endif
