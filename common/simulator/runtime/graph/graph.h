// SPDX-License-Identifier: MIT
// Graphs and stream capture in the drop-in runtime (CUDA Runtime API, "Graph Management"; CUDA C++
// Programming Guide, "CUDA Graphs"). A graph is a list of nodes with the nodes each one waits for; a
// captured stream is one that appends to such a list instead of running. Private to runtime_graph*.c,
// capture.c and the files whose calls can be captured.
#ifndef SIM_RUNTIME_GRAPH_GRAPH_H
#define SIM_RUNTIME_GRAPH_GRAPH_H

#include "runtime/runtime.h"

// ---- what a node does (work.c) ----------------------------------------------------

enum { RUNTIME_LAUNCH_ATTRIBUTES = 17 }; // ids below it are kept with a kernel node

typedef struct runtime_kernel_work {
    runtime_launch launch; // arguments: pointers into `block`
    uint8_t *block;        // parameters as the program gave them
    uint32_t block_bytes;
    cudaLaunchAttributeValue attributes[RUNTIME_LAUNCH_ATTRIBUTES];
} runtime_kernel_work;

typedef struct runtime_memcpy_work {
    struct cudaMemcpy3DParms params; // as asked for, or what comes to the same
    runtime_box box;
} runtime_memcpy_work;

typedef struct runtime_memory_work { // allocation and release
    uint64_t bytes;                  // of an allocation
    void *address;                   // the same in every launch
} runtime_memory_work;

typedef struct runtime_work {
    enum cudaGraphNodeType type;
    union {
        runtime_kernel_work *kernel; // owned
        runtime_memcpy_work copy;
        runtime_filling fill;
        struct cudaHostNodeParams host;
        struct CUgraph_st *graph; // owned
        cudaEvent_t event;
        runtime_memory_work memory;
    };
} runtime_work;

// Each makes the work of a node, or says what is wrong with the parameters.
cudaError_t runtime_work_kernel(const struct cudaKernelNodeParams *params, runtime_work *out_work);
cudaError_t runtime_work_launch(const runtime_launch *launch, runtime_work *out_work);
cudaError_t runtime_work_copy(const struct cudaMemcpy3DParms *params, runtime_work *out_work);
cudaError_t runtime_work_box(const runtime_box *box, runtime_work *out_work);
// A row of bytes, also of a symbol.
cudaError_t runtime_work_row(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                             runtime_work *out_work);
cudaError_t runtime_work_to_symbol(const void *symbol, const void *from, size_t bytes,
                                   size_t offset, enum cudaMemcpyKind kind, runtime_work *out_work);
cudaError_t runtime_work_from_symbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                     enum cudaMemcpyKind kind, runtime_work *out_work);
cudaError_t runtime_work_fill(const struct cudaMemsetParams *params, runtime_work *out_work);
cudaError_t runtime_work_host(const struct cudaHostNodeParams *params, runtime_work *out_work);
cudaError_t runtime_work_child(const struct CUgraph_st *child, runtime_work *out_work);
cudaError_t runtime_work_event(enum cudaGraphNodeType type, cudaEvent_t event,
                               runtime_work *out_work);
// Keeps an address for the allocation; memory lies there from each run of the node to the release.
cudaError_t runtime_work_allocation(const struct cudaMemAllocNodeParams *params,
                                    runtime_work *out_work);
cudaError_t runtime_work_release(const struct CUgraph_st *graph, void *address,
                                 runtime_work *out_work);
// A new node's: `graph` is what it will belong to; NULL: of a node that is there, in which
// allocations and releases do not change.
cudaError_t runtime_work_any(const struct cudaGraphNodeParams *params,
                             const struct CUgraph_st *graph, runtime_work *out_work);
cudaError_t runtime_work_copied(const runtime_work *from, runtime_work *out_work);
void runtime_work_free(runtime_work *work);
// Does it now, in `queue`. Host functions run with the runtime's lock free.
cudaError_t runtime_work_run(const runtime_work *work, runtime_queue *queue);

// ---- graphs (graph.c) -------------------------------------------------------------------

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    runtime_work work;
    runtime_node_set before;    // what it waits for
    unsigned long long serial;  // no other node of the process has it, dead ones included
    unsigned long long twin_of; // in a clone: serial of the node it was made from; else 0
    size_t id;                  // its place in its graph when it was added
    bool disabled;              // in an executable graph
    double end_us;              // of its last run, on the virtual clock
    size_t waiting;             // a mark or a number of walks over the graph
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

// Enters a call about a node of one kind and finds it.
cudaError_t runtime_node_enter(const char *call, cudaGraphNode_t handle,
                               enum cudaGraphNodeType type, struct CUgraphNode_st **out_node);

struct CUgraph_st *runtime_graph_new(void); // NULL: out of memory
struct CUgraph_st *runtime_graph_copied(const struct CUgraph_st *from);
void runtime_graph_free(struct CUgraph_st *graph);
// Takes `work` over, also when it fails. `before` may name nodes of this graph only, each once.
cudaError_t runtime_graph_add(struct CUgraph_st *graph, const cudaGraphNode_t *before, size_t count,
                              runtime_work *work, struct CUgraphNode_st **out_node);
// The node of a clone, or of the graphs inside it, that was made from `node`; NULL when none was.
struct CUgraphNode_st *runtime_graph_twin(const struct CUgraph_st *clone,
                                          const struct CUgraphNode_st *node);
// Nodes in an order that respects all dependencies, for free(); cudaErrorInvalidValue: a cycle.
cudaError_t runtime_graph_sort(const struct CUgraph_st *graph, struct CUgraphNode_st ***out_order);

bool runtime_set_add(runtime_node_set *set, struct CUgraphNode_st *node); // false: out of memory
bool runtime_set_has(const runtime_node_set *set, const struct CUgraphNode_st *node);
bool runtime_set_copy(const runtime_node_set *from, runtime_node_set *out_set);
bool runtime_set_remove(runtime_node_set *set, const struct CUgraphNode_st *node);
void runtime_set_free(runtime_node_set *set);

// ---- memory of graphs (memory.c) ---------------------------------------------------

// A graph with allocations or releases keeps its nodes and edges, is copied into no other one, and
// has one instance at a time (CUDA C++ Programming Guide, "Graph Memory Nodes").
bool runtime_graph_has_memory(const struct CUgraph_st *graph);
cudaError_t runtime_work_run_memory(const runtime_work *work);
// Before a launch: what the last one allocated and nobody released is released now or, unless
// `frees`, an error.
cudaError_t runtime_graph_memory_ready(const struct CUgraph_st *graph, bool frees);
// runtime/memory/pool.c: memory of graphs at an address that was kept for it.
cudaError_t runtime_graph_alloc(uint64_t address, uint64_t bytes);

// ---- executable graphs (exec.c) ---------------------------------------------------

struct CUgraphExec_st {
    struct CUgraph_st *graph; // a clone, its nodes in an order that respects the edges
    unsigned long long flags;
    unsigned long long source; // id of the graph it was made from
    bool running, doomed;      // a host function of it runs; destroyed meanwhile
};

struct CUgraphExec_st *runtime_exec_find(cudaGraphExec_t exec);
// Whether the node of an executable graph may take over this work.
bool runtime_work_may_become(const runtime_work *now, const runtime_work *then);
void runtime_execs_reset(void);

// ---- user objects (user_object.c) -------------------------------------------------------

bool runtime_users_copy(const struct CUgraph_st *from, struct CUgraph_st *to);
void runtime_users_release(struct CUgraph_st *graph);

#endif
