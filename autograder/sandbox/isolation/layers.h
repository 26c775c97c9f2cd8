// SPDX-License-Identifier: MIT
// The layers of the sandbox (layers.def) as bits of a set.
#ifndef LADDER_ISOLATION_LAYERS_H
#define LADDER_ISOLATION_LAYERS_H

#include <stdint.h>

// A row of layers.def.
typedef enum ladder_sandbox_layer {
#define LADDER_LAYER(id, needed, name, advice) LADDER_LAYER_##id,
#include "sandbox/isolation/layers.def"
#undef LADDER_LAYER
    LADDER_LAYERS
} ladder_sandbox_layer;

static inline uint32_t ladder_layer_bit(ladder_sandbox_layer layer) {
    return UINT32_C(1) << layer;
}

#endif
