// A graph: a list of nodes, each with its work and with the nodes that it waits for (CUDA Runtime
// API, "Graph Management"; CUDA C++ Programming Guide, "CUDA Graphs").
#pragma once

#include "runtime/code/code.h"
#include "runtime/memory/memory.h"
#include "runtime/stream/stream.h"

// ---- work.c -------------------------------------------------------------------------------------
// What a node of a graph does, made from the parameters of each kind of node.

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

enum { RUNTIME_CONDITION_IF, RUNTIME_CONDITION_WHILE, RUNTIME_CONDITION_SWITCH };

typedef struct runtime_condition_work {
    unsigned long long handle;
    unsigned kind, size;        // RUNTIME_CONDITION_*
    struct CUgraph_st **bodies; // owned: [size], each too
} runtime_condition_work;

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
        runtime_condition_work condition;
    };
} runtime_work;

// The graphs inside a node's work; *out_count: 0 of most.
struct CUgraph_st *const *runtime_work_graphs(const runtime_work *work, size_t *out_count);

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
cudaError_t runtime_work_event(enum cudaGraphNodeType type, cudaEvent_t event,
                               runtime_work *out_work);

cudaError_t runtime_kernel_work_copy(const runtime_kernel_work *from, runtime_work *out_work);
void runtime_kernel_work_free(runtime_kernel_work *kernel);
// The kernel of an executable graph's node that becomes `then` keeps the clusters that it was
// instantiated with, without an error (H200, CUDA 13.0); asked: those that the program expects.
void runtime_cluster_keep(const runtime_kernel_work *now, runtime_kernel_work *then, dim3 asked);
// Whether the node of an executable graph may take over this work.
bool runtime_work_may_become(const runtime_work *now, const runtime_work *then);

// ---- graph.c ------------------------------------------------------------------------------------

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    runtime_work work;
    runtime_node_set before;    // what it waits for
    unsigned long long serial;  // no other node of the process has it, dead ones included
    unsigned long long twin_of; // in a clone: serial of the node it was made from; else 0
    size_t id;                  // its place in its graph when it was added
    int device;                 // on which its work runs: that in use when it was added
    bool disabled;              // in an executable graph
    runtime_moment end_of_run;  // of its last one, on the virtual clock
    struct runtime_task *task;  // that is to do it; NULL: none
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

// A number that kernels set and that a node of the graph looks at.
typedef struct runtime_condition {
    unsigned long long handle;
    unsigned value; // that it has at each launch, if `assigns`
    bool assigns, is_used;
} runtime_condition;

struct CUgraph_st {
    runtime_node_set nodes; // in the order in which they were added
    runtime_condition *conditions;
    size_t condition_count;
    unsigned long long id;
    size_t next_node_id;
    bool is_child;                   // owned by a node or an executable graph
    const struct CUgraph_st *around; // whose conditional node it is a body of; NULL: of none
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

// A new condition of the graph.
cudaError_t runtime_condition_add(struct CUgraph_st *graph, unsigned value, bool assigns,
                                  unsigned long long *out_handle);
// A copy of the graph as the work of a node.
cudaError_t runtime_work_child(const struct CUgraph_st *child, runtime_work *out_work);
// A new node's, from the general structure: `graph` is what it will belong to; NULL: of a node that
// is there, in which allocations and releases do not change.
cudaError_t runtime_work_any(const struct cudaGraphNodeParams *params,
                             const struct CUgraph_st *graph, runtime_work *out_work);
cudaError_t runtime_work_copied(const runtime_work *from, runtime_work *out_work);
void runtime_work_free(runtime_work *work);

// ---- work.c -------------------------------------------------------------------------------------
// Nodes that allocate and release memory.

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

// ---- exec.c -------------------------------------------------------------------------------------
// Executable graphs: instances of a graph, launched as often as the program likes.

struct CUgraphExec_st {
    struct CUgraph_st *graph; // a clone, its nodes in an order that respects the edges
    unsigned long long flags;
    unsigned long long source; // id of the graph it was made from
    bool running, doomed;      // a host function of it runs; destroyed meanwhile
    struct runtime_task *last; // the end of its last launch that is not done yet
};

// NULL for a handle that nothing live has.
struct CUgraphExec_st *runtime_exec_find(cudaGraphExec_t exec);
cudaError_t runtime_exec_create(const struct CUgraph_st *graph, unsigned long long flags,
                                cudaGraphExec_t *out_exec);
// Whether kernels could launch it: it has kernels, copies, fills and graphs of such only.
bool runtime_graph_is_for_kernels(const struct CUgraph_st *graph);
// A graph that another thread runs just now goes when it is done.
void runtime_exec_destroy(struct CUgraphExec_st *exec);
void runtime_execs_reset(void);
// `handle`: of the stream, which is looked up again, as host functions run without the lock.
cudaError_t runtime_exec_launch(struct CUgraphExec_st *exec, struct CUstream_st *stream,
                                cudaStream_t handle);
// Replaces the work of the node made from `original`; takes `work` over.
cudaError_t runtime_exec_set_work(struct CUgraphExec_st *exec, cudaGraphNode_t original,
                                  runtime_work *work);

// ---- update.c -----------------------------------------------------------------------------------
// Whole changes of executable graphs.

// Makes `now`, the graph of an executable one or inside it, do what `then` does, if its nodes allow
// that. cudaErrorGraphExecUpdateFailure if not: then *out_info says where they differ.
cudaError_t runtime_graph_update(struct CUgraph_st *now, const struct CUgraph_st *then,
                                 cudaGraphExecUpdateResultInfo *out_info);

// ---- task.c -------------------------------------------------------------------------------------
// The work of a node, done.

// Does it now, in `queue`. Host functions run with the runtime's lock free. out_held: of a kernel
// that waits for others.
cudaError_t runtime_work_run(const runtime_work *work, runtime_queue *queue, runtime_way way,
                             runtime_held *out_held);

// ---- task.c -------------------------------------------------------------------------------------
// Work that cannot be done when it is submitted: a kernel that polls memory which nobody has
// written yet, and all that comes after it in its stream, by an event or in its graph. It goes on
// when other work has changed memory, and always in the same order.

typedef struct runtime_task runtime_task;

// A task without work, after which others come, at `ready` at the earliest. NULL: out of memory.
runtime_task *runtime_task_start(runtime_moment ready);
// Work that comes later, for `queue`, whose copy is the task's own. Takes `work` over. NULL: out of
// memory.
runtime_task *runtime_task_of(runtime_work *work, const runtime_queue *queue);
// A kernel that has been set aside.
runtime_task *runtime_task_held(const runtime_held *held, const runtime_queue *queue);
// `task` waits for `earlier`, which may be NULL.
void runtime_task_after(runtime_task *task, runtime_task *earlier);
// The same for what is before it in a stream; it is the stream's last then.
void runtime_task_in_stream(runtime_task *task, struct CUstream_st *stream);
// A node begins with a task, and is done with it or another one. first: for the checks, what is
// before the graph; 0: the node is work of its stream.
void runtime_task_begins(runtime_task *task, struct CUgraphNode_st *node, sim_queue first);
void runtime_task_of_node(runtime_task *task, struct CUgraphNode_st *node, sim_queue first);
// With it all nodes of a graph are done, of which the checks are told.
void runtime_task_ends(runtime_task *task, const struct CUgraph_st *graph, sim_queue order,
                       sim_queue first);
// With it the last launch of an executable graph is done, which `ended` is told.
void runtime_task_ends_graph(runtime_task *task, struct CUgraphExec_st *exec,
                             void (*ended)(struct CUgraphExec_st *exec));

// What the checks are told before a node of a graph runs, and when all have.
void runtime_node_order(struct CUgraphNode_st *node, sim_queue first);
void runtime_graph_order(const struct CUgraph_st *graph, sim_queue order, sim_queue first);

// Whether what is put into the stream now has to wait for a task.
bool runtime_stream_is_held(const struct CUstream_st *stream);
// Work for such a stream: the call's part is done. Takes `work` over.
cudaError_t runtime_stream_put(struct CUstream_st *stream, runtime_work *work);
// The call under way has put a kernel into the stream that was set aside.
cudaError_t runtime_stream_put_held(struct CUstream_st *stream, const runtime_held *held);

// The stream waits for the event from here on, or records it: now, if both have come to it.
cudaError_t runtime_stream_put_wait(struct CUstream_st *stream, struct CUevent_st *event);
cudaError_t runtime_stream_put_record(struct CUstream_st *stream, struct CUevent_st *event);

// Memory has changed, or the host asks: what can go on does.
void runtime_tasks_go_on(sim_patience patience);
// The host asks whether something is done. One that asks again and again for what nothing will end
// has it ended as a deadlock.
void runtime_tasks_poll(void);
// The host waits for a task, for what records an event, for all of a stream or a device. What then
// surfaces.
cudaError_t runtime_task_wait(const runtime_task *task);
cudaError_t runtime_event_task_wait(const struct CUevent_st *event);
cudaError_t runtime_stream_wait(const struct CUstream_st *stream);
cudaError_t runtime_device_wait(int device);

// ---- dot.c --------------------------------------------------------------------------------------
// A graph as text for Graphviz.

// `flags`: enum cudaGraphDebugDotFlags.
void runtime_graph_print(FILE *file, const struct CUgraph_st *graph, unsigned flags);

// ---- graph.c ------------------------------------------------------------------------------------
// User objects: resources of the program with a count of references, which graphs hold together
// with the program (CUDA Runtime API, "Graph Management", cudaUserObjectCreate).

struct CUuserObject_st {
    runtime_destructor destructor; // first: the object is freed with it
    uint64_t references;           // of the program and of graphs
};

// NULL for a handle that nothing live has.
struct CUuserObject_st *runtime_user_object_find(cudaUserObject_t object);
// The destructor runs at the end of the call that gives the last reference back.
void runtime_user_object_give_back(struct CUuserObject_st *object, unsigned count);
// The graph's references to an object; NULL when it has none.
runtime_user_reference *runtime_user_reference_find(const struct CUgraph_st *graph,
                                                    const struct CUuserObject_st *object);
bool runtime_user_reference_add(struct CUgraph_st *graph, struct CUuserObject_st *object,
                                unsigned count); // false: out of memory

bool runtime_users_copy(const struct CUgraph_st *from, struct CUgraph_st *to);
void runtime_users_release(struct CUgraph_st *graph);
