// SPDX-License-Identifier: MIT
// The backward pass of attention, a problem beside the ladder: see backward.h. The application
// trains with it as soon as it is written; until then with the one of app_backward.cu.
//   ./ladder run attention --app -- --backward     checks and times it
#include "attention.h"
#include "backward.h"

// TODO(student): dQ, dK and dV of a task. Start with the kernels of app_backward.cu, and put your
// tiles and fragments of the steps in their place.
extern "C" int attention_backward(const attention_backward_task *task) {
    (void)task;
    return ATTENTION_NOT_IMPLEMENTED;
}
