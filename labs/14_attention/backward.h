// The backward pass of attention, a problem beside the ladder of lab 14: from the derivative by O
// those by Q, K and V. For C and CUDA C.
#pragma once

#include <stdint.h>

#include "attention.h"

#ifdef __cplusplus
extern "C" {
#endif

// With S = Q K^T / sqrt(width) where query i sees key j, P = softmax of each row of S, O = P V:
//
//   dV = P^T dO    dP = dO V^T    dS = P (dP - D), D[i] = sum of dO[i][c] O[i][c] over c
//   dQ = dS K / sqrt(width)    dK = dS^T Q / sqrt(width)
typedef struct attention_backward_task {
    int64_t heads;      // batch times heads, 0 .. 2^16
    int64_t queries;    // rows of Q, O, dO and dQ, 0 .. 2^16
    int64_t keys;       // rows of K, V, dK and dV, 0 .. 2^16
    int width;          // elements of a row: 64 or 128
    int causal;         // nonzero: query i sees the keys j <= i + keys - queries
    const void *d_q;    // device, half, [heads][queries][width], 256-byte aligned; only read
    const void *d_k;    // device, half, [heads][keys][width]; only read
    const void *d_v;    // likewise
    const void *d_o;    // device, half, [heads][queries][width]: what the forward pass gave
    const void *d_do;   // likewise: the derivative by it
    const float *d_log; // device, [heads][queries]: log of the sum of exp S[i][j] over the keys
                        // that query i sees; of a query that sees none: any finite number
    void *d_dq;         // device, half, [heads][queries][width]; undefined before
    void *d_dk, *d_dv;  // device, half, [heads][keys][width]; undefined before
    float *d_row;       // device, [heads][queries]: for D
    attention_describe *describe; // for bulk tensor copies
} attention_backward_task;

// Writes dQ, dK and dV; of a query that sees no key, or a key that no query sees, 0. All work goes
// to the default stream. Returns 0 or a cudaError_t: cudaErrorInvalidValue for another width.
typedef int attention_backward_function(const attention_backward_task *task);

// What is given: a warp per query, then a warp per key, in float.
attention_backward_function attention_backward_simple;
// Fills d_log of the task, which is otherwise only read.
int attention_log_sums(const attention_backward_task *task, float *d_log);

#ifdef __cplusplus
}
#endif
