// Errors of kernels: they wait (pending), surface, and stick until cudaDeviceReset. Error rules:
// CUDA Runtime API reference, "Error Handling" and "API synchronization behavior".
#include "runtime/state/state.h"
#include "this_machine.h"

static char fault_text[2 * KL_ERROR_TEXT];

void runtime_fault(cudaError_t error) {
    if (runtime.ends_at_fault) _exit(0);
    runtime.now->pending = error;
    runtime.now->pending_since = kl_now_s();
}

void runtime_fault_describe(const char *text) {
    const char *refused = runtime_first_refused();
    snprintf(fault_text, sizeof fault_text, "%s%s%s%s", text,
             refused[0] ? "\n  this may follow from " : "", refused,
             refused[0] ? ", which the simulator does not support" : "");
}

const char *runtime_fault_text(void) { return fault_text; }

static void surface(runtime_device *device) {
    if (device->pending && !runtime.sticky) runtime.sticky = device->pending;
    device->pending = cudaSuccess;
}

void runtime_fault_surface(void) { surface(runtime.now); }

void runtime_fault_notice(void) {
    const double notice_seconds = 0.1; // an H100 takes less; in programs the next call comes sooner
    for (int i = 0; i < runtime.device_count; i++) {
        runtime_device *device = &runtime.devices[i];
        if (device->pending && kl_now_s() - device->pending_since > notice_seconds) surface(device);
    }
}

static void count_unchecked(void) {
    if (runtime.unchecked_count++ > 0) return;
    const char *kernel = runtime.unchecked_name;
    snprintf(runtime.unchecked_first, sizeof runtime.unchecked_first, "%.300s%.700s", kernel,
             runtime.unchecked);
}

void runtime_report_unchecked(void) {
    runtime_report_failed();
    bool any = runtime.unchecked[0] != '\0';
    if (any && runtime.engine)
        sim_check_unchecked_launch(runtime.engine, runtime.unchecked_kernel, runtime.unchecked,
                                   NULL);
    if (any && !runtime.faults_are_findings) count_unchecked();
    runtime.unchecked[0] = '\0';
}

void runtime_say_unchecked(void) {
    char text[sizeof runtime.unchecked_first + 128];
    if (runtime.unchecked_count == 0) return;
    if (runtime.unchecked_count == 1)
        snprintf(text, sizeof text, "a launch failed and nobody asked for its error: %s",
                 runtime.unchecked_first);
    else
        snprintf(text, sizeof text,
                 "%" PRIu64 " launches failed and nobody asked for their errors; the first: %s",
                 runtime.unchecked_count, runtime.unchecked_first);
    runtime_say(text);
    runtime.unchecked_count = 0;
}
