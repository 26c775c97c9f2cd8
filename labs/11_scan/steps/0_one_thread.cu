// SPDX-License-Identifier: MIT
// Lab 11, step 0 (given): one thread adds along the array.
//
// Why it is slow: each sum needs the one before it, so that one thread does all the work, one
// element after the other. Every other thread of the GPU is idle.
#include "scan.cuh"

// Floats are added in double precision and rounded once: over n additions a float would lose too
// much. x may be y.
template <class T, class Sum>
__global__ void one_thread(const T *x, T *y, int64_t n, bool exclusive) {
    Sum sum = 0;
    for (int64_t i = 0; i < n; i++) {
        Sum next = sum + x[i];
        y[i] = (T)(exclusive ? sum : next);
        sum = next;
    }
}

extern "C" int scan_step0(const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                          void *d_workspace, size_t workspace_bytes) {
    if (!scan_call_is_valid(n, type, kind, workspace_bytes)) return cudaErrorInvalidValue;
    return scan_in_one_block(one_thread<unsigned, unsigned>, one_thread<float, double>, 1, d_x, n,
                             type, kind, d_y);
}
// ladder-skeleton ad3c9df6e4b37577 (as it was handed out; any change makes this file yours)
