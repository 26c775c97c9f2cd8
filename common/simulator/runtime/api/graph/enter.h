// Enter a call that names a graph, a node or an executable graph, and find it.
#pragma once

#include "runtime/graph/graph.h"

cudaError_t runtime_graph_enter(const char *call, cudaGraph_t handle,
                                struct CUgraph_st **out_graph);
cudaError_t runtime_node_enter(const char *call, cudaGraphNode_t handle,
                               struct CUgraphNode_st **out_node);
// The node must be of this type.
cudaError_t runtime_node_enter_type(const char *call, cudaGraphNode_t handle,
                                    enum cudaGraphNodeType type, struct CUgraphNode_st **out_node);
cudaError_t runtime_exec_enter(const char *call, cudaGraphExec_t handle,
                               struct CUgraphExec_st **out_exec);

// The parameters of a row of node_work.def, without their parentheses.
#define RUNTIME_NODE_PARAMETERS(...) __VA_ARGS__
