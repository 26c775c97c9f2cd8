// SPDX-License-Identifier: MIT
// What the nodes of a graph do: made from the parameters of each kind of node, which are checked as the
// real runtime does when a node is added, and done when a graph is launched.
#include "runtime/graph/graph.h"

#include <stdlib.h>
#include <string.h>

// ---- kernels ------------------------------------------------------------------------------------

static void free_kernel(runtime_kernel_work *kernel) {
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
        free_kernel(made);
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
        free_kernel(made);
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

static cudaError_t copy_kernel(const runtime_kernel_work *from, runtime_work *out_work) {
    cudaError_t status = runtime_work_launch(&from->launch, out_work);
    if (!status) memcpy(out_work->kernel->attributes, from->attributes, sizeof from->attributes);
    return status;
}

// The kernel is looked up again: its module may be gone.
static cudaError_t run_kernel(const runtime_kernel_work *work, runtime_queue *queue) {
    struct CUkern_st *kernel;
    cudaError_t status = runtime_launch_check(&work->launch, &kernel);
    if (status) return status;
    if (kernel->info.param_bytes != work->block_bytes) return cudaErrorInvalidValue;
    return runtime_launch_run(&work->launch, kernel, work->block, queue, false);
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
    size_t to_rows = box->to_pitch ? box->to_slice / box->to_pitch : box->height;
    size_t from_rows = box->from_pitch ? box->from_slice / box->from_pitch : box->height;
    runtime_work made = {.type = cudaGraphNodeTypeMemcpy, .copy.box = *box};
    made.copy.params = (struct cudaMemcpy3DParms){
        .dstPtr = {box->to, box->to_pitch, box->width, to_rows},
        .srcPtr = {(void *)(uintptr_t)box->from, box->from_pitch, box->width, from_rows},
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

// Byte `offset` of a symbol, with `bytes` after it.
static cudaError_t symbol_at(const void *symbol, size_t bytes, size_t offset, void **out_pointer) {
    uint64_t address;
    size_t size;
    cudaError_t status = runtime_symbol_find(symbol, &address, &size);
    if (status) return status;
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    *out_pointer = (void *)(uintptr_t)(address + offset);
    return cudaSuccess;
}

cudaError_t runtime_work_to_symbol(const void *symbol, const void *from, size_t bytes,
                                   size_t offset, enum cudaMemcpyKind kind,
                                   runtime_work *out_work) {
    void *place;
    if (kind == cudaMemcpyDeviceToHost) return cudaErrorInvalidMemcpyDirection;
    cudaError_t status = symbol_at(symbol, bytes, offset, &place);
    return status ? status : runtime_work_row(place, from, bytes, kind, out_work);
}

cudaError_t runtime_work_from_symbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                     enum cudaMemcpyKind kind, runtime_work *out_work) {
    void *place;
    if (kind == cudaMemcpyHostToDevice) return cudaErrorInvalidMemcpyDirection;
    cudaError_t status = symbol_at(symbol, bytes, offset, &place);
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

static cudaError_t run_copy(const runtime_box *box, runtime_queue *queue) {
    runtime_transfer moved;
    cudaError_t status = runtime_box_move(box, &moved);
    if (!status && moved.bytes)
        runtime_clock_transfer(&runtime.clock, queue, sim_engine_device(runtime.engine), &moved,
                               false);
    return status;
}

static cudaError_t run_fill(const runtime_filling *filling, runtime_queue *queue) {
    runtime_transfer moved;
    cudaError_t status = runtime_filling_do(filling, &moved);
    if (!status)
        runtime_clock_transfer(&runtime.clock, queue, sim_engine_device(runtime.engine), &moved,
                               false);
    return status;
}

// ---- the others ---------------------------------------------------------------------------------

cudaError_t runtime_work_host(const struct cudaHostNodeParams *params, runtime_work *out_work) {
    if (!params || !params->fn) return cudaErrorInvalidValue;
    *out_work = (runtime_work){.type = cudaGraphNodeTypeHost, .host = *params};
    return cudaSuccess;
}

cudaError_t runtime_work_child(const struct CUgraph_st *child, runtime_work *out_work) {
    if (!child) return cudaErrorInvalidValue;
    if (runtime_graph_has_memory(child)) return cudaErrorNotSupported;
    struct CUgraph_st *copied = runtime_graph_copied(child);
    if (!copied) return cudaErrorMemoryAllocation;
    copied->is_child = true;
    *out_work = (runtime_work){.type = cudaGraphNodeTypeGraph, .graph = copied};
    return cudaSuccess;
}

cudaError_t runtime_work_event(enum cudaGraphNodeType type, cudaEvent_t event,
                               runtime_work *out_work) {
    if (!event || !runtime_map_get(&runtime.events, event)) return cudaErrorInvalidValue;
    *out_work = (runtime_work){.type = type, .event = event};
    return cudaSuccess;
}

static void run_event(const runtime_work *work, runtime_queue *queue) {
    struct CUevent_st *event = runtime_map_get(&runtime.events, work->event);
    if (!event) return; // destroyed: nobody can wait for it
    if (work->type == cudaGraphNodeTypeWaitEvent) {
        if (event->recorded) runtime_clock_wait(&runtime.clock, queue, event->time_us);
        return;
    }
    event->time_us = runtime_clock_ready(&runtime.clock, queue);
    event->recorded = true;
    event->capture = 0;
}

// The structures of the general functions have the layout of the older ones.
cudaError_t runtime_work_any(const struct cudaGraphNodeParams *params,
                             const struct CUgraph_st *graph, runtime_work *out_work) {
    if (!params) return cudaErrorInvalidValue;
    for (int i = 0; i < 3; i++)
        if (params->reserved0[i]) return cudaErrorInvalidValue;
    if (params->reserved2) return cudaErrorInvalidValue;
    switch (params->type) {
    case cudaGraphNodeTypeKernel:
        return runtime_work_kernel((const struct cudaKernelNodeParams *)&params->kernel, out_work);
    case cudaGraphNodeTypeMemcpy: return runtime_work_copy(&params->memcpy.copyParams, out_work);
    case cudaGraphNodeTypeMemset:
        return runtime_work_fill((const struct cudaMemsetParams *)&params->memset, out_work);
    case cudaGraphNodeTypeHost:
        return runtime_work_host((const struct cudaHostNodeParams *)&params->host, out_work);
    case cudaGraphNodeTypeGraph:
        return runtime_work_child(runtime_graph_find(params->graph.graph), out_work);
    case cudaGraphNodeTypeEmpty:
        *out_work = (runtime_work){.type = cudaGraphNodeTypeEmpty};
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return runtime_work_event(params->type, params->eventWait.event, out_work);
    case cudaGraphNodeTypeEventRecord:
        return runtime_work_event(params->type, params->eventRecord.event, out_work);
    case cudaGraphNodeTypeMemAlloc:
        if (!graph) return cudaErrorInvalidValue;
        return runtime_work_allocation((const struct cudaMemAllocNodeParams *)&params->alloc,
                                       out_work);
    case cudaGraphNodeTypeMemFree:
        if (!graph) return cudaErrorInvalidValue;
        return runtime_work_release(graph, params->free.dptr, out_work);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
    case cudaGraphNodeTypeConditional:
        runtime_say("graph nodes of this kind (semaphores, conditions) are not supported");
        return cudaErrorNotSupported;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t runtime_work_copied(const runtime_work *from, runtime_work *out_work) {
    if (from->type == cudaGraphNodeTypeKernel) return copy_kernel(from->kernel, out_work);
    if (from->type == cudaGraphNodeTypeGraph) return runtime_work_child(from->graph, out_work);
    *out_work = *from;
    return cudaSuccess;
}

void runtime_work_free(runtime_work *work) {
    if (work->type == cudaGraphNodeTypeKernel) free_kernel(work->kernel);
    if (work->type == cudaGraphNodeTypeGraph) runtime_graph_free(work->graph);
    *work = (runtime_work){.type = cudaGraphNodeTypeEmpty};
}

// Nothing runs on a device that has faulted. A child graph is run by its parent's walk.
cudaError_t runtime_work_run(const runtime_work *work, runtime_queue *queue) {
    if (runtime.pending) return cudaSuccess;
    switch (work->type) {
    case cudaGraphNodeTypeKernel: return run_kernel(work->kernel, queue);
    case cudaGraphNodeTypeMemcpy: return run_copy(&work->copy.box, queue);
    case cudaGraphNodeTypeMemset: return run_fill(&work->fill, queue);
    case cudaGraphNodeTypeHost: {
        struct cudaHostNodeParams host = work->host;
        pthread_mutex_unlock(&runtime.lock);
        host.fn(host.userData);
        pthread_mutex_lock(&runtime.lock);
        return cudaSuccess;
    }
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord: run_event(work, queue); return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree: return runtime_work_run_memory(work);
    default: return cudaSuccess;
    }
}
