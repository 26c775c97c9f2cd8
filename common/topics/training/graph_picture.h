// SPDX-License-Identifier: MIT
// Pictures of a program's task graph: tasks in layers, each below all that it waits for.
#ifndef KL_GRAPH_PICTURE_H
#define KL_GRAPH_PICTURE_H

#include <stdio.h>

#include "error.h"

// What a task is (the kinds of a CUDA graph's nodes), with the words of the key.
#define KL_TASK_KINDS(ROW)                                                                         \
    ROW(KERNEL, "kernel")                                                                          \
    ROW(COPY, "copy")                                                                              \
    ROW(SET, "memset")                                                                             \
    ROW(HOST, "host function")                                                                     \
    ROW(EMPTY, "empty")
// A row of KL_TASK_KINDS as an enumerator.
#define KL_TASK_ENUM(name, words) KL_TASK_##name,

// The kinds of KL_TASK_KINDS, in its order.
typedef enum kl_task_kind { KL_TASK_KINDS(KL_TASK_ENUM) KL_TASK_KIND_COUNT } kl_task_kind;

// One task of a graph.
typedef struct kl_task {
    const char *label;  // e.g. the kernel's name
    const char *detail; // below it in small letters, e.g. "grid 16 x 8, block 256"; or NULL
    kl_task_kind kind;  // decides its colour
} kl_task;

// One dependency.
typedef struct kl_task_edge {
    int from, to; // `to` waits for `from`
} kl_task_edge;

enum { KL_TASKS_MAX = 1000, KL_TASK_EDGES_MAX = 8000 };

// Layers: layer 0 waits for nothing; every other task is one layer below the lowest that it waits
// for. out_layer: [task_count]. KL_ERROR_INPUT on a circle or an edge to no task, KL_ERROR_LIMIT.
kl_status kl_task_layers(int task_count, const kl_task_edge *edges, int edge_count, int *out_layer,
                         int *out_layers, kl_error *err);

// The whole graph. Long ones go on in columns to the right.
kl_status kl_draw_tasks(const char *title, const kl_task *tasks, int task_count,
                        const kl_task_edge *edges, int edge_count, FILE *out, kl_error *err);

#endif
