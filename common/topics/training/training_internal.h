// What the files of this library share.
#pragma once

#include "training.h"

// ---- checkpoint form ----------------------------------------------------------------------------
// What the writer and the reader of checkpoints share. Private to common/topics/training.

// Its line end is there to notice a file that was sent as text.
enum { KL_CHECKPOINT_MAGIC = 8 };
#define kl_checkpoint_magic "KLCKPT\r\n"

// Numbers of the host are written as they lie.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "checkpoints hold the lowest byte first");

// name: [KL_TENSOR_NAME], perhaps without an end.
bool kl_tensor_name_is_right(const char *name);

// ---- graph_layout.c -----------------------------------------------------------------------------
// Where tasks of a graph lie: layers, and in each layer an order in which few edges cross. After
// Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures",
// 1981. Private to common/topics/training.

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
