// SPDX-License-Identifier: MIT
// fault: step=1 file=1_interleaved.cu expect=NO_FUNCTION
// The function has another name.
#include "reduction.h"

#include <cuda_runtime.h>

extern "C" int my_reduction(const float *d_x) {
    return d_x == nullptr;
}
