// SPDX-License-Identifier: MIT
// Where tasks of a graph lie: layers, and in each layer an order in which few edges cross. After
// Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures",
// 1981. Private to common/topics/training.
#ifndef KL_GRAPH_LAYOUT_H
#define KL_GRAPH_LAYOUT_H

#include "graph_picture.h"

// A spot is a task, or a bend of an edge that passes through a layer.
typedef struct kl_spot {
    int task; // or -1: a bend
    int layer, order;
} kl_spot;

typedef struct kl_graph_layout {
    int layers, spot_count, link_count;
    kl_spot *spots;      // [spot_count], the tasks first
    kl_task_edge *links; // [link_count], between spots of neighbouring layers
    int *in_layer;       // [layers]: spots of each
} kl_graph_layout;

kl_status kl_graph_layout_make(int task_count, const kl_task_edge *edges, int edge_count,
                               kl_graph_layout *out_layout, kl_error *err);
void kl_graph_layout_free(kl_graph_layout *layout);

#endif
