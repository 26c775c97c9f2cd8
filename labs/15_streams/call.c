// Call adapter of lab 15: generic buffers (common/host/call.h) to the typed calls of streams.h, and
// the end of what a plan holds. Used by the lab program and by the graded runner; it must know
// neither inputs nor answers.
#include "call.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

_Static_assert(sizeof(streams_plan) <= KL_PLAN_BYTES, "a plan fits what the kit keeps for it");

// The plan's pointer, or memory that any program has.
static int take_memory(float **pointer, uint64_t bytes) {
    if (!*pointer) *pointer = malloc(bytes);
    return *pointer ? 0 : (int)cudaErrorMemoryAllocation;
}

// ints[0]: n. Input 0: x; output 0: y.
static int open(void *prepare_function, kl_call *c) {
    streams_prepare *prepare = NULL;
    streams_plan *plan = c->h_plan;
    memcpy(&prepare, &prepare_function, sizeof prepare); // ISO C has no cast to function pointers
    int code = prepare ? prepare(c->ints[0], plan) : 0;
    if (code == 0) code = take_memory(&plan->h_x, c->input_bytes[0]);
    if (code == 0) code = take_memory(&plan->h_y, c->output_bytes[0]);
    c->d_inputs[0] = plan->h_x;
    c->d_outputs[0] = plan->h_y;
    return code;
}

static int call(void *step_function, const kl_call *c) {
    streams_function *step = NULL;
    memcpy(&step, &step_function, sizeof step);
    return step(c->ints[0], c->h_plan);
}

// Memory from malloc, the same when it was registered, or from a call of the runtime.
static void free_host(void *pointer) {
    struct cudaPointerAttributes what;
    bool known = pointer && cudaPointerGetAttributes(&what, pointer) == cudaSuccess;
    bool pinned = known && what.type == cudaMemoryTypeHost;
    if (pinned && cudaFreeHost(pointer) == cudaSuccess) return;
    if (pinned) cudaHostUnregister(pointer);
    if (known && !pinned && cudaFree(pointer) == cudaSuccess) return;
    free(pointer);
}

static void close(const kl_call *c) {
    streams_plan *plan = c->h_plan;
    cudaDeviceSynchronize();
    if (plan->exec) cudaGraphExecDestroy(plan->exec);
    if (plan->graph) cudaGraphDestroy(plan->graph);
    for (int i = 0; i < STREAMS_PLAN_EVENTS; i++)
        if (plan->events[i]) cudaEventDestroy(plan->events[i]);
    for (int i = 0; i < STREAMS_PLAN_STREAMS; i++)
        if (plan->streams[i]) cudaStreamDestroy(plan->streams[i]);
    cudaFree(plan->d_memory);
    free_host(plan->h_x);
    free_host(plan->h_y);
    cudaGetLastError(); // the next step's calls must not return what these did
    memset(plan, 0, sizeof *plan);
}

KL_LAB_ADAPTER(streams, STREAMS_NOT_IMPLEMENTED, .prepare_symbol = "streams_prepare%d",
               .call = call, .open = open, .close = close);
