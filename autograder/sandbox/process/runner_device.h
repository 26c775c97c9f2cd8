// SPDX-License-Identifier: MIT
// What the judge asks the runner for, on a case (device_case.h): inputs come in memory files, or
// lie where the judge has put them; outputs go to a memory file.
#ifndef LADDER_PROCESS_RUNNER_DEVICE_H
#define LADDER_PROCESS_RUNNER_DEVICE_H

#include "device_case.h"
#include "sandbox/process/runner_protocol.h"

typedef struct runner_device {
    kl_device_case on_device;
    uint32_t file_slots;    // for which the memory file has room
    unsigned char *outputs; // mapping of the judge's memory file
    uint64_t outputs_bytes;
} runner_device;

// Takes a new case; closes the descriptors: [request->layout.sets] files of inputs, then one of
// outputs.
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
