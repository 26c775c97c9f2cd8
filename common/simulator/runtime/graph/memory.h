// SPDX-License-Identifier: MIT
// Nodes that allocate and release memory.
#ifndef SIM_RUNTIME_GRAPH_MEMORY_H
#define SIM_RUNTIME_GRAPH_MEMORY_H

#include "runtime/graph/graph.h"

// A graph with allocations or releases keeps its nodes and edges, is copied into no other one, and
// has one instance at a time (CUDA C++ Programming Guide, "Graph Memory Nodes").
bool runtime_graph_has_memory(const struct CUgraph_st *graph);
// Keeps an address for the allocation; memory lies there from each run of the node to the release.
cudaError_t runtime_work_allocation(const struct cudaMemAllocNodeParams *params,
                                    runtime_work *out_work);
cudaError_t runtime_work_release(const struct CUgraph_st *graph, void *address,
                                 runtime_work *out_work);
cudaError_t runtime_work_run_memory(const runtime_work *work);
// Before a launch: what the last one allocated and nobody released is released now or, unless
// `frees`, an error.
cudaError_t runtime_graph_memory_ready(const struct CUgraph_st *graph, bool frees);

#endif
