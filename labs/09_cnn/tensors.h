// Which tensors an operation of cnn.h reads and writes, in which order they are buffers of a call,
// and how large they are. For problem.c, call.c and the training program.
#pragma once

#include "cnn.h"

typedef enum cnn_tensor {
    CNN_X,
    CNN_W,
    CNN_B,
    CNN_DELTA,
    CNN_WHERE_IN,
    CNN_LABELS,
    CNN_Y, // written, from here on
    CNN_DX,
    CNN_DW,
    CNN_DB,
    CNN_WHERE,
    CNN_LOSSES,
    CNN_DELTA_OUT,
    CNN_TENSORS
} cnn_tensor;

#define CNN_BIT(tensor) (1u << (tensor))

// The tensors of an operation, as a set of bits; of CNN_TRAIN, which has its own, none.
static inline unsigned cnn_tensors_of(cnn_op op) {
    static const unsigned sets[CNN_OPS] = {
        [CNN_FC_FORWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_B) | CNN_BIT(CNN_Y),
        [CNN_FC_BACKWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_DELTA) | CNN_BIT(CNN_DX) |
                            CNN_BIT(CNN_DW) | CNN_BIT(CNN_DB),
        [CNN_RELU_FORWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_Y),
        [CNN_RELU_BACKWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_DELTA) | CNN_BIT(CNN_DX),
        [CNN_POOL_FORWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_Y) | CNN_BIT(CNN_WHERE),
        [CNN_POOL_BACKWARD] = CNN_BIT(CNN_DELTA) | CNN_BIT(CNN_WHERE_IN) | CNN_BIT(CNN_DX),
        [CNN_LOSS] =
            CNN_BIT(CNN_X) | CNN_BIT(CNN_LABELS) | CNN_BIT(CNN_LOSSES) | CNN_BIT(CNN_DELTA_OUT),
        [CNN_CONV_FORWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_B) | CNN_BIT(CNN_Y),
        [CNN_CONV_BACKWARD] = CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_DELTA) |
                              CNN_BIT(CNN_DX) | CNN_BIT(CNN_DW) | CNN_BIT(CNN_DB),
        [CNN_CONV_POOL] =
            CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_B) | CNN_BIT(CNN_Y) | CNN_BIT(CNN_WHERE),
        [CNN_SGD] =
            CNN_BIT(CNN_X) | CNN_BIT(CNN_W) | CNN_BIT(CNN_DELTA) | CNN_BIT(CNN_Y) | CNN_BIT(CNN_DW),
    };
    return op >= 0 && op < CNN_OPS ? sets[op] : 0u;
}

static inline int cnn_is_conv(cnn_op op) {
    return op == CNN_CONV_FORWARD || op == CNN_CONV_BACKWARD || op == CNN_CONV_POOL;
}

// Elements of the layer's output, and of its input, for one image.
static inline int64_t cnn_elems_in(cnn_op op, const cnn_shape *s) {
    int maps = cnn_is_conv(op) || op == CNN_POOL_FORWARD || op == CNN_POOL_BACKWARD;
    return maps ? s->channels * s->height * s->width : s->channels;
}

static inline int64_t cnn_elems_out(cnn_op op, const cnn_shape *s) {
    int64_t height = cnn_is_conv(op) ? cnn_conv_out(s->height) : s->height;
    int64_t width = cnn_is_conv(op) ? cnn_conv_out(s->width) : s->width;
    int64_t windows = (height / CNN_WINDOW) * (width / CNN_WINDOW);
    switch (op) {
    case CNN_FC_FORWARD:
    case CNN_FC_BACKWARD: return s->filters;
    case CNN_POOL_FORWARD:
    case CNN_POOL_BACKWARD: return s->channels * windows;
    case CNN_CONV_FORWARD:
    case CNN_CONV_BACKWARD: return s->filters * height * width;
    case CNN_CONV_POOL: return s->filters * windows;
    default: return s->channels;
    }
}

// Elements of a tensor; 0 when the operation does not have it.
static inline int64_t cnn_tensor_elems(cnn_op op, cnn_tensor tensor, const cnn_shape *s) {
    int64_t n = s->images, weights = s->channels * s->filters;
    if (!(cnn_tensors_of(op) & CNN_BIT(tensor))) return 0;
    if (op == CNN_SGD) return s->channels;
    switch (tensor) {
    case CNN_X:
    case CNN_DX: return n * cnn_elems_in(op, s);
    case CNN_W:
    case CNN_DW: return cnn_is_conv(op) ? weights * CNN_TAPS : weights;
    case CNN_B:
    case CNN_DB: return s->filters;
    case CNN_DELTA:
    case CNN_WHERE_IN:
    case CNN_Y:
    case CNN_WHERE:
    case CNN_DELTA_OUT: return n * cnn_elems_out(op, s);
    case CNN_LABELS:
    case CNN_LOSSES: return n;
    case CNN_TENSORS: break;
    }
    return 0;
}
