// SPDX-License-Identifier: MIT
// Call adapter of lab 14: generic buffers (common/host/call.h) to the typed call of attention.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string.h>

#include "attention.h"

_Static_assert((int)ATTENTION_NOT_IMPLEMENTED == (int)KL_NOT_IMPLEMENTED,
               "the lab's status is the kit's");

#if CUDA_VERSION >= 12000
typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                    const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                    const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// The driver's function, by the runtime, so that nothing is linked with the driver; NULL: it has
// none.
static encode_function find_encoder(void) {
    void *found = NULL;
    enum cudaDriverEntryPointQueryResult result;
#if CUDA_VERSION >= 13000
    cudaError_t code = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                                        cudaEnableDefault, &result);
#else
    cudaError_t code =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result);
#endif
    if (code == cudaSuccess) code = cudaFree(NULL); // the driver's functions need a context
    if (code != cudaSuccess) return NULL;
    encode_function encode = NULL;
    memcpy(&encode, &found, sizeof encode);
    return encode;
}

_Static_assert(sizeof(CUtensorMap) == sizeof(attention_map), "the driver's map has another size");

int attention_describe_boxes(const attention_boxes *boxes, attention_map *out_map) {
    static encode_function encode;
    if (!encode && !(encode = find_encoder())) return cudaErrorNotSupported;
    if (boxes->heads < 1 || boxes->rows < 1 || (boxes->width != 64 && boxes->width != 128) ||
        boxes->box_rows < 1 || boxes->box_rows > 256)
        return cudaErrorInvalidValue;
    enum { BOX_COLUMNS = 64, HALF_BYTES = 2 };
    const cuuint64_t row_bytes = (cuuint64_t)boxes->width * HALF_BYTES;
    const cuuint64_t sides[] = {(cuuint64_t)boxes->width, (cuuint64_t)boxes->rows,
                                (cuuint64_t)boxes->heads};
    const cuuint64_t pitches[] = {row_bytes, row_bytes * (cuuint64_t)boxes->rows};
    const cuuint32_t box[] = {BOX_COLUMNS, (cuuint32_t)boxes->box_rows, 1};
    const cuuint32_t every[] = {1, 1, 1};
    CUtensorMap map;
    void *first = NULL;
    memcpy(&first, &boxes->d_first, sizeof first); // the driver's function takes no const
    CUresult code = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, first, sides, pitches, box,
                           every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    memcpy(out_map, &map, sizeof map);
    return code == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
#else
int attention_describe_boxes(const attention_boxes *boxes, attention_map *out_map) {
    (void)boxes, (void)out_map;
    return cudaErrorNotSupported;
}
#endif

// ints: heads, queries, keys, width, causal. Inputs 0, 1, 2: Q, K, V; output 0: O.
static int call(void *step_function, const kl_call *c) {
    attention_function *step = NULL;
    memcpy(&step, &step_function, sizeof step); // ISO C has no cast from data to function pointers
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

KL_LAB_ADAPTER(attention, .call = call);
