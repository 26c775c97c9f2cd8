// SPDX-License-Identifier: MIT
// The device as a whole: wait for all its work, or give everything back.
#include <string.h>

#include "runtime/code/module.h"
#include "runtime/submit/capture.h"
#include "runtime/graph/exec.h"
#include "runtime/memory/alloc.h"
#include "runtime/memory/array.h"
#include "runtime/memory/texture.h"
#include "runtime/state/call.h"
#include "runtime/state/fault.h"
#include "runtime/state/order.h"
#include "runtime/state/output.h"
#include "runtime/state/state.h"
#include "runtime/stream/event.h"
#include "runtime/stream/stream.h"

cudaError_t cudaDeviceSynchronize(void) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaDeviceSynchronize()");
    if (!status) status = runtime_capture_no_device();
    if (!status) {
        runtime_clock_host_waits(&runtime.clock, runtime.clock.all_ready_us);
        runtime_order_host_waits_all();
    }
    return runtime_leave(status);
}

// Gives back everything that the program holds on the device and ends what sticks to it; the last
// error stays for cudaGetLastError, as on a GPU.
cudaError_t cudaDeviceReset(void) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaDeviceReset()");
    if (runtime.forked) return runtime_leave(cudaErrorInitializationError);
    if (runtime.engine) {
        runtime_report_unchecked();
        runtime_order_host_waits_all();
        runtime_output_flush();
        runtime_captures_reset();
        runtime_execs_reset();
        runtime_graphs_reset();
        runtime_textures_reset();
        runtime_arrays_reset();
        runtime_streams_reset();
        runtime_events_reset();
        runtime_modules_reset();
        runtime_memory_reset();
    }
    runtime.pending = runtime.sticky = cudaSuccess;
    runtime.has_context = false;
    runtime.clock = (runtime_clock){.has_sm_times = runtime.clock.has_sm_times};
    runtime_limits_reset();
    return runtime_leave(status);
}
