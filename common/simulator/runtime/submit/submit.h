// Work for a stream: run now, on the stream's queue, or a node of the graph that the stream is
// captured into.
#pragma once

#include "runtime/graph/graph.h"

// ---- submit.c -----------------------------------------------------------------------------------

// `waiting`: the call returns when the bytes have arrived.
cudaError_t runtime_submit_copy(runtime_box box, cudaStream_t stream, bool waiting);
cudaError_t runtime_submit_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool waiting);
// Fills a box with bytes.
cudaError_t runtime_submit_fill(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
                                cudaStream_t stream, bool waiting);
cudaError_t runtime_submit_launch(const runtime_launch *launch);
cudaError_t runtime_submit_allocation(runtime_pool *from, size_t bytes, cudaStream_t stream,
                                      void **out_pointer);
cudaError_t runtime_submit_release(void *pointer, cudaStream_t stream);

// ---- capture.c ----------------------------------------------------------------------------------
// Stream capture: calls that would put work into a stream append nodes to a graph.

// Whether work for this stream is to be captured rather than run; an error when it may do neither.
cudaError_t runtime_capturing(struct CUstream_st *stream, bool *out_captured);
// Each appends a node to a stream that is being captured; mistakes end the capture.
cudaError_t runtime_capture_launch(struct CUstream_st *stream, const runtime_launch *launch);
cudaError_t runtime_capture_copy(struct CUstream_st *stream, const runtime_box *box);
cudaError_t runtime_capture_fill(struct CUstream_st *stream, const runtime_filling *filling);
// out_pointer: where the memory will be.
cudaError_t runtime_capture_allocation(struct CUstream_st *stream, uint64_t bytes,
                                       void **out_pointer);
cudaError_t runtime_capture_release(struct CUstream_st *stream, void *pointer);
cudaError_t runtime_capture_host(struct CUstream_st *stream, cudaHostFn_t function, void *data);
// `external`: a node of its own; else the event only marks the place.
cudaError_t runtime_capture_record(struct CUstream_st *stream, struct CUevent_st *event,
                                   bool external);
// Also for a stream that is not captured yet and joins. `event` NULL: a dead handle. *out_done
// false: an ordinary wait.
cudaError_t runtime_capture_wait(struct CUstream_st *stream, struct CUevent_st *event,
                                 bool external, bool *out_done);
// What a call gets that waits for the stream or the event, or asks about it.
cudaError_t runtime_capture_no_stream(const struct CUstream_st *stream);
cudaError_t runtime_capture_no_event(const struct CUevent_st *event);
// What work for the legacy stream gets while a stream is captured that it would wait for; ends that
// capture if `invalidates`.
cudaError_t runtime_capture_check_legacy(const struct CUstream_st *stream, bool invalidates);

// `graph` NULL: a new one.
cudaError_t runtime_capture_begin(struct CUstream_st *stream, struct CUgraph_st *graph,
                                  enum cudaStreamCaptureMode mode);
// Puts nodes of the captured graph into the stream's tail.
cudaError_t runtime_capture_add_tail(struct CUstream_st *stream, const struct CUgraph_st *graph,
                                     const cudaGraphNode_t *nodes, size_t count);
cudaError_t runtime_capture_end(struct CUstream_st *stream, cudaGraph_t *out_graph);
void runtime_capture_drop(runtime_capture *dropped);
bool runtime_capture_is_valid(const runtime_capture *c);
enum cudaStreamCaptureStatus runtime_capture_status(const struct CUstream_st *stream);
// The stream is about to go.
void runtime_capture_stream_ends(struct CUstream_st *stream);
void runtime_captures_reset(void);
