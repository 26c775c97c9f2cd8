// User objects and the references that graphs hold to them (CUDA Runtime API, "Graph Management").
#include "runtime/graph/graph.h"
#include <limits.h>

static bool is_count(unsigned count) { return count > 0 && count <= INT_MAX; }

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy,
                                 unsigned int initialRefcount, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaUserObjectCreate(%u)", initialRefcount);
    if (!status && (!object_out || !destroy || !is_count(initialRefcount) ||
                    flags != cudaUserObjectNoDestructorSync))
        status = cudaErrorInvalidValue;
    struct CUuserObject_st *made = status ? NULL : calloc(1, sizeof *made);
    if (!status && (!made || !runtime_map_put(&runtime.user_objects, made, made))) {
        free(made);
        status = cudaErrorMemoryAllocation;
    }
    if (!status) {
        *made = (struct CUuserObject_st){.destructor = {.destroy = destroy, .data = ptr},
                                         .references = initialRefcount};
        *object_out = made;
    }
    return runtime_leave(status);
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaUserObjectRetain(%u)", count);
    struct CUuserObject_st *live = status ? NULL : runtime_user_object_find(object);
    if (!status && (!live || !is_count(count))) status = cudaErrorInvalidValue;
    if (!status) live->references += count;
    return runtime_leave(status);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaUserObjectRelease(%u)", count);
    struct CUuserObject_st *live = status ? NULL : runtime_user_object_find(object);
    if (!status && (!live || !is_count(count))) status = cudaErrorInvalidValue;
    if (!status) runtime_user_object_give_back(live, count);
    return runtime_leave(status);
}

// ---- references of graphs -----------------------------------------------------------------------

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaGraphRetainUserObject(%p, %u)", (void *)graph, count);
    struct CUgraph_st *live = status ? NULL : runtime_graph_find(graph);
    struct CUuserObject_st *user = status ? NULL : runtime_user_object_find(object);
    if (!status &&
        (!live || !user || !is_count(count) || (flags & ~(unsigned)cudaGraphUserObjectMove)))
        status = cudaErrorInvalidValue;
    if (!status && !runtime_user_reference_add(live, user, count))
        status = cudaErrorMemoryAllocation;
    if (!status && !(flags & cudaGraphUserObjectMove)) user->references += count;
    return runtime_leave(status);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaGraphReleaseUserObject(%p, %u)", (void *)graph, count);
    struct CUgraph_st *live = status ? NULL : runtime_graph_find(graph);
    struct CUuserObject_st *user = status ? NULL : runtime_user_object_find(object);
    runtime_user_reference *held = live && user ? runtime_user_reference_find(live, user) : NULL;
    if (!status && (!live || !user || !is_count(count) || (held && count > held->count)))
        status = cudaErrorInvalidValue;
    if (!status && held) { // of what the graph does not hold, nothing is given back
        held->count -= count;
        if (held->count == 0) *held = live->users[--live->user_count];
        runtime_user_object_give_back(user, count);
    }
    return runtime_leave(status);
}
