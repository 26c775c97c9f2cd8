// Nodes of a graph that allocate and release memory (CUDA C++ Programming Guide, "Graph Memory
// Nodes"). An address is kept when the node is made; memory lies there from a run of the node until
// a release by a node, by cudaFree or by cudaFreeAsync, so that a use before or after that faults
// as on a device.
#include "runtime/graph/graph.h"

static bool is_memory(const runtime_work *work) {
    return work->type == cudaGraphNodeTypeMemAlloc || work->type == cudaGraphNodeTypeMemFree;
}

bool runtime_graph_has_memory(const struct CUgraph_st *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (is_memory(&graph->nodes.nodes[i]->work)) return true;
    return false;
}

static cudaError_t check_params(const struct cudaMemAllocNodeParams *params) {
    if (!params || params->bytesize == 0) return cudaErrorInvalidValue;
    const struct cudaMemPoolProps *properties = &params->poolProps;
    if (properties->allocType != cudaMemAllocationTypePinned ||
        properties->handleTypes != cudaMemHandleTypeNone ||
        properties->location.type != cudaMemLocationTypeDevice ||
        !runtime_has_device(properties->location.id))
        return cudaErrorInvalidValue;
    if (params->accessDescCount > 1 || (params->accessDescCount && !params->accessDescs))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t runtime_work_allocation(const struct cudaMemAllocNodeParams *params,
                                    runtime_work *out_work) {
    uint64_t address;
    kl_error err = {0};
    cudaError_t status = check_params(params);
    if (status) return status;
    if (sim_memory_alloc(runtime.engine, params->bytesize, &address, &err) != SIM_OK ||
        sim_memory_free(runtime.engine, address, &err) != SIM_OK)
        return runtime_fail(&err);
    *out_work = (runtime_work){
        .type = cudaGraphNodeTypeMemAlloc,
        .memory = {.bytes = params->bytesize, .address = (void *)(uintptr_t)address}};
    return cudaSuccess;
}

// What this graph releases must be a graph's allocation, and released but once in it.
cudaError_t runtime_work_release(const struct CUgraph_st *graph, void *address,
                                 runtime_work *out_work) {
    const struct CUgraphNode_st *node;
    bool allocated = false;
    for (size_t at = 0; !allocated && (node = runtime_map_next(&runtime.nodes, &at));)
        allocated =
            node->work.type == cudaGraphNodeTypeMemAlloc && node->work.memory.address == address;
    if (!allocated) return cudaErrorInvalidValue;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const runtime_work *work = &graph->nodes.nodes[i]->work;
        if (work->type == cudaGraphNodeTypeMemFree && work->memory.address == address)
            return cudaErrorInvalidValue;
    }
    *out_work = (runtime_work){.type = cudaGraphNodeTypeMemFree, .memory = {.address = address}};
    return cudaSuccess;
}

static bool is_live(const runtime_work *work) {
    const runtime_range *range = runtime_range_find((uint64_t)(uintptr_t)work->memory.address);
    return range;
}

cudaError_t runtime_graph_memory_ready(const struct CUgraph_st *graph, bool frees) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const runtime_work *work = &graph->nodes.nodes[i]->work;
        if (work->type != cudaGraphNodeTypeMemAlloc || !is_live(work)) continue;
        cudaError_t status = frees ? runtime_free(work->memory.address) : cudaErrorInvalidValue;
        if (status) return status;
    }
    return cudaSuccess;
}

cudaError_t runtime_work_run_memory(const runtime_work *work) {
    if (work->type == cudaGraphNodeTypeMemFree) return runtime_free(work->memory.address);
    return runtime_graph_alloc((uint64_t)(uintptr_t)work->memory.address, work->memory.bytes);
}
