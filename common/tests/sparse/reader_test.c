// SPDX-License-Identifier: MIT
// The fast ways of the reader of matrix files give what its careful way gives: whatever the blocks,
// whatever the threads, the same numbers or the same complaint about the same line; numbers are
// rounded as strtod does.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mtx_progress.h"
#include "mtx_reader.h"
#include "number_text.h"
#include "random.h"
#include "suite.h"

static kl_error err;

typedef struct reading {
    kl_status status;
    kl_coo coo;
    kl_mtx_info info;
    kl_error err;
} reading;

static reading read_so(const char *text, size_t bytes, int threads, size_t block_bytes,
                       bool streamed) {
    reading r = {.status = KL_OK};
    kl_mtx_how how = {.threads = threads, .block_bytes = block_bytes, .streamed = streamed};
    r.status = kl_mtx_parse_how("m", text, bytes, &how, &r.coo, &r.info, &r.err);
    return r;
}

static void check_same(const reading *a, const reading *b, const char *text) {
    ck_assert_msg(a->status == b->status, "%d (%s) and %d (%s) of:\n%.300s", a->status, a->err.text,
                  b->status, b->err.text, text);
    if (a->status != KL_OK) {
        ck_assert_str_eq(a->err.text, b->err.text);
        return;
    }
    size_t n = (size_t)a->coo.nnz;
    ck_assert_int_eq(a->coo.nnz, b->coo.nnz);
    ck_assert_int_eq(a->coo.rows, b->coo.rows);
    ck_assert_int_eq(a->info.stored, b->info.stored);
    ck_assert(n == 0 || memcmp(a->coo.row, b->coo.row, n * sizeof *a->coo.row) == 0);
    ck_assert(n == 0 || memcmp(a->coo.col, b->coo.col, n * sizeof *a->coo.col) == 0);
    ck_assert(n == 0 || memcmp(a->coo.val, b->coo.val, n * sizeof *a->coo.val) == 0);
}

// However the text is cut, by however many threads it is read, by place or as a stream.
static void check_all_ways(const char *text, size_t bytes) {
    static const size_t blocks[] = {1, 3, 16, 64, 1000};
    reading whole = read_so(text, bytes, 1, 1 << 20, false);
    for (size_t i = 0; i < 4 * sizeof blocks / sizeof blocks[0]; i++) {
        reading cut = read_so(text, bytes, i & 1 ? 3 : 1, blocks[i / 4], i & 2);
        check_same(&whole, &cut, text);
        kl_coo_free(&cut.coo);
    }
    kl_coo_free(&whole.coo);
}

#define HEAD(field, symmetry) "%%MatrixMarket matrix coordinate " field " " symmetry "\n"

START_TEST(blocks_and_threads_do_not_matter) {
    static const char *const texts[] = {
        HEAD("real", "general") "3 3 3\n1 1 1.5\n2 3 -2e-7\n3 1 0\n",
        HEAD("real", "general") "3 3 3\r\n1 1 1.5\r\n\r\n  2\t3 -2e-7 \r\n3 1 +.5",
        HEAD("real", "general") "3 3 3\n%x\n1 1 1\n%y\n2 2 2\n\n\n3 3 3\n%z",
        HEAD("real", "general") "9 9 2\n1 1 1\n2 2 2\n3 3 3\n", // one too many
        HEAD("real", "general") "9 9 4\n1 1 1\n2 2 2\n3 3 3\n", // one too few
        HEAD("real", "general") "9 9 3\n1 1 1\n2 10 2\n3 3 3\n",
        HEAD("real", "general") "9 9 3\n1 1 1\n2 2 2\n3 0 3\n",
        HEAD("real", "general") "9 9 3\n1 1 1\n2 2\n3 3 3\n",
        HEAD("real", "general") "9 9 3\n1 1 1\n2 2 2 2\n3 3 3\n",
        HEAD("real", "general") "9 9 3\n1 1 1\n2 2 nan\n3 3 3\n",
        HEAD("real",
             "general") "9 9 3\n1 1 1\n2 2 1e999\n3 x 3\n", // two wrong lines: the first counts
        HEAD("real", "general") "9 9 3\n1 1 1e-400\n2 2 1.7976931348623157e308\n3 3 4.9e-324\n",
        HEAD("real", "general") "9 9 1\n1 1 123456789012345678901234567890.5\n",
        HEAD("real",
             "general") "9 9 1\n00000000000000000000001 1 1\n", // many zeros are a number still
        HEAD("real", "general") "9 9 1\n99999999999999999999 1 1\n",
        HEAD("integer",
             "general") "9 9 3\n1 1 -9007199254740993\n2 2 18446744073709551615\n3 3 +7\n",
        HEAD("integer", "general") "9 9 1\n1 1 1.5\n",
        HEAD("pattern", "general") "9 9 3\n1 2\n3 4\n5 6\n",
        HEAD("pattern", "general") "9 9 3\n1 2\n3 4 5\n5 6\n",
        HEAD("real", "symmetric") "4 4 4\n1 1 1\n2 1 5\n4 2 6\n3 3 2\n",
        HEAD("real", "symmetric") "4 4 4\n1 1 1\n2 1 5\n2 4 6\n3 3 2\n", // both sides
        HEAD("real", "symmetric") "4 4 4\n1 1 1\n1 2 5\n1 3 6\n3 x 2\n",
        HEAD("pattern", "symmetric") "4 4 3\n1 1\n1 2\n3 4\n",
        HEAD("real", "skew-symmetric") "4 4 3\n1 1 0\n2 1 5\n4 2 -6\n",
        HEAD("real", "skew-symmetric") "4 4 3\n2 1 5\n2 2 1\n4 2 -6\n",
        HEAD("real", "general") "0 0 0\n",
        HEAD("real", "general") "0 0 0\n1 1 1\n",
        HEAD("real", "general") "5 5 0",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_all_ways(texts[i], strlen(texts[i]));
}
END_TEST

// A text of many lines with some bytes changed, blocks and threads against one block.
START_TEST(damage_is_told_the_same) {
    static const char *const heads[] = {HEAD("real", "general"), HEAD("integer", "symmetric"),
                                        HEAD("pattern", "general"), HEAD("real", "skew-symmetric")};
    static const char bytes[] = "0123456789.eE+- \t\r\n%xN";
    for (uint64_t trial = 0; trial < 400; trial++) {
        char text[4096];
        int kind = (int)(trial % 4), at = sprintf(text, "%s50 50 60\n", heads[kind]);
        for (uint64_t k = 0; k < 60; k++) {
            int row = 2 + (int)kl_random_below(trial, 2 * k, 49);
            int col = kind % 2 == 0 ? 1 + (int)kl_random_below(trial, 2 * k + 1, 50)
                                    : 1 + (int)kl_random_below(trial, 2 * k + 1, (uint64_t)row - 1);
            at += sprintf(text + at, "%d %d", row, col);
            if (kind == 1) at += sprintf(text + at, " %d", (int)k - 30);
            if (kind % 2 == 0 && kind != 2)
                at += sprintf(text + at, " %.17g", kl_random_unit(7, k) - 0.5);
            if (kind == 3) at += sprintf(text + at, " %g", (double)k);
            text[at++] = '\n';
        }
        uint64_t changes = trial % 3;
        for (uint64_t c = 0; c < changes; c++) {
            uint32_t place = kl_random_below(trial + 1000, c, (uint64_t)at);
            text[place] = bytes[kl_random_below(trial + 2000, c, sizeof bytes - 1)];
        }
        check_all_ways(text, (size_t)at - trial % 5);
    }
}
END_TEST

// Every entry after a remark goes the careful way, every other one the fast way.
START_TEST(both_ways_read_the_same_numbers) {
    static const char *const formats[] = {"%.17g", "%.16e", "%g",    "%.3f", "%+.10E",
                                          "%a",    "%.0f",  "%.25f", "%.25e"};
    char careful[8192], fast[8192];
    for (uint64_t trial = 0; trial < 3000; trial++) {
        double scale = pow(10.0, (double)kl_random_below(3, trial, 80) - 40);
        double value = (kl_random_unit(4, trial) - 0.5) * scale;
        char number[400];
        snprintf(number, sizeof number, formats[trial % 9], value); // %a is refused by both
        int fast_bytes = sprintf(fast, "%s3 3 1\n2 3 %s\n", HEAD("real", "general"), number);
        int careful_bytes =
            sprintf(careful, "%s3 3 1\n2 3 %s\n%%\n", HEAD("real", "general"), number);
        reading a = read_so(fast, (size_t)fast_bytes, 1, 1 << 20, false);
        reading b = read_so(careful, (size_t)careful_bytes, 1, 1 << 20, false);
        check_same(&a, &b, fast);
        if (trial % 9 != 5) {
            ck_assert_msg(a.status == KL_OK, "%s", a.err.text);
            double want = strtod(number, NULL);
            ck_assert_mem_eq(a.coo.val, &want, sizeof want);
        }
        kl_coo_free(&a.coo);
        kl_coo_free(&b.coo);
    }
}
END_TEST

START_TEST(decimals_are_rounded_as_by_strtod) {
    int rounded = 0;
    for (uint64_t i = 0; i < 300000; i++) {
        uint64_t digits = kl_random_u64(5, i) >> kl_random_below(6, i, 64);
        int exponent = (int)kl_random_below(7, i, 100) - 64;
        double got = 0;
        if (!kl_round_decimal(digits, exponent, &got)) continue;
        char text[64];
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
        double want = strtod(text, NULL);
        ck_assert_msg(memcmp(&got, &want, sizeof got) == 0, "%s: %.17g, not %.17g", text, got,
                      want);
        rounded++;
    }
    ck_assert_int_gt(rounded, 200000);
    for (uint64_t i = 0; i < 20000; i++) { // half-way between two doubles
        uint64_t odd = ((UINT64_C(1) << 53) + (kl_random_u64(8, i) >> 11)) | 1;
        double got = 0;
        char text[64];
        snprintf(text, sizeof text, "%llu", (unsigned long long)odd);
        ck_assert(kl_round_decimal(odd, 0, &got));
        ck_assert_double_eq(got, strtod(text, NULL));
    }
    double got = 0;
    ck_assert(!kl_round_decimal(1, 400, &got) && !kl_round_decimal(1, -400, &got));
    ck_assert(kl_round_decimal(0, 400, &got) && got == 0);
}
END_TEST

// Numbers of 19 digits that lie as close as they can to half-way between two doubles, where long
// double can hold that.
START_TEST(close_to_halves) {
    int tried = 0;
    for (uint64_t i = 0; i < 200000; i++) {
        uint64_t odd = ((UINT64_C(1) << 53) + (kl_random_u64(11, i) >> 11)) | 1;
        long double half = ldexpl((long double)odd, (int)kl_random_below(12, i, 800) - 450);
        char text[64];
        snprintf(text, sizeof text, "%.18Le", half);
        uint64_t digits = (uint64_t)(text[0] - '0');
        for (int d = 2; d < 20; d++) digits = 10 * digits + (uint64_t)(text[d] - '0');
        int exponent = atoi(text + 21) - 18;
        for (uint64_t next = digits - 1; next <= digits + 1; next++) {
            double got = 0;
            if (!kl_round_decimal(next, exponent, &got)) continue;
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)next, exponent);
            double want = strtod(text, NULL);
            ck_assert_msg(memcmp(&got, &want, sizeof got) == 0, "%s: %.17g, not %.17g", text, got,
                          want);
            tried++;
        }
    }
    ck_assert_int_gt(tried, 500000);
}
END_TEST

typedef struct power {
    int exponent;
    uint64_t high, low;
} power;

static const power powers_of_five[] = {
#define POWER_OF_FIVE(q, high, low) {q, UINT64_C(high), UINT64_C(low)},
#include "powers_of_five.def"
#undef POWER_OF_FIVE
};

enum { LIMBS = 32 }; // of a number of 1024 bits, the lowest first

// The first 128 bits of a number that is not 0.
static void first_bits(const uint32_t *limbs, uint64_t *high, uint64_t *low) {
    uint64_t bits[2] = {0, 0};
    int top = 32 * LIMBS - 1;
    while ((limbs[top / 32] >> top % 32 & 1) == 0) top--;
    for (int i = 0; i < 128; i++, top--) {
        uint64_t bit = top >= 0 ? limbs[top / 32] >> top % 32 & 1 : 0;
        bits[i / 64] = bits[i / 64] << 1 | bit;
    }
    *high = bits[0];
    *low = bits[1];
}

static void check_power(const power *row, const uint32_t *limbs, int exponent) {
    uint64_t high, low;
    first_bits(limbs, &high, &low);
    if (exponent < 0 && exponent >= -27 && ++low == 0) high++; // see the table
    ck_assert_int_eq(row->exponent, exponent);
    ck_assert_msg(row->high == high && row->low == low, "5^%d: %llx %llx", exponent,
                  (unsigned long long)high, (unsigned long long)low);
}

START_TEST(powers_of_five_are_right) {
    int count = (int)(sizeof powers_of_five / sizeof powers_of_five[0]), one = count / 2;
    uint32_t up[LIMBS] = {1}, down[LIMBS] = {0};
    down[LIMBS - 1] = 1; // 2^992 / 5^n
    ck_assert_int_eq(count, 257);
    for (int n = 0; n <= one; n++) {
        check_power(&powers_of_five[one + n], up, n);
        if (n > 0) check_power(&powers_of_five[one - n], down, -n);
        uint64_t carry = 0, rest = 0;
        for (int i = 0; i < LIMBS; i++) {
            carry += 5 * (uint64_t)up[i];
            up[i] = (uint32_t)carry;
            carry >>= 32;
        }
        ck_assert_uint_eq(carry, 0);
        for (int i = LIMBS; i-- > 0;) {
            rest = rest << 32 | down[i];
            down[i] = (uint32_t)(rest / 5);
            rest %= 5;
        }
    }
}
END_TEST

// Lines longer than a block, up to the longest that is taken and one byte more.
START_TEST(long_lines_in_short_blocks) {
    static const char head[] = HEAD("real", "general") "9 9 3\n1 1 1\n", tail[] = "3 3 3\n";
    enum { LONGEST = 4 << 20 };
    char *text = malloc(LONGEST + 200);
    for (int over = 0; over < 4;
         over++) { // the longest line, one byte more, both once with an end, once without
        size_t line = LONGEST + (size_t)(over & 1), at = sizeof head - 1;
        memcpy(text, head, at);
        memcpy(text + at, "2 2 2", 5);
        memset(text + at + 5, ' ', line - 6);
        text[at + line - 1] = '\n';
        at += line;
        if (over & 2) at--; // ends without a newline, which is counted all the same
        if (!(over & 2)) memcpy(text + at, tail, sizeof tail - 1), at += sizeof tail - 1;
        for (size_t block = 1 << 16; block <= 8 << 20; block *= 16) {
            for (int way = 0; way < 4; way++) {
                reading r = read_so(text, at, way & 1 ? 3 : 1, block, way & 2);
                ck_assert_msg(r.status == (over == 0 ? KL_OK : KL_ERROR_INPUT), "%d: %s", over,
                              r.err.text);
                if (over & 1) ck_assert_str_eq(r.err.text, "m: line 4 is longer than 4 MiB");
                if (over == 2)
                    ck_assert_str_eq(r.err.text,
                                     "m: the file ends after line 4 with 2 of 3 entries");
                kl_coo_free(&r.coo);
            }
        }
    }
    free(text);
}
END_TEST

static void keep_progress(void *context, uint64_t done, uint64_t total) {
    uint64_t *last = context;
    ck_assert_uint_ge(done, last[0]);
    ck_assert_uint_le(done, total);
    last[0] = done;
    last[1] = total;
}

START_TEST(a_file_by_several_threads) {
    char path[] = "/tmp/kl-reader-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *out = fdopen(fd, "w");
    enum { ENTRIES = 50000 };
    fprintf(out, "%s%d 1000 %d\n", HEAD("real", "general"), ENTRIES, ENTRIES);
    for (int k = 0; k < ENTRIES; k++) fprintf(out, "%d %d %d.25\n", k + 1, k % 1000 + 1, k);
    long bytes = ftell(out);
    fclose(out);
    uint64_t seen[2] = {0, 0};
    for (int threads = 1; threads <= 40; threads = 3 * threads + 1) {
        kl_mtx_how how = {.threads = threads,
                          .block_bytes = 4096,
                          .streamed = threads == 4,
                          .progress = keep_progress,
                          .context = seen};
        kl_coo coo;
        seen[0] = 0;
        kl_status status = kl_mtx_read_how(path, &how, &coo, NULL, &err);
        ck_assert_msg(status == KL_OK, "%s", err.text);
        ck_assert_int_eq(coo.nnz, ENTRIES);
        for (int k = 0; k < ENTRIES; k++)
            ck_assert(coo.row[k] == k && coo.col[k] == k % 1000 && coo.val[k] == k + 0.25);
        ck_assert_uint_eq(seen[0], (uint64_t)bytes);
        kl_coo_free(&coo);
    }
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

START_TEST(the_bar_says_how_far) {
    char text[128];
    kl_mtx_bar_text("some/where/a.mtx", 2.0, 500000000, 1000000000, text, sizeof text);
    ck_assert_str_eq(text, "a.mtx [############------------]  50 %  250 MB/s");
    kl_mtx_bar_text("pipe", 0.0, 3000000, 0, text, sizeof text);
    ck_assert_str_eq(text, "pipe  3 MB  0 MB/s");
    kl_mtx_bar_text("a-very-long-name-of-a-matrix-file.mtx.gz", 1.0, 7, 7, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "[########################] 100 %"));
    ck_assert_uint_lt(strlen(text), 80);
}
END_TEST

KL_TEST_MAIN("reading fast", blocks_and_threads_do_not_matter, damage_is_told_the_same,
             both_ways_read_the_same_numbers, decimals_are_rounded_as_by_strtod, close_to_halves,
             powers_of_five_are_right, long_lines_in_short_blocks, a_file_by_several_threads,
             the_bar_says_how_far)
