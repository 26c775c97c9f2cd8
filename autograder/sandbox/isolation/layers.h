// SPDX-License-Identifier: MIT
// The layers of the wall (layers.def) as bits of a set.
#ifndef LADDER_WALL_LAYERS_H
#define LADDER_WALL_LAYERS_H

#include <stdint.h>

// A row of layers.def.
typedef enum ladder_wall_layer {
#define LADDER_LAYER(id, needed, name, advice) LADDER_LAYER_##id,
#include "sandbox/isolation/layers.def"
#undef LADDER_LAYER
    LADDER_LAYERS
} ladder_wall_layer;

static inline uint32_t ladder_layer_bit(ladder_wall_layer layer) {
    return UINT32_C(1) << layer;
}

#endif
