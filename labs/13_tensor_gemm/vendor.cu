// SPDX-License-Identifier: MIT
// The toolkit's own matrix product behind the lab's contract, for the --vendor row: the fastest of
// what cuBLAS chooses and of the algorithms that cuBLASLt's heuristics offer, tried once for each
// shape. Of 8-bit floats it is the product with the same scales, which cuBLASLt has since CUDA
// 12.9. For comparison only: no step may use it.
#include "tensor_gemm.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

enum { OFFERS = 16, WORKSPACE_BYTES = 64 << 20, TRIALS = 5 };

// What was found for the shape of the last call.
typedef struct choice {
    tensor_gemm_task of; // its pointers do not count
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, d;
    cublasLtMatmulAlgo_t algorithm;
    bool plain; // cuBLAS is the fastest
} choice;

static cublasHandle_t handle;
static cublasLtHandle_t lt_handle;
static void *d_workspace;
static choice chosen;

static const float one = 1.0f, zero = 0.0f;

static bool is_scaled(const tensor_gemm_task *g) {
    return g->type == TENSOR_GEMM_E4M3;
}

static cudaDataType_t type_of_d(const tensor_gemm_task *g) {
    return !g->narrow ? CUDA_R_32F : g->type == TENSOR_GEMM_HALF ? CUDA_R_16F : CUDA_R_16BF;
}

static cudaDataType_t type_of(const tensor_gemm_task *g) {
    return is_scaled(g) ? CUDA_R_8F_E4M3 : g->type == TENSOR_GEMM_HALF ? CUDA_R_16F : CUDA_R_16BF;
}

// The library's matrices are column-major: D, row-major, is its transpose, B^T A^T. How these two
// lie, and the distance of their columns.
static cublasOperation_t layout_a(const tensor_gemm_task *g) {
    return g->a_by_columns ? CUBLAS_OP_T : CUBLAS_OP_N;
}
static cublasOperation_t layout_b(const tensor_gemm_task *g) {
    return g->b_by_rows ? CUBLAS_OP_N : CUBLAS_OP_T;
}
static int64_t pitch_a(const tensor_gemm_task *g) {
    return g->a_by_columns ? g->m : g->k;
}
static int64_t pitch_b(const tensor_gemm_task *g) {
    return g->b_by_rows ? g->n : g->k;
}

// How the factors are scaled; d_b comes first in the library's product. Nothing to do where they
// are not.
static bool set_scales(const tensor_gemm_task *g) {
    if (!is_scaled(g)) return true;
#if CUBLAS_VERSION >= 120900
    const cublasLtMatmulMatrixScale_t of_rows = CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F,
                                      of_squares = CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
    const struct {
        cublasLtMatmulDescAttributes_t of;
        const void *value;
        size_t bytes;
    } values[] = {{CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &of_squares, sizeof of_squares},
                  {CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &of_rows, sizeof of_rows},
                  {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &g->d_b_scales, sizeof g->d_b_scales},
                  {CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &g->d_a_scales, sizeof g->d_a_scales}};
    for (const auto &v : values)
        if (cublasLtMatmulDescSetAttribute(chosen.product, v.of, v.value, v.bytes) !=
            CUBLAS_STATUS_SUCCESS)
            return false;
    return true;
#else
    return false;
#endif
}

static bool run_plain(const tensor_gemm_task *g) {
    if (is_scaled(g)) return false;
    return cublasGemmEx(handle, layout_b(g), layout_a(g), (int)g->n, (int)g->m, (int)g->k, &one,
                        g->d_b, type_of(g), (int)pitch_b(g), g->d_a, type_of(g), (int)pitch_a(g),
                        &zero, g->d_d, type_of_d(g), (int)g->n, CUBLAS_COMPUTE_32F,
                        CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
}

static bool run_lt(const tensor_gemm_task *g, const cublasLtMatmulAlgo_t *algorithm) {
    if (!set_scales(g)) return false;
    return cublasLtMatmul(lt_handle, chosen.product, &one, g->d_b, chosen.b, g->d_a, chosen.a,
                          &zero, g->d_d, chosen.d, g->d_d, chosen.d, algorithm, d_workspace,
                          WORKSPACE_BYTES, 0) == CUBLAS_STATUS_SUCCESS;
}

// The shortest of a few runs in milliseconds; algorithm: NULL for cuBLAS. Infinite when it fails.
static float time_of(const tensor_gemm_task *g, const cublasLtMatmulAlgo_t *algorithm,
                     cudaEvent_t from, cudaEvent_t to) {
    float best = 1e30f;
    for (int i = 0; i < TRIALS; i++) {
        float ms = 1e30f;
        cudaEventRecord(from);
        if (!(algorithm ? run_lt(g, algorithm) : run_plain(g))) return 1e30f;
        cudaEventRecord(to);
        if (cudaEventSynchronize(to) != cudaSuccess ||
            cudaEventElapsedTime(&ms, from, to) != cudaSuccess)
            return 1e30f;
        best = ms < best ? ms : best;
    }
    return best;
}

static bool describe(const tensor_gemm_task *g) {
    const cublasOperation_t b = layout_b(g), a = layout_a(g);
    const uint64_t m = (uint64_t)g->m, n = (uint64_t)g->n, k = (uint64_t)g->k;
    return cublasLtMatmulDescCreate(&chosen.product, CUBLAS_COMPUTE_32F, CUDA_R_32F) ==
               CUBLAS_STATUS_SUCCESS &&
           cublasLtMatmulDescSetAttribute(chosen.product, CUBLASLT_MATMUL_DESC_TRANSA, &b,
                                          sizeof b) == CUBLAS_STATUS_SUCCESS &&
           cublasLtMatmulDescSetAttribute(chosen.product, CUBLASLT_MATMUL_DESC_TRANSB, &a,
                                          sizeof a) == CUBLAS_STATUS_SUCCESS &&
           cublasLtMatrixLayoutCreate(&chosen.b, type_of(g), g->b_by_rows ? n : k,
                                      g->b_by_rows ? k : n, pitch_b(g)) == CUBLAS_STATUS_SUCCESS &&
           cublasLtMatrixLayoutCreate(&chosen.a, type_of(g), g->a_by_columns ? m : k,
                                      g->a_by_columns ? k : m,
                                      pitch_a(g)) == CUBLAS_STATUS_SUCCESS &&
           cublasLtMatrixLayoutCreate(&chosen.d, type_of_d(g), n, m, g->n) == CUBLAS_STATUS_SUCCESS;
}

static bool choose(const tensor_gemm_task *g) {
    cublasLtMatmulPreference_t preference = NULL;
    cublasLtMatmulHeuristicResult_t offers[OFFERS];
    cudaEvent_t from, to;
    int count = 0;
    size_t most = WORKSPACE_BYTES;
    cublasLtMatmulDescDestroy(chosen.product); // nothing at first
    cublasLtMatrixLayoutDestroy(chosen.a);
    cublasLtMatrixLayoutDestroy(chosen.b);
    cublasLtMatrixLayoutDestroy(chosen.d);
    chosen = {*g, NULL, NULL, NULL, NULL, {}, true};
    if (!describe(g) || !set_scales(g) ||
        cublasLtMatmulPreferenceCreate(&preference) != CUBLAS_STATUS_SUCCESS)
        return false;
    bool asked =
        cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &most, sizeof most) == CUBLAS_STATUS_SUCCESS &&
        cublasLtMatmulAlgoGetHeuristic(lt_handle, chosen.product, chosen.b, chosen.a, chosen.d,
                                       chosen.d, preference, OFFERS, offers,
                                       &count) == CUBLAS_STATUS_SUCCESS;
    cublasLtMatmulPreferenceDestroy(preference);
    if (cudaEventCreate(&from) != cudaSuccess || cudaEventCreate(&to) != cudaSuccess) return false;
    float best = time_of(g, NULL, from, to);
    for (int i = 0; asked && i < count; i++) {
        float ms = time_of(g, &offers[i].algo, from, to);
        if (ms >= best) continue;
        best = ms;
        chosen.plain = false;
        chosen.algorithm = offers[i].algo;
    }
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    return best < 1e30f;
}

static bool is_known(const tensor_gemm_task *g) {
    const tensor_gemm_task *of = &chosen.of;
    return of->m == g->m && of->n == g->n && of->k == g->k && of->type == g->type &&
           of->a_by_columns == g->a_by_columns && of->b_by_rows == g->b_by_rows &&
           of->narrow == g->narrow;
}

extern "C" int tensor_gemm_vendor(const tensor_gemm_task *g) {
    if (g->m < 0 || g->n < 0 || g->k < 0) return cudaErrorInvalidValue;
    if (g->m == 0 || g->n == 0) return cudaSuccess;
    if (g->k == 0)
        return cudaMemsetAsync(
            g->d_d, 0, (size_t)(g->m * g->n) * (g->narrow ? sizeof(uint16_t) : sizeof(float)));
    if (!handle && (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS ||
                    cublasLtCreate(&lt_handle) != CUBLAS_STATUS_SUCCESS ||
                    cudaMalloc(&d_workspace, WORKSPACE_BYTES) != cudaSuccess))
        return cudaErrorInitializationError;
    if (!is_known(g) && !choose(g)) return cudaErrorUnknown;
    return (chosen.plain ? run_plain(g) : run_lt(g, &chosen.algorithm)) ? cudaSuccess
                                                                        : cudaErrorUnknown;
}
