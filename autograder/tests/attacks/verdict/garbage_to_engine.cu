// SPDX-License-Identifier: MIT
// attack: Writes garbage into its connection to the simulator.
// step: 02_reduction 1
// stopped by: design
// expect: CUDA_ERROR/KERNEL_FAULT/BROKEN_RUN/NO_LAUNCH/WRONG_ANSWER/CRASHED/EXITED
// gains: ungradable
#include "reduction.h"

#include <cuda_runtime.h>

// A system call without a function that the import audit would see.
static long call(long number, long a, long b, long c) {
    long result;
    register long fourth asm("r10") = 0;
    register long fifth asm("r8") = 0;
    register long sixth asm("r9") = 0;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                 : "rcx", "r11", "memory");
    return result;
}

extern "C" int reduction_step1(const float *d_x, int64_t n, reduction_op op, float *d_result,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_x, (void)n, (void)op, (void)d_result, (void)d_workspace, (void)workspace_bytes;
    enum { WRITE = 1, ENGINE = 4 };
    static unsigned char garbage[4096];
    for (unsigned i = 0; i < sizeof garbage; i++) garbage[i] = (unsigned char)(i * 37 + 11);
    call(WRITE, ENGINE, (long)garbage, sizeof garbage);
    return 0;
}
