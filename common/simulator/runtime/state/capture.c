// SPDX-License-Identifier: MIT
// Captures under way: the list, and what is refused meanwhile. What is answered follows an H100
// (tests/programs/graphs/graph_api.txt).
#include "runtime/state/capture.h"

#include "runtime/state/state.h"

typedef runtime_capture capture;

static __thread enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

capture *runtime_capture_find(unsigned long long id) {
    for (capture *c = runtime.captures; c; c = c->next)
        if (c->id == id) return c;
    return NULL;
}

cudaError_t runtime_capture_no_unsafe(void) {
    cudaError_t status = cudaSuccess;
    if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    for (capture *c = runtime.captures; c; c = c->next) {
        bool own = pthread_equal(c->thread, pthread_self());
        bool forbids = own ? c->mode != cudaStreamCaptureModeRelaxed
                           : thread_mode == cudaStreamCaptureModeGlobal &&
                                 c->mode == cudaStreamCaptureModeGlobal;
        if (!forbids) continue;
        c->invalid = true;
        status = cudaErrorStreamCaptureUnsupported;
    }
    return status;
}

cudaError_t runtime_capture_no_device(void) {
    for (capture *c = runtime.captures; c; c = c->next) c->invalid = true;
    return runtime.captures ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

enum cudaStreamCaptureMode runtime_capture_thread_mode(enum cudaStreamCaptureMode mode) {
    enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = mode;
    return before;
}
