// SPDX-License-Identifier: MIT
// idx and CIFAR-10 from memory: what is right is read, what is wrong is refused with the byte and
// what to do, and no damage whatever leads outside the data.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images.h"
#include "random.h"
#include "suite.h"

static kl_error err;

enum { RECORD = 3073 };

// Two images of 2 x 3, and three labels.
static const uint8_t two_images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2,  0,  0,
                                     0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255};
static const uint8_t three_labels[] = {0, 0, 8, 1, 0, 0, 0, 3, 9, 0, 4};

// Its own block, so that a sanitizer sees its end.
typedef struct exact {
    uint8_t *data;
    kl_byte_source *source;
} exact;

static exact open_bytes(const uint8_t *data, size_t bytes) {
    exact e = {malloc(bytes > 0 ? bytes : 1), NULL};
    if (bytes > 0) memcpy(e.data, data, bytes);
    ck_assert_int_eq(kl_bytes_from_memory((char *)e.data, bytes, &e.source, &err), KL_OK);
    return e;
}

static void close_bytes(exact *e) {
    kl_bytes_close(e->source);
    free(e->data);
}

static kl_status read_images(const uint8_t *data, size_t bytes, kl_images *out) {
    exact e = open_bytes(data, bytes);
    kl_status status = kl_idx_images(e.source, "f", out, &err);
    close_bytes(&e);
    return status;
}

static kl_status read_labels(const uint8_t *data, size_t bytes, int64_t *out_count, uint8_t **out) {
    exact e = open_bytes(data, bytes);
    kl_status status = kl_idx_labels(e.source, "f", 10, out_count, out, &err);
    close_bytes(&e);
    return status;
}

static kl_status add_cifar(const uint8_t *data, size_t bytes, kl_images *images) {
    exact e = open_bytes(data, bytes);
    kl_status status = kl_cifar_add(e.source, "f", images, &err);
    close_bytes(&e);
    return status;
}

START_TEST(idx_is_read) {
    kl_images images;
    uint8_t *labels = NULL;
    int64_t count = 0;
    ck_assert_msg(read_images(two_images, sizeof two_images, &images) == KL_OK, "%s", err.text);
    ck_assert_int_eq(images.count, 2);
    ck_assert_int_eq(images.channels, 1);
    ck_assert_int_eq(images.height, 2);
    ck_assert_int_eq(images.width, 3);
    ck_assert_mem_eq(images.pixels, two_images + 16, 12);
    ck_assert_ptr_null(images.labels);
    kl_images_free(&images);
    ck_assert_msg(read_labels(three_labels, sizeof three_labels, &count, &labels) == KL_OK, "%s",
                  err.text);
    ck_assert_int_eq(count, 3);
    ck_assert_mem_eq(labels, "\11\0\4", 3);
    free(labels);
}
END_TEST

// The file `base` with `put` from byte `at` on, and so many bytes of it.
static void refuse_idx(bool image, size_t at, const char *put, size_t put_bytes, size_t bytes,
                       kl_status status, const char *words) {
    uint8_t data[64] = {0};
    kl_images images;
    uint8_t *labels = NULL;
    int64_t count = 0;
    memcpy(data, image ? two_images : three_labels,
           image ? sizeof two_images : sizeof three_labels);
    memcpy(data + at, put, put_bytes);
    kl_status got =
        image ? read_images(data, bytes, &images) : read_labels(data, bytes, &count, &labels);
    ck_assert_msg(got == status, "%d: %s", got, got == KL_OK ? "accepted" : err.text);
    ck_assert_msg(strstr(err.text, words) && strncmp(err.text, "f: ", 3) == 0,
                  "\"%s\" lacks \"%s\"", err.text, words);
    if (image) ck_assert_ptr_null(images.pixels);
    ck_assert_ptr_null(labels);
}

START_TEST(wrong_idx_is_refused) {
    enum { IMAGES = sizeof two_images, LABELS = sizeof three_labels };
    refuse_idx(true, 0, "", 0, 0, KL_ERROR_INPUT, "the file is empty");
    refuse_idx(true, 0, "", 0, 3, KL_ERROR_INPUT, "ends after 3 of the header's 16 bytes");
    refuse_idx(true, 0, "", 0, 15, KL_ERROR_INPUT, "ends after 15 of the header's 16 bytes");
    refuse_idx(true, 0, "P5", 2, IMAGES, KL_ERROR_INPUT, "begins with 0x50 0x35");
    refuse_idx(true, 0, "\x1f\x8b", 2, IMAGES, KL_ERROR_INPUT, "gzip's: unpack it");
    refuse_idx(true, 2, "\x0d", 1, IMAGES, KL_ERROR_INPUT, "byte 2: values of type 0x0D");
    refuse_idx(true, 3, "\1", 1, IMAGES, KL_ERROR_INPUT, "images and labels exchanged?");
    refuse_idx(true, 3, "\4", 1, IMAGES, KL_ERROR_INPUT, "4 dimensions, and images have 3");
    refuse_idx(false, 3, "\3", 1, LABELS, KL_ERROR_INPUT, "images and labels exchanged?");
    refuse_idx(true, 4, "\0\0\0\0", 4, 16, KL_ERROR_INPUT, "there is nothing in them");
    refuse_idx(true, 8, "\0\0\0\0", 4, 16, KL_ERROR_INPUT, "there is nothing in them");
    refuse_idx(true, 8, "\xff\xff\xff\xff", 4, IMAGES, KL_ERROR_LIMIT,
               "byte 8: a side of 4294967295 pixels");
    refuse_idx(true, 4, "\xff\xff\xff\xff", 4, IMAGES, KL_ERROR_LIMIT, "more than the kit takes");
    refuse_idx(true, 4, "\3\0\0\0\0\0\x10\0\0\0\x10\0", 12, IMAGES, KL_ERROR_LIMIT, "more than");
    refuse_idx(true, 4, "\0\0\x40\1\0\0\1\0\0\0\1\0", 12, IMAGES, KL_ERROR_LIMIT, "1.1 GB");
    refuse_idx(true, 4, "\0\0\x40\0\0\0\1\0\0\0\1\0", 12, IMAGES, KL_ERROR_INPUT,
               "announces 1,073,741,824 bytes of pixels, and the file has 12");
    refuse_idx(true, 0, "", 0, IMAGES - 1, KL_ERROR_INPUT,
               "announces 12 bytes of pixels, and the file has 11: it is cut off");
    refuse_idx(true, 0, "", 0, IMAGES + 1, KL_ERROR_INPUT, "byte 28: the file goes on");
    refuse_idx(false, 0, "", 0, LABELS - 1, KL_ERROR_INPUT, "3 bytes of labels");
    refuse_idx(false, 0, "", 0, LABELS + 5, KL_ERROR_INPUT, "byte 11: the file goes on");
    refuse_idx(false, 9, "\12", 1, LABELS, KL_ERROR_INPUT,
               "byte 9: label 10 of image 1; 10 classes have labels 0 to 9");
    refuse_idx(false, 8, "\xff", 1, LABELS, KL_ERROR_INPUT, "label 255 of image 0");
}
END_TEST

// Records whose label is their number and whose pixels are 100 + number.
static uint8_t *cifar_records(int count) {
    uint8_t *data = malloc((size_t)count * RECORD + 1);
    for (int i = 0; i < count; i++) {
        memset(data + i * RECORD, 100 + i, RECORD);
        data[i * RECORD] = (uint8_t)i;
    }
    return data;
}

START_TEST(cifar_is_read) {
    uint8_t *data = cifar_records(10);
    kl_images images = {.count = 0};
    ck_assert_int_eq(add_cifar(data, 3 * RECORD, &images), KL_OK);
    ck_assert_int_eq(add_cifar(data + 3 * RECORD, 7 * RECORD, &images), KL_OK);
    ck_assert_int_eq(images.count, 10);
    ck_assert_int_eq(images.channels, 3);
    ck_assert_int_eq(images.width, 32);
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(images.labels[i], i);
        ck_assert_int_eq(images.pixels[i * 3072], 100 + i);
        ck_assert_int_eq(images.pixels[i * 3072 + 3071], 100 + i);
    }
    // What is wrong leaves what was there.
    ck_assert_int_eq(add_cifar(data, 2 * RECORD - 1, &images), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text,
                     "f: byte 3073: the file ends after 3072 of the 3073 bytes of record 1: it "
                     "is cut off or no CIFAR-10 file of the binary version");
    ck_assert_int_eq(images.count, 10);
    data[RECORD] = 10;
    ck_assert_int_eq(add_cifar(data, 2 * RECORD, &images), KL_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "f: byte 3073: label 10 in record 1"));
    ck_assert_int_eq(add_cifar(data, 0, &images), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "f: the file is empty");
    ck_assert_int_eq(images.count, 10);
    kl_images_free(&images);
    free(data);
}
END_TEST

START_TEST(many_cifar_records) {
    enum { COUNT = 2500 }; // more than room is made for at a time
    uint8_t *data = calloc(COUNT, RECORD);
    for (int i = 0; i < COUNT; i++) data[i * RECORD] = (uint8_t)(i % 10);
    kl_images images = {.count = 0};
    ck_assert_int_eq(add_cifar(data, (size_t)COUNT * RECORD, &images), KL_OK);
    ck_assert_int_eq(images.count, COUNT);
    for (int i = 0; i < COUNT; i++) ck_assert_int_eq(images.labels[i], i % 10);
    kl_images_free(&images);
    free(data);
}
END_TEST

// What may come out of any bytes at all: images that hold together, or a sentence.
static void ck_holds_together(const uint8_t *data, size_t bytes) {
    kl_images images;
    uint8_t *labels = NULL;
    int64_t count = 0;
    err.text[0] = '\0';
    if (read_images(data, bytes, &images) == KL_OK)
        ck_assert_int_eq((int64_t)bytes - 16, images.count * kl_images_pixels(&images));
    else
        ck_assert(err.text[0] != '\0' && !images.pixels);
    kl_images_free(&images);
    err.text[0] = '\0';
    if (read_labels(data, bytes, &count, &labels) == KL_OK) {
        ck_assert_int_eq((int64_t)bytes - 8, count);
        for (int64_t i = 0; i < count; i++) ck_assert_uint_lt(labels[i], 10);
    } else {
        ck_assert(err.text[0] != '\0' && !labels);
    }
    free(labels);
}

START_TEST(damaged_files_hold_together) {
    static const uint8_t odd[] = {0, 1, 2, 3, 8, 9, 10, 28, 127, 128, 254, 255};
    for (size_t cut = 0; cut <= sizeof two_images; cut++) ck_holds_together(two_images, cut);
    for (size_t cut = 0; cut <= sizeof three_labels; cut++) ck_holds_together(three_labels, cut);
    for (uint64_t i = 0; i < 20000; i++) {
        uint8_t data[sizeof two_images];
        bool image = i % 2 == 0;
        size_t bytes = image ? sizeof two_images : sizeof three_labels;
        memcpy(data, image ? two_images : three_labels, bytes);
        uint64_t changes = 1 + kl_random_below(7, 3 * i, 4);
        for (uint64_t c = 0; c < changes; c++)
            data[kl_random_below(11 + c, i, bytes)] = odd[kl_random_below(13 + c, i, sizeof odd)];
        ck_holds_together(data, bytes);
    }
}
END_TEST

KL_TEST_MAIN("image files", idx_is_read, wrong_idx_is_refused, cifar_is_read, many_cifar_records,
             damaged_files_hold_together)
