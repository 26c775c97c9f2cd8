// Files are replaced whole or not at all; the bar says how far the work is.
#include "atomic_file.h"
#include "files.h"
#include "suite.h"

static kl_error err;

static kl_status put_text(void *context, FILE *out, kl_error *e) {
    (void)e;
    fputs(context, out);
    return KL_OK;
}

static kl_status put_and_fail(void *context, FILE *out, kl_error *e) {
    fputs(context, out);
    return kl_fail(e, KL_ERROR_INPUT, "no more");
}

static void check_text(const char *path, const char *expected) {
    char text[64] = "";
    FILE *in = fopen(path, "rb");
    ck_assert_ptr_nonnull(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    ck_assert_str_eq(text, expected);
}

KL_TEST(files_are_replaced_whole_or_not_at_all) {
    char folder[] = "/tmp/kl-files-XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    ck_assert_int_eq(kl_file_replace(path, put_text, "first", &err), KL_OK);
    check_text(path, "first");
    struct stat about;
    mode_t mask = umask(0);
    umask(mask);
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_uint_eq(about.st_mode & 0777, 0666 & ~mask);
    ck_assert_int_eq(kl_file_replace(path, put_and_fail, "second", &err), KL_ERROR_INPUT);
    check_text(path, "first");
    ck_assert_int_eq(kl_file_replace(path, put_text, "third", &err), KL_OK);
    check_text(path, "third");
    ck_assert_int_eq(kl_file_make(path, put_and_fail, "fourth", &err), KL_ERROR_INPUT);
    check_text(path, "third");
    ck_assert_int_eq(kl_file_make(path, put_text, "fifth", &err), KL_OK);
    check_text(path, "fifth");
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0); // no temporary file is left
    ck_assert_int_eq(kl_file_replace(path, put_text, "x", &err), KL_ERROR_SYSTEM);
    KL_HAS(err.text, "/a cannot be written: No such file");
    char longest[8192];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ck_assert_int_eq(kl_file_replace(longest, put_text, "x", &err), KL_ERROR_USAGE);
}

// Standard output and devices are written to as they are; what they refuse is an error.
KL_TEST(a_name_of_the_command_line_may_be_no_file) {
    ck_assert(kl_file_is_stdout("-"));
    ck_assert(!kl_file_is_stdout("a") && !kl_file_is_stdout(NULL));
    ck_assert_int_eq(kl_file_put("/dev/null", put_text, "gone", &err), KL_OK);
    ck_assert_int_eq(kl_file_put("/dev/full", put_text, "no room", &err), KL_ERROR_SYSTEM);
    KL_HAS(err.text, "/dev/full cannot be written: No space left");
    ck_assert_int_eq(kl_file_put("/dev/null", put_and_fail, "x", &err), KL_ERROR_INPUT);
}

KL_TEST(the_bar_says_how_far) {
    char text[128], small[12];
    kl_bar_text("some/where/epoch 3", 0.25, "loss 0.71", text, sizeof text);
    ck_assert_str_eq(text, "epoch 3 [######------------------]  25 %  loss 0.71");
    kl_bar_text("epoch 3", 7, "", text, sizeof text); // more than all is all
    ck_assert_str_eq(text, "epoch 3 [########################] 100 %  ");
    kl_bar_text("epoch 3", -1, "5 images", text, sizeof text);
    ck_assert_str_eq(text, "epoch 3  5 images");
    kl_bar_text("epoch 3", 0.5, "cut", small, sizeof small);
    ck_assert_uint_eq(strlen(small), sizeof small - 1);
}

KL_TEST(check_sums) {
    static const char digits[] = "123456789"; // the check value of the XZ format's document
    ck_assert_uint_eq(kl_crc64(0, digits, 9), UINT64_C(0x995DC9BBDF1939FA));
    ck_assert_uint_eq(kl_crc64(kl_crc64(0, digits, 4), digits + 4, 5), kl_crc64(0, digits, 9));
    ck_assert_uint_eq(kl_crc64(0, digits, 0), 0);
}

KL_TEST_MAIN("files")
