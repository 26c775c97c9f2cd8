// SPDX-License-Identifier: MIT
// The reader of matrix files on text that is nearly right: the message names the line, numbers are
// rounded as strtod does, the longest lines are read; and what the progress bar says.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "random.h"
#include "sparse.h"
#include "suite.h"

static kl_error err;

#define HEAD(field, symmetry) "%%MatrixMarket matrix coordinate " field " " symmetry "\n"

START_TEST(nearly_right_texts) {
    static const struct {
        const char *text;
        int64_t entries;
        const char *complaint;
    } rows[] = {
        {HEAD("real", "general") "3 3 3\n1 1 1.5\n2 3 -2e-7\n3 1 0\n", 3, NULL},
        {HEAD("real", "general") "3 3 3\r\n1 1 1.5\r\n\r\n 2\t3 -2e-7 \r\n3 1 +.5", 3, NULL},
        {HEAD("real", "general") "3 3 3\n%x\n1 1 1\n%y\n2 2 2\n\n\n3 3 3\n%z", 3, NULL},
        {HEAD("real", "general") "9 9 2\n1 1 1\n2 2 2\n3 3 3\n", 0,
         "m: line 5: more entries than the 2 that the header announces"},
        {HEAD("real", "general") "9 9 4\n1 1 1\n2 2 2\n3 3 3\n", 0,
         "m: the file ends after line 5 with 3 of 4 entries"},
        {HEAD("real", "general") "9 9 3\n1 1 1\n2 10 2\n3 3 3\n", 0,
         "m: line 4: column 10 is outside 1..9"},
        {HEAD("real", "general") "9 9 3\n1 1 1\n2 2 2\n3 0 3\n", 0,
         "m: line 5: column 0 is outside 1..9: indices of this format count from 1, so those of a "
         "file that counts from 0 need 1 added"},
        {HEAD("real", "general") "9 9 3\n1 1 1\n2 2\n3 3 3\n", 0,
         "m: line 4, column 4: expected the value, a number, but the line ends here"},
        {HEAD("real", "general") "9 9 3\n1 1 1\n2 2 2 2\n3 3 3\n", 0,
         "m: line 4: \"2\" after the entry"},
        {HEAD("real", "general") "9 9 3\n1 1 1\n2 2 nan\n3 3 3\n", 0,
         "m: line 4: \"nan\" is no finite number"},
        {HEAD("real", "general") "9 9 3\n1 1 1\n2 2 1e999\n3 x 3\n", 0,
         "m: line 4: \"1e999\" is no finite number"},
        {HEAD("real", "general") "9 9 3\n1 1 1e-400\n2 2 1.7976931348623157e308\n3 3 4.9e-324\n", 3,
         NULL},
        {HEAD("real", "general") "9 9 1\n1 1 123456789012345678901234567890.5\n", 1, NULL},
        {HEAD("real", "general") "9 9 1\n00000000000000000000001 1 1\n", 1, NULL},
        {HEAD("real", "general") "9 9 1\n99999999999999999999 1 1\n", 0,
         "m: line 3: \"99999999999999999999\" is no row number"},
        {HEAD("integer",
              "general") "9 9 3\n1 1 -9007199254740993\n2 2 18446744073709551615\n3 3 +7\n",
         3, NULL},
        {HEAD("integer", "general") "9 9 1\n1 1 1.5\n", 0,
         "m: line 3: \"1.5\" is no finite integer"},
        {HEAD("pattern", "general") "9 9 3\n1 2\n3 4\n5 6\n", 3, NULL},
        {HEAD("pattern", "general") "9 9 3\n1 2\n3 4 5\n5 6\n", 0,
         "m: line 4: \"5\" after the entry"},
        {HEAD("real", "symmetric") "4 4 4\n1 1 1\n2 1 5\n4 2 6\n3 3 2\n", 6, NULL},
        {HEAD("real", "symmetric") "4 4 4\n1 1 1\n2 1 5\n2 4 6\n3 3 2\n", 0,
         "m: line 5: entries on both sides of the diagonal (first on lines 4 and 5): "
         "a symmetric file stores one triangle"},
        {HEAD("real", "symmetric") "4 4 4\n1 1 1\n1 2 5\n1 3 6\n3 x 2\n", 0,
         "m: line 6: \"x\" is no column number"},
        {HEAD("pattern", "symmetric") "4 4 3\n1 1\n1 2\n3 4\n", 5, NULL},
        {HEAD("real", "skew-symmetric") "4 4 3\n1 1 0\n2 1 5\n4 2 -6\n", 5, NULL},
        {HEAD("real", "skew-symmetric") "4 4 3\n2 1 5\n2 2 1\n4 2 -6\n", 0,
         "m: line 4: (2, 2) = 1: the diagonal of a skew-symmetric matrix is 0"},
        {HEAD("real", "general") "0 0 0\n", 0, NULL},
        {HEAD("real", "general") "0 0 0\n1 1 1\n", 0,
         "m: line 3: more entries than the 0 that the header announces"},
        {HEAD("real", "general") "5 5 0", 0, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kl_coo coo;
        kl_status status = kl_mtx_parse("m", rows[i].text, strlen(rows[i].text), &coo, NULL, &err);
        if (rows[i].complaint) {
            ck_assert_int_eq(status, KL_ERROR_INPUT);
            ck_assert_str_eq(err.text, rows[i].complaint);
        } else {
            ck_assert_msg(status == KL_OK, "%s", err.text);
            ck_assert_int_eq(coo.nnz, rows[i].entries);
        }
        kl_coo_free(&coo);
    }
}
END_TEST

START_TEST(numbers_are_rounded_as_by_strtod) {
    static const char *const formats[] = {"%.17g", "%.16e", "%g",    "%.3f", "%+.10E",
                                          "%a",    "%.0f",  "%.25f", "%.25e"};
    char text[512];
    for (uint64_t trial = 0; trial < 3000; trial++) {
        double scale = pow(10.0, (double)kl_random_below(3, trial, 80) - 40);
        double value = (kl_random_unit(4, trial) - 0.5) * scale;
        char number[400];
        snprintf(number, sizeof number, formats[trial % 9], value);
        int bytes =
            snprintf(text, sizeof text, "%s3 3 1\n2 3 %s\n", HEAD("real", "general"), number);
        kl_coo coo;
        kl_status status = kl_mtx_parse("m", text, (size_t)bytes, &coo, NULL, &err);
        ck_assert_msg(status == (trial % 9 == 5 ? KL_ERROR_INPUT : KL_OK), "%s", number); // %a
        if (status == KL_OK) {
            double want = strtod(number, NULL);
            ck_assert_msg(memcmp(coo.val, &want, sizeof want) == 0, "%s: %.17g", number,
                          coo.val[0]);
        }
        kl_coo_free(&coo);
    }
}
END_TEST

START_TEST(long_lines) {
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
        kl_coo coo;
        kl_status status = kl_mtx_parse("m", text, at, &coo, NULL, &err);
        ck_assert_msg(status == (over == 0 ? KL_OK : KL_ERROR_INPUT), "%d: %s", over, err.text);
        if (over & 1) ck_assert_str_eq(err.text, "m: line 4 is longer than 4 MiB");
        if (over == 2)
            ck_assert_str_eq(err.text, "m: the file ends after line 4 with 2 of 3 entries");
        kl_coo_free(&coo);
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

START_TEST(a_file_larger_than_the_buffer) {
    char path[] = "/tmp/kl-reader-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *out = fdopen(fd, "w");
    enum { ENTRIES = 300000 };
    fprintf(out, "%s%d 1000 %d\n", HEAD("real", "general"), ENTRIES, ENTRIES);
    for (int k = 0; k < ENTRIES; k++) fprintf(out, "%d %d %d.25\n", k + 1, k % 1000 + 1, k);
    long bytes = ftell(out);
    fclose(out);
    uint64_t seen[2] = {0, 0};
    kl_coo coo;
    kl_status status = kl_mtx_read(path, keep_progress, seen, &coo, NULL, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    ck_assert_int_eq(coo.nnz, ENTRIES);
    for (int k = 0; k < ENTRIES; k++)
        ck_assert(coo.row[k] == k && coo.col[k] == k % 1000 && coo.val[k] == k + 0.25);
    ck_assert_uint_eq(seen[0], (uint64_t)bytes);
    kl_coo_free(&coo);
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

#ifdef LADDER_SANITIZED
enum { HALVES = 3000 };
#else
enum { HALVES = 60000 };
#endif

// Numbers of 17 to 19 digits that lie as close as they can to half-way between two doubles.
START_TEST(close_to_halves) {
    for (uint64_t i = 0; i < HALVES; i++) {
        uint64_t odd = ((UINT64_C(1) << 53) + (kl_random_u64(11, i) >> 11)) | 1;
        long double half = ldexpl((long double)odd, (int)kl_random_below(12, i, 160) - 130);
        char number[64], text[160];
        snprintf(number, sizeof number, "%.*Le", 16 + (int)(i % 3), half);
        snprintf(text, sizeof text, "%s3 3 1\n2 3 %s\n", HEAD("real", "general"), number);
        kl_coo coo;
        ck_assert_msg(kl_mtx_parse("m", text, strlen(text), &coo, NULL, &err) == KL_OK, "%s",
                      err.text);
        double want = strtod(number, NULL);
        ck_assert_msg(memcmp(coo.val, &want, sizeof want) == 0, "%s: %.17g", number, coo.val[0]);
        kl_coo_free(&coo);
    }
}
END_TEST

KL_TEST_MAIN("reading", nearly_right_texts, numbers_are_rounded_as_by_strtod, close_to_halves,
             long_lines, a_file_larger_than_the_buffer)
