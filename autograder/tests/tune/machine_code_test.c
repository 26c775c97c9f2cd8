// SPDX-License-Identifier: MIT
// What is read from machine code: the busiest loop and its register banks, on instructions put
// together by hand.
#include <math.h>

#include "learn/tune/internal.h"
#include "suite.h"

static kl_error err;

typedef struct words {
    uint64_t low, high;
} words;

// FFMA to register 0 of a times b plus c; reuse: bit o keeps operand o.
static words product(unsigned a, unsigned b, unsigned c, unsigned reuse) {
    return (words){0x223 | (uint64_t)a << 24 | (uint64_t)b << 32, c | (uint64_t)reuse << 58};
}

// BRA by a number of instructions, counted from the next one.
static words branch(int64_t instructions) {
    uint64_t distance = (uint64_t)(instructions * 16);
    uint64_t upper = distance >> 10 & 0xffffffffffff;
    return (words){0x947 | (distance >> 2 & 0xff) << 16 | upper << 34, upper >> 30};
}

START_TEST(conflicts_of_the_busiest_loop) {
    enum { PRODUCTS = 40 };
    words code[PRODUCTS + 4];
    size_t count = 0;
    code[count++] = product(2, 4, 6, 0); // before the loop: does not count
    for (int i = 0; i < PRODUCTS; i += 4) {
        code[count++] = product(2, 4, 1, 1);   // 2 and 4 in one bank; keeps 2
        code[count++] = product(2, 4, 1, 0);   // 2 is held, so 4 and 1: free
        code[count++] = product(2, 3, 255, 0); // two banks and no register: free
        code[count++] = product(8, 8, 9, 0);   // one register twice: free
    }
    code[count++] = (words){0x984, 0}; // a load
    code[count] = branch(-(int64_t)count);
    count++;
    code[count++] = (words){0x94d, 0}; // exit
    ladder_machine_code found;
    ladder_machine_code_loop((const uint8_t *)code, count * sizeof code[0], &found);
    ck_assert_int_eq(found.loop_products, PRODUCTS);
    ck_assert_int_eq(found.loop_instructions, PRODUCTS + 2);
    ck_assert_double_eq(found.bank_share, 0.25);
    ladder_machine_code_loop((const uint8_t *)code, (count - 2) * sizeof code[0], &found);
    ck_assert_int_eq(found.loop_products, 0); // without the branch there is no loop
    ck_assert(isnan(found.bank_share));
}
END_TEST

START_TEST(a_file_without_kernels_is_refused) {
    ladder_machine_code code;
    ck_assert_int_eq(ladder_machine_code_read("/proc/self/exe", 90, &code, &err), KL_ERROR_INPUT);
    ck_assert_int_ne(ladder_machine_code_read("/nonexistent", 90, &code, &err), KL_OK);
}
END_TEST

KL_TEST_MAIN("machine code", conflicts_of_the_busiest_loop, a_file_without_kernels_is_refused)
