// What checks the backward pass takes the given one for right, and finds typical mistakes.
// links: ../app_backward_check.c ../app_backward.cu ../call.c tensor_gemm_products m
// needs: sim_runtime
// environment: LD_LIBRARY_PATH=@RUNTIME@ LADDER_SIM_MODE=functional
#include <cuda_runtime_api.h>

#include "app.h"
#include "suite.h"

static size_t bytes_of(const attention_backward_task *t, int64_t rows) {
    return sizeof(uint16_t) * (size_t)(t->heads * rows * t->width);
}

static int does_nothing(const attention_backward_task *t) {
    (void)t;
    return 0;
}

static int writes_zeros(const attention_backward_task *t) {
    cudaMemset(t->d_dq, 0, bytes_of(t, t->queries));
    cudaMemset(t->d_dk, 0, bytes_of(t, t->keys));
    return cudaMemset(t->d_dv, 0, bytes_of(t, t->keys));
}

// The last row of dK stays as it was.
static int forgets_a_row(const attention_backward_task *t) {
    int code = attention_backward_simple(t);
    if (code != 0 || t->keys == 0) return code;
    const size_t row = sizeof(uint16_t) * (size_t)t->width;
    return cudaMemset((char *)t->d_dk + bytes_of(t, t->keys) - row, 0xFF, row);
}

static int forgets_the_mask(const attention_backward_task *t) {
    attention_backward_task all = *t;
    all.causal = 0;
    return attention_backward_simple(&all);
}

static int exchanges_dk_and_dv(const attention_backward_task *t) {
    attention_backward_task other = *t;
    other.d_dk = t->d_dv;
    other.d_dv = t->d_dk;
    return attention_backward_simple(&other);
}

// D of dO dO instead of dO O.
static int takes_another_d(const attention_backward_task *t) {
    attention_backward_task other = *t;
    other.d_o = t->d_do;
    return attention_backward_simple(&other);
}

KL_TEST(the_given_one_is_right) {
    const lm_backward given = {.run = attention_backward_simple};
    kl_error err = {KL_OK, ""};
    double most = 0;
    ck_assert_msg(lm_backward_check(&given, &most, &err) == KL_OK, "%s", err.text);
    ck_assert(most > 0 && most <= 1);
}

KL_TEST(wrong_ones_are_found) {
    attention_backward_function *const wrong[] = {does_nothing,    writes_zeros,
                                                  forgets_a_row,   forgets_the_mask,
                                                  takes_another_d, exchanges_dk_and_dv};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const lm_backward backward = {.run = wrong[i]};
        kl_error err = {KL_OK, ""};
        double most = 0;
        ck_assert_msg(lm_backward_check(&backward, &most, &err) == KL_ERROR_INPUT, "number %zu", i);
    }
}

KL_TEST_MAIN("attention_backward_check")
