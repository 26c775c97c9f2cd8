// SPDX-License-Identifier: MIT
// The toolkit's own libraries behind the lab's contract, for the --vendor row: cuSPARSE from CSR,
// cuBLAS (in full float precision) where nothing is pruned. They know no bias and no ReLU: a kernel
// behind them adds these. For comparison only: no step may use it.
#include "pruning.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>

#define THREADS 256

static cusparseHandle_t sparse_library(void) {
    static cusparseHandle_t handle; // made once: it costs milliseconds
    if (handle == NULL) cusparseCreate(&handle);
    return handle;
}

static cublasHandle_t dense_library(void) {
    static cublasHandle_t handle;
    if (handle == NULL) {
        cublasCreate(&handle);
        cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH);
    }
    return handle;
}

__global__ void __launch_bounds__(THREADS)
    finish(int64_t images, int64_t rows, int relu, const float *b, float *y) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= rows * images) return;
    float sum = y[i] + b[i / images];
    y[i] = relu ? fmaxf(sum, 0.0f) : sum;
}

static int multiply_dense(const pruning_task *t) {
    const pruning_shape *s = &t->shape;
    float one = 1.0f, zero = 0.0f;
    int images = (int)s->images, rows = (int)s->rows, cols = (int)s->cols;
    // Row-major y, w and x are column-major y^T = x^T w^T.
    cublasStatus_t status =
        images == 1 ? cublasSgemv(dense_library(), CUBLAS_OP_T, cols, rows, &one, t->d_w, cols,
                                  t->d_x, 1, &zero, t->d_y, 1)
                    : cublasSgemm(dense_library(), CUBLAS_OP_N, CUBLAS_OP_N, images, rows, cols,
                                  &one, t->d_x, images, t->d_w, cols, &zero, t->d_y, images);
    return status == CUBLAS_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

// What describes the last call's matrices: made anew only when they change, which is not timed.
typedef struct described {
    pruning_task task;
    cusparseSpMatDescr_t weights;
    cusparseDnMatDescr_t x, y;
    cusparseDnVecDescr_t x1, y1;
    void *d_buffer;
} described;

static bool same(const pruning_task *a, const pruning_task *b) {
    return a->d_val == b->d_val && a->d_x == b->d_x && a->d_y == b->d_y &&
           a->shape.images == b->shape.images && a->shape.rows == b->shape.rows &&
           a->shape.cols == b->shape.cols && a->shape.nnz == b->shape.nnz;
}

static void describe(const pruning_task *t, described *d) {
    const pruning_shape *s = &t->shape;
    float one = 1.0f, zero = 0.0f;
    size_t bytes = 0;
    cudaFree(d->d_buffer);
    d->d_buffer = NULL;
    d->task = *t;
    cusparseCreateCsr(&d->weights, s->rows, s->cols, s->nnz, (void *)t->d_ptr, (void *)t->d_col,
                      (void *)t->d_val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnMat(&d->x, s->cols, s->images, s->images, (void *)t->d_x, CUDA_R_32F,
                        CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&d->y, s->rows, s->images, s->images, t->d_y, CUDA_R_32F,
                        CUSPARSE_ORDER_ROW);
    cusparseCreateDnVec(&d->x1, s->cols, (void *)t->d_x, CUDA_R_32F);
    cusparseCreateDnVec(&d->y1, s->rows, t->d_y, CUDA_R_32F);
    if (s->images == 1)
        cusparseSpMV_bufferSize(sparse_library(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                                d->weights, d->x1, &zero, d->y1, CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG2,
                                &bytes);
    else
        cusparseSpMM_bufferSize(sparse_library(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                                CUSPARSE_OPERATION_NON_TRANSPOSE, &one, d->weights, d->x, &zero,
                                d->y, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, &bytes);
    cudaMalloc(&d->d_buffer, bytes > 0 ? bytes : 1);
}

static int multiply_sparse(const pruning_task *t) {
    static described d;
    float one = 1.0f, zero = 0.0f;
    if (!same(&d.task, t)) describe(t, &d);
    cusparseStatus_t status =
        t->shape.images == 1
            ? cusparseSpMV(sparse_library(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, d.weights,
                           d.x1, &zero, d.y1, CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG2, d.d_buffer)
            : cusparseSpMM(sparse_library(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                           CUSPARSE_OPERATION_NON_TRANSPOSE, &one, d.weights, d.x, &zero, d.y,
                           CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, d.d_buffer);
    return status == CUSPARSE_STATUS_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

extern "C" int pruning_vendor(const pruning_task *task) {
    const pruning_shape *s = &task->shape;
    int64_t outputs = s->rows * s->images;
    if (outputs == 0) return cudaSuccess;
    int code = s->nnz == s->rows * s->cols ? multiply_dense(task) : multiply_sparse(task);
    if (code != cudaSuccess) return code;
    finish<<<(unsigned)((outputs + THREADS - 1) / THREADS), THREADS>>>(
        s->images, s->rows, task->relu, task->d_b, task->d_y);
    return cudaGetLastError();
}
