// SPDX-License-Identifier: MIT
// The toolkit's own product (cuBLAS sgemv, float arithmetic throughout) behind the lab's contract,
// for the --vendor row. For comparison only: no step may use it.
#include "gemv_row.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

// cuBLAS counts matrices by columns: our A[m][n] is its n x m matrix, transposed.
extern "C" int gemv_row_vendor(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                               void *d_workspace, size_t workspace_bytes) {
    static cublasHandle_t handle; // made once: it costs milliseconds
    (void)d_workspace;
    if (!gemv_row_valid(matrix->m, matrix->n, workspace_bytes)) return cudaErrorInvalidValue;
    if (handle == NULL &&
        (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS ||
         cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH) != CUBLAS_STATUS_SUCCESS)) {
        return cudaErrorInitializationError;
    }
    const float one = 1.0f;
    const float zero = 0.0f;
    cublasStatus_t status = cublasSgemv(handle, CUBLAS_OP_T, (int)matrix->n, (int)matrix->m, &one,
                                        matrix->a, (int)matrix->n, d_x, 1, &zero, d_y, 1);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}
