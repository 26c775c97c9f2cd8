// Protects the lexer: kinds, values and places of tokens, and each way in which characters can be
// wrong.
#include "support/bytes.h"
#include "ptx/ptx.h"
#include "suite.h"

static ptx_lexer begin(const char *text, kl_error *err) {
    ptx_lexer lexer;
    ptx_lex_begin(&lexer, text, strlen(text), err);
    return lexer;
}

static const struct {
    const char *text;
    ptx_token_kind kind;
    uint64_t value;
    bool is_unsigned;
} number_rows[] = {
    {"0", PTX_TOKEN_INT, 0, false},
    {"42", PTX_TOKEN_INT, 42, false},
    {"42U", PTX_TOKEN_INT, 42, true},
    {"017", PTX_TOKEN_INT, 15, false},
    {"0x7fU", PTX_TOKEN_INT, 127, true},
    {"0XfF", PTX_TOKEN_INT, 255, false},
    {"0b101", PTX_TOKEN_INT, 5, false},
    {"18446744073709551615", PTX_TOKEN_INT, UINT64_MAX, false},
    {"18446744073709551617", PTX_TOKEN_INT, 1, false}, // wraps, as ptxas has it
    {"0x1FFFFFFFFFFFFFFFF", PTX_TOKEN_INT, UINT64_MAX, false},
    {"WARP_SZ", PTX_TOKEN_INT, 32, false},
    {".5", PTX_TOKEN_FLOAT64, 0x3fe0000000000000, false},
    {".5e1", PTX_TOKEN_FLOAT64, 0x4014000000000000, false},
    {"0f3F800000", PTX_TOKEN_FLOAT32, 0x3f800000, false},
    {"0F7fc00000", PTX_TOKEN_FLOAT32, 0x7fc00000, false},
    {"0d3FF0000000000000", PTX_TOKEN_FLOAT64, 0x3ff0000000000000, false},
    {"1.5", PTX_TOKEN_FLOAT64, 0x3ff8000000000000, false},
    {"1.", PTX_TOKEN_FLOAT64, 0x3ff0000000000000, false},
    {"2e-1", PTX_TOKEN_FLOAT64, 0x3fc999999999999a, false},
    {"09.5", PTX_TOKEN_FLOAT64, 0x4023000000000000, false},
};

KL_TEST_ROWS(numbers, sizeof number_rows / sizeof *number_rows) {
    kl_error err;
    ptx_token token;
    ptx_lexer lexer = begin(number_rows[_i].text, &err);
    ck_assert_int_eq(ptx_lex_next(&lexer, &token), SIM_OK);
    ck_assert_int_eq(token.kind, number_rows[_i].kind);
    ck_assert_uint_eq(token.value, number_rows[_i].value);
    ck_assert_int_eq(token.is_unsigned, number_rows[_i].is_unsigned);
    ck_assert_uint_eq(token.bytes, strlen(number_rows[_i].text));
    ck_assert_int_eq(ptx_lex_next(&lexer, &token), SIM_OK);
    ck_assert_int_eq(token.kind, PTX_TOKEN_END);
}

static const test_refusal error_rows[] = {
    {"\n  #", 2, 3, "'#' begins a line marker"},
    {"# 5 a.cu\n", 1, 1, "'#' begins a line marker"},
    {"\t\x01", 1, 2, "the byte 0x01 does not belong to PTX"},
    {"\xc3\xa9", 1, 1, "the byte 0xC3 does not belong to PTX"},
    {"a /* b\n c", 1, 3, "this comment does not end"},
    {"/*/", 1, 1, "this comment does not end"},
    {"\"abc\n\"", 1, 1, "this string does not end on its line"},
    {"\"abc\\\"", 1, 1, "this string does not end on its line"},
    {"0f3F80000", 1, 1, "exactly 8 hexadecimal digits"},
    {"0f3F8000001", 1, 1, "malformed number"},
    {"0d3FF", 1, 1, "exactly 16 hexadecimal digits"},
    {"99999999999999999999", 1, 1, "does not fit 64 bits"},
    {"0x80000000000000000", 1, 1, "does not fit 64 bits"},
    {"1e400", 1, 1, "does not fit a double"},
    {"1u", 1, 1, "malformed number"},
    {"0x", 1, 1, "without digits"},
    {"0b2", 1, 1, "without digits"},
    {"09", 1, 1, "malformed number"},
    {"12abc", 1, 1, "malformed number"},
    {"1.5U", 1, 1, "malformed number"},
    {"`", 1, 1, "the character '`' does not belong"},
    {".", 1, 1, "the character '.' does not belong"},
    {"0.1234567890123456789012345678901234567890123456789012345678901234567890", 1, 1,
     "too many digits"},
};

KL_TEST_ROWS(errors, sizeof error_rows / sizeof *error_rows) {
    kl_error err = {0};
    ptx_token token = {.kind = PTX_TOKEN_COMMA};
    ptx_lexer lexer = begin(error_rows[_i].text, &err);
    sim_status status = SIM_OK;
    while (status == SIM_OK && token.kind != PTX_TOKEN_END) status = ptx_lex_next(&lexer, &token);
    expect_refusal(&error_rows[_i], status, &err);
}

// What is one token and what is several decides how opcodes and declarations read.
KL_TEST(words_and_directives) {
    static const char *const texts[] = {"ld.global.L1::no_allocate.v4.f32",
                                        "label",
                                        ":",
                                        ":",
                                        "%tid.x",
                                        "reg",
                                        "b32",
                                        "shared::cta",
                                        "$L__BB0_1",
                                        "_",
                                        "_a"};
    static const ptx_token_kind kinds[] = {
        PTX_TOKEN_WORD, PTX_TOKEN_WORD,      PTX_TOKEN_COLON,     PTX_TOKEN_COLON,
        PTX_TOKEN_WORD, PTX_TOKEN_DIRECTIVE, PTX_TOKEN_DIRECTIVE, PTX_TOKEN_DIRECTIVE,
        PTX_TOKEN_WORD, PTX_TOKEN_WORD,      PTX_TOKEN_WORD};
    kl_error err;
    ptx_token token;
    ptx_lexer lexer = begin("ld.global.L1::no_allocate.v4.f32 label:: %tid.x .reg.b32 .shared::cta "
                            "$L__BB0_1 _ _a",
                            &err);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_int_eq(ptx_lex_next(&lexer, &token), SIM_OK);
        ck_assert_int_eq(token.kind, kinds[i]);
        ck_assert_uint_eq(token.bytes, strlen(texts[i]));
        ck_assert(memcmp(token.text, texts[i], token.bytes) == 0);
    }
    ck_assert_int_eq(ptx_lex_next(&lexer, &token), SIM_OK);
    ck_assert_int_eq(token.kind, PTX_TOKEN_END);
}

// The caret stands under the column, tabs included; of long lines only a part is shown.
KL_TEST(caret) {
    kl_error err;
    static const char text[] = "one\n\tmov.u32 %r1, ?;\nthree";
    ptx_fail(text, strlen(text), (ptx_place){2, 16}, SIM_BAD_PTX, &err, "what %d", 7);
    ck_assert_str_eq(err.text, "line 2, column 16: what 7\n\tmov.u32 %r1, ?;\n\t              ^");

    char long_line[5000];
    memset(long_line, 'a', sizeof long_line);
    long_line[4000] = '?';
    ptx_fail(long_line, sizeof long_line, (ptx_place){1, 4001}, SIM_BAD_PTX, &err, "far");
    const char *shown = strchr(err.text, '\n') + 1, *caret = strchr(shown, '^');
    ck_assert_ptr_nonnull(caret);
    ck_assert_int_eq(shown[caret - strchr(shown, '\n') - 1], '?');
    ck_assert_uint_lt(strlen(err.text), 500);

    ptx_fail(text, strlen(text), (ptx_place){99, 1}, SIM_BAD_PTX, &err, "beyond");
    ck_assert_str_eq(err.text, "line 99, column 1: beyond");
    ck_assert_int_eq(ptx_fail(text, 0, (ptx_place){1, 1}, SIM_BAD_PTX, NULL, "no record"),
                     SIM_BAD_PTX);
}

KL_TEST(golden_tokens) {
    test_bytes ptx = read_file(test_path(TEST_GOLDEN, "tokens.ptx"));
    test_bytes expected = read_file(test_path(TEST_GOLDEN, "tokens.txt"));
    kl_error err;
    char *dumped = NULL;
    size_t count = 0;
    FILE *out = open_memstream(&dumped, &count);
    ck_assert_int_eq(ptx_dump_tokens((const char *)ptx.data, ptx.count, out, &err), SIM_OK);
    fclose(out);
    ck_assert_str_eq(dumped, (const char *)expected.data);
    free(dumped);
    bytes_free(&ptx);
    bytes_free(&expected);
}

// Every prefix of a text ends cleanly and reads nothing beyond (AddressSanitizer watches the
// copies).
KL_TEST(truncations) {
    test_bytes ptx = read_file(test_path(TEST_GOLDEN, "tokens.ptx"));
    for (size_t count = 0; count <= ptx.count; count++) {
        char *copy = (char *)exact_copy(ptx.data, count);
        kl_error err;
        ptx_lexer lexer;
        ptx_token token = {.kind = PTX_TOKEN_COMMA};
        ptx_lex_begin(&lexer, copy, count, &err);
        while (token.kind != PTX_TOKEN_END && ptx_lex_next(&lexer, &token) == SIM_OK)
            ck_assert(token.text >= copy && token.text + token.bytes <= copy + count);
        free(copy);
    }
    bytes_free(&ptx);
}

KL_TEST_MAIN("frontend_lex")
