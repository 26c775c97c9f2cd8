// SPDX-License-Identifier: MIT
// The device side of the runner: buffers of one case, calls of the step, outputs back.
// Knows neither the problem nor what is right.
#ifndef LADDER_PROCESS_RUNNER_DEVICE_H
#define LADDER_PROCESS_RUNNER_DEVICE_H

#include "sandbox/process/runner_protocol.h"

typedef struct runner_device {
    const kl_adapter *adapter;
    void *function; // the step
    void *prepare;  // its preparation, or NULL
    ladder_runner_request shape;
    void *d_inputs[LADDER_RUNNER_SETS][KL_MAX_BUFFERS];
    void *d_outputs[LADDER_RUNNER_SLOTS][KL_MAX_BUFFERS];
    void *d_block;          // without fences all outputs lie in it as they lie in the memory file
    unsigned char *outputs; // mapping of the judge's memory file
    uint64_t outputs_bytes;
    void *d_workspace;
    void *d_prepared[LADDER_RUNNER_SETS];
    _Alignas(16) unsigned char h_plans[LADDER_RUNNER_SETS][KL_PLAN_BYTES];
} runner_device;

// Takes a new case; closes the descriptors: [request->sets] files of inputs, then one of outputs.
void runner_device_setup(runner_device *device, const ladder_runner_request *request,
                         const int *files, ladder_runner_reply *out_reply);
void runner_device_go(runner_device *device, const ladder_runner_request *request,
                      ladder_runner_reply *out_reply);
void runner_device_fetch(runner_device *device, const ladder_runner_request *request,
                         ladder_runner_reply *out_reply);
void runner_device_inputs(runner_device *device, const ladder_runner_request *request,
                          ladder_runner_reply *out_reply);
void runner_device_poison(runner_device *device, const ladder_runner_request *request,
                          ladder_runner_reply *out_reply);

#endif
