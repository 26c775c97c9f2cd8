// SPDX-License-Identifier: MIT
// References to user objects. The last one calls the program's destructor, which may not call CUDA.
#include "runtime/graph/user_object.h"

#include <stdlib.h>

struct CUuserObject_st *runtime_user_object_find(cudaUserObject_t object) {
    return object ? runtime_map_get(&runtime.user_objects, object) : NULL;
}

void runtime_user_object_give_back(struct CUuserObject_st *object, unsigned count) {
    object->references -= count < object->references ? count : object->references;
    if (object->references) return;
    runtime_map_remove(&runtime.user_objects, object);
    object->destructor.next = runtime.destructors;
    runtime.destructors = &object->destructor;
}

runtime_user_reference *runtime_user_reference_find(const struct CUgraph_st *graph,
                                                    const struct CUuserObject_st *object) {
    for (size_t i = 0; i < graph->user_count; i++)
        if (graph->users[i].object == object) return &graph->users[i];
    return NULL;
}

bool runtime_user_reference_add(struct CUgraph_st *graph, struct CUuserObject_st *object,
                                unsigned count) {
    runtime_user_reference *held = runtime_user_reference_find(graph, object);
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
        if (!runtime_user_reference_add(to, from->users[i].object, 1)) return false;
        from->users[i].object->references++;
    }
    return true;
}

void runtime_users_release(struct CUgraph_st *graph) {
    for (size_t i = 0; i < graph->user_count; i++)
        runtime_user_object_give_back(graph->users[i].object, graph->users[i].count);
    free(graph->users);
    graph->users = NULL;
    graph->user_count = 0;
}
