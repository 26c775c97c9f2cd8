// SPDX-License-Identifier: MIT
// The captures under way, and what they forbid every call ("cudaStreamBeginCapture"): what is
// captured is in runtime/submit.
#ifndef SIM_RUNTIME_STATE_CAPTURE_H
#define SIM_RUNTIME_STATE_CAPTURE_H

#include <pthread.h>
#include <stdbool.h>

#include "runtime/abi/functions.h"
#include "runtime/base/node_set.h"

typedef struct runtime_capture {
    struct CUgraph_st *graph; // NULL: destroyed by the program
    bool owns_graph;
    enum cudaStreamCaptureMode mode;
    pthread_t thread; // that began it
    unsigned long long id;
    bool invalid;
    struct CUstream_st *origin;
    runtime_node_set left;    // what streams captured last that were destroyed meanwhile
    cudaGraphEdgeData *edges; // zeros, for cudaStreamGetCaptureInfo
    struct runtime_capture *next;
} runtime_capture;

// NULL: no capture that is under way has this number.
runtime_capture *runtime_capture_find(unsigned long long id);
// What a call gets that waits for the device.
cudaError_t runtime_capture_no_device(void);
// What RUNTIME_UNSAFE gets.
cudaError_t runtime_capture_no_unsafe(void);
// Sets the mode of the calling thread and returns the one before.
enum cudaStreamCaptureMode runtime_capture_thread_mode(enum cudaStreamCaptureMode mode);

#endif
