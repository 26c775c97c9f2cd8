// Lab 06's solution on the simulator: every step refuses arguments that the contract forbids before
// it touches anything, and gives the same bits in every call. KL_TEST_STEPS is the folder of the
// steps' shared objects.
// links: CUDA::cudart
// needs: softmax_solution sim_runtime
// defines: KL_TEST_STEPS=@BUILD@/labs/06_softmax/solution
// environment: LD_LIBRARY_PATH=@RUNTIME@
// labels: grade
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "random.h"
#include "softmax.h"
#include "suite.h"

enum { STEPS = 11 };

static softmax_function *step_of(int number) {
    char file[1024], name[64];
    softmax_function *step = NULL;
    snprintf(file, sizeof file, "%s/step_%d.so", KL_TEST_STEPS, number);
    snprintf(name, sizeof name, "softmax_step%d", number);
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(object, "%s", dlerror());
    void *symbol = dlsym(object, name);
    ck_assert_ptr_nonnull(symbol);
    memcpy(&step, &symbol, sizeof step);
    return step;
}

KL_TEST(bad_arguments_are_refused) {
    static _Alignas(16) float x[8], y[8]; // of the host: a kernel that touched them would fail
    static const struct {
        int x_at, y_at; // bytes from the beginning; -1: NULL
        int64_t rows, columns;
    } bad[] = {
        {0, 0, 0, 2},
        {0, 0, 2, 0},
        {0, 0, -1, 2},
        {0, 0, 2, -1},
        {0, 0, INT64_C(1) << 31, 1},
        {0, 0, 1, INT64_C(1) << 31},
        {0, 0, INT64_C(1) << 21, INT64_C(1) << 20},
        {0, 0, INT64_MAX, INT64_MAX},
        {-1, 0, 2, 2},
        {0, -1, 2, 2},
        {2, 0, 1, 2},
        {0, 4, 1, 2},
    };
    for (int number = 0; number < STEPS; number++) {
        softmax_function *step = step_of(number);
        for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
            const float *from = bad[k].x_at < 0 ? NULL : (const float *)((char *)x + bad[k].x_at);
            float *to = bad[k].y_at < 0 ? NULL : (float *)((char *)y + bad[k].y_at);
            ck_assert_msg(step(from, bad[k].rows, bad[k].columns, to) == cudaErrorInvalidValue,
                          "step %d, arguments %zu", number, k);
        }
    }
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaSuccess);
}

// A row's result does not depend on what the call before left on the chip.
KL_TEST(every_call_gives_the_same_bits) {
    static const int64_t shapes[][2] = {{5, 77}, {3, 1030}, {3, 20003}, {2, 70002}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const int64_t rows = shapes[s][0], columns = shapes[s][1];
        const size_t bytes = (size_t)(rows * columns) * sizeof(float);
        float *x = malloc(bytes), *first = malloc(bytes), *again = malloc(bytes);
        float *d_x = NULL, *d_y = NULL;
        ck_assert(x && first && again);
        for (int64_t i = 0; i < rows * columns; i++) x[i] = 8 * kl_random_signed(1, (uint64_t)i);
        ck_assert_int_eq(cudaMalloc((void **)&d_x, bytes), cudaSuccess);
        ck_assert_int_eq(cudaMalloc((void **)&d_y, bytes), cudaSuccess);
        cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
        for (int number = 1; number < STEPS; number++) {
            softmax_function *step = step_of(number);
            for (int call = 0; call < 2; call++) {
                cudaMemset(d_y, call == 0 ? 0xFF : 0x55, bytes);
                ck_assert_int_eq(step(d_x, rows, columns, d_y), cudaSuccess);
                ck_assert_int_eq(
                    cudaMemcpy(call == 0 ? first : again, d_y, bytes, cudaMemcpyDeviceToHost),
                    cudaSuccess);
            }
            ck_assert_msg(memcmp(first, again, bytes) == 0, "step %d, %lld columns", number,
                          (long long)columns);
        }
        cudaFree(d_x);
        cudaFree(d_y);
        free(x);
        free(first);
        free(again);
    }
}

KL_TEST_MAIN("softmax kernels")
