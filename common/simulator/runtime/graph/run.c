// The work of nodes, done when a graph is launched.
#include "runtime/graph/graph.h"

// The kernel is looked up again: its module may be gone.
static cudaError_t run_kernel(const runtime_kernel_work *work, runtime_queue *queue,
                              runtime_way way, runtime_held *out_held) {
    struct CUkern_st *kernel;
    cudaError_t status = runtime_launch_check(&work->launch, &kernel);
    if (status) return status;
    if (kernel->info.param_bytes != work->block_bytes) return cudaErrorInvalidValue;
    return runtime_launch_run(&work->launch, kernel, work->block, queue, way, out_held);
}

static cudaError_t run_copy(const runtime_box *box, runtime_queue *queue) {
    runtime_transfer moved;
    cudaError_t status = runtime_box_move(box, queue, RUNTIME_NODE, &moved);
    if (!status && moved.bytes)
        runtime_clock_transfer(&runtime.clock, queue, sim_engine_device(runtime.engine), &moved,
                               false);
    return status;
}

static cudaError_t run_fill(const runtime_filling *filling, runtime_queue *queue) {
    runtime_transfer moved;
    cudaError_t status = runtime_filling_do(filling, queue, RUNTIME_NODE, &moved);
    if (!status)
        runtime_clock_transfer(&runtime.clock, queue, sim_engine_device(runtime.engine), &moved,
                               false);
    return status;
}

static void run_event(const runtime_work *work, runtime_queue *queue) {
    struct CUevent_st *event = runtime_event_find(work->event);
    if (!event) return; // destroyed: nobody can wait for it
    if (work->type == cudaGraphNodeTypeWaitEvent) {
        runtime_event_wait(event, queue);
        return;
    }
    runtime_event_record(event, queue);
}

// Nothing runs on a device that has faulted. A child graph is run by its parent's walk.
cudaError_t runtime_work_run(const runtime_work *work, runtime_queue *queue, runtime_way way,
                             runtime_held *out_held) {
    out_held->number = 0;
    if (runtime.now->pending || runtime.sticky) return cudaSuccess;
    switch (work->type) {
    case cudaGraphNodeTypeKernel: return run_kernel(work->kernel, queue, way, out_held);
    case cudaGraphNodeTypeMemcpy: return run_copy(&work->copy.box, queue);
    case cudaGraphNodeTypeMemset: return run_fill(&work->fill, queue);
    case cudaGraphNodeTypeHost: {
        struct cudaHostNodeParams host = work->host;
        runtime_order_host_waits(queue); // it may tell the host
        pthread_mutex_unlock(&runtime.lock);
        runtime_host_function(way == RUNTIME_IN_GRAPH ? "cudaGraphLaunch" : "cudaLaunchHostFunc");
        host.fn(host.userData);
        runtime_host_function(NULL);
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
