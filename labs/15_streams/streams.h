// The contract of lab 15, streams and graphs: what every step takes, gives and may use.
// For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { STREAMS_NOT_IMPLEMENTED = -1 };

enum {
    STREAMS_CHANNELS = 4096,  // samples of a frame, one of each channel
    STREAMS_CHUNK_LEAST = 64, // frames of the given chunk at least: 1 MiB
    STREAMS_CHUNKS = 16,      // of the given size in a long recording
    STREAMS_TABLE = 4096,     // entries of the table that steps 5 and 6 walk through
    STREAMS_WALK = 64,        // entries that a block of the survey visits
    STREAMS_QUESTIONS = 24,   // of steps 5 and 6
    STREAMS_ASKED = 8,        // entries that a question visits
    STREAMS_FIELD = 4096,     // cells of the ring of steps 7 to 9
    STREAMS_SMOOTHINGS = 32,  // of a round there; an even number
    STREAMS_PLAN_STREAMS = 4, // that a plan has room for
    STREAMS_PLAN_EVENTS = 12, // likewise
};

// What a step keeps from its preparation to its last call. All zero before the preparation; the kit
// gives back what is in it. The types are those of CUDA: cudaStream_t, cudaEvent_t, cudaGraph_t,
// cudaGraphExec_t, cudaGraphNode_t.
typedef struct streams_plan {
    float *h_x, *h_y; // host memory of x and y; where it stays NULL the kit takes malloc()'s
    float *d_memory;  // device memory, from cudaMalloc
    struct CUstream_st *streams[STREAMS_PLAN_STREAMS];
    struct CUevent_st *events[STREAMS_PLAN_EVENTS];
    struct CUgraph_st *graph;    // as captured
    struct CUgraphExec_st *exec; // as it is launched
    struct CUgraphNode_st *node; // of `graph`, whose parameters change
    int64_t chunk;               // frames of a chunk, where a step chooses
} streams_plan;

// A step is a program in two parts, each called by the host.
//
// The preparation is called once, before any number of calls with the same n. It makes what the
// calls need: streams, events, graphs, memory. It sees no data, and its time is shown apart.
typedef int streams_prepare(int64_t n, streams_plan *plan);

// The call: of x, which lies in plan->h_x, it makes y in plan->h_y. Each call finds other data in x
// and NaN in y. It returns when all of y is there, and everything that it has put into a stream has
// ended. Its time is the host's, from beginning to end.
//
// Steps 0 to 4 and 10, a filter. n: frames, 1 <= n <= 2^18; x, y: [n][STREAMS_CHANNELS], host. Of
// each channel y[f] = y[f - 1] + (x[f] - y[f - 1]) / 8, with y[-1] = 0.
//
// Steps 5 and 6, a survey and questions. n: blocks of the survey, 1 <= n <= 2^16. x:
// [STREAMS_TABLE], whole numbers below STREAMS_TABLE: from entry i one comes to entry x[i]. y: [n]
// where block b's walk from entry b % STREAMS_TABLE ends after STREAMS_WALK entries; then
// [STREAMS_QUESTIONS] answers: where STREAMS_ASKED entries lead to from entry 0, from there, and so
// on. Each question is asked when the host knows the answer before.
//
// Steps 7 to 9, a ring that is disturbed and smoothed. n: rounds, 1 <= n <= 2^12; x: [n]; y:
// [STREAMS_FIELD]. The ring begins with zeros. A round r sets cell 0 to x[r]; then
// STREAMS_SMOOTHINGS times each cell becomes a quarter of both neighbours and half of itself.
//
// Returns 0, a cudaError_t, or STREAMS_NOT_IMPLEMENTED. The kernels are given (streams.cuh); the
// bounds of error are those of their arithmetic (reference.c).
typedef int streams_function(int64_t n, const streams_plan *plan);

streams_prepare streams_prepare0, streams_prepare1, streams_prepare2, streams_prepare3,
    streams_prepare4, streams_prepare5, streams_prepare6, streams_prepare7, streams_prepare8,
    streams_prepare9, streams_prepare10;
streams_function streams_step0, streams_step1, streams_step2, streams_step3, streams_step4,
    streams_step5, streams_step6, streams_step7, streams_step8, streams_step9, streams_step10;
streams_prepare streams_vendor_prepare; // what the links and the kernel allow (vendor.cu)
streams_function streams_vendor;

// Bytes of so many frames.
static inline size_t streams_frame_bytes(int64_t frames) {
    return (size_t)frames * STREAMS_CHANNELS * sizeof(float);
}

// Frames of a chunk in steps 2 to 4: a sixteenth of the recording, but at least 1 MiB.
static inline int64_t streams_given_chunk(int64_t n) {
    int64_t chunk = (n + STREAMS_CHUNKS - 1) / STREAMS_CHUNKS;
    return chunk < STREAMS_CHUNK_LEAST ? STREAMS_CHUNK_LEAST : chunk;
}

#ifdef __cplusplus
}
#endif
