// SPDX-License-Identifier: MIT
// A graph: a list of nodes, each with its work and with the nodes that it waits for (CUDA Runtime
// API, "Graph Management"; CUDA C++ Programming Guide, "CUDA Graphs").
#ifndef SIM_RUNTIME_GRAPH_GRAPH_H
#define SIM_RUNTIME_GRAPH_GRAPH_H

#include "device/queues.h"
#include "runtime/base/node_set.h"
#include "runtime/graph/work.h"

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    runtime_work work;
    runtime_node_set before;    // what it waits for
    unsigned long long serial;  // no other node of the process has it, dead ones included
    unsigned long long twin_of; // in a clone: serial of the node it was made from; else 0
    size_t id;                  // its place in its graph when it was added
    bool disabled;              // in an executable graph
    double end_us;              // of its last run, on the virtual clock
    // Names for the checks: of a line of its own and of its end (0: none yet), and of the line that
    // it runs in.
    sim_queue own_line, end, line;
    bool goes_on, has_next; // in this run: a node follows in its line; a node waits for it
    size_t waiting;         // a mark or a number of walks over the graph
};

typedef struct runtime_user_reference {
    struct CUuserObject_st *object;
    unsigned count;
} runtime_user_reference;

struct CUgraph_st {
    runtime_node_set nodes; // in the order in which they were added
    unsigned long long id;
    size_t next_node_id;
    bool is_child; // owned by a node or an executable graph
    runtime_user_reference *users;
    size_t user_count;
};

// NULL for a handle that nothing live has.
struct CUgraph_st *runtime_graph_find(cudaGraph_t graph);
struct CUgraphNode_st *runtime_node_find(cudaGraphNode_t node);

struct CUgraph_st *runtime_graph_new(void); // NULL: out of memory
struct CUgraph_st *runtime_graph_copied(const struct CUgraph_st *from);
void runtime_graph_free(struct CUgraph_st *graph);
// Executable graphs go before them.
void runtime_graphs_reset(void);
// Takes `work` over, also when it fails. `before` may name nodes of this graph only, each once.
cudaError_t runtime_graph_add(struct CUgraph_st *graph, const cudaGraphNode_t *before, size_t count,
                              runtime_work *work, struct CUgraphNode_st **out_node);
// Takes a node and its edges out of its graph and frees it.
void runtime_graph_remove(struct CUgraphNode_st *node);
// The node of a clone, or of the graphs inside it, that was made from `node`; NULL when none was.
struct CUgraphNode_st *runtime_graph_twin(const struct CUgraph_st *clone,
                                          const struct CUgraphNode_st *node);
// Nodes in an order that respects all dependencies, for free(); cudaErrorInvalidValue: a cycle.
cudaError_t runtime_graph_sort(const struct CUgraph_st *graph, struct CUgraphNode_st ***out_order);

// A copy of the graph as the work of a node.
cudaError_t runtime_work_child(const struct CUgraph_st *child, runtime_work *out_work);
// A new node's, from the general structure: `graph` is what it will belong to; NULL: of a node that
// is there, in which allocations and releases do not change.
cudaError_t runtime_work_any(const struct cudaGraphNodeParams *params,
                             const struct CUgraph_st *graph, runtime_work *out_work);
cudaError_t runtime_work_copied(const runtime_work *from, runtime_work *out_work);
void runtime_work_free(runtime_work *work);

#endif
