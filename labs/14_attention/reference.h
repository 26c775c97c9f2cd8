// The answer to lab 14 and its error bound, and the comparison with what a step wrote.
#pragma once

#include "attention.h"
#include "error.h"
#include "problem.h"

// ---- reference.c --------------------------------------------------------------------------------

extern const kl_problem attention_problem;

// The inputs of one case.
typedef struct attention_check {
    int64_t heads, queries, keys; // as in attention_task
    int width;                    // 64 or 128
    int causal;                   // 0 or 1
    const uint16_t *q, *k, *v;    // half, [heads][queries][width], two of [heads][keys][width]
} attention_check;

// The value of a half.
float attention_value(uint16_t bits);
// The bits of the half next to x; of two that are as near the one whose last bit is 0. |x| < 2^15.
uint16_t attention_bits(float x);

// The number of keys that a query sees: the first ones.
int64_t attention_seen(const attention_check *check, int64_t query);

// Softmax of the scores of row `query` of head `head` over its first `seen` keys, without the
// division: weights[j] = exp(x[j] - *out_most), *out_sum their sum. x has the scale `scale` instead
// of 1 / sqrt(width).
void attention_weights(const attention_check *check, int64_t head, int64_t query, int64_t seen,
                       double scale, double *weights, double *out_most, double *out_sum);

// Doubles of the reference answer.
uint64_t attention_answer_doubles(const attention_check *check);
// answer: [attention_answer_doubles].
kl_status attention_solve(const attention_check *check, double *answer, kl_error *err);
// Compares o: half, [heads][queries][width], two elements where it is empty, with the answer.
void attention_compare(const attention_check *check, const double *answer, const uint16_t *o,
                       kl_verdict *out_verdict);

// Says in the hint of a verdict on o, as attention_compare takes it, what kind of mistake gives its
// first wrong element and the neighbours of that.
void attention_explain(const attention_check *check, const uint16_t *o, kl_verdict *verdict);

// ---- backward_reference.c -----------------------------------------------------------------------
// The backward pass of attention in double, and how far a result in half may be from it.

// One head, in double. Matrices of queries (q, o) are [queries][width], of keys [keys][width].
typedef struct backward_head {
    int64_t queries, keys;
    int width, causal;
    double *q, *k, *v, *d_o;       // inputs
    double *o, *log;               // [queries][width], [queries]: of the forward pass
    double *dq, *dk, *dv;          // the derivatives
    double *far_q, *far_k, *far_v; // how far each element of a result may be away
} backward_head;

// Doubles that the arrays of a head take.
int64_t backward_head_doubles(int64_t queries, int64_t keys, int width);
// Lays all arrays into memory.
void backward_head_lay(backward_head *head, double *memory);
// From the inputs: o and log, the derivatives and their bounds.
kl_status backward_head_solve(backward_head *head, kl_error *err);
