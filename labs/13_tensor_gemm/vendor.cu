// SPDX-License-Identifier: MIT
// The toolkit's own matrix product behind the lab's contract, for the --vendor row: the fastest of
// what cuBLAS chooses and of the algorithms that cuBLASLt's heuristics offer, tried once for each
// shape. For comparison only: no step may use it.
#include "tensor_gemm.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

enum { OFFERS = 16, WORKSPACE_BYTES = 64 << 20, TRIALS = 5 };

// What was found for the shape of the last call.
typedef struct choice {
    int64_t m, n, k;
    tensor_gemm_type type;
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

static cudaDataType_t type_of(const tensor_gemm_task *g) {
    return g->type == TENSOR_GEMM_HALF ? CUDA_R_16F : CUDA_R_16BF;
}

// The library's matrices are column-major: D, row-major, is its transpose, B^T A^T.
static bool run_plain(const tensor_gemm_task *g) {
    return cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, (int)g->n, (int)g->m, (int)g->k, &one,
                        g->d_b, type_of(g), (int)g->k, g->d_a, type_of(g), (int)g->k, &zero, g->d_d,
                        CUDA_R_32F, (int)g->n, CUBLAS_COMPUTE_32F,
                        CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
}

static bool run_lt(const tensor_gemm_task *g, const cublasLtMatmulAlgo_t *algorithm) {
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
    cublasOperation_t transposed = CUBLAS_OP_T;
    return cublasLtMatmulDescCreate(&chosen.product, CUBLAS_COMPUTE_32F, CUDA_R_32F) ==
               CUBLAS_STATUS_SUCCESS &&
           cublasLtMatmulDescSetAttribute(chosen.product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                          sizeof transposed) == CUBLAS_STATUS_SUCCESS &&
           cublasLtMatrixLayoutCreate(&chosen.b, type_of(g), (uint64_t)g->k, (uint64_t)g->n,
                                      g->k) == CUBLAS_STATUS_SUCCESS &&
           cublasLtMatrixLayoutCreate(&chosen.a, type_of(g), (uint64_t)g->k, (uint64_t)g->m,
                                      g->k) == CUBLAS_STATUS_SUCCESS &&
           cublasLtMatrixLayoutCreate(&chosen.d, CUDA_R_32F, (uint64_t)g->n, (uint64_t)g->m,
                                      g->n) == CUBLAS_STATUS_SUCCESS;
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
    chosen = {g->m, g->n, g->k, g->type, NULL, NULL, NULL, NULL, {}, true};
    if (!describe(g) || cublasLtMatmulPreferenceCreate(&preference) != CUBLAS_STATUS_SUCCESS)
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

extern "C" int tensor_gemm_vendor(const tensor_gemm_task *g) {
    if (g->m < 0 || g->n < 0 || g->k < 0) return cudaErrorInvalidValue;
    if (g->m == 0 || g->n == 0) return cudaSuccess;
    if (g->k == 0) return cudaMemsetAsync(g->d_d, 0, sizeof(float) * (size_t)(g->m * g->n));
    if (!handle && (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS ||
                    cublasLtCreate(&lt_handle) != CUBLAS_STATUS_SUCCESS ||
                    cudaMalloc(&d_workspace, WORKSPACE_BYTES) != cudaSuccess))
        return cudaErrorInitializationError;
    bool known = chosen.m == g->m && chosen.n == g->n && chosen.k == g->k && chosen.type == g->type;
    if (!known && !choose(g)) return cudaErrorUnknown;
    return (chosen.plain ? run_plain(g) : run_lt(g, &chosen.algorithm)) ? cudaSuccess
                                                                        : cudaErrorUnknown;
}
