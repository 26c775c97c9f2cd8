// Boxes of a tensor for bulk copies, in a lab's call adapter: a header alone, so that an adapter is
// one object file. Boxes lie in shared memory swizzled by rows of 128 bytes.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Of a description, and of a row of a box in shared memory.
enum { KL_TENSOR_MAP_BYTES = 128, KL_BOX_ROW_BYTES = 128 };

// A tensor and its boxes; dimension 0 is the one whose elements lie side by side.
typedef struct kl_tensor_boxes {
    const void *d_first;   // of the tensor
    int element_bytes;     // 1 (8-bit floats), 2 (half; bfloat16 is copied alike) or 4 (float)
    uint32_t rank;         // 2 or 3
    uint64_t sides[3];     // [rank], elements
    uint64_t pitches[2];   // [rank - 1], bytes from one row or matrix to the next
    uint32_t box_sides[3]; // [rank], elements
} kl_tensor_boxes;

#if CUDA_VERSION >= 12000
// cuTensorMapEncodeTiled.
typedef CUresult (*kl_tensor_encoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                      const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                      const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                      CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

_Static_assert(sizeof(CUtensorMap) == KL_TENSOR_MAP_BYTES, "the driver's map has another size");

// The driver's function, by the runtime, so that nothing is linked with the driver; NULL: it has
// none.
static inline kl_tensor_encoder kl_tensor_find_encoder(void) {
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
    kl_tensor_encoder encode = NULL;
    memcpy(&encode, &found, sizeof encode);
    return encode;
}
#endif

// What the copies are given: out_map, [KL_TENSOR_MAP_BYTES]. A cudaError_t.
static inline int kl_tensor_describe(const kl_tensor_boxes *boxes, void *out_map) {
#if CUDA_VERSION >= 12000
    static kl_tensor_encoder encode;
    if (!encode && !(encode = kl_tensor_find_encoder())) return cudaErrorNotSupported;
    const cuuint32_t every[] = {1, 1, 1};
    CUtensorMap map;
    void *first = NULL;
    memcpy(&first, &boxes->d_first, sizeof first); // the driver's function takes no const
    // What else the L2 fetches of a row: a neighbour is wanted only where rows begin with it.
    bool in_pairs = boxes->pitches[0] % 256 == 0;
    CUresult code =
        encode(&map,
               boxes->element_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
               : boxes->element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                           : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
               boxes->rank, first, boxes->sides, boxes->pitches, boxes->box_sides, every,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               in_pairs ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    memcpy(out_map, &map, sizeof map);
    return code == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
#else
    (void)boxes, (void)out_map;
    return cudaErrorNotSupported;
#endif
}
