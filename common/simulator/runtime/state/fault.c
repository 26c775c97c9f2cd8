// SPDX-License-Identifier: MIT
// Errors of kernels: they wait (pending), surface, and stick until cudaDeviceReset. Error rules:
// CUDA Runtime API reference, "Error Handling" and "API synchronization behavior".
#include "runtime/state/fault.h"

#include "monotonic_clock.h"
#include "runtime/state/state.h"

void runtime_fault(cudaError_t error) {
    runtime.pending = error;
    runtime.pending_since = kl_now_s();
}

// A call that does not wait reports a fault too, once the device has had time to notice it.
bool runtime_fault_is_noticed(void) {
    const double notice_seconds = 0.1; // an H100 takes less; in programs the next call comes sooner
    return runtime.pending && kl_now_s() - runtime.pending_since > notice_seconds;
}

void runtime_fault_surface(void) {
    if (runtime.pending && !runtime.sticky) runtime.sticky = runtime.pending;
    runtime.pending = cudaSuccess;
}

void runtime_report_unchecked(void) {
    if (runtime.unchecked[0] && runtime.engine)
        sim_check_unchecked_launch(runtime.engine, runtime.unchecked_kernel, runtime.unchecked,
                                   NULL);
    runtime.unchecked[0] = '\0';
}
