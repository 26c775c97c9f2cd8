// SPDX-License-Identifier: MIT
// Which element of a 4 x 4 matrix each thread multiplies, and when: what the index tables of lab
// 05's handout are made from (tables 3, 6 and 10 of its source). The kernels are the steps' own,
// with a number type that notes where it lies when it is multiplied; nothing is worked out by
// formula. Writes JSON (ladder.indices/1) to standard output.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 4, ELEMS = SIDE * SIDE, THREADS_MOST = 8, TIMES = 8 };

// index[t][k]: where in memory the k-th factor of thread t lies, counted from the first element of
// A or, with in_copy, of the copy A^T; element[t][k]: which element of A it is.
typedef struct notes {
    int32_t count[THREADS_MOST], index[THREADS_MOST][TIMES], element[THREADS_MOST][TIMES];
    int32_t in_copy;
} notes;
__device__ notes noted;

// A float that knows which element of A it is; -1: none, an element of x or a sum.
struct tracked {
    float value;
    int32_t element;
    tracked() = default;
    __host__ __device__ tracked(float v, int32_t e = -1) : value(v), element(e) {}
};
__device__ const tracked *first_of_a, *first_of_copy;

// A reference to the factor as it lies in memory.
__device__ tracked operator*(const tracked &a, const tracked &b) {
    int32_t thread = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    if (a.element >= 0 && thread < THREADS_MOST && noted.count[thread] < TIMES) {
        int32_t at = noted.count[thread]++;
        bool in_a = &a >= first_of_a && &a < first_of_a + ELEMS;
        noted.index[thread][at] = (int32_t)(&a - (in_a ? first_of_a : first_of_copy));
        noted.element[thread][at] = a.element;
        noted.in_copy = !in_a;
    }
    return tracked(a.value * b.value);
}

__device__ tracked &operator+=(tracked &sum, const tracked &term) {
    sum.value += term.value;
    return sum;
}

__device__ void atomicAdd(tracked *sum, tracked term) {
    atomicAdd(&sum->value, term.value);
}

#define float tracked // from here on in the contract and in the steps
#include "gemv_col.h"

namespace naive_step {
#include "steps/0_naive.cu"
}
#undef THREADS
namespace block_step {
#include "steps/1_block_multiply.cu"
}
#undef IMPLEMENTED
#undef BLOCK_HEIGHT
#undef BLOCK_WIDTH
namespace naive_transposed_step {
#include "steps/2_naive_transposed.cu"
}
#undef THREADS
namespace block_transposed_step {
#include "steps/3_block_transposed.cu"
}
#undef IMPLEMENTED
#undef BLOCK_HEIGHT
#undef BLOCK_WIDTH
namespace transpose_step {
#include "steps/4_transpose_then.cu"
}
#undef float

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int status_ = (call);                                                                      \
        if (status_ != 0) {                                                                        \
            fprintf(stderr, "indices: %s: %s\n", #call, cudaGetErrorString((cudaError_t)status_)); \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static int run_step(int step, const gemv_col_task *task) {
    switch (step) {
    case 0: return naive_step::gemv_col_step0(task);
    case 1: return block_step::gemv_col_step1(task);
    case 2: return naive_transposed_step::gemv_col_step2(task);
    case 3: return block_transposed_step::gemv_col_step3(task);
    default: return transpose_step::gemv_col_step4(task);
    }
}

static void print_threads(const char *name, const int32_t lists[THREADS_MOST][TIMES],
                          const char *after) {
    printf("\"%s\": [", name);
    for (int t = 0; t < SIDE; t++) {
        printf("%s[", t > 0 ? ", " : "");
        for (int k = 0; k < SIDE; k++) printf("%s%d", k > 0 ? ", " : "", lists[t][k]);
        printf("]");
    }
    printf("]%s", after);
}

// All elements of A are 1, those of x are 1, 2, 3, 4: each element of y must be 10.
static bool is_right(const tracked *y) {
    bool right = true;
    for (int i = 0; i < SIDE; i++) right = right && y[i].value == 10.0f;
    return right;
}

int main(void) {
    static const char *const names[] = {"naive", "block_multiply", "naive_transposed",
                                        "block_transposed", "transpose_then"};
    enum { STEPS = sizeof names / sizeof names[0] };
    static notes found;
    tracked a[ELEMS], x[SIDE], y[SIDE], *d_a = NULL, *d_x = NULL, *d_y = NULL;
    void *d_workspace = NULL;
    size_t bytes = gemv_col_workspace_bytes(SIDE, SIDE);
    for (int k = 0; k < ELEMS; k++) a[k] = tracked(1.0f, k);
    for (int k = 0; k < SIDE; k++) x[k] = tracked((float)(k + 1));
    CHECK(cudaMalloc((void **)&d_a, sizeof a));
    CHECK(cudaMalloc((void **)&d_x, sizeof x));
    CHECK(cudaMalloc((void **)&d_y, sizeof y));
    CHECK(cudaMalloc(&d_workspace, bytes));
    CHECK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
    const tracked *d_copy = (const tracked *)((const char *)d_workspace + GEMV_COL_COUNTER_BYTES);
    const tracked *d_first = d_a;
    CHECK(cudaMemcpyToSymbol(first_of_a, &d_first, sizeof d_first));
    CHECK(cudaMemcpyToSymbol(first_of_copy, &d_copy, sizeof d_copy));
    printf("{\"schema\": \"ladder.indices/1\", \"lab\": \"gemv_col\", \"side\": %d,\n \"steps\": [",
           SIDE);
    for (int step = 0; step < STEPS; step++) {
        gemv_col_op op = step < 2 ? GEMV_COL_AX : GEMV_COL_ATX;
        gemv_col_task task = {op, SIDE, SIDE, d_a, d_x, d_y, d_workspace, bytes};
        memset(&found, 0, sizeof found);
        CHECK(cudaMemcpyToSymbol(noted, &found, sizeof found));
        CHECK(run_step(step, &task));
        CHECK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpyFromSymbol(&found, noted, sizeof found));
        if (!is_right(y)) {
            fprintf(stderr, "indices: step %d is wrong\n", step);
            return 1;
        }
        printf("%s\n  {\"step\": %d, \"name\": \"%s\", \"array\": \"%s\",\n   ",
               step > 0 ? "," : "", step, names[step], found.in_copy ? "A^T" : "A");
        print_threads("index", found.index, ",\n   ");
        print_threads("element", found.element, "}");
    }
    printf("\n ]}\n");
    return 0;
}
