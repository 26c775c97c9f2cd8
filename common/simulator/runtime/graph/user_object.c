// SPDX-License-Identifier: MIT
// User objects: resources of the program with a count of references, which graphs hold together with
// the program (CUDA Runtime API, "Graph Management", cudaUserObjectCreate). The last reference calls
// the program's destructor, which may not call CUDA.
#include "runtime/graph/graph.h"

#include <limits.h>
#include <stdlib.h>

struct CUuserObject_st {
    void *data;
    cudaHostFn_t destroy;
    uint64_t references;          // of the program and of graphs
    struct CUuserObject_st *next; // among those to be destroyed
};

// The destructor runs at the end of the call that gives the last reference back.
static void give_back(struct CUuserObject_st *object, unsigned count) {
    object->references -= count < object->references ? count : object->references;
    if (object->references) return;
    runtime_map_remove(&runtime.user_objects, object);
    object->next = runtime.dead_objects;
    runtime.dead_objects = object;
}

void runtime_user_objects_destroy(struct CUuserObject_st *dead) {
    while (dead) {
        struct CUuserObject_st *next = dead->next;
        dead->destroy(dead->data);
        free(dead);
        dead = next;
    }
}

static struct CUuserObject_st *find(cudaUserObject_t object) {
    return object ? runtime_map_get(&runtime.user_objects, object) : NULL;
}

static bool is_count(unsigned count) {
    return count > 0 && count <= INT_MAX;
}

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
        *made = (struct CUuserObject_st){
            .data = ptr, .destroy = destroy, .references = initialRefcount};
        *object_out = made;
    }
    return runtime_leave(status);
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaUserObjectRetain(%u)", count);
    struct CUuserObject_st *live = status ? NULL : find(object);
    if (!status && (!live || !is_count(count))) status = cudaErrorInvalidValue;
    if (!status) live->references += count;
    return runtime_leave(status);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaUserObjectRelease(%u)", count);
    struct CUuserObject_st *live = status ? NULL : find(object);
    if (!status && (!live || !is_count(count))) status = cudaErrorInvalidValue;
    if (!status) give_back(live, count);
    return runtime_leave(status);
}

// ---- references of graphs -----------------------------------------------------------------------

static runtime_user_reference *reference_of(const struct CUgraph_st *graph,
                                            const struct CUuserObject_st *object) {
    for (size_t i = 0; i < graph->user_count; i++)
        if (graph->users[i].object == object) return &graph->users[i];
    return NULL;
}

static bool add_reference(struct CUgraph_st *graph, struct CUuserObject_st *object,
                          unsigned count) {
    runtime_user_reference *held = reference_of(graph, object);
    if (held) {
        held->count += count;
        return true;
    }
    runtime_user_reference *larger =
        realloc(graph->users, (graph->user_count + 1) * sizeof *larger);
    if (!larger) return false;
    graph->users = larger;
    graph->users[graph->user_count++] = (runtime_user_reference){object, count};
    return true;
}

bool runtime_users_copy(const struct CUgraph_st *from, struct CUgraph_st *to) {
    for (size_t i = 0; i < from->user_count; i++) {
        if (!add_reference(to, from->users[i].object, 1)) return false;
        from->users[i].object->references++;
    }
    return true;
}

void runtime_users_release(struct CUgraph_st *graph) {
    for (size_t i = 0; i < graph->user_count; i++)
        give_back(graph->users[i].object, graph->users[i].count);
    free(graph->users);
    graph->users = NULL;
    graph->user_count = 0;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaGraphRetainUserObject(%p, %u)", (void *)graph, count);
    struct CUgraph_st *live = status ? NULL : runtime_graph_find(graph);
    struct CUuserObject_st *user = status ? NULL : find(object);
    if (!status &&
        (!live || !user || !is_count(count) || (flags & ~(unsigned)cudaGraphUserObjectMove)))
        status = cudaErrorInvalidValue;
    if (!status && !add_reference(live, user, count)) status = cudaErrorMemoryAllocation;
    if (!status && !(flags & cudaGraphUserObjectMove)) user->references += count;
    return runtime_leave(status);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaGraphReleaseUserObject(%p, %u)", (void *)graph, count);
    struct CUgraph_st *live = status ? NULL : runtime_graph_find(graph);
    struct CUuserObject_st *user = status ? NULL : find(object);
    runtime_user_reference *held = live && user ? reference_of(live, user) : NULL;
    if (!status && (!held || !is_count(count) || count > held->count))
        status = cudaErrorInvalidValue;
    if (!status) {
        held->count -= count;
        if (held->count == 0) *held = live->users[--live->user_count];
        give_back(user, count);
    }
    return runtime_leave(status);
}
