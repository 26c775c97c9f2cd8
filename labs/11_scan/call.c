// Call adapter of lab 11: generic buffers (common/host/call.h) to the typed call of the contract.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include <cuda_runtime_api.h>

#include "scan.h"

// ints[0]: n; [1]: scan_type; [2]: scan_kind; [3]: whether in place. Input 0: x; output 0: y.
// In place the step gets y for x, with a copy of x in it.
static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(scan_function, step, step_function);
    const void *d_x = c->d_inputs[0];
    if (c->ints[3] && c->output_bytes[0] > 0) {
        int code =
            cudaMemcpyAsync(c->d_outputs[0], d_x, c->output_bytes[0], cudaMemcpyDeviceToDevice, 0);
        if (code != cudaSuccess) return code;
        d_x = c->d_outputs[0];
    }
    return step(d_x, c->ints[0], (scan_type)c->ints[1], (scan_kind)c->ints[2], c->d_outputs[0],
                c->d_workspace, (size_t)c->workspace_bytes);
}

KL_LAB_ADAPTER(scan, SCAN_NOT_IMPLEMENTED, .call = call);
