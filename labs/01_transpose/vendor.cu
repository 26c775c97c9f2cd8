// SPDX-License-Identifier: MIT
// The toolkit's own transposition (cuBLAS geam) behind the lab's contract, for the --vendor row.
// For comparison only: no step may use it.
#include "transpose.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

// cuBLAS counts its matrices by columns: our in[rows][cols] is its cols x rows matrix A with
// leading dimension cols, and our out[cols][rows] is 1 * transposed(A) + 0 * out, of rows x cols.
extern "C" int transpose_vendor(const float *d_in, int64_t rows, int64_t cols, float *d_out) {
    static cublasHandle_t handle; // made once: it costs milliseconds
    if (rows < 0 || cols < 0 || rows > INT32_MAX || cols > INT32_MAX) return cudaErrorInvalidValue;
    if (rows * cols == 0) return cudaSuccess;
    if (handle == NULL && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
        return cudaErrorInitializationError;
    }
    const float one = 1.0f;
    const float zero = 0.0f;
    cublasStatus_t status =
        cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, (int)rows, (int)cols, &one, d_in, (int)cols,
                    &zero, d_out, (int)rows, d_out, (int)rows);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}
