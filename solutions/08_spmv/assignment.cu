// SPDX-License-Identifier: MIT
// Which thread multiplies and which one adds up each entry of a small matrix, step by step: what
// the figure of lab 08's handout is drawn from. The kernels are the steps' own, with a number type
// that notes who computes with it; nothing is worked out by formula. Writes JSON
// (ladder.assignment/1) to standard output.
#include "spmv.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, COLS = 16, NNZ = 31, THREADS_MOST = 2048, MEMORY_BYTES = 1 << 20 };

// Rows of uneven length, one of them empty.
static const int32_t lengths[ROWS] = {3, 5, 0, 2, 13, 1, 4, 3};

// For each entry: the thread (of the grid) that multiplied it, as the how-manieth of that thread's
// products, and the thread that added the product to a row's sum.
typedef struct notes {
    int32_t multiplied_by[NNZ], position[NNZ], added_by[NNZ];
    int32_t positions[THREADS_MOST];
} notes;
__device__ notes noted;

__device__ int32_t thread_number(void) {
    return (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
}

// A float that knows what it is: 0 a sum or padding, k + 1 the value of entry k, -(k + 1) its
// product.
struct tracked {
    float value;
    int32_t what;
    tracked() = default;
    __host__ __device__ tracked(float v, int32_t w = 0) : value(v), what(w) {}
};

__device__ tracked operator*(tracked a, tracked b) {
    int32_t position = noted.positions[thread_number()]++;
    if (a.what > 0) {
        noted.multiplied_by[a.what - 1] = thread_number();
        noted.position[a.what - 1] = position;
    }
    return tracked(a.value * b.value, -a.what);
}

__device__ void note_addition(tracked product) {
    if (product.what < 0) {
        noted.added_by[-product.what - 1] = thread_number();
    }
}

__device__ tracked operator+(tracked a, tracked b) {
    note_addition(b);
    return tracked(a.value + b.value,
                   b.what > 0 ? b.what : 0); // a value stored anew keeps its number
}

__device__ tracked &operator+=(tracked &a, tracked b) {
    return a = a + b;
}

__device__ bool operator!=(tracked a, int b) {
    return a.value != (float)b;
}

__device__ void atomicAdd(tracked *sum, tracked term) {
    note_addition(term);
    atomicAdd(&sum->value, term.value);
}

__device__ tracked __shfl_down_sync(unsigned mask, tracked x, unsigned step, int width = 32) {
    return tracked(__shfl_down_sync(mask, x.value, step, width));
}

__device__ tracked __shfl_up_sync(unsigned mask, tracked x, unsigned step) {
    return tracked(__shfl_up_sync(mask, x.value, step));
}

namespace coo {
#include "steps/1_coo.cu"
}
#undef IMPLEMENTED
#undef THREADS
namespace ell {
#include "steps/2_ell.cu"
}
#undef IMPLEMENTED
#undef THREADS
namespace dia {
#include "steps/3_dia.cu"
}
#undef IMPLEMENTED
#undef THREADS
#undef MOST_DIAGONALS
namespace scalar {
#include "steps/4_scalar.cu"
}
#undef IMPLEMENTED
#undef THREADS
namespace vector {
#include "steps/5_vector.cu"
}
#undef IMPLEMENTED
#undef THREADS
#undef WARPS
namespace adaptive {
#include "steps/6_adaptive.cu"
}
#undef IMPLEMENTED
#undef THREADS
#undef ENTRIES
#undef PIECE
namespace subwarp {
#include "steps/7_subwarp.cu"
}
#undef IMPLEMENTED
#undef THREADS
namespace merge {
#include "steps/8_merge.cu"
}

// The row ends before each thread's first step, as step 8's own search finds them.
__global__ void note_splits(const int32_t *ptr, int32_t *row_ends) {
    int at = (int)threadIdx.x * ITEMS;
    row_ends[threadIdx.x] = (int32_t)merge::split(at, ptr + 1, ROWS, NNZ, 0);
}

static int run_step(int step, const spmv_matrix *a, const void *x, void *y,
                    const spmv_prepared *p) {
    int status = 0;
    switch (step) {
    case 1:
        status = coo::spmv_prepare1(a, p);
        return status != 0 ? status : coo::run<tracked>(a, x, y, p);
    case 2:
        status = ell::prepare<tracked>(a, p);
        return status != 0 ? status : ell::run<tracked>(a, x, y, p);
    case 3:
        status = dia::prepare<tracked>(a, p);
        return status != 0 ? status : dia::run<tracked>(a, x, y, p);
    case 4: return scalar::run<tracked>(a, x, y);
    case 5: return vector::run<tracked>(a, x, y);
    case 6:
        status = adaptive::spmv_prepare6(a, p);
        return status != 0 ? status : adaptive::run<tracked>(a, x, y, p);
    case 7: return subwarp::run<tracked>(a, x, y);
    default: return merge::run<tracked>(a, x, y, p);
    }
}

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int status_ = (call);                                                                      \
        if (status_ != 0) {                                                                        \
            fprintf(stderr, "assignment: %s: %s\n", #call,                                         \
                    cudaGetErrorString((cudaError_t)status_));                                     \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static void print_list(const char *name, const int32_t *numbers, int count, const char *after) {
    printf("\"%s\": [", name);
    for (int i = 0; i < count; i++) printf("%s%d", i > 0 ? ", " : "", numbers[i]);
    printf("]%s", after);
}

// The matrix and vectors: entry k has value k + 1, x is 1, so that row sums can be told.
typedef struct host_matrix {
    int32_t ptr[ROWS + 1], col[NNZ];
    tracked val[NNZ], x[COLS];
} host_matrix;

static void make_matrix(host_matrix *m) {
    m->ptr[0] = 0;
    for (int i = 0; i < ROWS; i++) {
        m->ptr[i + 1] = m->ptr[i] + lengths[i];
        for (int e = 0; e < lengths[i]; e++) {
            m->col[m->ptr[i] + e] = (e * COLS + (i * 5) % COLS) / lengths[i] % COLS;
        }
    }
    for (int k = 0; k < NNZ; k++) m->val[k] = tracked((float)(k + 1), k + 1);
    for (int j = 0; j < COLS; j++) m->x[j] = tracked(1.0f);
}

static bool is_right(const host_matrix *m, const tracked *y) {
    for (int i = 0; i < ROWS; i++) {
        float sum = 0;
        for (int k = m->ptr[i]; k < m->ptr[i + 1]; k++) sum += m->val[k].value;
        if (y[i].value != sum) return false;
    }
    return true;
}

int main(void) {
    static const char *const names[] = {"cpu",    "coo",      "ell",     "dia",  "scalar",
                                        "vector", "adaptive", "subwarp", "merge"};
    static host_matrix h;
    static notes found;
    host_matrix *d = NULL;
    tracked *d_y = NULL, y[ROWS];
    void *d_memory = NULL;
    unsigned char plan[SPMV_PLAN_BYTES];
    make_matrix(&h);
    CHECK(cudaMalloc((void **)&d, sizeof h));
    CHECK(cudaMalloc((void **)&d_y, sizeof y));
    CHECK(cudaMalloc(&d_memory, MEMORY_BYTES));
    CHECK(cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice));
    spmv_matrix a = {ROWS, COLS, NNZ, d->ptr, d->col, d->val, SPMV_FLOAT};
    printf("{\"schema\": \"ladder.assignment/1\", \"lab\": \"spmv\", \"rows\": %d, ", ROWS);
    print_list("ptr", h.ptr, ROWS + 1, ",\n \"steps\": [");
    for (int step = 1; step <= 8; step++) {
        spmv_prepared prepared = {d_memory, MEMORY_BYTES, plan};
        memset(plan, 0, sizeof plan);
        memset(&found, 0xFF, sizeof found);
        memset(found.positions, 0, sizeof found.positions);
        CHECK(cudaMemcpyToSymbol(noted, &found, sizeof found));
        CHECK(run_step(step, &a, d->x, d_y, &prepared));
        CHECK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpyFromSymbol(&found, noted, sizeof found));
        if (!is_right(&h, y)) {
            fprintf(stderr, "assignment: step %d is wrong\n", step);
            return 1;
        }
        printf("%s\n  {\"step\": %d, \"name\": \"%s\",\n   ", step > 1 ? "," : "", step,
               names[step]);
        print_list("multiplied_by", found.multiplied_by, NNZ, ",\n   ");
        print_list("turn", found.position, NNZ, ",\n   ");
        print_list("added_by", found.added_by, NNZ, "}");
    }
    int32_t row_ends[(ROWS + NNZ + ITEMS - 1) / ITEMS];
    const int threads = sizeof row_ends / sizeof row_ends[0];
    note_splits<<<1, threads>>>(d->ptr, (int32_t *)d_memory);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(row_ends, d_memory, sizeof row_ends, cudaMemcpyDeviceToHost));
    printf("\n ],\n \"merge_path\": {\"steps_per_thread\": %d, ", ITEMS);
    print_list("row_ends_before", row_ends, threads, "}}\n");
    return 0;
}
