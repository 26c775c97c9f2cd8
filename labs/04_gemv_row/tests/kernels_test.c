// Lab 04's solution on the simulator: sizes and workspaces that the contract forbids are refused
// and nothing is written; a row that is split over blocks gives the same bits in every call.
// KL_TEST_STEPS is the folder of the steps' shared objects.
// links: CUDA::cudart
// needs: gemv_row_solution sim_runtime
// defines: KL_TEST_STEPS=@BUILD@/labs/04_gemv_row/solution
// environment: LD_LIBRARY_PATH=@RUNTIME@
// labels: grade
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "gemv_row.h"
#include "random.h"
#include "suite.h"

enum { STEPS = 8, COLUMNS = 40001 };

static gemv_row_function *step_of(int number) {
    char file[1024], name[64];
    gemv_row_function *step = NULL;
    snprintf(file, sizeof file, "%s/step_%d.so", KL_TEST_STEPS, number);
    snprintf(name, sizeof name, "gemv_row_step%d", number);
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(object, "%s", dlerror());
    void *symbol = dlsym(object, name);
    ck_assert_ptr_nonnull(symbol);
    memcpy(&step, &symbol, sizeof step);
    return step;
}

KL_TEST(bad_sizes_are_refused) {
    static float a[4] = {1, 2, 3, 4}, x[2] = {1, 1}, y[2];
    static unsigned char plan[GEMV_ROW_PLAN_BYTES], workspace[GEMV_ROW_WORKSPACE_BYTES];
    static const struct {
        int64_t m, n;
        size_t workspace_bytes;
    } bad[] = {{0, 2, sizeof workspace},
               {2, 0, sizeof workspace},
               {-1, 2, sizeof workspace},
               {2, -1, sizeof workspace},
               {INT64_C(1) << 31, 1, sizeof workspace},
               {INT64_C(1) << 20, INT64_C(1) << 20, sizeof workspace},
               {2, 2, sizeof workspace - 1}};
    for (int number = 0; number < STEPS; number++) {
        gemv_row_function *step = step_of(number);
        for (int k = 0; k < (int)(sizeof bad / sizeof bad[0]); k++) {
            if (number == 0 && bad[k].workspace_bytes < sizeof workspace) continue; // has none
            // Refused before anything is touched: host memory would be an error on the device.
            gemv_row_matrix matrix = {a, bad[k].m, bad[k].n, NULL, 0, plan};
            y[0] = y[1] = -7.0f;
            ck_assert_int_eq(step(&matrix, x, y, workspace, bad[k].workspace_bytes),
                             cudaErrorInvalidValue);
            ck_assert(y[0] == -7.0f && y[1] == -7.0f);
        }
    }
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
}

KL_TEST(a_split_row_gives_the_same_bits_each_time) {
    static float a[COLUMNS], x[COLUMNS];
    float *d_a = NULL, *d_x = NULL, *d_y = NULL, first = 0, again = 0;
    void *d_workspace = NULL;
    static unsigned char plan[GEMV_ROW_PLAN_BYTES];
    for (int j = 0; j < COLUMNS; j++) {
        a[j] = kl_random_signed(1, (uint64_t)j);
        x[j] = kl_random_signed(2, (uint64_t)j);
    }
    ck_assert_int_eq(cudaMalloc((void **)&d_a, sizeof a), cudaSuccess);
    ck_assert_int_eq(cudaMalloc((void **)&d_x, sizeof x), cudaSuccess);
    ck_assert_int_eq(cudaMalloc((void **)&d_y, sizeof(float)), cudaSuccess);
    ck_assert_int_eq(cudaMalloc(&d_workspace, GEMV_ROW_WORKSPACE_BYTES), cudaSuccess);
    cudaMemset(d_workspace, 0, GEMV_ROW_WORKSPACE_BYTES);
    cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
    gemv_row_matrix matrix = {d_a, 1, COLUMNS, NULL, 0, plan};
    gemv_row_function *step = step_of(7);
    for (int call = 0; call < 5; call++) {
        ck_assert_int_eq(step(&matrix, d_x, d_y, d_workspace, GEMV_ROW_WORKSPACE_BYTES), 0);
        ck_assert_int_eq(cudaMemcpy(&again, d_y, sizeof again, cudaMemcpyDeviceToHost),
                         cudaSuccess);
        if (call == 0) first = again;
        ck_assert_int_eq(memcmp(&first, &again, sizeof first), 0);
    }
    cudaFree(d_a);
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_workspace);
}

// Sums of small integers are exact in any order.
static void check_shape(int64_t rows, int64_t columns) {
    float *a = malloc((size_t)(rows * columns) * sizeof *a),
          *x = malloc((size_t)columns * sizeof *x);
    float *y = malloc((size_t)rows * sizeof *y), *d_a = NULL, *d_x = NULL, *d_y = NULL;
    void *d_workspace = NULL;
    static unsigned char plan[GEMV_ROW_PLAN_BYTES];
    ck_assert(a && x && y);
    for (int64_t j = 0; j < columns; j++) x[j] = (float)(1 + j % 3);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) a[i * columns + j] = (float)((i + j) % 5 - 2);
    size_t bytes = (size_t)(rows * columns) * sizeof *a;
    ck_assert_int_eq(cudaMalloc((void **)&d_a, bytes), cudaSuccess);
    ck_assert_int_eq(cudaMalloc((void **)&d_x, (size_t)columns * sizeof *x), cudaSuccess);
    ck_assert_int_eq(cudaMalloc((void **)&d_y, (size_t)rows * sizeof *y), cudaSuccess);
    ck_assert_int_eq(cudaMalloc(&d_workspace, GEMV_ROW_WORKSPACE_BYTES), cudaSuccess);
    cudaMemset(d_workspace, 0, GEMV_ROW_WORKSPACE_BYTES);
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, (size_t)columns * sizeof *x, cudaMemcpyHostToDevice);
    gemv_row_matrix matrix = {d_a, rows, columns, NULL, 0, plan};
    ck_assert_int_eq(step_of(7)(&matrix, d_x, d_y, d_workspace, GEMV_ROW_WORKSPACE_BYTES), 0);
    ck_assert_int_eq(cudaMemcpy(y, d_y, (size_t)rows * sizeof *y, cudaMemcpyDeviceToHost),
                     cudaSuccess);
    for (int64_t i = 0; i < rows; i += 11) { // 11, so of every remainder by 5
        double want = 0.0;
        for (int64_t j = 0; j < columns; j++) want += (double)a[i * columns + j] * (double)x[j];
        ck_assert_double_eq((double)y[i], want);
    }
    cudaFree(d_a);
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_workspace);
    free(a);
    free(x);
    free(y);
}

// Shapes that only large cases of the lab's own have: on the simulated H100, a block per row would
// leave all SMs but one idle in the second round of 133 rows, and 4224 rows of 7204 have blocks of
// 1024 threads.
KL_TEST(large_shapes_are_right) {
    check_shape(133, 81924);
    check_shape(4224, 7204);
}

KL_TEST_MAIN("gemv_row kernels")
