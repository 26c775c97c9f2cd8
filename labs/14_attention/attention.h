// The contract of lab 14, attention: what every step takes, gives and may use. For C and CUDA C.
// It must not contain anything that only one step needs.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { ATTENTION_NOT_IMPLEMENTED = -1 };

// Heads, queries and keys are at most this many: heads are an index of blocks.
enum { ATTENTION_MOST = 65535 };

// Rows of a matrix of each head in device memory, cut into boxes for bulk tensor copies (compute
// capability 9.0). A box has 64 columns (128 bytes) of box_rows rows of one head; in shared memory
// it is swizzled: chunk c of 16 bytes of row r lies at index c ^ r % 8. Coordinates of a copy:
// column, row, head. Rows beyond the last one of a head are read as 0 and not written.
typedef struct attention_boxes {
    const void *d_first; // device, 256-byte aligned; half, [heads][rows][width]
    int64_t heads, rows; // at least 1
    int width;           // elements of a row: 64 or 128
    int box_rows;        // 1 .. 256
} attention_boxes;

// What the hardware needs to know of it: the parameter of a kernel, `const __grid_constant__`.
#ifdef __cplusplus
struct alignas(64) attention_map {
#else
typedef struct attention_map {
    _Alignas(64)
#endif
    unsigned char bytes[128];
#ifdef __cplusplus
};
#else
} attention_map;
#endif

// Host: fills *out_map. Returns 0 or a cudaError_t: cudaErrorInvalidValue for boxes that break the
// rules above, cudaErrorNotSupported when toolkit or driver has no bulk tensor copies. Steps reach
// it by their task, because they may not call the driver themselves.
typedef int attention_describe(const attention_boxes *boxes, attention_map *out_map);
attention_describe attention_describe_boxes; // of call.c

// Attention of some heads: each has a matrix of queries, one of keys, one of values.
typedef struct attention_task {
    int64_t heads;   // of all texts of a batch: 0 .. ATTENTION_MOST
    int64_t queries; // rows of Q and of O of each head: 0 .. ATTENTION_MOST
    int64_t keys;    // rows of K and of V of each head: 0 .. ATTENTION_MOST
    int width;       // elements of a row: 64 or 128
    int causal;      // 0: a query sees all keys; 1: query i sees the keys j <= i + keys - queries
    const void *d_q; // device, half, [heads][queries][width]; only read
    const void *d_k; // device, half, [heads][keys][width]; only read
    const void *d_v; // device, half, [heads][keys][width]; only read
    void *d_o;       // device, half, [heads][queries][width]; undefined before
    attention_describe *describe; // for bulk tensor copies
    void *d_workspace; // device, 256-byte aligned, attention_workspace_bytes; undefined before
} attention_task;

// Writes O = softmax(Q K^T / sqrt(width)) V for each head: with x[j] the sum of q[i][c] * k[j][c]
// over c, divided by sqrt(width), and p[j] = exp(x[j] - max x) / sum of exp(x - max x) over the
// keys that query i sees,
//
//     o[i][c] = sum of p[j] * v[j][c] over these keys.
//
// A query that sees no key gets zeros. When heads or queries is 0 nothing may be written.
//
//   d_q, d_k, d_v, d_o   256-byte aligned; NULL when the matrix is empty; d_o overlaps no other
//
// All sums are floats, in any order; exponentials may be rounded to half before they are multiplied
// with values, relative to a maximum of the keys so far that moves at most once for 16 keys
// (reference.c has the bound). All work goes to the default stream; a step need not wait for it.
//
// Returns 0, a cudaError_t, or ATTENTION_NOT_IMPLEMENTED. cudaErrorInvalidValue when a number
// breaks the limits above.
typedef int attention_function(const attention_task *task);

attention_function attention_step0, attention_step1, attention_step2, attention_step3,
    attention_step4, attention_step5, attention_step6, attention_step7, attention_step8,
    attention_step9;
attention_function attention_vendor; // a library's, for comparison

// Heads whose scores, [queries][keys] floats each, are in the workspace at the same time: as many
// as take 1 GiB, and one at least.
static inline int64_t attention_heads_at_once(int64_t heads, int64_t queries, int64_t keys) {
    const int64_t most = (INT64_C(1) << 30) / (int64_t)sizeof(float);
    int64_t scores = queries * keys;
    int64_t some = scores > 0 ? most / scores : heads;
    some = some < 1 ? 1 : some;
    return some < heads ? some : heads;
}

// Bytes of the workspace: these scores, or 256 for a step that has no scores in memory.
static inline int64_t attention_workspace_bytes(int64_t heads, int64_t queries, int64_t keys) {
    int64_t scores = attention_heads_at_once(heads, queries, keys) * queries * keys;
    int64_t bytes = scores * (int64_t)sizeof(float);
    return bytes < 256 ? 256 : bytes;
}

#ifdef __cplusplus
}
#endif
