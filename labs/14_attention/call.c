// Call adapter of lab 14: generic buffers (common/host/call.h) to the typed call of attention.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include <cuda_runtime_api.h>

#include "attention.h"
#include "tensor_boxes.h"

_Static_assert(sizeof(attention_map) == KL_TENSOR_MAP_BYTES, "the kit's maps have another size");

int attention_describe_boxes(const attention_boxes *boxes, attention_map *out_map) {
    if (boxes->heads < 1 || boxes->rows < 1 || (boxes->width != 64 && boxes->width != 128) ||
        boxes->box_rows < 1 || boxes->box_rows > 256)
        return cudaErrorInvalidValue;
    enum { HALF_BYTES = 2 };
    const uint64_t row_bytes = (uint64_t)boxes->width * HALF_BYTES;
    const kl_tensor_boxes of = {
        .d_first = boxes->d_first,
        .element_bytes = HALF_BYTES,
        .rank = 3,
        .sides = {(uint64_t)boxes->width, (uint64_t)boxes->rows, (uint64_t)boxes->heads},
        .pitches = {row_bytes, row_bytes * (uint64_t)boxes->rows},
        .box_sides = {KL_BOX_ROW_BYTES / HALF_BYTES, (uint32_t)boxes->box_rows, 1}};
    return kl_tensor_describe(&of, out_map);
}

// ints: heads, queries, keys, width, causal. Inputs 0, 1, 2: Q, K, V; output 0: O.
static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(attention_function, step, step_function);
    const attention_task task = {.heads = c->ints[0],
                                 .queries = c->ints[1],
                                 .keys = c->ints[2],
                                 .width = (int)c->ints[3],
                                 .causal = (int)c->ints[4],
                                 .d_q = c->d_inputs[0],
                                 .d_k = c->d_inputs[1],
                                 .d_v = c->d_inputs[2],
                                 .d_o = c->d_outputs[0],
                                 .describe = attention_describe_boxes,
                                 .d_workspace = c->d_workspace};
    return step(&task);
}

KL_LAB_ADAPTER(attention, ATTENTION_NOT_IMPLEMENTED, .call = call);
