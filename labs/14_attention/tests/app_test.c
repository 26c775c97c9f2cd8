// Lab 14's application without a device: texts and their pieces, where parameters are.
// links: ../app_text.c ../app_layout.c attention_text tensor_gemm_products m
#include "app.h"
#include "suite.h"

static kl_status read_text(const char *text, size_t bytes, lm_text *out, kl_error *err) {
    char path[] = "/tmp/attentionXXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, bytes), (int)bytes);
    close(fd);
    kl_status status = lm_text_read(path, out, err);
    unlink(path);
    return status;
}

KL_TEST(the_comedy_is_read) {
    lm_text text;
    kl_error err = {KL_OK, ""};
    ck_assert_int_eq(lm_text_read(LM_TEXT, &text, &err), KL_OK);
    ck_assert_int_eq(text.symbols, 64);
    ck_assert(text.count > 100000 && text.train == text.count - text.count / 10);
    const char begin[] = "ACT I\n\nSCENE I.";
    for (size_t i = 0; i < sizeof begin - 1; i++)
        ck_assert_int_eq(text.letter[text.codes[i]], begin[i]);
    lm_text_free(&text);
}

KL_TEST(unfit_texts_are_refused) {
    char letters[2000];
    lm_text text;
    kl_error err = {KL_OK, ""};
    ck_assert_int_ne(read_text("abc", 3, &text, &err), KL_OK);
    KL_HAS(err.text, "has 3 characters");
    lm_text_free(&text);
    for (int i = 0; i < 2000; i++) letters[i] = (char)(i % 200);
    ck_assert_int_ne(read_text(letters, sizeof letters, &text, &err), KL_OK);
    KL_HAS(err.text, "more than 128 different");
    lm_text_free(&text);
    ck_assert_int_ne(lm_text_read("/none.txt", &text, &err), KL_OK);
}

// Each target is the character behind its input, and pieces are of the part that is asked for.
KL_TEST(targets_are_the_next_characters) {
    enum { BATCH = 50, CONTEXT = 20 };
    char letters[1000];
    int32_t inputs[BATCH * CONTEXT], targets[BATCH * CONTEXT];
    lm_text text;
    kl_error err = {KL_OK, ""};
    for (int i = 0; i < 1000; i++) letters[i] = i < 900 ? (char)('a' + i % 25) : 'z';
    ck_assert_int_eq(read_text(letters, sizeof letters, &text, &err), KL_OK);
    lm_text_batch(&text, false, 1, BATCH, CONTEXT, inputs, targets);
    for (int i = 0; i < BATCH * CONTEXT; i++) ck_assert_int_eq(targets[i], (inputs[i] + 1) % 25);
    lm_text_batch(&text, true, 1, BATCH, CONTEXT, inputs, targets);
    for (int i = 0; i < BATCH * CONTEXT; i++) ck_assert(inputs[i] == 25 && targets[i] == 25);
    lm_text_free(&text);
}

KL_TEST(parameters_fill_their_array) {
    const lm_shape shape = {.symbols = 64, .context = 256, .batch = 1, .layers = 4, .heads = 4};
    const lm_layout layout = lm_layout_of(&shape);
    const int64_t width = lm_width(&shape);
    // Of a layer: 12 width^2 weights, 9 width biases, 4 width of norms.
    ck_assert_int_eq(layout.total, (64 + 256) * width + 4 * (12 * width * width + 13 * width) +
                                       2 * width + 64 * width + 64);
    float *values = malloc(sizeof(float) * (size_t)layout.total);
    for (int64_t i = 0; i < layout.total; i++) values[i] = NAN;
    lm_initial(&shape, 1, values);
    for (int64_t i = 0; i < layout.total; i++) ck_assert(fabsf(values[i]) <= 1);
    free(values);
}

KL_TEST_MAIN("attention_app")
