// Lab 04's application with products of its own on the device: right ones are found right, wrong
// ones show in the residual, and errors of a product are told.
// links: ../app_device.c ../app_system.c ../app_cpu.c ../app_update.cu ../call.c kl_lab kl_sparse
// needs: sim_runtime
// labels: grade
// environment: LD_LIBRARY_PATH=@RUNTIME@
#include <cuda_runtime_api.h>

#include "app.h"
#include "call.h"
#include "gemv_row.h"
#include "suite.h"

enum { ORDER = 24 };

static int multiply(const gemv_row_matrix *matrix, const float *d_x, float *d_y, int64_t columns) {
    static float a[ORDER * ORDER], x[ORDER], y[ORDER];
    cudaMemcpy(a, matrix->a, sizeof a, cudaMemcpyDeviceToHost);
    cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost);
    for (int64_t i = 0; i < matrix->m; i++) {
        y[i] = 0.0f;
        for (int64_t j = 0; j < columns; j++) y[i] += a[i * matrix->n + j] * x[j];
    }
    return (int)cudaMemcpy(d_y, y, sizeof y, cudaMemcpyHostToDevice);
}

static int right(const gemv_row_matrix *matrix, const float *d_x, float *d_y, void *d_workspace,
                 size_t workspace_bytes) {
    (void)d_workspace, (void)workspace_bytes;
    return multiply(matrix, d_x, d_y, matrix->n);
}

static int without_last_column(const gemv_row_matrix *matrix, const float *d_x, float *d_y,
                               void *d_workspace, size_t workspace_bytes) {
    (void)d_workspace, (void)workspace_bytes;
    return multiply(matrix, d_x, d_y, matrix->n - 1);
}

static int nothing(const gemv_row_matrix *matrix, const float *d_x, float *d_y, void *d_workspace,
                   size_t workspace_bytes) {
    (void)d_x, (void)d_workspace, (void)workspace_bytes;
    return (int)cudaMemset(d_y, 0xff, (size_t)matrix->m * sizeof *d_y); // NaN
}

static int unwritten(const gemv_row_matrix *matrix, const float *d_x, float *d_y, void *d_workspace,
                     size_t workspace_bytes) {
    (void)matrix, (void)d_x, (void)d_y, (void)d_workspace, (void)workspace_bytes;
    return GEMV_ROW_NOT_IMPLEMENTED;
}

static const jacobi_goal goal = {1e-6f, 300};

static kl_status solve(gemv_row_function *function, bool resident, double alpha, jacobi_result *r,
                       kl_error *err) {
    jacobi_system system;
    jacobi_device device;
    kl_device described = {.simulated = true};
    kl_step step = {.handle = NULL};
    float x[ORDER];
    memcpy(&step.function, &function, sizeof function);
    ck_assert_int_eq(jacobi_make(ORDER, 5, true, &system, err), KL_OK);
    jacobi_set_alpha(&system, alpha);
    ck_assert_int_eq(jacobi_device_open(&described, ORDER, goal.limit, &device, err), KL_OK);
    kl_status status = jacobi_solve_device(&device, &step, &system, &goal, resident, x, r, err);
    if (status == KL_OK) r->residual = jacobi_residual(&system, x);
    jacobi_device_close(&device);
    jacobi_free(&system);
    return status;
}

KL_TEST(both_runs_give_the_host_s_iterations) {
    jacobi_system system;
    jacobi_result host, r;
    kl_error err;
    float x[ORDER];
    ck_assert_int_eq(jacobi_make(ORDER, 5, false, &system, &err), KL_OK);
    jacobi_set_alpha(&system, 1.2);
    ck_assert_int_eq(jacobi_solve_cpu(&system, &goal, 1, x, &host, &err), KL_OK);
    jacobi_free(&system);
    for (int resident = 0; resident < 2; resident++) {
        ck_assert_int_eq(solve(right, resident, 1.2, &r, &err), KL_OK);
        ck_assert(r.converged && r.residual <= 1e-6);
        ck_assert_int_le(abs(r.iterations - host.iterations), 1); // another order of additions
        int64_t row = ORDER * sizeof(float), matrix = ORDER * row;
        if (resident) { // the matrix, b and the diagonal; the solution and some changes
            ck_assert_int_eq(r.to_device.bytes, matrix + 2 * row);
            ck_assert_int_eq(r.to_device.calls, 3);
            ck_assert_int_ge(r.to_host.bytes, row + 8 * r.iterations);
            ck_assert_int_lt(r.to_host.calls, r.iterations);
        } else { // a vector each way per iteration
            ck_assert_int_eq(r.to_device.bytes, matrix + r.iterations * row);
            ck_assert_int_eq(r.to_device.calls, 1 + r.iterations);
            ck_assert_int_eq(r.to_host.bytes, r.iterations * row);
            ck_assert_int_eq(r.to_host.calls, r.iterations);
        }
    }
}

KL_TEST(wrong_products_show) {
    jacobi_result r;
    kl_error err;
    for (int resident = 0; resident < 2; resident++) {
        ck_assert_int_eq(solve(without_last_column, resident, 1.2, &r, &err), KL_OK);
        ck_assert(r.converged && r.residual > 1e-3); // it converges to something else
        ck_assert_int_eq(solve(nothing, resident, 1.2, &r, &err), KL_OK);
        ck_assert(!r.converged && isnan(r.residual));
        ck_assert_int_eq(r.iterations, 1);
        ck_assert_int_ne(solve(unwritten, resident, 1.2, &r, &err), KL_OK);
        KL_HAS(err.text, "not implemented");
    }
}

KL_TEST(what_grows_is_stopped) {
    jacobi_result r;
    kl_error err;
    for (int resident = 0; resident < 2; resident++) {
        ck_assert_int_eq(solve(right, resident, 0.5, &r, &err), KL_OK); // doubles each time
        ck_assert(!r.converged && r.iterations > 100 && r.iterations < 200);
        ck_assert_int_eq(solve(right, resident, 1.0, &r, &err), KL_OK); // neither grows nor shrinks
        ck_assert(!r.converged && r.iterations == goal.limit);
    }
}

KL_TEST_MAIN("gemv_row app on a device")
