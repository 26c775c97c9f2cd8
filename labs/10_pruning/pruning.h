// The contract of lab 10, pruning: what every step takes, gives and may use. A fully connected
// layer of lab 09 loses its smallest weights; the rest is kept as a sparse matrix. Source: Han,
// Pool, Tran and Dally, "Learning both Weights and Connections for Efficient Neural Networks", NIPS
// 2015. For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { PRUNING_NOT_IMPLEMENTED = -1 };

enum {
    PRUNING_BLOCK = 4,       // rows of a block of PRUNING_BLOCKS
    PRUNING_SEGMENT = 256,   // elements per count in the workspace of PRUNING_MASK
    PRUNING_STATE_INTS = 260 // of PRUNING_SELECT's workspace
};

// What a step does. Steps 0, 5, 6 and 8 do the same.
typedef enum pruning_op {
    PRUNING_LAYER,  // steps 0, 5, 6, 8: the layer, from dense weights or from CSR
    PRUNING_SELECT, // step 1: how large a weight must be to stay
    PRUNING_MASK,   // step 2: which weights stay
    PRUNING_UPDATE, // step 3: a step of descent that leaves pruned weights at 0
    PRUNING_CSR,    // step 4: weights and mask to CSR
    PRUNING_BLOCKS, // step 7: the layer from blocks of 4 rows x 1 column
    PRUNING_OPS
} pruning_op;

// The magnitude of a float as an integer: without the sign bit, floats are ordered as the integers
// of their bits are. NaN is larger than every number, so it stays and is seen.
#ifdef __CUDACC__
__host__ __device__
#endif
    static inline uint32_t
    pruning_magnitude(uint32_t bits) {
    return bits & 0x7fffffffu;
}

// The layer has `rows` outputs and `cols` inputs; w[row] has the weights of one output (lab 09's w,
// transposed). x and y hold the images of a batch side by side: element k of image n is
// x[k * images + n]. All tensors are row-major.
typedef struct pruning_shape {
    int64_t images; // 0 .. 2^16: of the batch
    int64_t rows;   // 1 .. 2^24
    int64_t cols;   // 1 .. 2^24
    int64_t nnz;    // weights that stay, 0 .. rows * cols; PRUNING_BLOCKS: blocks that stay
} pruning_shape;

// No tensor has more elements than this.
#define PRUNING_MOST_ELEMS (INT64_C(1) << 30)

// What a step gets. Pointers that an operation does not name are NULL. All are device pointers,
// 256-byte aligned. Inputs are only read; outputs hold undefined values (NaN) before and overlap
// nothing.
//
//   op              reads                             writes
//   PRUNING_LAYER   x [cols][images], w [rows][cols], y [rows][images] = w x + b, and 0 instead of
//                   what
//                   ptr, col, val, b [rows]           is not positive when relu
//   PRUNING_SELECT  w [count], keep                   select [2], see below
//   PRUNING_MASK    w [count], select_in [2]          mask [count]: 1 stays, 0 is taken out
//   PRUNING_UPDATE  w, v (velocity), g (gradient),    w_out, v_out [count]: 0 where mask is 0, else
//                   mask_in, each [count]             v_out = momentum * v + g, w_out = w - rate *
//                                                     v_out
//   PRUNING_CSR     w [rows][cols], mask_in the same  ptr_out [rows + 1], col_out, val_out [nnz]
//   PRUNING_BLOCKS  x, ptr, col, val, b, see below    y, as PRUNING_LAYER
//
// count = rows * cols, at least 1. x is finite: only then is it the same to skip a weight of 0.
//
// PRUNING_LAYER gets the weights twice, dense with zeros and as CSR; a step takes which it likes.
// Row i's entries are ptr[i] .. ptr[i + 1] - 1, by ascending column, ptr[rows] == nnz. A row may
// have none, and an entry may be 0.
//
// PRUNING_SELECT: of the `keep` weights (0 .. count) with the largest magnitude, select[0] is the
// smallest magnitude (bits), and select[1] how many weights of that very magnitude are among them.
// With keep 0: 0x7fffffff and 0.
// PRUNING_MASK: weights of a larger magnitude than select[0] stay, and of those of the same
// magnitude the select[1] with the smallest index.
// PRUNING_CSR: a weight whose mask is 1 becomes an entry, also when it is 0. mask has nnz ones.
//
// PRUNING_BLOCKS: block row I has the rows 4 I .. 4 I + 3 of w, those that there are. Its blocks
// are ptr[I] .. ptr[I + 1] - 1, by ascending column; block k has the column col[k] of these rows,
// val[4 k .. 4 k + 3]. ptr has blocks + 1 elements, blocks = pruning_block_rows(rows). Values of
// rows after the last one are 0.
//
// With images 0 PRUNING_LAYER and PRUNING_BLOCKS write nothing.
typedef struct pruning_task {
    pruning_op op;
    pruning_shape shape;
    int64_t keep; // PRUNING_SELECT
    int relu;     // PRUNING_LAYER, PRUNING_BLOCKS
    const float *d_x, *d_w, *d_b, *d_v, *d_g, *d_val;
    const int32_t *d_ptr, *d_col, *d_select_in;
    const uint8_t *d_mask_in;
    float *d_y, *d_w_out, *d_v_out, *d_val_out;
    int32_t *d_ptr_out, *d_col_out, *d_select;
    uint8_t *d_mask;
    float learning_rate, momentum; // PRUNING_UPDATE
    void *d_workspace; // 256-byte aligned, pruning_workspace_bytes(..) bytes, undefined before
} pruning_task;

// Does task->op. All work goes to the default stream; a step need not wait for it to finish.
// Arithmetic is in float, products and additions in any order (reference.c has the bound). The same
// arguments give the same bits every time, so floats must not be added by atomics; integers may.
//
// Returns 0, a cudaError_t, or PRUNING_NOT_IMPLEMENTED. cudaErrorInvalidValue when the step does
// not have this operation, or a size is out of range: see pruning_refuses.
typedef int pruning_function(const pruning_task *task);

pruning_function pruning_step0, pruning_step1, pruning_step2, pruning_step3, pruning_step4,
    pruning_step5, pruning_step6, pruning_step7, pruning_step8;

// ---- sizes ------------------------------------------------------------------------------------

static inline int64_t pruning_block_rows(int64_t rows) {
    return (rows + PRUNING_BLOCK - 1) / PRUNING_BLOCK;
}

// Entries or blocks that there can be.
static inline int64_t pruning_most_entries(pruning_op op, const pruning_shape *s) {
    return (op == PRUNING_BLOCKS ? pruning_block_rows(s->rows) : s->rows) * s->cols;
}

// Nonzero when the contract does not allow these arguments.
static inline int pruning_refuses(const pruning_task *task) {
    const pruning_shape *s = &task->shape;
    return s->images < 0 || s->images > INT64_C(1) << 16 || s->rows < 1 || s->cols < 1 ||
           s->rows > INT64_C(1) << 24 || s->cols > INT64_C(1) << 24 ||
           s->rows * s->cols > PRUNING_MOST_ELEMS || s->cols * s->images > PRUNING_MOST_ELEMS ||
           s->rows * s->images > PRUNING_MOST_ELEMS || s->nnz < 0 ||
           s->nnz > pruning_most_entries(task->op, s) ||
           (task->op == PRUNING_SELECT && (task->keep < 0 || task->keep > s->rows * s->cols));
}

// PRUNING_SELECT: an histogram and a few numbers. PRUNING_MASK: a count per segment, two of each.
// Else nothing.
static inline size_t pruning_workspace_bytes(pruning_op op, const pruning_shape *s) {
    if (op == PRUNING_SELECT) return PRUNING_STATE_INTS * sizeof(int32_t);
    if (op != PRUNING_MASK) return 0;
    return (size_t)((s->rows * s->cols + PRUNING_SEGMENT - 1) / PRUNING_SEGMENT + 1) * 2 *
           sizeof(int32_t);
}

#ifdef __cplusplus
}
#endif
