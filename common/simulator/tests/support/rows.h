// SPDX-License-Identifier: MIT
// Table tests of single instructions: rows of operands and the expected result, one row per lane.
// Every row set runs on every host variant that this machine has, with a full warp and with the
// rows' lanes alone.
#ifndef SIM_TEST_SUPPORT_ROWS_H
#define SIM_TEST_SUPPORT_ROWS_H

#include <stdint.h>

enum { EXEC_ROW_OPERANDS = 4 };

typedef struct exec_row {
    uint64_t in[EXEC_ROW_OPERANDS];
    uint64_t expected;
} exec_row;

// `instruction`: PTX with d for the result and a, b, c, e for operands: "mad.lo.s32 d, a, b, c;".
// `shape`: the register types of d and of the operands in order: h b16, r b32, l b64, f f32, g f64,
// p predicate (1 or 0). Only the result's own bits are compared.
void exec_check_rows(const char *instruction, const char *shape, const exec_row *rows,
                     uint32_t count);
#define EXEC_ROWS(instruction, shape, ...)                                                         \
    do {                                                                                           \
        static const exec_row rows_[] = {__VA_ARGS__};                                             \
        exec_check_rows((instruction), (shape), rows_, sizeof rows_ / sizeof rows_[0]);            \
    } while (0)

// The same instruction on random operands: all variants and both masks must agree bit by bit.
void exec_check_variants_agree(const char *instruction, const char *shape);

// Results of `count` (up to 32) rows from one variant, 0: base, 1: v3; full: all 32 lanes run.
void exec_run_rows(const char *instruction, const char *shape, const exec_row *rows, uint32_t count,
                   int variant, int full, uint64_t *results);

// Bits of floats for rows.
uint64_t exec_f32(float value);
uint64_t exec_f64(double value);

#endif
