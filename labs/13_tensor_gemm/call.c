// SPDX-License-Identifier: MIT
// Call adapter of lab 13: generic buffers (common/host/call.h) to the typed call of tensor_gemm.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string.h>

#include "tensor_gemm.h"

enum { BOX_ROW_BYTES = 128 };

#if CUDA_VERSION >= 12000
typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                    const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                    const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
#endif

_Static_assert((int)TENSOR_GEMM_NOT_IMPLEMENTED == (int)KL_NOT_IMPLEMENTED,
               "the lab's status is the kit's");

#if CUDA_VERSION >= 12000
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

_Static_assert(sizeof(CUtensorMap) == sizeof(tensor_gemm_map), "the driver's map has another size");

static int describe(const tensor_gemm_boxes *boxes, tensor_gemm_map *out_map) {
    static encode_function encode;
    if (!encode && !(encode = find_encoder())) return cudaErrorNotSupported;
    if (boxes->rows < 1 || boxes->columns < 1 || boxes->box_rows < 1 ||
        (boxes->element_bytes != 2 && boxes->element_bytes != 4))
        return cudaErrorInvalidValue;
    const cuuint64_t sides[] = {(cuuint64_t)boxes->columns, (cuuint64_t)boxes->rows};
    const cuuint64_t pitch[] = {(cuuint64_t)(boxes->columns * boxes->element_bytes)};
    const cuuint32_t box[] = {(cuuint32_t)(BOX_ROW_BYTES / boxes->element_bytes),
                              (cuuint32_t)boxes->box_rows};
    const cuuint32_t every[] = {1, 1};
    CUtensorMap map; // bfloat16 is copied as half is
    void *first = NULL;
    memcpy(&first, &boxes->d_first, sizeof first); // the driver's function takes no const
    CUresult code = encode(&map,
                           boxes->element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                                     : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                           2, first, sides, pitch, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
                           CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    memcpy(out_map, &map, sizeof map);
    return code == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
#else
static int describe(const tensor_gemm_boxes *boxes, tensor_gemm_map *out_map) {
    (void)boxes, (void)out_map;
    return cudaErrorNotSupported;
}
#endif

// ints: m, n, k, tensor_gemm_type; then, 0 or 1, a_by_columns, b_by_rows, narrow. Inputs 0, 1: A,
// B; output 0: D.
static int call(void *step_function, const kl_call *c) {
    tensor_gemm_function *step = NULL;
    memcpy(&step, &step_function, sizeof step); // ISO C has no cast from data to function pointers
    const tensor_gemm_task task = {.m = c->ints[0],
                                   .n = c->ints[1],
                                   .k = c->ints[2],
                                   .type = (tensor_gemm_type)c->ints[3],
                                   .d_a = c->d_inputs[0],
                                   .d_b = c->d_inputs[1],
                                   .d_d = c->d_outputs[0],
                                   .describe = describe,
                                   .d_workspace = c->d_workspace,
                                   .a_by_columns = c->ints[4] != 0,
                                   .b_by_rows = c->ints[5] != 0,
                                   .narrow = c->ints[6] != 0};
    return step(&task);
}

KL_LAB_ADAPTER(tensor_gemm, .call = call);
