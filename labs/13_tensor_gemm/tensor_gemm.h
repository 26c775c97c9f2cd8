// The contract of lab 13, matrix multiplication on tensor cores: what every step takes, gives and
// may use. For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { TENSOR_GEMM_NOT_IMPLEMENTED = -1 };

// The type of the elements of A and B: 16 bits each, for step 12 8 bits.
typedef enum tensor_gemm_type {
    TENSOR_GEMM_HALF = 0,     // IEEE half: 11 significant bits, up to 65504
    TENSOR_GEMM_BFLOAT16 = 1, // the upper half of a float: 8 significant bits, the range of float
    TENSOR_GEMM_E4M3 = 2,     // a float of 8 bits: 4 significant bits, up to 448; with scales
} tensor_gemm_type;

// Rows of A and of B are multiples of TENSOR_GEMM_SIDE, their length is one of TENSOR_GEMM_DEPTH;
// step 11 takes any.
enum { TENSOR_GEMM_SIDE = 128, TENSOR_GEMM_DEPTH = 64 };

// 8-bit floats have scales: one for each TENSOR_GEMM_SCALED elements of a row of A, and one for
// each TENSOR_GEMM_SCALED x TENSOR_GEMM_SCALED elements of B, whose rows are filled up to a
// multiple of TENSOR_GEMM_PITCH. All sides of the matrices are multiples of TENSOR_GEMM_UNIT.
enum { TENSOR_GEMM_SCALED = 128, TENSOR_GEMM_PITCH = 4, TENSOR_GEMM_UNIT = 16 };

enum { TENSOR_GEMM_PARTS_BYTES = 1 << 24 }; // of the workspace

// A matrix in device memory, cut into boxes for bulk tensor copies (compute capability 9.0). A row
// of a box has 128 bytes, in shared memory swizzled: chunk c of 16 bytes of row r lies at index c ^
// r % 8.
typedef struct tensor_gemm_boxes {
    const void *d_first;   // device, 16-byte aligned; row-major
    int64_t rows, columns; // of the matrix, at least 1; a row has a multiple of 16 bytes
    int box_rows;          // 1 .. 256
    int element_bytes;     // 1, 2, or 4 for floats
} tensor_gemm_boxes;

// What the hardware needs to know of it: the parameter of a kernel, `const __grid_constant__`.
#ifdef __cplusplus
struct alignas(64) tensor_gemm_map {
#else
typedef struct tensor_gemm_map {
    _Alignas(64)
#endif
    unsigned char bytes[128];
#ifdef __cplusplus
};
#else
} tensor_gemm_map;
#endif

// Host: fills *out_map. Returns 0 or a cudaError_t: cudaErrorInvalidValue for boxes that break the
// rules above, cudaErrorNotSupported when toolkit or driver has no bulk tensor copies. Steps reach
// it by their task, because they may not call the driver themselves.
typedef int tensor_gemm_describe(const tensor_gemm_boxes *boxes, tensor_gemm_map *out_map);

// One product D = A B. A and D are row-major, B is column-major: what is multiplied with each
// other are rows of d_a and rows of d_b. Step 11 takes other layouts and results as well.
typedef struct tensor_gemm_task {
    int64_t m;             // rows of A and of D: a multiple of TENSOR_GEMM_SIDE, 0 .. 2^16
    int64_t n;             // columns of B and of D: likewise
    int64_t k;             // columns of A, rows of B: a multiple of TENSOR_GEMM_DEPTH, 0 .. 2^16
    tensor_gemm_type type; // of A and B
    const void *d_a;       // device, [m][k]: element (i, p) at i * k + p; only read
    const void *d_b;       // device, [n][k]: element (p, j) at j * k + p; only read
    // Of 8-bit floats, device, 256-byte aligned; NULL elsewhere. With s = TENSOR_GEMM_SCALED:
    const float *d_a_scales;        // [k / s, up][m]: of element (i, p) of A at p / s * m + i
    const float *d_b_scales;        // [n / s, up][pitch]: of (p, j) of B at j / s * pitch + p / s
    float *d_d;                     // device, [m][n]: element (i, j) at i * n + j; undefined before
    tensor_gemm_describe *describe; // for bulk tensor copies
    // device, 256-byte aligned, for step 11: TENSOR_GEMM_PARTS_BYTES for sums that are to be
    // added up, and behind them, for A and then for B, a copy whose rows in memory have a multiple
    // of TENSOR_GEMM_DEPTH elements, of 2 bytes each; none where they have one already.
    void *d_workspace;
    // For step 11, all false elsewhere.
    bool a_by_columns; // A is column-major: d_a is [k][m], element (i, p) at p * m + i
    bool b_by_rows;    // B is row-major: d_b is [k][n], element (p, j) at p * n + j
    bool narrow;       // D has elements of `type`, at d_d all the same, and not floats; of 8-bit
                       // floats always, and bfloat16 ones
} tensor_gemm_task;

// Writes D = A B: d_d[i * n + j] = sum of d_a[i * k + p] * d_b[j * k + p] over p < k. When k is 0
// the sum is 0, and is written; when m or n is 0 nothing may be written.
//
//   d_a, d_b, d_d    256-byte aligned; NULL when the matrix is empty; d_d overlaps neither
//
// A product of two elements is exact in float. The k products are added in any order, in float or
// as the tensor cores add them: with 24 bits, cut off instead of rounded (reference.c has the
// bound). A narrow sum is rounded once, to nearest, when all products are in it. 8-bit floats are
// multiplied by their scales: the tensor cores add at most TENSOR_GEMM_SCALED of their products,
// in the order of p, and what is behind these is added in float. All work goes to the default
// stream; a step need not wait for it to finish.
//
// Returns 0, a cudaError_t, or TENSOR_GEMM_NOT_IMPLEMENTED. cudaErrorInvalidValue when m, n or k is
// negative, or the type not the step's; but for step 11 also when m, n or k is not such a multiple,
// or the layout or result another.
typedef int tensor_gemm_function(const tensor_gemm_task *task);

tensor_gemm_function tensor_gemm_step0, tensor_gemm_step1, tensor_gemm_step2, tensor_gemm_step3,
    tensor_gemm_step4, tensor_gemm_step5, tensor_gemm_step6, tensor_gemm_step7, tensor_gemm_step8,
    tensor_gemm_step9, tensor_gemm_step10, tensor_gemm_step11, tensor_gemm_step12;
tensor_gemm_function tensor_gemm_vendor; // the toolkit's library, for comparison

#ifdef __cplusplus
}
#endif
