// SPDX-License-Identifier: MIT
// One call of the API: lock, device, errors, trace.
#ifndef SIM_RUNTIME_STATE_CALL_H
#define SIM_RUNTIME_STATE_CALL_H

#include "runtime/abi/functions.h"
#include "engine/engine.h"

typedef enum runtime_need {
    RUNTIME_NOTHING, // works without a device and after a fault
    RUNTIME_OPEN,    // opens the device, and works after a fault
    RUNTIME_DEVICE,  // opens the device; returns an error that sticks to the context
    RUNTIME_SYNC     // likewise, and waits: a fault of an earlier kernel surfaces here
} runtime_need;

// A call that might wait for, or change, what a captured stream will do: it is refused during a
// capture that was begun in a strict mode ("cudaStreamBeginCapture"). To be or-ed to the others.
#define RUNTIME_UNSAFE 0x100u

// Every API function is: enter, work while the status is cudaSuccess, return leave(status).
// enter takes the runtime's lock; leave gives it back, remembers the error for cudaGetLastError and
// prints the call when LADDER_SIM_TRACE is set (`format`: the call as it should read).
cudaError_t runtime_enter(unsigned need, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
cudaError_t runtime_leave(cudaError_t status);
// The same for functions of the driver, whose errors cudaGetLastError never tells.
cudaError_t runtime_leave_driver(cudaError_t status);
// Replaces the text of the call under way, once more is known about it: when calls are traced, or
// when it fails with `status`.
void runtime_describe(cudaError_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Keeps why the call under way fails; returns `status`.
cudaError_t runtime_refuse(cudaError_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// The name of the thread's call under way, "cudaMemcpy".
const char *runtime_call_name(void);
// Why the thread's last call failed, as far as anybody has said; else "".
const char *runtime_reason(void);

// Of the thread's last call that failed, "" where nobody has said why.
const char *runtime_last_reason(void);
// Whether the thread's calls are from now on those of nvcc's stub, which a <<<..>>> calls.
void runtime_call_is_of_stub(bool is);

// From here until the same with NULL the calling thread runs a host function of a stream, which
// came there by `call`: CUDA permits it to call next to nothing (CUDA Runtime API reference,
// "cudaLaunchHostFunc"), and a card refuses it. What it leaves as last error is not the program's
// thread's.
void runtime_host_function(const char *call);
bool runtime_in_host_function(void);

// The cudaError of an engine status (outside launches).
cudaError_t runtime_status(sim_status status);
// Likewise, and keeps `error`'s text for the trace of this call.
cudaError_t runtime_fail(const kl_error *err);
// Of the calling thread's last call that failed; after this question no launch counts as unchecked.
// Takes the lock itself.
cudaError_t runtime_last_error(bool forget);
// For calls that neither enter nor leave.
void runtime_last_error_set(cudaError_t error);

#endif
