// SPDX-License-Identifier: MIT
// What a node of a graph does, made from the parameters of each kind of node.
#ifndef SIM_RUNTIME_GRAPH_WORK_H
#define SIM_RUNTIME_GRAPH_WORK_H

#include "runtime/code/launch.h"
#include "runtime/memory/box.h"

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
cudaError_t runtime_work_event(enum cudaGraphNodeType type, cudaEvent_t event,
                               runtime_work *out_work);

cudaError_t runtime_kernel_work_copy(const runtime_kernel_work *from, runtime_work *out_work);
void runtime_kernel_work_free(runtime_kernel_work *kernel);
// Whether the node of an executable graph may take over this work.
bool runtime_work_may_become(const runtime_work *now, const runtime_work *then);

#endif
