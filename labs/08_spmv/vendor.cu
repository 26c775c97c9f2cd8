// SPDX-License-Identifier: MIT
// The toolkit's own product (cuSPARSE, its faster CSR algorithm with preprocessing) behind the
// lab's contract, for the --vendor row. For comparison only: no step may use it.
#include "spmv.h"

#include <cuda_runtime.h>
#include <cusparse.h>

// What is kept of a matrix between calls, in its plan. (Descriptors are not freed: the program's
// end does that.)
typedef struct vendor_plan {
    cusparseSpMatDescr_t matrix;
    cusparseSpMVAlg_t algorithm;
} vendor_plan;

static cusparseHandle_t library(void) {
    static cusparseHandle_t handle; // made once: it costs milliseconds
    if (handle == NULL) {
        cusparseCreate(&handle);
    }
    return handle;
}

static cudaDataType type_of(const spmv_matrix *a) {
    return a->type == SPMV_FLOAT ? CUDA_R_32F : CUDA_R_64F;
}

// The library refuses matrices with more entries than places, which repeated columns can make: to
// it, such a matrix is wider.
static int64_t columns_of(const spmv_matrix *a) {
    int64_t needed = (a->nnz + a->rows - 1) / a->rows;
    return needed > a->cols ? needed : a->cols;
}

static int multiply(const spmv_matrix *a, const void *x, void *y, const spmv_prepared *prepared,
                    const vendor_plan *plan, bool prepare_only) {
    cusparseDnVecDescr_t in, out;
    cudaDataType type = type_of(a);
    int64_t cols = columns_of(a); // beyond a->cols nothing is read
    float one = 1.0f, zero = 0.0f;
    double one_d = 1.0, zero_d = 0.0;
    const void *alpha = a->type == SPMV_FLOAT ? (const void *)&one : &one_d;
    const void *beta = a->type == SPMV_FLOAT ? (const void *)&zero : &zero_d;
    cusparseCreateDnVec(&in, cols, const_cast<void *>(x), type);
    cusparseCreateDnVec(&out, a->rows, y, type);
    cusparseStatus_t status;
    if (prepare_only) {
        status = cusparseSpMV_preprocess(library(), CUSPARSE_OPERATION_NON_TRANSPOSE, alpha,
                                         plan->matrix, in, beta, out, type, plan->algorithm,
                                         prepared->d_memory);
    } else {
        status = cusparseSpMV(library(), CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, plan->matrix, in,
                              beta, out, type, plan->algorithm, prepared->d_memory);
    }
    cusparseDestroyDnVec(in);
    cusparseDestroyDnVec(out);
    return status == CUSPARSE_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

// Microseconds of a call, the best of a few.
static int time_algorithm(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared, const vendor_plan *plan, float *out_ms) {
    cudaEvent_t start, stop;
    int status = multiply(a, x, y, prepared, plan, true);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    *out_ms = 1e30f;
    for (int i = 0; i < 5 && status == cudaSuccess; i++) {
        float ms = 0;
        cudaEventRecord(start);
        status = multiply(a, x, y, prepared, plan, false);
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        cudaEventElapsedTime(&ms, start, stop);
        *out_ms = ms < *out_ms ? ms : *out_ms;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return status;
}

extern "C" int spmv_vendor_prepare(const spmv_matrix *a, const spmv_prepared *prepared) {
    vendor_plan *plan = (vendor_plan *)prepared->h_plan;
    if (a->rows == 0 || a->nnz == 0) return cudaSuccess;
    cusparseStatus_t made = cusparseCreateCsr(
        &plan->matrix, a->rows, columns_of(a), a->nnz, const_cast<int32_t *>(a->ptr),
        const_cast<int32_t *>(a->col), const_cast<void *>(a->val), CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of(a));
    if (made != CUSPARSE_STATUS_SUCCESS) return cudaErrorUnknown;
    void *x = NULL, *y = NULL; // the vectors are not known yet: any will do for the choice
    size_t bytes = spmv_value_bytes(a->type);
    int status = cudaMalloc(&x, (size_t)a->cols * bytes);
    if (status == cudaSuccess) {
        status = cudaMalloc(&y, (size_t)a->rows * bytes);
    }
    if (status == cudaSuccess) {
        status = cudaMemset(x, 0, (size_t)a->cols * bytes);
    }
    float ms[2] = {0, 0};
    static const cusparseSpMVAlg_t algorithms[] = {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2};
    for (int i = 0; i < 2 && status == cudaSuccess; i++) {
        plan->algorithm = algorithms[i];
        if (time_algorithm(a, x, y, prepared, plan, &ms[i]) != cudaSuccess) {
            ms[i] = 1e30f; // the library refuses some small matrices in one of its algorithms
        }
    }
    if (status == cudaSuccess) {
        plan->algorithm = algorithms[ms[1] < ms[0]];
        status = multiply(a, x, y, prepared, plan, true);
    }
    cudaFree(x);
    cudaFree(y);
    return status;
}

extern "C" int spmv_vendor(const spmv_matrix *a, const void *x, void *y,
                           const spmv_prepared *prepared) {
    if (a->rows == 0) return cudaSuccess;
    if (a->nnz == 0) return cudaMemsetAsync(y, 0, (size_t)a->rows * spmv_value_bytes(a->type));
    return multiply(a, x, y, prepared, (const vendor_plan *)prepared->h_plan, false);
}
