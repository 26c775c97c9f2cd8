// What the nodes of a graph do: made from the parameters of each kind of node, which are checked as
// the real runtime does when a node is added. Graphs inside graphs are in graph.c.
#include "runtime/graph/graph.h"

// ---- kernels ------------------------------------------------------------------------------------

void runtime_kernel_work_free(runtime_kernel_work *kernel) {
    if (!kernel) return;
    free(kernel->launch.arguments);
    free(kernel->block);
    free(kernel);
}

static runtime_kernel_work *new_kernel(const runtime_launch *launch,
                                       const sim_function_info *info) {
    runtime_kernel_work *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->launch = *launch;
    made->launch.stream = NULL;
    made->block_bytes = info->param_bytes;
    made->block = calloc(1, info->param_bytes + 1);
    made->launch.arguments = calloc(info->param_count + 1, sizeof(void *));
    if (!made->block || !made->launch.arguments) {
        runtime_kernel_work_free(made);
        return NULL;
    }
    for (uint32_t i = 0; i < info->param_count; i++)
        made->launch.arguments[i] = made->block + info->params[i].offset;
    made->attributes[cudaLaunchAttributeCooperative].cooperative = launch->cooperative;
    return made;
}

cudaError_t runtime_work_launch(const runtime_launch *launch, runtime_work *out_work) {
    struct CUkern_st *kernel;
    cudaError_t status = runtime_launch_check(launch, &kernel);
    if (status) return status;
    runtime_kernel_work *made = new_kernel(launch, &kernel->info);
    if (!made) return cudaErrorMemoryAllocation;
    if (kernel->host) made->launch.function = kernel->host;
    status = runtime_launch_gather(kernel, launch->arguments, made->block);
    if (status) {
        runtime_kernel_work_free(made);
        return status;
    }
    *out_work = (runtime_work){.type = cudaGraphNodeTypeKernel, .kernel = made};
    return cudaSuccess;
}

cudaError_t runtime_work_kernel(const struct cudaKernelNodeParams *params, runtime_work *out_work) {
    if (!params) return cudaErrorInvalidValue;
    if (params->extra) {
        runtime_say("kernel nodes with their parameters in one buffer (extra) are not supported");
        return cudaErrorNotSupported;
    }
    runtime_launch launch = {.function = params->func,
                             .grid = params->gridDim,
                             .block = params->blockDim,
                             .arguments = params->kernelParams,
                             .shared_bytes = params->sharedMemBytes};
    return runtime_work_launch(&launch, out_work);
}

cudaError_t runtime_kernel_work_copy(const runtime_kernel_work *from, runtime_work *out_work) {
    cudaError_t status = runtime_work_launch(&from->launch, out_work);
    if (!status) memcpy(out_work->kernel->attributes, from->attributes, sizeof from->attributes);
    return status;
}

// ---- memory -------------------------------------------------------------------------------------

cudaError_t runtime_work_copy(const struct cudaMemcpy3DParms *params, runtime_work *out_work) {
    if (!params) return cudaErrorInvalidValue;
    runtime_work made = {.type = cudaGraphNodeTypeMemcpy, .copy.params = *params};
    cudaError_t status = runtime_box_of(params, &made.copy.box);
    if (!status && made.copy.box.width == 0) status = cudaErrorInvalidValue;
    if (!status) status = runtime_box_check(&made.copy.box);
    if (!status) *out_work = made;
    return status;
}

cudaError_t runtime_work_box(const runtime_box *box, runtime_work *out_work) {
    cudaError_t status = runtime_box_check(box);
    if (status) return status;
    bool is_row = box->height == 1 && !box->to_pitch && !box->from_pitch;
    size_t to_rows = box->to_pitch ? box->to_slice / box->to_pitch : box->height;
    size_t from_rows = box->from_pitch ? box->from_slice / box->from_pitch : box->height;
    runtime_work made = {.type = cudaGraphNodeTypeMemcpy, .copy.box = *box};
    made.copy.params = (struct cudaMemcpy3DParms){
        .dstPtr = {box->to, box->to_pitch, is_row ? 0 : box->width, is_row ? 0 : to_rows},
        .srcPtr = {(void *)(uintptr_t)box->from, box->from_pitch, is_row ? 0 : box->width,
                   is_row ? 0 : from_rows},
        .extent = {box->width, box->height, box->depth},
        .kind = box->kind};
    *out_work = made;
    return cudaSuccess;
}

// A row of bytes, as parameters of a copy.
cudaError_t runtime_work_row(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                             runtime_work *out_work) {
    runtime_box row = {
        .to = to, .from = from, .width = bytes, .height = 1, .depth = 1, .kind = kind};
    if (bytes == 0) return cudaErrorInvalidValue;
    return runtime_work_box(&row, out_work);
}

cudaError_t runtime_work_to_symbol(const void *symbol, const void *from, size_t bytes,
                                   size_t offset, enum cudaMemcpyKind kind,
                                   runtime_work *out_work) {
    void *place;
    if (kind == cudaMemcpyDeviceToHost) return cudaErrorInvalidMemcpyDirection;
    cudaError_t status = runtime_symbol_part(symbol, bytes, offset, &place);
    return status ? status : runtime_work_row(place, from, bytes, kind, out_work);
}

cudaError_t runtime_work_from_symbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                     enum cudaMemcpyKind kind, runtime_work *out_work) {
    void *place;
    if (kind == cudaMemcpyHostToDevice) return cudaErrorInvalidMemcpyDirection;
    cudaError_t status = runtime_symbol_part(symbol, bytes, offset, &place);
    return status ? status : runtime_work_row(to, place, bytes, kind, out_work);
}

cudaError_t runtime_work_fill(const struct cudaMemsetParams *params, runtime_work *out_work) {
    if (!params) return cudaErrorInvalidValue;
    uint32_t element = params->elementSize;
    if (element != 1 && element != 2 && element != 4) return cudaErrorInvalidValue;
    if (params->width == 0 || params->height == 0) return cudaErrorInvalidValue;
    runtime_work made = {.type = cudaGraphNodeTypeMemset,
                         .fill = {.start = params->dst,
                                  .pitch = params->pitch,
                                  .value = params->value,
                                  .element_bytes = element,
                                  .width = params->width,
                                  .height = params->height,
                                  .depth = 1}};
    cudaError_t status = runtime_filling_check(&made.fill);
    if (!status) *out_work = made;
    return status;
}

// ---- the others ---------------------------------------------------------------------------------

cudaError_t runtime_work_host(const struct cudaHostNodeParams *params, runtime_work *out_work) {
    if (!params || !params->fn) return cudaErrorInvalidValue;
    *out_work = (runtime_work){.type = cudaGraphNodeTypeHost, .host = *params};
    return cudaSuccess;
}

cudaError_t runtime_work_event(enum cudaGraphNodeType type, cudaEvent_t event,
                               runtime_work *out_work) {
    if (!event || !runtime_event_find(event)) return cudaErrorInvalidValue;
    *out_work = (runtime_work){.type = type, .event = event};
    return cudaSuccess;
}

// What an H100 allows to change without a new instance: everything of a kernel and a host function,
// the places and values of copies and fills as long as their kind and shape stay.
bool runtime_work_may_become(const runtime_work *now, const runtime_work *then) {
    if (now->type != then->type) return false;
    if (now->type == cudaGraphNodeTypeMemcpy) {
        bool one_row = now->copy.box.height == 1 && now->copy.box.depth == 1;
        bool still = then->copy.box.height == 1 && then->copy.box.depth == 1;
        return one_row == still && now->copy.box.kind == then->copy.box.kind;
    }
    if (now->type == cudaGraphNodeTypeMemAlloc || now->type == cudaGraphNodeTypeMemFree)
        return now->memory.address == then->memory.address;
    if (now->type == cudaGraphNodeTypeMemset)
        return (now->fill.height == 1) == (then->fill.height == 1);
    return true;
}

// ---- nodes that allocate and release memory -----------------------------------------------------
// (CUDA C++ Programming Guide, "Graph Memory Nodes"). An address is kept when the node is made;
// memory lies there from a run of the node until a release by a node, by cudaFree or by
// cudaFreeAsync, so that a use before or after that faults as on a device.

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
