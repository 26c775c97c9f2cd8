// Stream capture (CUDA Runtime API, "Stream Management"): begin, end and questions.
#include "runtime/submit/submit.h"

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    struct CUstream_st *found;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamBeginCapture", stream, &found);
    if (!status) status = runtime_capture_begin(found, NULL, mode);
    return runtime_leave(status);
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *dependencyData,
                                          size_t numDependencies, enum cudaStreamCaptureMode mode) {
    struct CUstream_st *found;
    (void)dependencyData; // plain edges only
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamBeginCaptureToGraph", stream, &found);
    struct CUgraph_st *live = status ? NULL : runtime_graph_find(graph);
    if (!status && !live) status = cudaErrorInvalidValue;
    if (!status) status = runtime_capture_begin(found, live, mode);
    if (!status) {
        status = runtime_capture_add_tail(found, live, dependencies, numDependencies);
        if (status) runtime_capture_drop(found->capture);
    }
    return runtime_leave(status);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph) {
    struct CUstream_st *found;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamEndCapture", stream, &found);
    if (!status) status = runtime_capture_end(found, pGraph);
    return runtime_leave(status);
}

// ---- questions ----------------------------------------------------------------------------------

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *pCaptureStatus) {
    struct CUstream_st *found;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamIsCapturing", stream, &found);
    if (!status && !pCaptureStatus) status = cudaErrorInvalidValue;
    if (!status) status = runtime_capture_check_legacy(found, false);
    if (!status) *pCaptureStatus = runtime_capture_status(found);
    return runtime_leave(status);
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
                                        enum cudaStreamCaptureStatus *captureStatus_out,
                                        unsigned long long *id_out, cudaGraph_t *graph_out,
                                        const cudaGraphNode_t **dependencies_out,
                                        const cudaGraphEdgeData **edgeData_out,
                                        size_t *numDependencies_out) {
    struct CUstream_st *found;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamGetCaptureInfo", stream, &found);
    if (!status && !captureStatus_out) status = cudaErrorInvalidValue;
    if (!status) status = runtime_capture_check_legacy(found, false);
    if (!status) *captureStatus_out = runtime_capture_status(found);
    if (status || *captureStatus_out != cudaStreamCaptureStatusActive) return runtime_leave(status);
    runtime_capture *c = found->capture;
    if (id_out) *id_out = c->id;
    if (graph_out) *graph_out = c->graph;
    if (dependencies_out) *dependencies_out = found->tail.nodes;
    if (edgeData_out) {
        free(c->edges);
        *edgeData_out = c->edges = calloc(found->tail.count + 1, sizeof *c->edges);
        if (!c->edges) status = cudaErrorMemoryAllocation;
    }
    if (numDependencies_out) *numDependencies_out = found->tail.count;
    return runtime_leave(status);
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream,
                                                   cudaGraphNode_t *dependencies,
                                                   const cudaGraphEdgeData *dependencyData,
                                                   size_t numDependencies, unsigned int flags) {
    struct CUstream_st *found;
    (void)dependencyData; // plain edges only
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamUpdateCaptureDependencies", stream, &found);
    if (!status && !found->capture) status = cudaErrorIllegalState;
    if (!status && !runtime_capture_is_valid(found->capture))
        status = cudaErrorStreamCaptureInvalidated;
    if (!status && flags > cudaStreamSetCaptureDependencies) status = cudaErrorInvalidValue;
    if (!status && flags == cudaStreamSetCaptureDependencies) found->tail.count = 0;
    if (!status)
        status =
            runtime_capture_add_tail(found, found->capture->graph, dependencies, numDependencies);
    return runtime_leave(status);
}

// Modes that do not exist are taken too, as by an H100's driver; they forbid what ThreadLocal
// forbids.
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaThreadExchangeStreamCaptureMode()");
    if (!mode) status = cudaErrorInvalidValue;
    if (!status) *mode = runtime_capture_thread_mode(*mode);
    return runtime_leave(status);
}
