// Lab 08's solution on the simulator: each kernel that step 9 may choose, in both precisions, and
// rows whose entries have the largest numbers that an index can hold. KL_TEST_STEPS is the folder
// of the steps' shared objects.
// links: CUDA::cudart kl_sparse
// needs: spmv_solution sim_runtime
// defines: KL_TEST_STEPS=@BUILD@/labs/08_spmv/solution
// environment: LD_LIBRARY_PATH=@RUNTIME@
// labels: full
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "reference.h"
#include "sparse.h"
#include "spmv.h"
#include "suite.h"

// In the order of step 9's own list, whose number is first in its plan.
typedef enum kernel {
    DIAGONALS,
    PADDED,
    PADDED_8,
    LANES_2,
    LANES_4,
    LANES_8,
    LANES_16,
    LANES_32,
    BLOCKS
} kernel;

static kl_error err;

static void *symbol(int step, const char *name) {
    char file[1024], full[64];
    snprintf(file, sizeof file, "%s/step_%d.so", KL_TEST_STEPS, step);
    snprintf(full, sizeof full, "spmv_%s%d", name, step);
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(object, "%s", dlerror());
    return dlsym(object, full);
}

static void *on_device(const void *from, size_t bytes) {
    void *to = NULL;
    ck_assert_int_eq(cudaMalloc(&to, bytes + 256), cudaSuccess);
    ck_assert_int_eq(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), cudaSuccess);
    return to;
}

static void *rounded(const double *from, int64_t count, spmv_type type) {
    void *to = calloc((size_t)count + 1, spmv_value_bytes(type));
    ck_assert_ptr_nonnull(to);
    for (int64_t i = 0; i < count; i++) {
        if (type == SPMV_FLOAT) {
            ((float *)to)[i] = (float)from[i];
        } else {
            ((double *)to)[i] = from[i];
        }
    }
    return to;
}

typedef struct problem {
    spmv_matrix matrix; // device
    void *x, *y;        // device
    void *arrays[3];    // device: what the matrix's pointers come from
    double *want, *bound;
    spmv_prepared prepared;
    int64_t plan[SPMV_PLAN_BYTES / 8];
} problem;

// first_number: entry 0 of `csr` gets this number; the arrays are told to begin that much earlier.
static void set_up(problem *p, const kl_csr *csr, spmv_type type, int64_t first_number) {
    size_t value = spmv_value_bytes(type);
    int32_t *ptr = malloc((size_t)(csr->rows + 1) * sizeof *ptr);
    double *x = malloc((size_t)csr->cols * sizeof *x);
    p->want = calloc((size_t)csr->rows, sizeof *p->want);
    p->bound = calloc((size_t)csr->rows, sizeof *p->bound);
    ck_assert(ptr && x && p->want && p->bound);
    for (int64_t i = 0; i <= csr->rows; i++) ptr[i] = (int32_t)(csr->ptr[i] + first_number);
    for (int64_t j = 0; j < csr->cols; j++) x[j] = (double)(j % 7) - 3.5;
    spmv_reference(csr, x, type, p->want, p->bound);
    void *h_val = rounded(csr->val, csr->nnz, type), *h_x = rounded(x, csr->cols, type);
    p->arrays[0] = on_device(ptr, (size_t)(csr->rows + 1) * sizeof *ptr);
    p->arrays[1] = on_device(csr->col, (size_t)csr->nnz * sizeof *csr->col);
    p->arrays[2] = on_device(h_val, (size_t)csr->nnz * value);
    uintptr_t col = (uintptr_t)p->arrays[1], val = (uintptr_t)p->arrays[2];
    p->matrix = (spmv_matrix){csr->rows,
                              csr->cols,
                              csr->nnz,
                              p->arrays[0],
                              (const int32_t *)(col - (uintptr_t)first_number * sizeof *csr->col),
                              (const void *)(val - (uintptr_t)first_number * value),
                              type};
    p->x = on_device(h_x, (size_t)csr->cols * value);
    ck_assert_int_eq(cudaMalloc(&p->y, (size_t)csr->rows * value), cudaSuccess);
    size_t bytes = spmv_prepared_bytes(csr->rows, csr->nnz, type);
    memset(p->plan, 0, sizeof p->plan);
    p->prepared = (spmv_prepared){NULL, bytes, p->plan};
    ck_assert_int_eq(cudaMalloc(&p->prepared.d_memory, bytes), cudaSuccess);
    ck_assert_int_eq(cudaMemset(p->prepared.d_memory, 0xFF, bytes), cudaSuccess);
    free(ptr);
    free(x);
    free(h_val);
    free(h_x);
}

static void free_all(problem *p) {
    for (int i = 0; i < 3; i++) cudaFree(p->arrays[i]);
    cudaFree(p->x);
    cudaFree(p->y);
    cudaFree(p->prepared.d_memory);
    free(p->want);
    free(p->bound);
}

// Two calls: what the first one leaves must serve the second.
static void expect_right(problem *p, spmv_function *run, const char *what) {
    int64_t rows = p->matrix.rows;
    size_t bytes = (size_t)rows * spmv_value_bytes(p->matrix.type);
    void *y = malloc(bytes);
    ck_assert_ptr_nonnull(y);
    for (int call = 0; call < 2; call++) {
        ck_assert_int_eq(cudaMemset(p->y, 0xFF, bytes), cudaSuccess); // NaN
        ck_assert_int_eq(run(&p->matrix, p->x, p->y, &p->prepared), cudaSuccess);
        ck_assert_int_eq(cudaMemcpy(y, p->y, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
        for (int64_t i = 0; i < rows; i++) {
            double got = p->matrix.type == SPMV_FLOAT ? ((float *)y)[i] : ((double *)y)[i];
            ck_assert_msg(fabs(got - p->want[i]) <= p->bound[i],
                          "%s, call %d, row %lld: %g, not %g", what, call, (long long)i, got,
                          p->want[i]);
        }
    }
    free(y);
}

static void expect_choice(const kl_csr *csr, kernel wanted, const char *what) {
    spmv_prepare_function *prepare = (spmv_prepare_function *)symbol(9, "prepare");
    spmv_function *run = (spmv_function *)symbol(9, "step");
    for (int type = SPMV_FLOAT; type <= SPMV_DOUBLE; type++) {
        problem p;
        set_up(&p, csr, (spmv_type)type, 0);
        ck_assert_int_eq(prepare(&p.matrix, &p.prepared), cudaSuccess);
        ck_assert_msg(p.plan[0] == wanted, "%s, type %d: kernel %d", what, type, (int)p.plan[0]);
        expect_right(&p, run, what);
        free_all(&p);
    }
}

// Rows in turn of the lengths that `lengths` lists.
static kl_csr rows_of(int64_t rows, int64_t cols, const int32_t *lengths, int count) {
    kl_csr csr;
    int32_t *all = malloc((size_t)rows * sizeof *all);
    ck_assert_ptr_nonnull(all);
    for (int64_t i = 0; i < rows; i++) all[i] = lengths[i % count];
    ck_assert_msg(kl_make_rows(rows, cols, all, 5, &csr, &err) == KL_OK, "%s", err.text);
    free(all);
    return csr;
}

#define CHOICE(wanted, rows, cols, ...)                                                            \
    do {                                                                                           \
        const int32_t lengths_[] = {__VA_ARGS__};                                                  \
        kl_csr csr_ = rows_of(rows, cols, lengths_, (int)(sizeof lengths_ / sizeof *lengths_));    \
        expect_choice(&csr_, wanted, #wanted);                                                     \
        kl_csr_free(&csr_);                                                                        \
    } while (0)

KL_TEST(step_9_chooses_diagonals) {
    kl_csr csr;
    ck_assert_int_eq(kl_make_band(3000, 2, 5, 5, &csr, &err), KL_OK);
    expect_choice(&csr, DIAGONALS, "band");
    kl_csr_free(&csr);
    ck_assert_int_eq(kl_make_stencil(KL_STENCIL_5, 40, 30, 1, 5, &csr, &err), KL_OK);
    expect_choice(&csr, DIAGONALS, "stencil");
    kl_csr_free(&csr);
}

KL_TEST(step_9_chooses_padded_rows) {
    CHOICE(PADDED, 32768, 20000, 7, 6, 7, 7);
    CHOICE(PADDED_8, 32768, 20000, 12, 11);
    CHOICE(PADDED_8, 32768, 1 << 20, 45, 40); // more than 160 bytes, but nothing is near
}

KL_TEST(step_9_chooses_lanes) {
    CHOICE(LANES_2, 700, 900, 3, 1, 0);
    CHOICE(LANES_2, 200000, 900, 6, 0, 0, 0); // many entries, but few a row
    CHOICE(LANES_4, 700, 900, 5, 8, 1);
    CHOICE(LANES_8, 700, 900, 10, 20, 0);
    CHOICE(LANES_16, 700, 900, 20, 30, 7);
    CHOICE(LANES_32, 700, 900, 40, 90, 33);
}

KL_TEST(step_9_chooses_row_blocks) {
    // lengths about the capacity of a block, pieces, rows that fit nowhere, and runs of empty rows
    CHOICE(BLOCKS, 100, 9000, 1, 0, 0, 511, 0, 512, 0, 513, 3, 0, 9000, 0, 0, 2, 2, 2, 0, 0, 2, 1);
    CHOICE(BLOCKS, 60, 9000, 480, 2048, 2049, 0, 1, 9000, 0, 0, 2, 4096, 4097, 30);
    CHOICE(BLOCKS, 9000, 60, 40, 20, 30);                   // many entries near each other
    CHOICE(BLOCKS, 6000, 6000, 0, 0, 0, 0, 0, 0, 0, 40, 0); // rows rather than entries fill a block
}

KL_TEST(entries_have_numbers_up_to_the_largest) {
    static const int32_t lengths[] = {0, 3, 90, 1, 40, 700, 5, 2600};
    static const int steps[] = {4, 5, 6, 7, 9};
    kl_csr csr = rows_of(40, 3000, lengths, 8);
    csr.nnz -= (csr.nnz - 31) % 32; // so that entry 0 has the number of a line's first one
    csr.ptr[csr.rows] = (int32_t)csr.nnz;
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        for (int type = SPMV_FLOAT; type <= SPMV_DOUBLE; type++) {
            problem p;
            set_up(&p, &csr, (spmv_type)type, INT32_MAX - csr.nnz);
            spmv_prepare_function *prepare = (spmv_prepare_function *)symbol(steps[s], "prepare");
            if (prepare) ck_assert_int_eq(prepare(&p.matrix, &p.prepared), cudaSuccess);
            expect_right(&p, (spmv_function *)symbol(steps[s], "step"), "large numbers");
            free_all(&p);
        }
    }
    kl_csr_free(&csr);
}

KL_TEST_MAIN("spmv_kernels")
