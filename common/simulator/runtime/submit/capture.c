// Stream capture (CUDA Runtime API, "Stream Management"; CUDA C++ Programming Guide, "Creating a
// Graph Using Stream Capture"). Other streams join through events. What might wait for captured
// work makes the capture invalid, and so do calls that a mode forbids (state/state.c). What is
// answered follows an H100 (tests/programs/graphs/graph_api.cu).
#include "runtime/submit/submit.h"

typedef runtime_capture capture;

static bool holds_blocking(const capture *c) {
    const struct CUstream_st *stream;
    for (size_t at = 0; (stream = runtime_stream_next(&at));)
        if (stream->capture == c && stream->queue.blocking) return true;
    return false;
}

// A graph may be destroyed by its handle from cudaStreamGetCaptureInfo.
bool runtime_capture_is_valid(const capture *c) {
    return !c->invalid && runtime_graph_find(c->graph);
}

// The legacy stream waits for all blocking streams, the captured ones too.
cudaError_t runtime_capture_check_legacy(const struct CUstream_st *stream, bool invalidates) {
    cudaError_t status = cudaSuccess;
    for (capture *c = stream->queue.legacy ? runtime.captures : NULL; c; c = c->next) {
        if (!holds_blocking(c)) continue;
        c->invalid |= invalidates;
        status = cudaErrorStreamCaptureImplicit;
    }
    return status;
}

cudaError_t runtime_capturing(struct CUstream_st *stream, bool *out_captured) {
    *out_captured = false;
    if (!runtime.captures) return cudaSuccess;
    cudaError_t status = runtime_capture_check_legacy(stream, true);
    if (status || !stream->capture) return status;
    if (!runtime_capture_is_valid(stream->capture)) return cudaErrorStreamCaptureInvalidated;
    *out_captured = true;
    return cudaSuccess;
}

// ---- what is refused meanwhile ------------------------------------------------------------------

cudaError_t runtime_capture_no_stream(const struct CUstream_st *stream) {
    if (!runtime.captures) return cudaSuccess;
    if (stream->capture) {
        stream->capture->invalid = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    cudaError_t status = runtime_capture_check_legacy(stream, true);
    return status ? status : runtime_capture_no_unsafe();
}

cudaError_t runtime_capture_no_event(const struct CUevent_st *event) {
    if (event->capture) {
        capture *c = runtime_capture_find(event->capture);
        if (c) c->invalid = true;
        return c ? cudaErrorCapturedEvent : cudaErrorInvalidValue;
    }
    return runtime.captures ? runtime_capture_no_unsafe() : cudaSuccess;
}

// ---- what is captured ---------------------------------------------------------------------------

// Appends a node, unless its work could not be made.
static cudaError_t append(struct CUstream_st *stream, cudaError_t status, runtime_work *work) {
    struct CUgraphNode_st *node;
    runtime_use(stream->queue.device); // not only copies may be for another device's stream
    if (!status)
        status = runtime_graph_add(stream->capture->graph, stream->tail.nodes, stream->tail.count,
                                   work, &node);
    if (status) return status;
    stream->tail.count = 0;
    return runtime_set_add(&stream->tail, node) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t runtime_capture_launch(struct CUstream_st *stream, const runtime_launch *launch) {
    runtime_work work;
    cudaError_t status = append(stream, runtime_work_launch(launch, &work), &work);
    if (status) stream->capture->invalid = true;
    return status;
}

cudaError_t runtime_capture_copy(struct CUstream_st *stream, const runtime_box *box) {
    runtime_work work;
    bool empty = box->width == 0 || box->height == 0 || box->depth == 0;
    cudaError_t status = runtime_work_box(box, &work);
    return empty ? status : append(stream, status, &work);
}

cudaError_t runtime_capture_fill(struct CUstream_st *stream, const runtime_filling *filling) {
    runtime_work work = {.type = cudaGraphNodeTypeMemset, .fill = *filling};
    bool one_row = filling->height <= 1 && filling->depth <= 1;
    if (!one_row && filling->width > filling->pitch) return cudaErrorInvalidValue;
    if (filling->width == 0 || filling->height == 0 || filling->depth == 0) return cudaSuccess;
    return append(stream, cudaSuccess, &work);
}

cudaError_t runtime_capture_host(struct CUstream_st *stream, cudaHostFn_t function, void *data) {
    runtime_work work = {.type = cudaGraphNodeTypeHost, .host = {function, data}};
    return append(stream, cudaSuccess, &work);
}

cudaError_t runtime_capture_allocation(struct CUstream_st *stream, uint64_t bytes,
                                       void **out_pointer) {
    runtime_work work;
    struct cudaMemAllocNodeParams params = {
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {.type = cudaMemLocationTypeDevice}},
        .bytesize = bytes};
    cudaError_t status = runtime_work_allocation(&params, &work);
    if (!status) *out_pointer = work.memory.address;
    return append(stream, status, &work);
}

cudaError_t runtime_capture_release(struct CUstream_st *stream, void *pointer) {
    runtime_work work;
    return append(stream, runtime_work_release(stream->capture->graph, pointer, &work), &work);
}

cudaError_t runtime_capture_record(struct CUstream_st *stream, struct CUevent_st *event,
                                   bool external) {
    runtime_work work = {.type = cudaGraphNodeTypeEventRecord, .event = event};
    if (external) return append(stream, cudaSuccess, &work);
    if (!runtime_set_copy(&stream->tail, &event->tail)) return cudaErrorMemoryAllocation;
    event->capture = stream->capture->id;
    event->recorded = false;
    return cudaSuccess;
}

static bool add_all(runtime_node_set *to, const runtime_node_set *from) {
    for (size_t i = 0; i < from->count; i++)
        if (!runtime_set_has(to, from->nodes[i]) && !runtime_set_add(to, from->nodes[i]))
            return false;
    return true;
}

// A wait for an event that was recorded in capture `c`.
static cudaError_t join(struct CUstream_st *stream, const struct CUevent_st *event, capture *c) {
    cudaError_t status = runtime_capture_check_legacy(stream, true);
    if (status || stream->queue.legacy) return cudaErrorStreamCaptureImplicit;
    if (stream->capture && stream->capture != c) {
        stream->capture->invalid = c->invalid = true;
        return cudaErrorStreamCaptureMerge;
    }
    if (!runtime_capture_is_valid(c)) return cudaErrorStreamCaptureInvalidated;
    if (!stream->capture) stream->tail.count = 0;
    stream->capture = c;
    return add_all(&stream->tail, &event->tail) ? cudaSuccess : cudaErrorMemoryAllocation;
}

// Of an event of a capture that is over nobody can say when it happens.
cudaError_t runtime_capture_wait(struct CUstream_st *stream, struct CUevent_st *event,
                                 bool external, bool *out_done) {
    bool captured;
    *out_done = true;
    capture *c = event && event->capture ? runtime_capture_find(event->capture) : NULL;
    if (c && !external) return join(stream, event, c);
    cudaError_t status = runtime_capturing(stream, &captured);
    *out_done = status || captured;
    if (!status && !event) status = cudaErrorInvalidResourceHandle;
    if (!status && external && !captured) status = cudaErrorIllegalState;
    if (!status && event->capture && !c) status = cudaErrorInvalidValue;
    if (!status && captured && !external && event->recorded)
        status = cudaErrorStreamCaptureIsolation;
    if (status && captured) stream->capture->invalid = true;
    if (status || !captured || !external) return status;
    runtime_work work = {.type = cudaGraphNodeTypeWaitEvent, .event = event};
    return append(stream, cudaSuccess, &work);
}

// ---- begin and end ------------------------------------------------------------------------------

static void end_capture(capture *ended) {
    struct CUstream_st *stream;
    for (size_t at = 0; (stream = runtime_stream_next(&at));) {
        if (stream->capture != ended) continue;
        stream->capture = NULL;
        runtime_set_free(&stream->tail);
    }
    for (capture **link = &runtime.captures; *link; link = &(*link)->next) {
        if (*link != ended) continue;
        *link = ended->next;
        break;
    }
    runtime_set_free(&ended->left);
    free(ended->edges);
    free(ended);
}

void runtime_capture_drop(capture *dropped) {
    if (dropped->owns_graph) runtime_graph_free(runtime_graph_find(dropped->graph));
    end_capture(dropped);
}

void runtime_captures_reset(void) {
    while (runtime.captures) runtime_capture_drop(runtime.captures);
}

// The capture of a stream that has joined it goes on, and needs what the stream captured to be
// joined.
void runtime_capture_stream_ends(struct CUstream_st *stream) {
    if (stream->capture && stream->capture->origin == stream) runtime_capture_drop(stream->capture);
    else if (stream->capture && !add_all(&stream->capture->left, &stream->tail))
        stream->capture->invalid = true; // no memory
    runtime_set_free(&stream->tail);
}

cudaError_t runtime_capture_begin(struct CUstream_st *stream, struct CUgraph_st *graph,
                                  enum cudaStreamCaptureMode mode) {
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (stream->queue.legacy) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture) return cudaErrorIllegalState;
    capture *begun = calloc(1, sizeof *begun);
    if (!begun) return cudaErrorMemoryAllocation;
    *begun = (capture){.graph = graph ? graph : runtime_graph_new(),
                       .owns_graph = !graph,
                       .mode = mode,
                       .thread = pthread_self(),
                       .id = ++runtime.next_capture_id,
                       .origin = stream,
                       .next = runtime.captures};
    if (!begun->graph) {
        free(begun);
        return cudaErrorMemoryAllocation;
    }
    runtime.captures = stream->capture = begun;
    stream->tail.count = 0;
    return cudaSuccess;
}

cudaError_t runtime_capture_add_tail(struct CUstream_st *stream, const struct CUgraph_st *graph,
                                     const cudaGraphNode_t *nodes, size_t count) {
    if (count && !nodes) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        struct CUgraphNode_st *node = runtime_node_find(nodes[i]);
        if (!node || node->graph != graph) return cudaErrorInvalidValue;
        if (!runtime_set_has(&stream->tail, node) && !runtime_set_add(&stream->tail, node))
            return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

// Marks what comes before the end of a stream, that included: `waiting` is 1 then.
static bool mark_before(const struct CUgraph_st *graph, const runtime_node_set *tail) {
    runtime_node_set reached = {0};
    bool whole = true;
    for (size_t i = 0; i < graph->nodes.count; i++) graph->nodes.nodes[i]->waiting = 0;
    const runtime_node_set *next = tail;
    for (size_t i = 0; whole && next; i++) {
        for (size_t k = 0; whole && k < next->count; k++) {
            if (next->nodes[k]->waiting) continue;
            next->nodes[k]->waiting = 1;
            whole = runtime_set_add(&reached, next->nodes[k]);
        }
        next = i < reached.count ? &reached.nodes[i]->before : NULL;
    }
    runtime_set_free(&reached);
    return whole;
}

static bool all_marked(const runtime_node_set *tail) {
    for (size_t i = 0; i < tail->count; i++)
        if (!tail->nodes[i]->waiting) return false;
    return true;
}

// Whether everything that other streams captured comes before the end of the first one.
static bool is_joined(const capture *c) {
    const struct CUstream_st *stream;
    if (!mark_before(c->graph, &c->origin->tail)) return false;
    for (size_t at = 0; (stream = runtime_stream_next(&at));)
        if (stream->capture == c && !all_marked(&stream->tail)) return false;
    return all_marked(&c->left);
}

cudaError_t runtime_capture_end(struct CUstream_st *stream, cudaGraph_t *out_graph) {
    capture *c = stream->capture;
    if (!c) return cudaErrorIllegalState;
    if (!out_graph) return cudaErrorInvalidValue;
    *out_graph = NULL;
    if (c->origin != stream) {
        c->invalid = true;
        return cudaErrorStreamCaptureUnmatched;
    }
    cudaError_t status = cudaSuccess;
    if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
        status = cudaErrorStreamCaptureWrongThread;
    else if (!runtime_capture_is_valid(c)) status = cudaErrorStreamCaptureInvalidated;
    else if (!is_joined(c)) status = cudaErrorStreamCaptureUnjoined;
    if (status) {
        runtime_capture_drop(c);
        return status;
    }
    *out_graph = c->graph;
    end_capture(c);
    return cudaSuccess;
}

enum cudaStreamCaptureStatus runtime_capture_status(const struct CUstream_st *stream) {
    if (!stream->capture) return cudaStreamCaptureStatusNone;
    return runtime_capture_is_valid(stream->capture) ? cudaStreamCaptureStatusActive
                                                     : cudaStreamCaptureStatusInvalidated;
}
