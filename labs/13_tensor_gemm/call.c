// Call adapter of lab 13: generic buffers (common/host/call.h) to the typed call of tensor_gemm.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include <cuda_runtime_api.h>

#include "tensor_boxes.h"
#include "tensor_gemm.h"

_Static_assert(sizeof(tensor_gemm_map) == KL_TENSOR_MAP_BYTES, "the kit's maps have another size");

static int describe(const tensor_gemm_boxes *boxes, tensor_gemm_map *out_map) {
    if (boxes->rows < 1 || boxes->columns < 1 || boxes->box_rows < 1 ||
        (boxes->element_bytes != 1 && boxes->element_bytes != 2 && boxes->element_bytes != 4))
        return cudaErrorInvalidValue;
    const kl_tensor_boxes of = {.d_first = boxes->d_first,
                                .element_bytes = boxes->element_bytes,
                                .rank = 2,
                                .sides = {(uint64_t)boxes->columns, (uint64_t)boxes->rows},
                                .pitches = {(uint64_t)(boxes->columns * boxes->element_bytes)},
                                .box_sides = {(uint32_t)(KL_BOX_ROW_BYTES / boxes->element_bytes),
                                              (uint32_t)boxes->box_rows}};
    return kl_tensor_describe(&of, out_map);
}

// ints: m, n, k, tensor_gemm_type; then, 0 or 1, a_by_columns, b_by_rows, narrow. Inputs 0, 1: A,
// B; 2, 3, of 8-bit floats: their scales; output 0: D.
static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(tensor_gemm_function, step, step_function);
    const tensor_gemm_task task = {.m = c->ints[0],
                                   .n = c->ints[1],
                                   .k = c->ints[2],
                                   .type = (tensor_gemm_type)c->ints[3],
                                   .d_a = c->d_inputs[0],
                                   .d_b = c->d_inputs[1],
                                   .d_a_scales = c->d_inputs[2],
                                   .d_b_scales = c->d_inputs[3],
                                   .d_d = c->d_outputs[0],
                                   .describe = describe,
                                   .d_workspace = c->d_workspace,
                                   .a_by_columns = c->ints[4] != 0,
                                   .b_by_rows = c->ints[5] != 0,
                                   .narrow = c->ints[6] != 0};
    return step(&task);
}

KL_LAB_ADAPTER(tensor_gemm, TENSOR_GEMM_NOT_IMPLEMENTED, .call = call);
