// SPDX-License-Identifier: MIT
// The toolkit's own sgemv (cuBLAS) behind the lab's contract, for the --vendor row. For comparison
// only: no step may use it.
#include "gemv_col.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

extern "C" int gemv_col_vendor(const gemv_col_task *task) {
    static cublasHandle_t handle; // of this process; making one takes longer than a product
    if (!gemv_col_is_valid(task)) return cudaErrorInvalidValue;
    if (handle == NULL && (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS ||
                           cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH) != 0)) {
        return cudaErrorInitializationError;
    }
    const float one = 1.0f, zero = 0.0f;
    int m = (int)task->m, n = (int)task->n;
    cublasStatus_t status =
        cublasSgemv(handle, task->op == GEMV_COL_AX ? CUBLAS_OP_N : CUBLAS_OP_T, m, n, &one,
                    task->d_a, m, task->d_x, 1, &zero, task->d_y, 1);
    return status == CUBLAS_STATUS_SUCCESS ? (int)cudaGetLastError() : (int)cudaErrorUnknown;
}
