// SPDX-License-Identifier: MIT
// Executable graphs: instances of a graph, launched as often as the program likes.
#ifndef SIM_RUNTIME_GRAPH_EXEC_H
#define SIM_RUNTIME_GRAPH_EXEC_H

#include "runtime/graph/graph.h"
#include "runtime/stream/stream.h"

struct CUgraphExec_st {
    struct CUgraph_st *graph; // a clone, its nodes in an order that respects the edges
    unsigned long long flags;
    unsigned long long source; // id of the graph it was made from
    bool running, doomed;      // a host function of it runs; destroyed meanwhile
};

// NULL for a handle that nothing live has.
struct CUgraphExec_st *runtime_exec_find(cudaGraphExec_t exec);
cudaError_t runtime_exec_create(const struct CUgraph_st *graph, unsigned long long flags,
                                cudaGraphExec_t *out_exec);
// A graph that another thread runs just now goes when it is done.
void runtime_exec_destroy(struct CUgraphExec_st *exec);
void runtime_execs_reset(void);
// `handle`: of the stream, which is looked up again, as host functions run without the lock.
cudaError_t runtime_exec_launch(struct CUgraphExec_st *exec, struct CUstream_st *stream,
                                cudaStream_t handle);
// Replaces the work of the node made from `original`; takes `work` over.
cudaError_t runtime_exec_set_work(struct CUgraphExec_st *exec, cudaGraphNode_t original,
                                  runtime_work *work);

#endif
