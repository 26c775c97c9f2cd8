// SPDX-License-Identifier: MIT
// The toolkit's own matrix product (cuBLAS sgemm, float arithmetic throughout) behind the lab's
// contract, for the --vendor row. For comparison only: no step may use it.
#include "gemm.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

extern "C" int gemm_vendor(const gemm_task *task) {
    static cublasHandle_t handle; // made once: it costs milliseconds
    if (task->m < 0 || task->n < 0 || task->k < 0) return cudaErrorInvalidValue;
    if (task->m == 0 || task->n == 0) return cudaSuccess;
    const size_t c_bytes = sizeof(float) * (size_t)(task->m * task->n);
    if (task->beta != 0.0f) { // the library adds beta times what C holds
        cudaError_t code = cudaMemcpyAsync(task->d_c, task->d_d, c_bytes, cudaMemcpyDeviceToDevice);
        if (code != cudaSuccess) return code;
    }
    if (handle == NULL &&
        (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS ||
         cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH) != CUBLAS_STATUS_SUCCESS)) {
        return cudaErrorInitializationError;
    }
    if (task->k == 0) { // sgemm asks for leading dimensions of at least 1
        if (task->beta == 0.0f) return cudaMemsetAsync(task->d_c, 0, c_bytes);
        return cublasSscal_64(handle, task->m * task->n, &task->beta, task->d_c, 1) ==
                       CUBLAS_STATUS_SUCCESS
                   ? cudaSuccess
                   : cudaErrorUnknown;
    }
    cublasStatus_t status = cublasSgemm(
        handle, CUBLAS_OP_N, CUBLAS_OP_N, (int)task->m, (int)task->n, (int)task->k, &task->alpha,
        task->d_a, (int)task->m, task->d_b, (int)task->k, &task->beta, task->d_c, (int)task->m);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}
