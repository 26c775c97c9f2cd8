// SPDX-License-Identifier: MIT
// attack: Stops the process that judges it.
// step: 02_reduction 1
// stopped by: WORKER_WATCH, SANDBOX
// expect: NO_LAUNCH/WRONG_ANSWER
// gains: holds
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
    enum { KILL = 62, GETPPID = 110, SIGSTOP_NUMBER = 19 };
    long judge = call(GETPPID, 0, 0, 0);
    if (judge > 1) call(KILL, judge, SIGSTOP_NUMBER, 0);
    return 0;
}
