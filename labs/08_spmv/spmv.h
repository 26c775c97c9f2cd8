// The contract of lab 08, sparse matrix times vector: what every step takes, gives and may use.
// Sources: the lecture on end-to-end CNNs, section "DNN Pruning and Sparse Matrix Operations"; Bell
// and Garland, SC 2009; Greathouse and Daga, SC 2014; Merrill and Garland, SC 2016.
// For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { SPMV_NOT_IMPLEMENTED = -1 };

typedef enum spmv_type { SPMV_FLOAT = 0, SPMV_DOUBLE = 1 } spmv_type;

// A matrix in compressed sparse rows (CSR): the entries of row i are ptr[i] .. ptr[i+1]-1. In a row
// columns come in any order and may repeat (their entries add up); values may be 0. Rows may be
// empty, and one row may hold most of the matrix. All arrays are only read.
typedef struct spmv_matrix {
    int64_t rows, cols; // 0 .. 2^28
    int64_t nnz;        // entries, 0 .. 2^31 - 1
    const int32_t *ptr; // device, [rows + 1]
    const int32_t *col; // device, [nnz], 0 .. cols-1; NULL when nnz is 0
    const void *val;    // device, [nnz] float or double; NULL when nnz is 0
    spmv_type type;     // of val, x and y
} spmv_matrix;

// Memory that belongs to one matrix: what the step's preparation puts there, each of the step's
// calls with this matrix finds.
typedef struct spmv_prepared {
    void *d_memory; // device, 256-byte aligned; undefined values before the preparation
    size_t bytes;   // spmv_prepared_bytes(..)
    void *h_plan;   // host, SPMV_PLAN_BYTES bytes, 16-byte aligned; zero before the preparation
} spmv_prepared;

enum { SPMV_PLAN_BYTES = 256 };

// y = A x.
//
//   a         the matrix; its arrays lie on the device (step 0: on the host)
//   x         device, [cols] of a->type; only read
//   y         device, [rows]; every element is written in every call; it holds NaN before
//   prepared  what spmv_prepare<n> left, or as it was when the step has no preparation
//
// All work goes to the default stream; a step need not wait for it to finish.
// Accuracy: each row's products in any order of additions; see reference.c for the bound.
// Returns 0, a cudaError_t, or SPMV_NOT_IMPLEMENTED.
typedef int spmv_function(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared);

// What a step may do once for a matrix, before any vector is known: another format, a list of row
// blocks, a choice. Its time is shown apart. May copy the matrix to the host.
// Returns 0 or a cudaError_t; cudaErrorMemoryAllocation when the format does not fit the memory.
typedef int spmv_prepare_function(const spmv_matrix *a, const spmv_prepared *prepared);

spmv_function spmv_step0, spmv_step1, spmv_step2, spmv_step3, spmv_step4, spmv_step5, spmv_step6,
    spmv_step7, spmv_step8, spmv_step9;
spmv_prepare_function spmv_prepare1, spmv_prepare2, spmv_prepare3, spmv_prepare6, spmv_prepare9;
spmv_function spmv_vendor; // the toolkit's library, for comparison
spmv_prepare_function spmv_vendor_prepare;

static inline size_t spmv_value_bytes(spmv_type type) {
    return type == SPMV_FLOAT ? sizeof(float) : sizeof(double);
}

// Room for a padded format of up to three elements per entry, or for 16 bytes per row and per
// entry.
static inline size_t spmv_prepared_bytes(int64_t rows, int64_t nnz, spmv_type type) {
    size_t padded = 3 * (size_t)nnz * (sizeof(int32_t) + spmv_value_bytes(type));
    size_t lists = 16 * ((size_t)rows + (size_t)nnz);
    return (64u << 10) + (padded > lists ? padded : lists);
}

#ifdef __cplusplus
}
#endif
