// Matrix Market files: what is read, what is refused and on which line, damaged and hostile input,
// compressed files, writing and reading back.
#include <float.h>

#ifdef KL_HAVE_ZLIB
#include <zlib.h>
#endif

#include "files.h"
#include "random.h"
#include "sparse.h"
#include "suite.h"

static kl_error err;

static kl_coo coo; // what a test reads

static void free_coo(void) { kl_coo_free(&coo); }
KL_FIXTURE(NULL, free_coo)

static void read_ok(const char *text, kl_mtx_info *out_info) {
    free_coo();
    OK_OR_SAY(kl_mtx_parse("m", text, strlen(text), &coo, out_info, &err), err);
}

static void refuse_as(kl_status status, const char *text, const char *expected) {
    kl_coo coo;
    kl_status got = kl_mtx_parse("m", text, strlen(text), &coo, NULL, &err);
    ck_assert_msg(got == status && strstr(err.text, expected), "status %d: %s (expected %s)", got,
                  got == KL_OK ? "" : err.text, expected);
    ck_assert_ptr_null(coo.row);
    ck_assert_ptr_null(coo.val);
}

static void refuse(const char *text, const char *expected) {
    refuse_as(KL_ERROR_INPUT, text, expected);
}

static void ck_entry(int64_t k, int row, int col, double value) {
    ck_assert_int_lt(k, coo.nnz);
    ck_assert_int_eq(coo.row[k], row);
    ck_assert_int_eq(coo.col[k], col);
    ck_assert_double_eq(coo.val[k], value);
}

#define REAL "%%MatrixMarket matrix coordinate real general\n"

KL_TEST(general_real) {
    kl_mtx_info info;
    read_ok("%%MatrixMarket  MATRIX Coordinate Real General\n% a remark\n\n 3 4\t2 \n% another\n"
            "1 4 -1.5e2\n\n3 1 .25",
            &info);
    ck_assert_int_eq(coo.rows, 3);
    ck_assert_int_eq(coo.cols, 4);
    ck_assert_int_eq(coo.nnz, 2);
    ck_assert_int_eq(info.field, KL_MTX_REAL);
    ck_entry(0, 0, 3, -150.0);
    ck_entry(1, 2, 0, 0.25);
}

KL_TEST(carriage_returns_are_blanks) {
    read_ok("%%MatrixMarket matrix coordinate real general\r\n%\r\n2 2 1\r\n2 2 4\r\n\r\n", NULL);
    ck_assert_int_eq(coo.nnz, 1);
    ck_entry(0, 1, 1, 4.0);
}

KL_TEST(symmetric_integer_is_mirrored) {
    kl_mtx_info info;
    read_ok("%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 7\n3 1 -2\n3 2 5\n",
            &info);
    ck_assert_int_eq(info.stored, 3);
    ck_assert_int_eq(coo.nnz, 5);
    ck_entry(0, 0, 0, 7);
    ck_entry(1, 2, 0, -2);
    ck_entry(2, 0, 2, -2);
    ck_entry(4, 1, 2, 5);
}

KL_TEST(skew_symmetric_changes_sign) {
    read_ok("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1.5\n3 3 0\n", NULL);
    ck_assert_int_eq(coo.nnz, 3);
    ck_entry(0, 1, 0, 1.5);
    ck_entry(1, 0, 1, -1.5);
    ck_entry(2, 2, 2, 0.0);
}

KL_TEST(pattern_is_all_ones) {
    read_ok("%%MatrixMarket matrix coordinate pattern general\n2 5 2\n1 5\n2 3\n", NULL);
    ck_entry(0, 0, 4, 1.0);
    ck_entry(1, 1, 2, 1.0);
}

// Against the C library's own reading of it.
static void check_number(const char *number) {
    char text[256];
    snprintf(text, sizeof text, "%s1 1 1\n1 1 %s\n", REAL, number);
    read_ok(text, NULL);
    double expected = strtod(number, NULL);
    ck_assert_msg(memcmp(&coo.val[0], &expected, sizeof expected) == 0, "%s: %.17g", number,
                  coo.val[0]);
}

// Numbers that need more than one multiplication.
KL_TEST(numbers_are_correctly_rounded) {
    char numbers[] =
        "0 -0 +1 1. 0.1 3.14159265358979323846264338327950288 1e22 1e23 1e-22 1e-23 "
        "9007199254740993 9007199254740992e3 1.7976931348623157e308 4.9e-324 "
        "2.2250738585072011e-308 12345678901234567890123456789 "
        "0.000000000000000000000000000000000001234567890123456789e5 1e-400 123456789012345678e-30 "
        "5e+07 00000000000000000000000001.5 0.30000000000000004 8.41e21 9007199254740991e22";
    for (char *number = strtok(numbers, " "); number; number = strtok(NULL, " "))
        check_number(number);
    for (uint64_t i = 0; i < 20000; i++) { // random bits as %.17g and as %.9g
        uint64_t bits = kl_random_u64(2024, i);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        char number[40];
        snprintf(number, sizeof number, i % 2 ? "%.17g" : "%.9g",
                 i % 4 < 2 ? value : fmod(value, 1e6));
        check_number(number);
    }
}

KL_TEST(fortran_and_byte_order_mark) {
    read_ok("\xEF\xBB\xBF" REAL
            "1 3 3\n1 1 1.0D+02\n1 2 -2.5d-1\n1 3 1.2345678901234567890123D-300\n",
            NULL);
    ck_assert(coo.val[0] == 100.0);
    ck_assert(coo.val[1] == -0.25);
    ck_assert(coo.val[2] == 1.2345678901234567890123e-300);
    refuse(REAL "1 1 1\n1 1 1.0D\n", "\"1.0D\" is no finite number");
}

KL_TEST(wrong_headers) {
    refuse("", "m: the file is empty");
    refuse("\n", "line 1: not a Matrix Market file");
    refuse("PK\x03\x04 binary \x80\xff\n", "line 1: not a Matrix Market file");
    refuse("%%MatrixMarket vector coordinate real general\n", "object \"vector\"");
    refuse("%%MatrixMarket matrix array real general\n", "\"array\"");
    refuse("%%MatrixMarket matrix coordinate complex general\n", "\"complex\"");
    refuse("%%MatrixMarket matrix coordinate real hermitian\n", "\"hermitian\"");
    refuse("%%MatrixMarket matrix coordinate real general now\n", "more words");
    refuse("%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "no signs");
    refuse("%%MatrixMarket\n",
           "m: line 1, column 15: expected the object, \"matrix\", but the line ends here");
    refuse("%%MatrixMarket matrix \r\n",
           "expected the format, \"coordinate\", but the line ends here");
    refuse("%%MatrixMarket matrix coordinate\n",
           "m: line 1, column 33: expected the kind of values (real, integer or pattern), but the "
           "line ends here");
    refuse("%%MatrixMarket matrix coordinate real",
           "line 1, column 38: expected the symmetry (general, symmetric or skew-symmetric), but "
           "the file ends here");
    refuse(REAL, "ends before the line");
    refuse(REAL "% only remarks\n\n", "ends before the line");
    refuse(REAL "3 3\n",
           "line 2, column 4: expected rows, columns and entries, three counts below 2^63, but the "
           "line ends here");
    refuse(REAL "3", "line 2, column 2: expected rows, columns and entries");
    refuse(REAL "3 x 1\n", "\"x\": expected rows");
    refuse(REAL "3 -3 1\n", "\"-3\": expected rows");
    refuse(REAL "3 3 1 1\n", "more than rows");
    refuse(REAL "2 2 5\n", "5 entries do not fit 2 x 2");
    refuse("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n", "square");
}

KL_TEST(huge_headers_take_no_memory) {
    refuse(REAL "99999999999999999999 1 1\n", "line 2: \"99999999999999999999\"");
    refuse_as(KL_ERROR_LIMIT, REAL "9223372036854775807 9223372036854775807 1\n",
              "line 2: 9223372036854775807 rows");
    refuse_as(KL_ERROR_LIMIT, REAL "268435457 1 1\n", "at most 268435456");
    refuse_as(KL_ERROR_LIMIT, REAL "100000000 100000000 3000000000\n", "3000000000 entries");
    // 2^31 - 1 entries would be 32 GiB; the file has one
    refuse(REAL "100000000 100000000 2147483647\n1 1 1\n",
           "after line 3 with 1 of 2147483647 entries");
}

KL_TEST(wrong_entries) {
    refuse(REAL "2 2 1\n0 1 1\n",
           "line 3: row 0 is outside 1..2: indices of this format count from 1");
    refuse(REAL "2 2 1\n1 3 1\n", "line 3: column 3 is outside 1..2");
    refuse(REAL "2 2 1\n-1 1 1\n", "\"-1\" is no row number");
    refuse(REAL "2 2 1\n1 1.0 1\n", "\"1.0\" is no column number");
    refuse(REAL "2 2 1\n1 18446744073709551617 1\n", "is no column number");
    refuse(REAL "2 2 1\n1 1\n",
           "m: line 3, column 4: expected the value, a number, but the line ends here");
    refuse(REAL "2 2 1\n\t1 \t\n",
           "line 3, column 5: expected a column number, but the line ends here");
    refuse(REAL "2 2 1\n1", "line 3, column 2: expected a column number, but the file ends here");
    refuse(REAL "2 2 1\n1 1",
           "line 3, column 4: expected the value, a number, but the file ends here");
    refuse("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1\n",
           "expected the value, an integer, but the line ends here");
    refuse(REAL "2 2 1\n1 1 abc\n", "\"abc\" is no finite number");
    refuse(REAL "2 2 1\n1 1 nan\n", "\"nan\" is no finite number");
    refuse(REAL "2 2 1\n1 1 1e999\n", "\"1e999\" is no finite number");
    refuse(REAL "2 2 1\n1 1 0x10\n", "\"0x10\" is no finite number");
    refuse(REAL "2 2 1\n1 1 1e\n", "\"1e\" is no finite number");
    refuse(REAL "2 2 1\n1 1 .\n", "\".\" is no finite number");
    refuse(REAL "2 2 1\n1 1 1 2\n", "\"2\" after the entry");
    refuse(REAL "2 2 1\n1 1 1\n2 2 2\n", "line 4: more entries than the 1");
    refuse(REAL "2 2 3\n1 1 1\n2 2 2\n", "after line 4 with 2 of 3 entries");
    refuse(REAL "2 2 1\n1 1 \xff\xfe\x01\n", "\"???\" is no finite number");
    refuse("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
           "\"1.5\" is no finite integer");
    refuse("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", "after the entry");
    refuse("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 3\n", "diagonal");
    refuse("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 1\n1 1 1\n2 3 1\n",
           "lines 3 and 5");
}

KL_TEST(zero_bytes_and_long_lines) {
    static const char zeros[] = REAL "1 1 1\n1 1\0 1\n";
    ck_assert_int_eq(kl_mtx_parse("m", zeros, sizeof zeros - 1, &coo, NULL, &err), KL_ERROR_INPUT);
    KL_HAS(err.text, "line 3");

    size_t bytes = (4 << 20) + 100, used = strlen(REAL);
    char *text = malloc(bytes);
    memset(text, ' ', bytes);
    memcpy(text, REAL, used);
    ck_assert_int_eq(kl_mtx_parse("m", text, bytes, &coo, NULL, &err), KL_ERROR_INPUT);
    KL_HAS(err.text, "line 2 is longer than 4 MiB");
    free(text);
}

// More than one buffer, so that lines fall on its edge; and every way of cutting a small file.
KL_TEST(many_blocks) {
    enum { N = 700000 };
    char *text = malloc(32 * N), *at = text;
    at += sprintf(at, "%s%d %d %d\n", REAL, N, N, N);
    for (int k = 0; k < N; k++) at += sprintf(at, "%d %d %d.5\n", k + 1, N - k, k);
    OK_OR_SAY(kl_mtx_parse("m", text, (size_t)(at - text), &coo, NULL, &err), err);
    ck_assert_int_eq(coo.nnz, N);
    for (int k = 0; k < N; k++)
        if (coo.row[k] != k || coo.col[k] != N - 1 - k || coo.val[k] != k + 0.5)
            ck_abort_msg("entry %d", k);
    free(text);
}

static const char small[] =
    "%%MatrixMarket matrix coordinate real symmetric\n% remark\n4 4 5\n1 1 1.25e-3\n2 2 -2\n"
    "3 1 10\n4 3 7.0\n4 4 123456789.123456789\n";

// What may come out of any bytes at all: a matrix that holds together, or a sentence.
static void ck_holds_together(const char *text, size_t bytes) {
    char *exact = malloc(bytes > 0 ? bytes : 1); // its own block, so that a sanitizer sees its end
    memcpy(exact, text, bytes);
    kl_coo coo;
    err.text[0] = '\0';
    if (kl_mtx_parse("m", exact, bytes, &coo, NULL, &err) == KL_OK) {
        for (int64_t k = 0; k < coo.nnz; k++) {
            ck_assert(coo.row[k] >= 0 && coo.row[k] < coo.rows && coo.col[k] >= 0 &&
                      coo.col[k] < coo.cols);
            ck_assert(isfinite(coo.val[k]));
        }
    } else {
        ck_assert(err.text[0] != '\0' && !coo.row);
    }
    kl_coo_free(&coo);
    free(exact);
}

KL_TEST(damaged_files_hold_together) {
    size_t bytes = sizeof small - 1;
    for (size_t cut = 0; cut <= bytes; cut++) ck_holds_together(small, cut);
    static const char odd[] = "\0\n\r\t %-+.eE0123456789\xff";
    for (uint64_t i = 0; i < 20000; i++) {
        char text[sizeof small];
        memcpy(text, small, sizeof small);
        uint64_t changes = 1 + kl_random_below(7, 3 * i, 4);
        for (uint64_t c = 0; c < changes; c++) {
            uint64_t where = kl_random_below(11 + c, i, bytes);
            text[where] = odd[kl_random_below(13 + c, i, sizeof odd - 1)];
        }
        ck_holds_together(text, bytes);
    }
}

KL_TEST(values_come_back_to_the_last_bit) {
    enum { N = 1000 };
    kl_coo coo = {.rows = N, .cols = 2 * N, .nnz = N}, again;
    coo.row = calloc(N, sizeof *coo.row);
    coo.col = calloc(N, sizeof *coo.col);
    coo.val = calloc(N, sizeof *coo.val);
    for (int k = 0; k < N; k++) {
        coo.row[k] = k;
        coo.col[k] = (int32_t)kl_random_below(1, (uint64_t)k, 2 * N);
        coo.val[k] = ldexp((double)kl_random_u64(2, (uint64_t)k) + 0.5, k % 600 - 300);
    }
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    fprintf(out, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", N, 2 * N, N);
    for (int k = 0; k < N; k++)
        fprintf(out, "%d %d %.17g\n", coo.row[k] + 1, coo.col[k] + 1, coo.val[k]);
    fclose(out);
    ck_assert_int_eq(kl_mtx_parse("m", text, bytes, &again, NULL, &err), KL_OK);
    ck_assert_int_eq(again.nnz, N);
    ck_assert_mem_eq(again.row, coo.row, N * sizeof *coo.row);
    ck_assert_mem_eq(again.col, coo.col, N * sizeof *coo.col);
    ck_assert_mem_eq(again.val, coo.val, N * sizeof *coo.val);
    free(text);
    kl_coo_free(&coo);
    kl_coo_free(&again);
}

static void note_progress(void *context, uint64_t done_bytes, uint64_t total_bytes) {
    uint64_t *last = context;
    ck_assert_uint_ge(done_bytes, last[0]);
    last[0] = done_bytes;
    last[1] = total_bytes;
    last[2]++;
}

static void write_file(const char *path, const void *data, size_t bytes) {
    FILE *out = fopen(path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(data, 1, bytes, out), bytes);
    ck_assert_int_eq(fclose(out), 0);
}

KL_TEST(plain_files) {
    char folder[] = "/tmp/kl-mtx-XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/small.mtx", folder);
    write_file(path, small, sizeof small - 1);
    uint64_t seen[3] = {0};
    OK_OR_SAY(kl_mtx_read(path, note_progress, seen, &coo, NULL, &err), err);
    ck_assert_int_eq(coo.nnz, 7);
    ck_assert_uint_eq(seen[1], sizeof small - 1);
    ck_assert_uint_ge(seen[2], 1);
    free_coo();
    unlink(path);
    ck_assert_int_eq(kl_mtx_read(path, NULL, NULL, &coo, NULL, &err), KL_ERROR_SYSTEM);
    KL_HAS(err.text, "small.mtx");
    ck_assert_int_eq(kl_mtx_read(folder, NULL, NULL, &coo, NULL, &err), KL_ERROR_SYSTEM);
    KL_HAS(err.text, "is a folder");
    rmdir(folder);
}

KL_TEST(compressed_files) {
#ifdef KL_HAVE_ZLIB
    char folder[] = "/tmp/kl-mtx-XXXXXX", path[64];
    unsigned char packed[4096];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/small.mtx.gz", folder);
    gzFile gz = gzopen(path, "wb");
    ck_assert_int_eq(gzwrite(gz, small, sizeof small - 1), (int)sizeof small - 1);
    gzclose(gz);
    ck_assert(kl_bytes_read_gzip());
    OK_OR_SAY(kl_mtx_read(path, NULL, NULL, &coo, NULL, &err), err);
    ck_assert_int_eq(coo.nnz, 7);
    free_coo();
    FILE *in = fopen(path, "rb");
    size_t bytes = fread(packed, 1, sizeof packed, in);
    fclose(in);
    write_file(path, packed, bytes / 2); // cut off
    ck_assert_int_eq(kl_mtx_read(path, NULL, NULL, &coo, NULL, &err), KL_ERROR_INPUT);
    KL_HAS(err.text, "small.mtx.gz");
    packed[bytes / 2] ^= 0x55; // damaged
    write_file(path, packed, bytes);
    ck_assert_int_eq(kl_mtx_read(path, NULL, NULL, &coo, NULL, &err), KL_ERROR_INPUT);
    unlink(path);
    rmdir(folder);
#else
    ck_assert(!kl_bytes_read_gzip()); // this build has no zlib: nothing to unpack with
#endif
}

KL_TEST_MAIN("matrix market")
