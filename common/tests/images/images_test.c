// SPDX-License-Identifier: MIT
// Floats, orders and subsets of images are what images.h says; drawn shapes can be learned, and are
// not all alike.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "images.h"
#include "suite.h"

static kl_error err;

// Image i is filled with i, its label is labels[i].
static kl_images numbered(int64_t count, int classes, const uint8_t *labels) {
    kl_images images;
    ck_assert_int_eq(kl_images_alloc(count, 2, 3, 1, classes, &images, &err), KL_OK);
    for (int64_t i = 0; i < count; i++) {
        images.labels[i] = labels[i];
        memset(images.pixels + i * 6, (int)i, 6);
    }
    return images;
}

START_TEST(moments_and_floats) {
    static const uint8_t labels[] = {0, 1};
    kl_images images = numbered(2, 2, labels);
    memcpy(images.pixels, "\0\0\0\0\0\0\377\377\377\377\377\377", 12);
    double mean = 0, stddev = 0;
    float out[12];
    kl_images_moments(&images, &mean, &stddev);
    ck_assert_double_eq(mean, 0.5);
    ck_assert_double_eq(stddev, 0.5);
    kl_images_to_float(&images, 0, 2, mean, stddev, out);
    for (int i = 0; i < 12; i++) ck_assert_float_eq(out[i], i < 6 ? -1.0f : 1.0f);
    kl_images_to_float(&images, 1, 1, 0, 1, out);
    ck_assert_float_eq(out[0], 1.0f);
    memset(images.pixels, 51, 12); // all equal: divided by 1
    kl_images_moments(&images, &mean, &stddev);
    ck_assert_double_eq(mean, 0.2);
    ck_assert_double_eq(stddev, 1.0);
    kl_images_free(&images);
    kl_images_free(&images);
    ck_assert_ptr_null(images.pixels);
}
END_TEST

START_TEST(orders_are_permutations) {
    enum { COUNT = 1000 };
    int32_t first[COUNT], again[COUNT], next[COUNT], other[COUNT], seen[COUNT] = {0};
    kl_epoch_order(7, 3, COUNT, first);
    kl_epoch_order(7, 3, COUNT, again);
    kl_epoch_order(7, 4, COUNT, next);
    kl_epoch_order(8, 3, COUNT, other);
    int same_next = 0, same_other = 0, fixed = 0;
    for (int i = 0; i < COUNT; i++) {
        ck_assert(first[i] >= 0 && first[i] < COUNT);
        seen[first[i]]++;
        same_next += first[i] == next[i];
        same_other += first[i] == other[i];
        fixed += first[i] == i;
    }
    for (int i = 0; i < COUNT; i++) ck_assert_int_eq(seen[i], 1);
    ck_assert_mem_eq(first, again, sizeof first);
    ck_assert_int_lt(same_next, 10); // 1 is expected of a permutation
    ck_assert_int_lt(same_other, 10);
    ck_assert_int_lt(fixed, 10);
    int times[27] = {0}; // of each order of three
    for (uint64_t seed = 0; seed < 6000; seed++) {
        int32_t three[3];
        kl_epoch_order(seed, 0, 3, three);
        times[three[0] * 9 + three[1] * 3 + three[2]]++;
    }
    for (int i = 0; i < 27; i++) // 1000 are expected, with a deviation of 29
        ck_assert(times[i] == 0 || (times[i] > 850 && times[i] < 1150));
    int32_t one = 5;
    kl_epoch_order(1, 1, 1, &one);
    ck_assert_int_eq(one, 0);
}
END_TEST

START_TEST(subsets_are_balanced) {
    enum { COUNT = 200, TAKE = 50 };
    uint8_t labels[COUNT];
    for (int i = 0; i < COUNT; i++) labels[i] = i < 3 ? 2 : i % 2; // class 2 has three images
    kl_images all = numbered(COUNT, 4, labels), few, again;
    ck_assert_int_eq(kl_images_subset(&all, TAKE, 1, &few, &err), KL_OK);
    ck_assert_int_eq(kl_images_subset(&all, TAKE, 1, &again, &err), KL_OK);
    int of_class[4] = {0}, seen[COUNT] = {0}, changes = 0;
    for (int i = 0; i < TAKE; i++) {
        int source = few.pixels[i * 6 + 5];
        ck_assert_int_eq(few.labels[i], labels[source]);
        ck_assert_int_eq(seen[source]++, 0);
        of_class[few.labels[i]]++;
        changes += i > 0 && few.labels[i] != few.labels[i - 1];
    }
    ck_assert_int_eq(of_class[2], 3);
    ck_assert_int_eq(of_class[3], 0);
    ck_assert_int_eq(of_class[0], 24);
    ck_assert_int_eq(of_class[1], 23);
    ck_assert_int_gt(changes, 10); // mixed
    ck_assert_mem_eq(few.pixels, again.pixels, TAKE * 6);
    kl_images_free(&again);
    ck_assert_int_eq(kl_images_subset(&all, TAKE, 2, &again, &err), KL_OK);
    ck_assert(memcmp(few.pixels, again.pixels, TAKE * 6) != 0);
    kl_images_free(&again);
    ck_assert_int_eq(kl_images_subset(&all, COUNT, 1, &again, &err),
                     KL_OK); // all of them, shuffled
    ck_assert_int_eq(again.count, COUNT);
    kl_images_free(&again);
    ck_assert_int_eq(kl_images_subset(&all, COUNT + 1, 1, &again, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "201 images are wanted, and the set has 200");
    ck_assert_ptr_null(again.pixels);
    ck_assert_int_eq(kl_images_subset(&all, 0, 1, &again, &err), KL_ERROR_INPUT);
    kl_images_free(&few);
    kl_images_free(&all);
}
END_TEST

START_TEST(sizes_are_checked) {
    kl_images images;
    ck_assert_int_eq(kl_images_alloc(0, 1, 1, 1, 10, &images, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(kl_images_alloc(-1, 1, 1, 1, 10, &images, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(kl_images_alloc(1, 1, 0, 1, 10, &images, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(kl_images_alloc(1, 1, 5000, 1, 10, &images, &err), KL_ERROR_LIMIT);
    ck_assert_int_eq(kl_images_alloc(INT64_MAX, 4096, 4096, 4096, 10, &images, &err),
                     KL_ERROR_LIMIT);
    ck_assert_int_eq(kl_images_alloc(KL_IMAGES_MAX_COUNT, 4096, 4096, 4096, 10, &images, &err),
                     KL_ERROR_LIMIT);
    ck_assert_int_eq(kl_images_alloc(KL_IMAGES_MAX_COUNT + 1, 1, 1, 1, 10, &images, &err),
                     KL_ERROR_LIMIT);
    ck_assert_ptr_null(images.pixels);
}
END_TEST

// ---- drawn shapes ----------------------------------------------------------------------------

// Share of the test images that lie nearest to their own class's mean image.
static double nearest_mean(const kl_images *train, const kl_images *test) {
    enum { PIXELS = KL_SHAPE_SIDE * KL_SHAPE_SIDE };
    static double mean[KL_SHAPES][PIXELS];
    memset(mean, 0, sizeof mean);
    for (int64_t i = 0; i < train->count; i++)
        for (int p = 0; p < PIXELS; p++)
            mean[train->labels[i]][p] +=
                train->pixels[i * PIXELS + p] * (double)KL_SHAPES / (double)train->count;
    int64_t right = 0;
    for (int64_t i = 0; i < test->count; i++) {
        double least = INFINITY;
        int nearest = -1;
        for (int c = 0; c < KL_SHAPES; c++) {
            double distance = 0;
            for (int p = 0; p < PIXELS; p++) {
                double d = test->pixels[i * PIXELS + p] - mean[c][p];
                distance += d * d;
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        right += nearest == test->labels[i];
    }
    return (double)right / (double)test->count;
}

START_TEST(drawn_shapes_can_be_learned) {
    enum { TRAIN = 2000, TEST = 1000 };
    kl_images train, test, again;
    ck_assert_int_eq(kl_draw_shapes(1, TRAIN, &train, &err), KL_OK);
    ck_assert_int_eq(kl_draw_shapes(2, TEST, &test, &err), KL_OK);
    ck_assert_int_eq(kl_draw_shapes(1, 20, &again, &err), KL_OK); // image i is a function of i
    ck_assert_mem_eq(train.pixels, again.pixels, 20 * 784);
    ck_assert_mem_ne(train.pixels, test.pixels, 784);
    ck_assert_mem_ne(train.pixels, train.pixels + 10 * 784, 784); // the same class, another image
    ck_assert_int_eq(train.labels[13], 3);
    double share = nearest_mean(&train, &test);
    // Above chance (0.1), so that something is learned soon; far from all, so that there is more to
    // learn.
    ck_assert_msg(share > 0.25 && share < 0.75, "%.3f of the images are nearest to their class",
                  share);
    kl_images_free(&train);
    kl_images_free(&test);
    kl_images_free(&again);
}
END_TEST

KL_TEST_MAIN("images", moments_and_floats, orders_are_permutations, subsets_are_balanced,
             sizes_are_checked, drawn_shapes_can_be_learned)
