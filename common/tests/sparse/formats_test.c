// Formats of sparse matrices, matrices that are made, lines of files.
#include "sparse.h"
#include "suite.h"
#include "random.h"

// ---- formats ----
// Formats: the lecture's 4 x 6 example in rows and in numbers, what is refused.

static kl_error err;

// The lecture's example: 10 20 . . . . / . 30 . 40 . . / . . 50 60 70 . / . . . . . 80
static const int32_t example_row[] = {0, 0, 1, 1, 2, 2, 2, 3};
static const int32_t example_col[] = {0, 1, 1, 3, 2, 3, 4, 5};
static const double example_val[] = {10, 20, 30, 40, 50, 60, 70, 80};
enum { EXAMPLE_NNZ = 8 };

// Entries in an order that a linear congruence shuffles.
static kl_coo make_coo(int64_t rows, int64_t cols, int64_t nnz, const int32_t *row,
                       const int32_t *col, const double *val, bool shuffle) {
    kl_coo coo = {.rows = rows, .cols = cols, .nnz = nnz};
    coo.row = calloc((size_t)nnz + 1, sizeof *coo.row);
    coo.col = calloc((size_t)nnz + 1, sizeof *coo.col);
    coo.val = calloc((size_t)nnz + 1, sizeof *coo.val);
    for (int64_t k = 0; k < nnz; k++) {
        int64_t from = shuffle ? (5 * k + 3) % nnz : k;
        coo.row[k] = row[from];
        coo.col[k] = col[from];
        coo.val[k] = val[from];
    }
    return coo;
}

static kl_csr example(bool shuffle) {
    kl_coo coo = make_coo(4, 6, EXAMPLE_NNZ, example_row, example_col, example_val, shuffle);
    kl_csr csr;
    OK_OR_SAY(kl_csr_from_coo(&coo, &csr, &err), err);
    kl_coo_free(&coo);
    return csr;
}

KL_TEST(example_in_csr) {
    static const int32_t ptr[] = {0, 2, 4, 7, 8};
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        kl_csr csr = example(shuffle != 0);
        ck_assert_int_eq(csr.nnz, EXAMPLE_NNZ);
        ck_assert_mem_eq(csr.ptr, ptr, sizeof ptr);
        ck_assert_mem_eq(csr.col, example_col, sizeof example_col);
        ck_assert_mem_eq(csr.val, example_val, sizeof example_val);
        kl_csr_free(&csr);
    }
}

KL_TEST(example_in_figures) {
    kl_csr csr = example(false);
    kl_sparse_stats s;
    ck_assert_int_eq(kl_sparse_stats_of(&csr, &s, &err), KL_OK);
    ck_assert_int_eq(s.row_min, 1);
    ck_assert_int_eq(s.row_max, 3);
    ck_assert_double_eq(s.row_mean, 2.0);
    ck_assert_double_eq_tol(s.row_stddev, sqrt(0.5), 1e-15);
    ck_assert_int_eq(s.lower, 0);
    ck_assert_int_eq(s.upper, 2);
    ck_assert_int_eq(s.diagonals, 3);
    ck_assert_int_eq(s.empty_rows, 0);
    ck_assert_double_eq(kl_sparse_storage_bytes(&s, KL_COO, 4), 8 * 12.0);
    ck_assert_double_eq(kl_sparse_storage_bytes(&s, KL_CSR, 4), 5 * 4.0 + 8 * 8.0);
    ck_assert_double_eq(kl_sparse_storage_bytes(&s, KL_ELL, 4), 4 * 3 * 8.0);
    ck_assert_double_eq(kl_sparse_storage_bytes(&s, KL_DIA, 8), 3 * 4.0 + 3 * 4 * 8.0);
    kl_csr_free(&csr);
}

KL_TEST(duplicates_add_up_and_zeros_stay) {
    static const int32_t row[] = {1, 0, 1, 1, 0}, col[] = {2, 0, 0, 2, 0};
    static const double val[] = {1.5, -4, 0, 2.25, 4};
    kl_coo coo = make_coo(3, 3, 5, row, col, val, false);
    kl_csr csr;
    ck_assert_int_eq(kl_csr_from_coo(&coo, &csr, &err), KL_OK);
    ck_assert_int_eq(csr.nnz, 3); // -4 + 4 stays as a stored zero
    ck_assert_int_eq(csr.ptr[1], 1);
    ck_assert_int_eq(csr.ptr[2], 3);
    ck_assert_int_eq(csr.ptr[3], 3);
    ck_assert_double_eq(csr.val[0], 0.0);
    ck_assert_double_eq(csr.val[1], 0.0);
    ck_assert_double_eq(csr.val[2], 3.75);
    kl_sparse_stats s;
    ck_assert_int_eq(kl_sparse_stats_of(&csr, &s, &err), KL_OK);
    ck_assert_int_eq(s.explicit_zeros, 2);
    ck_assert_int_eq(s.empty_rows, 1);
    kl_coo_free(&coo);
    kl_csr_free(&csr);
}

KL_TEST(matrices_without_rows_or_columns) {
    static const int64_t shapes[][2] = {{0, 0}, {0, 5}, {5, 0}};
    for (int i = 0; i < 3; i++) {
        kl_coo coo = {.rows = shapes[i][0], .cols = shapes[i][1]};
        kl_csr csr;
        kl_sparse_stats s;
        ck_assert_int_eq(kl_csr_from_coo(&coo, &csr, &err), KL_OK);
        ck_assert_int_eq(kl_sparse_stats_of(&csr, &s, &err), KL_OK);
        ck_assert_int_eq(s.row_min, 0);
        ck_assert_int_eq(s.empty_rows, shapes[i][0]);
        kl_csr_free(&csr);
    }
}

KL_TEST(wrong_indices_are_refused) {
    static const int32_t bad[] = {-1, 4, 2147483647};
    for (int i = 0; i < 6; i++) {
        kl_coo coo = make_coo(4, 4, 4, example_row, example_col, example_val, false);
        *(i < 3 ? &coo.row[2] : &coo.col[2]) = bad[i % 3];
        kl_csr csr;
        ck_assert_int_eq(kl_csr_from_coo(&coo, &csr, &err), KL_ERROR_INPUT);
        KL_HAS(err.text, "entry 2");
        ck_assert_ptr_null(csr.ptr);
        kl_coo_free(&coo);
    }
}

// ---- generate ----
// Made matrices: their structure by independent counting, determinism, bad parameters.

static kl_csr csr;

static void free_csr(void) { kl_csr_free(&csr); }
KL_FIXTURE(NULL, free_csr)

#define MAKE_FOR(status, kind, ...)                                                                \
    do {                                                                                           \
        free_csr();                                                                                \
        ck_assert_int_eq(kl_make_##kind(__VA_ARGS__, &csr, &err), status);                         \
    } while (0)
#define MAKE(...)   MAKE_FOR(KL_OK, __VA_ARGS__)
#define REFUSE(...) MAKE_FOR(KL_ERROR_INPUT, __VA_ARGS__)

// CSR as it must be: pointers ascend, columns ascend strictly inside a row, no stored zero.
static kl_sparse_stats checked(const kl_csr *csr) {
    ck_assert_int_eq(csr->ptr[0], 0);
    ck_assert_int_eq(csr->ptr[csr->rows], csr->nnz);
    for (int64_t i = 0; i < csr->rows; i++) {
        ck_assert_int_le(csr->ptr[i], csr->ptr[i + 1]);
        for (int32_t k = csr->ptr[i]; k < csr->ptr[i + 1]; k++) {
            ck_assert(csr->col[k] >= 0 && csr->col[k] < csr->cols);
            ck_assert(k == csr->ptr[i] || csr->col[k - 1] < csr->col[k]);
            ck_assert(csr->val[k] != 0.0 && fabs(csr->val[k]) <= 4.0 &&
                      csr->val[k] * 16 == rint(csr->val[k] * 16));
        }
    }
    kl_sparse_stats s;
    ck_assert_int_eq(kl_sparse_stats_of(csr, &s, &err), KL_OK);
    return s;
}

KL_TEST(stencils_have_their_neighbours) {
    static const struct {
        kl_stencil stencil;
        int64_t nx, ny, nz, nnz, diagonals, longest;
    } rows[] = {
        // a x b x c points: each direction of neighbours loses one layer of points
        {KL_STENCIL_5, 7, 5, 1, 5 * 35 - 2 * 7 - 2 * 5, 5, 5},
        {KL_STENCIL_9, 7, 5, 1, (3 * 7 - 2) * (3 * 5 - 2), 9, 9},
        {KL_STENCIL_7, 4, 5, 6, 7 * 120 - 2 * (20 + 24 + 30), 7, 7},
        {KL_STENCIL_27, 4, 5, 6, (3 * 4 - 2) * (3 * 5 - 2) * (3 * 6 - 2), 27, 27},
        {KL_STENCIL_5, 1, 1, 1, 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        MAKE(stencil, rows[i].stencil, rows[i].nx, rows[i].ny, rows[i].nz, 1);
        kl_sparse_stats s = checked(&csr);
        ck_assert_int_eq(s.nnz, rows[i].nnz);
        ck_assert_int_eq(s.row_max, rows[i].longest);
        ck_assert_int_eq(s.diagonals, rows[i].diagonals);
        ck_assert_int_eq(s.lower, s.upper);
    }
    REFUSE(stencil, KL_STENCIL_9, 4, 4, 2, 1);
    REFUSE(stencil, KL_STENCIL_7, 100000, 100000, 100000, 1);
}

KL_TEST(bands_are_full) {
    MAKE(band, 100, 3, 5, 1);
    kl_sparse_stats s = checked(&csr);
    ck_assert_int_eq(s.nnz, 9 * 100 - (1 + 2 + 3) - (1 + 2 + 3 + 4 + 5));
    ck_assert_int_eq(s.lower, 3);
    ck_assert_int_eq(s.upper, 5);
    ck_assert_int_eq(s.diagonals, 9);
    MAKE(band, 4, 100, 100, 1); // wider than the matrix
    ck_assert_int_eq(checked(&csr).nnz, 16);
    REFUSE(band, 4, -1, 0, 1);
}

KL_TEST(uniform_rows_cover_all_columns) {
    MAKE(uniform, 3000, 77, 8, 5);
    kl_sparse_stats s = checked(&csr);
    ck_assert_int_eq(s.row_min, 8);
    ck_assert_int_eq(s.row_max, 8);
    int64_t hits[77] = {0};
    for (int64_t k = 0; k < csr.nnz; k++) hits[csr.col[k]]++;
    for (int j = 0; j < 77; j++) ck_assert(hits[j] > 200 && hits[j] < 450); // 312 on average
    MAKE(uniform, 5, 5, 5, 5);                                              // full
    ck_assert_int_eq(checked(&csr).nnz, 25);
    REFUSE(uniform, 5, 5, 6, 5);
    KL_HAS(err.text, "6 entries in 5 columns");
}

KL_TEST(giant_rows_stand_where_they_should) {
    MAKE(giant_rows, 1000, 5000, 3, 4, 4000, 9);
    kl_sparse_stats s = checked(&csr);
    ck_assert_int_eq(s.nnz, 996 * 3 + 4 * 4000);
    ck_assert_int_eq(csr.ptr[126] - csr.ptr[125], 4000); // the middle of the first quarter
    ck_assert_int_eq(csr.ptr[876] - csr.ptr[875], 4000);
    MAKE(giant_rows, 1, 9, 1, 1, 9, 9);
    ck_assert_int_eq(checked(&csr).nnz, 9);
    REFUSE(giant_rows, 3, 9, 1, 4, 9, 9);
}

KL_TEST(rmat_is_skewed) {
    kl_csr flat;
    MAKE(rmat, 12, 1 << 16, 0.57, 0.19, 0.19, false, 4);
    ck_assert_int_eq(kl_make_rmat(12, 1 << 16, 0.25, 0.25, 0.25, false, 4, &flat, &err), KL_OK);
    kl_sparse_stats s = checked(&csr), f = checked(&flat);
    ck_assert_int_eq(s.rows, 4096);
    ck_assert(s.nnz > (1 << 15) && s.nnz < 1 << 16); // equal edges were added up
    ck_assert(s.row_max > 8 * f.row_max);
    ck_assert(s.row_stddev > 5 * f.row_stddev);
    ck_assert(s.empty_rows > 300 && f.empty_rows == 0);
    kl_csr_free(&flat);
    MAKE(rmat, 12, 1 << 16, 0.57, 0.19, 0.19, true, 4);
    ck_assert_int_eq(csr.nnz, 1 << 16); // each draw is an entry
    REFUSE(rmat, 29, 1, 0.5, 0.2, 0.2, false, 4);
    REFUSE(rmat, 4, 1, 0.5, 0.5, 0.5, false, 4);
    REFUSE(rmat, 4, 1, NAN, 0.5, 0.5, false, 4);
    MAKE(rmat, 0, 5, 0.5, 0.2, 0.2, false, 4);
    ck_assert_int_eq(checked(&csr).nnz, 1);
}

KL_TEST(seeds_decide) {
    kl_csr a, b, c;
    OK(kl_make_uniform(100, 1000, 5, 1, &a, &err));
    OK(kl_make_uniform(100, 1000, 5, 1, &b, &err));
    OK(kl_make_uniform(100, 1000, 5, 2, &c, &err));
    ck_assert_mem_eq(a.col, b.col, 500 * sizeof *a.col);
    ck_assert_mem_eq(a.val, b.val, 500 * sizeof *a.val);
    ck_assert_mem_ne(a.col, c.col, 500 * sizeof *a.col);
    ck_assert_mem_ne(a.val, c.val, 500 * sizeof *a.val);
    kl_csr_free(&a);
    kl_csr_free(&b);
    kl_csr_free(&c);
}

// ---- reader ----
// The reader of matrix files on text that is nearly right: the message names the line, numbers are
// rounded as strtod does, the longest lines are read; and what the progress bar says.

#define HEAD(field, symmetry) "%%MatrixMarket matrix coordinate " field " " symmetry "\n"

KL_TEST(nearly_right_texts) {
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

KL_TEST(numbers_are_rounded_as_by_strtod) {
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

KL_TEST(long_lines) {
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

static void keep_progress(void *context, uint64_t done, uint64_t total) {
    uint64_t *last = context;
    ck_assert_uint_ge(done, last[0]);
    ck_assert_uint_le(done, total);
    last[0] = done;
    last[1] = total;
}

KL_TEST(a_file_larger_than_the_buffer) {
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
    OK_OR_SAY(kl_mtx_read(path, keep_progress, seen, &coo, NULL, &err), err);
    ck_assert_int_eq(coo.nnz, ENTRIES);
    for (int k = 0; k < ENTRIES; k++)
        ck_assert(coo.row[k] == k && coo.col[k] == k % 1000 && coo.val[k] == k + 0.25);
    ck_assert_uint_eq(seen[0], (uint64_t)bytes);
    kl_coo_free(&coo);
    ck_assert_int_eq(unlink(path), 0);
}

#ifdef LADDER_SANITIZED
enum { HALVES = 3000 };
#else
enum { HALVES = 60000 };
#endif

// Numbers of 17 to 19 digits that lie as close as they can to half-way between two doubles.
KL_TEST(close_to_halves) {
    for (uint64_t i = 0; i < HALVES; i++) {
        uint64_t odd = ((UINT64_C(1) << 53) + (kl_random_u64(11, i) >> 11)) | 1;
        long double half = ldexpl((long double)odd, (int)kl_random_below(12, i, 160) - 130);
        char number[64], text[160];
        snprintf(number, sizeof number, "%.*Le", 16 + (int)(i % 3), half);
        snprintf(text, sizeof text, "%s3 3 1\n2 3 %s\n", HEAD("real", "general"), number);
        kl_coo coo;
        OK_OR_SAY(kl_mtx_parse("m", text, strlen(text), &coo, NULL, &err), err);
        double want = strtod(number, NULL);
        ck_assert_msg(memcmp(coo.val, &want, sizeof want) == 0, "%s: %.17g", number, coo.val[0]);
        kl_coo_free(&coo);
    }
}

KL_TEST_MAIN("formats")
