// Steps of lab 02 in C for the driver's test: compiled once a step with -DSTEP=n; what each one
// does wrong is chosen by n. "Device" pointers are host pointers here (fake_cudart.c).
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "reduction.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define ME          JOIN(reduction_step, STEP)

static float reduce(const float *x, int64_t n, reduction_op op) {
    double sum = 0.0;
    double largest = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        sum += x[i];
        largest = x[i] > largest ? x[i] : largest;
    }
    return (float)(op == REDUCTION_SUM ? sum : largest);
}

int ME(const float *d_x, int64_t n, reduction_op op, float *d_result, void *d_workspace,
       size_t workspace_bytes) {
    (void)workspace_bytes;
    unsigned *counter = d_workspace;
    if (getenv("FAKE_STEPS_ARE_RIGHT")) {
        *d_result = reduce(d_x, n, op);
        return 0;
    }
    switch (STEP) {
    case 0: // right
        *d_result = reduce(d_x, n, op);
        return 0;
    case 1: // the last element is dropped
        *d_result = reduce(d_x, n > 1 ? n - 1 : n, op);
        return 0;
    case 2: return REDUCTION_NOT_IMPLEMENTED;
    case 3: // crash
        raise(SIGSEGV);
        return 0;
    case 4: // never returns
        for (;;) pause();
    case 5: // writes nothing
        return 0;
    case 6: // right in the first call only: leaves its mark in the workspace
        *d_result = *counter == 0 ? reduce(d_x, n, op) : -1.0f;
        *counter = 1;
        return 0;
    case 7: // cudaErrorIllegalAddress
        return 700;
    default: // leaves early
        _exit(3);
    }
}
