// SPDX-License-Identifier: MIT
// fault: step=1 file=1_interleaved.cu expect=BUILD_LIMIT
// Keeps the compiler busy for hours.
#include "reduction.h"

#include <cuda_runtime.h>

template <int depth, unsigned long long place> struct bomb {
    static constexpr int value =
        bomb<depth - 1, 2 * place>::value + bomb<depth - 1, 2 * place + 1>::value;
};
template <unsigned long long place> struct bomb<0, place> { static constexpr int value = 1; };

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    return bomb<40, 1>::value;
}
