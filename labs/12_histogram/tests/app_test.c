// Lab 12's application without a device: images and files, what histograms say of them, new levels.
// links: ../app_image.c kl_lab
#include <getopt.h>

#include "app.h"
#include "suite.h"

static uint32_t counts[EQUAL_LEVELS];
static uint8_t level[EQUAL_LEVELS];

static void count(const equal_image *image) {
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < image->width * image->height; i++) counts[image->pixels[i]]++;
}

KL_TEST(the_scene_is_in_fog) {
    equal_image a, b;
    kl_error err = {KL_OK, ""};
    ck_assert_int_eq(equal_image_make(256, 1, &a, &err), KL_OK);
    ck_assert_int_eq(equal_image_make(256, 2, &b, &err), KL_OK);
    ck_assert(a.width == 256 && a.height == 192);
    ck_assert(memcmp(a.pixels, b.pixels, 256 * 192) != 0);
    count(&a);
    equal_summary s = equal_summarise(counts);
    ck_assert_int_ge(s.low, 90);
    ck_assert_int_le(s.high, 165);
    ck_assert_int_gt(s.levels, 30);
    equal_image_free(&a);
    equal_image_free(&b);
}

// Levels 10, 20, 30, 40 for a quarter of the pixels each: 0, 85, 170, 255 by hand.
KL_TEST(new_levels_by_hand) {
    memset(counts, 0, sizeof counts);
    for (int v = 10; v <= 40; v += 10) counts[v] = 1000;
    equal_levels(counts, level);
    ck_assert(level[10] == 0 && level[20] == 85 && level[30] == 170 && level[40] == 255);
    for (int v = 1; v < EQUAL_LEVELS; v++) ck_assert_int_ge(level[v], level[v - 1]);
    memset(counts, 0, sizeof counts);
    counts[99] = 12; // nothing to spread
    equal_levels(counts, level);
    ck_assert_int_eq(level[99], 99);
}

KL_TEST(an_equalised_image_is_nearly_uniform) {
    equal_image image;
    kl_error err = {KL_OK, ""};
    ck_assert_int_eq(equal_image_make(256, 3, &image, &err), KL_OK);
    count(&image);
    equal_summary before = equal_summarise(counts);
    equal_levels(counts, level);
    for (int i = 0; i < image.width * image.height; i++) image.pixels[i] = level[image.pixels[i]];
    count(&image);
    equal_summary after = equal_summarise(counts);
    ck_assert_double_gt(before.off_the_slope, 0.3);
    ck_assert_double_lt(after.off_the_slope, 0.06); // as much as one level has, at most
    ck_assert_double_gt(after.spread, 4 * before.spread);
    ck_assert_double_le(after.entropy_bits, before.entropy_bits + 1e-9); // nothing is added
    equal_image_free(&image);
}

KL_TEST(a_summary_by_hand) {
    memset(counts, 0, sizeof counts);
    counts[0] = counts[255] = 50;
    equal_summary s = equal_summarise(counts);
    ck_assert(s.levels == 2 && s.low == 0 && s.high == 255);
    ck_assert_double_eq_tol(s.mean, 127.5, 1e-9);
    ck_assert_double_eq_tol(s.spread, 127.5, 1e-9);
    ck_assert_double_eq_tol(s.entropy_bits, 1, 1e-9);
    ck_assert_double_eq_tol(s.off_the_slope, 0.5 - 1 / 256.0, 1e-9);
}

static kl_status read_text(const char *text, size_t bytes, equal_image *out, kl_error *err) {
    char path[] = "/tmp/equalXXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, bytes), (int)bytes);
    close(fd);
    kl_status status = equal_image_read(path, out, err);
    unlink(path);
    return status;
}

KL_TEST(graymaps_are_read_and_others_refused) {
    static const char good[] = "P5 # made by hand\n# two\n 3 2\n255\nabcdef";
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"P6 1 1 255 abc", "no grey image"},
        {"", "no grey image"},
        {"P5 0 1 255 a", "no width"},
        {"P5 1", "no width"},
        {"P5 1 1 65535 ab", "levels to 65535"},
        {"P5 2000 1 255 a", "at most 1024"},
        {"P5 3 2 255 abc", "ends after 3 of 6"},
        {"P5 -1 2 255 abc", "no width"},
        {"P5 99999999999 1 255 a", "no width"},
    };
    equal_image image = {0, 0, NULL};
    kl_error err = {KL_OK, ""};
    ck_assert_int_eq(read_text(good, sizeof good - 1, &image, &err), KL_OK);
    ck_assert(image.width == 3 && image.height == 2);
    ck_assert_mem_eq(image.pixels, "abcdef", 6);
    equal_image_free(&image);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        image.pixels = NULL;
        ck_assert_int_ne(read_text(bad[k].text, strlen(bad[k].text), &image, &err), KL_OK);
        ck_assert_msg(strstr(err.text, bad[k].said), "%s: %s", bad[k].text, err.text);
        equal_image_free(&image);
    }
    ck_assert_int_eq(equal_image_read("/none.pgm", &image, &err), KL_ERROR_INPUT);
    KL_HAS(err.text, "/none.pgm");
}

KL_TEST_MAIN("histogram_app")
