// SPDX-License-Identifier: MIT
// User objects: resources of the program with a count of references, which graphs hold together
// with the program (CUDA Runtime API, "Graph Management", cudaUserObjectCreate).
#ifndef SIM_RUNTIME_GRAPH_USER_OBJECT_H
#define SIM_RUNTIME_GRAPH_USER_OBJECT_H

#include "runtime/graph/graph.h"
#include "runtime/state/state.h"

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

#endif
