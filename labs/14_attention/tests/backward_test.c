// SPDX-License-Identifier: MIT
// The backward pass of attention in double is the derivative: differences of the forward pass give
// the same. And a bound is neither 0 nor so wide that it would let a mistake pass.
#include <math.h>
#include <stdlib.h>

#include "random.h"
#include "reference.h"
#include "suite.h"

static void fill(double *x, int64_t count, uint64_t seed) {
    for (int64_t i = 0; i < count; i++) x[i] = (double)kl_random_signed(seed, (uint64_t)i);
}

static void make(backward_head *h, double *memory) {
    backward_head_lay(h, memory);
    fill(h->q, h->queries * h->width, 1);
    fill(h->k, h->keys * h->width, 2);
    fill(h->v, h->keys * h->width, 3);
    fill(h->d_o, h->queries * h->width, 4);
}

// Sum of dO O, whose derivatives are dQ, dK and dV.
static double value(backward_head *h) {
    kl_error err = {KL_OK, ""};
    double sum = 0;
    ck_assert_int_eq(backward_head_solve(h, &err), KL_OK);
    for (int64_t i = 0; i < h->queries * h->width; i++) sum += h->d_o[i] * h->o[i];
    return sum;
}

// Every seventh element of an input, against the derivative by it.
static void compare(backward_head *h, double *input, const double *derivative, int64_t count) {
    const double way = 1e-5;
    for (int64_t i = 0; i < count; i += 7) {
        const double kept = input[i];
        input[i] = kept + way;
        double above = value(h);
        input[i] = kept - way;
        double below = value(h);
        input[i] = kept;
        // Rounding: 2^-52 of a sum of about 10, over the way; curvature: way squared.
        ck_assert_double_eq_tol((above - below) / (2 * way), derivative[i], 1e-8);
    }
}

static const struct {
    int64_t queries, keys;
    int width, causal;
} shapes[] = {{3, 5, 64, 0}, {5, 3, 64, 1}, {4, 4, 64, 1}, {2, 6, 128, 1}, {1, 1, 128, 0}};

START_TEST(derivatives_are_those_of_differences) {
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        backward_head h = {.queries = shapes[s].queries,
                           .keys = shapes[s].keys,
                           .width = shapes[s].width,
                           .causal = shapes[s].causal};
        const int64_t of_queries = h.queries * h.width, of_keys = h.keys * h.width;
        const int64_t doubles = backward_head_doubles(h.queries, h.keys, h.width);
        double *memory = malloc(sizeof(double) * (size_t)doubles);
        double *found = malloc(sizeof(double) * (size_t)(of_queries + 2 * of_keys));
        make(&h, memory);
        value(&h);
        for (int64_t i = 0; i < of_queries; i++) found[i] = h.dq[i];
        for (int64_t i = 0; i < of_keys; i++) {
            found[of_queries + i] = h.dk[i];
            found[of_queries + of_keys + i] = h.dv[i];
        }
        compare(&h, h.q, found, of_queries);
        compare(&h, h.k, found + of_queries, of_keys);
        compare(&h, h.v, found + of_queries + of_keys, of_keys);
        free(found);
        free(memory);
    }
}
END_TEST

START_TEST(bounds_are_narrow) {
    backward_head h = {.queries = 40, .keys = 40, .width = 64, .causal = 1};
    const int64_t count = h.queries * h.width;
    double *memory =
        malloc(sizeof(double) * (size_t)backward_head_doubles(h.queries, h.keys, h.width));
    double far = 0, size = 0;
    make(&h, memory);
    value(&h);
    for (int64_t i = 0; i < count; i++) {
        ck_assert(h.far_q[i] > 0 && h.far_k[i] > 0 && h.far_v[i] > 0);
        far += h.far_q[i];
        size += fabs(h.dq[i]);
    }
    ck_assert_double_lt(far, 0.02 * size);
    free(memory);
}
END_TEST

START_TEST(who_sees_nothing_has_no_derivative) {
    backward_head h = {.queries = 5, .keys = 2, .width = 64, .causal = 1}; // the first three
    double *memory =
        malloc(sizeof(double) * (size_t)backward_head_doubles(h.queries, h.keys, h.width));
    make(&h, memory);
    value(&h);
    for (int c = 0; c < 3 * h.width; c++) ck_assert(h.o[c] == 0 && h.dq[c] == 0);
    ck_assert(h.dq[4 * h.width] != 0);
    free(memory);
}
END_TEST

KL_TEST_MAIN("attention_backward", derivatives_are_those_of_differences, bounds_are_narrow,
             who_sees_nothing_has_no_derivative)
