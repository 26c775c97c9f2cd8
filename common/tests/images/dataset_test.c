// SPDX-License-Identifier: MIT
// Data sets are found in folders by their usual names, plain and compressed; what is missing or
// does not belong together is said.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "images.h"
#include "suite.h"

#ifdef KL_HAVE_ZLIB
#include <zlib.h>
#endif

static kl_error err;
static char folder[64];

static void begin(void) {
    strcpy(folder, "/tmp/kl-data-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_file(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void end(void) {
    static const char *const names[] = {
        "train-images-idx3-ubyte", "train-images-idx3-ubyte.gz", "train-labels.idx1-ubyte",
        "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",     "t10k-labels-idx1-ubyte",
        "data_batch_1.bin",        "data_batch_4.bin",           "test_batch.bin"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) remove_file(names[i]);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void write_file(const char *name, const void *data, size_t bytes) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(data, 1, bytes, out), bytes);
    ck_assert_int_eq(fclose(out), 0);
}

// `count` images of side x side, all pixels equal to their number.
static size_t make_images(uint8_t count, uint8_t side, uint8_t *out) {
    size_t pixels = (size_t)side * side;
    memcpy(out, (uint8_t[]){0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, side, 0, 0, 0, side}, 16);
    for (size_t i = 0; i < count; i++) memset(out + 16 + i * pixels, (int)i, pixels);
    return 16 + count * pixels;
}

static void write_images(const char *name, uint8_t count, uint8_t side) {
    uint8_t data[4096];
    write_file(name, data, make_images(count, side, data));
}

static void write_labels(const char *name, const char *labels, uint8_t count) {
    uint8_t data[64] = {0, 0, 8, 1, 0, 0, 0, count};
    memcpy(data + 8, labels, count);
    write_file(name, data, (size_t)8 + count);
}

static kl_status open_folder(int64_t train, int64_t test, kl_dataset *out) {
    return kl_dataset_open(folder, 1, train, test, out, &err);
}

static void ck_refused(kl_status status, const char *words) {
    kl_dataset dataset;
    kl_status got = open_folder(0, 0, &dataset);
    ck_assert_msg(got == status, "%d: %s", got, got == KL_OK ? "accepted" : err.text);
    ck_assert_msg(strstr(err.text, words), "\"%s\" lacks \"%s\"", err.text, words);
    ck_assert_ptr_null(dataset.train.pixels);
    ck_assert_ptr_null(dataset.test.labels);
}

START_TEST(idx_folders) {
    begin();
    ck_refused(KL_ERROR_INPUT, "has neither train-images-idx3-ubyte");
    write_images("train-images-idx3-ubyte", 12, 4);
    ck_refused(KL_ERROR_INPUT, "but not train-labels-idx1-ubyte");
    write_labels("train-labels.idx1-ubyte", "\11\0\0\3\0\2\7\2\5\5\1\4", 12);
    ck_refused(KL_ERROR_INPUT, "has training images, but no t10k-images-idx3-ubyte");
    write_images("t10k-images-idx3-ubyte", 5, 4);
    write_labels("t10k-labels-idx1-ubyte", "\0\1\2\3\4", 5);
    kl_dataset dataset;
    ck_assert_msg(open_folder(0, 0, &dataset) == KL_OK, "%s", err.text);
    ck_assert_str_eq(dataset.name, "Fashion-MNIST"); // by its first labels
    ck_assert_str_eq(dataset.class_names[9], "boot");
    ck_assert_str_eq(dataset.source, folder);
    ck_assert(!dataset.drawn && !kl_dataset_notice(&dataset));
    ck_assert_int_eq(dataset.train.count, 12);
    ck_assert_int_eq(dataset.test.count, 5);
    ck_assert_int_eq(dataset.train.pixels[11 * 16], 11);
    kl_dataset_free(&dataset);
    ck_assert_int_eq(open_folder(4, 2, &dataset), KL_OK); // fewer, in balance
    ck_assert_int_eq(dataset.train.count, 4);
    ck_assert_int_eq(dataset.test.count, 2);
    kl_dataset_free(&dataset);
    write_labels("train-labels.idx1-ubyte", "\5\0\4\1\11\2\1\3\1\4\1\4", 12);
    ck_assert_int_eq(open_folder(0, 0, &dataset), KL_OK);
    ck_assert_str_eq(dataset.name, "MNIST");
    kl_dataset_free(&dataset);
    write_labels("train-labels.idx1-ubyte", "\5\0\4\1\11\2\1\3\1\5\1\4", 12);
    ck_assert_int_eq(open_folder(0, 0, &dataset), KL_OK);
    ck_assert_str_eq(dataset.name, "images");
    ck_assert_str_eq(dataset.class_names[7], "7");
    kl_dataset_free(&dataset);
    write_labels("train-labels.idx1-ubyte", "\5\0\4\1\11\2\1\3\1\5\1", 11);
    ck_refused(KL_ERROR_INPUT, "train-labels.idx1-ubyte 11 labels: they do not belong together");
    write_labels("train-labels.idx1-ubyte", "\5\0\4\1\12\2\1\3\1\5\1\4", 12);
    ck_refused(KL_ERROR_INPUT, "train-labels.idx1-ubyte: byte 12: label 10 of image 4");
    write_labels("train-labels.idx1-ubyte", "\5\0\4\1\11\2\1\3\1\5\1\4", 12);
    write_images("t10k-images-idx3-ubyte", 5, 3);
    ck_refused(KL_ERROR_INPUT, "training images of 4 x 4 and test images of 3 x 3");
    end();
}
END_TEST

#ifdef KL_HAVE_ZLIB
// Stored, not deflated, so that damage anywhere is found by the check sum alone.
static void write_packed(const char *path, const void *data, size_t bytes) {
    gzFile gz = gzopen(path, "wb0");
    ck_assert_int_eq(gzwrite(gz, data, (unsigned)bytes), (int)bytes);
    ck_assert_int_eq(gzclose(gz), Z_OK);
}
#endif

START_TEST(compressed_idx) {
#ifdef KL_HAVE_ZLIB
    begin();
    uint8_t data[4096], packed[4096];
    char path[128];
    size_t bytes = make_images(12, 8, data);
    snprintf(path, sizeof path, "%s/train-images-idx3-ubyte.gz", folder);
    write_packed(path, data, bytes);
    write_labels("train-labels-idx1-ubyte", "\11\0\0\3\0\2\7\2\5\5\1\4", 12);
    write_images("t10k-images-idx3-ubyte", 5, 8);
    write_labels("t10k-labels-idx1-ubyte", "\0\1\2\3\4", 5);
    kl_dataset dataset;
    ck_assert_msg(open_folder(0, 0, &dataset) == KL_OK, "%s", err.text);
    ck_assert_int_eq(dataset.train.pixels[11 * 64], 11);
    kl_dataset_free(&dataset);
    data[7] = 13; // whole, and one image short
    write_packed(path, data, bytes);
    ck_refused(KL_ERROR_INPUT,
               "announces 832 bytes of pixels, and the file has 768: it is cut off");
    data[7] = 12;
    write_packed(path, data, bytes);
    FILE *in = fopen(path, "rb");
    size_t packed_bytes = fread(packed, 1, sizeof packed, in);
    fclose(in);
    write_file("train-images-idx3-ubyte.gz", packed, packed_bytes / 2);
    ck_refused(KL_ERROR_INPUT, "train-images-idx3-ubyte.gz: the compressed data are cut off");
    write_file("train-images-idx3-ubyte.gz", packed, packed_bytes - 8); // without the check sum
    ck_refused(KL_ERROR_INPUT, "train-images-idx3-ubyte.gz: ");
    packed[packed_bytes / 2] ^= 1; // one pixel
    write_file("train-images-idx3-ubyte.gz", packed, packed_bytes);
    ck_refused(KL_ERROR_INPUT, "train-images-idx3-ubyte.gz: ");
    end();
#else
    ck_assert(!kl_bytes_read_gzip()); // this build has no zlib: nothing to unpack with
    ck_assert(!kl_fashion_mnist_is_readable());
#endif
}
END_TEST

START_TEST(cifar_folders) {
    begin();
    static uint8_t records[3 * 3073];
    records[0] = 3;
    records[3073] = 9;
    write_file("data_batch_1.bin", records, sizeof records);
    ck_refused(KL_ERROR_INPUT, "has training batches, but no test_batch.bin");
    write_file("data_batch_4.bin", records, 3073);
    write_file("test_batch.bin", records, sizeof records);
    kl_dataset dataset;
    ck_assert_msg(open_folder(0, 0, &dataset) == KL_OK, "%s", err.text);
    ck_assert_str_eq(dataset.name, "CIFAR-10");
    ck_assert_str_eq(dataset.class_names[3], "cat");
    ck_assert_int_eq(dataset.train.count, 4);
    ck_assert_int_eq(dataset.test.count, 3);
    ck_assert_int_eq(dataset.train.labels[1], 9);
    ck_assert_int_eq(dataset.train.labels[3], 3);
    kl_dataset_free(&dataset);
    records[3073] = 10;
    write_file("data_batch_4.bin", records, sizeof records);
    ck_refused(KL_ERROR_INPUT, "data_batch_4.bin: byte 3073: label 10 in record 1");
    end();
}
END_TEST

START_TEST(no_folder) {
    kl_dataset dataset;
    ck_assert_int_eq(kl_dataset_open("/nowhere/at/all", 1, 0, 0, &dataset, &err), KL_ERROR_USAGE);
    ck_assert_ptr_nonnull(
        strstr(err.text, "/nowhere/at/all: no such folder. Give one with the idx"));
    static char longest[3000];
    memset(longest, 'a', sizeof longest - 1);
    ck_assert_int_eq(kl_dataset_open(longest, 1, 0, 0, &dataset, &err), KL_ERROR_USAGE);
}
END_TEST

START_TEST(drawn_sets) {
    kl_dataset dataset, again;
    ck_assert_int_eq(kl_dataset_open(KL_DATASET_DRAWN, 5, 40, 20, &dataset, &err), KL_OK);
    ck_assert_int_eq(kl_dataset_open(KL_DATASET_DRAWN, 5, 40, 20, &again, &err), KL_OK);
    ck_assert(dataset.drawn && !kl_dataset_notice(&dataset)); // it was asked for
    ck_assert_str_eq(dataset.name, "drawn shapes");
    ck_assert_str_eq(dataset.class_names[9], "corner");
    ck_assert_int_eq(dataset.train.count, 40);
    ck_assert_int_eq(dataset.test.count, 20);
    ck_assert_mem_eq(dataset.train.pixels, again.train.pixels, 40 * 784);
    ck_assert_mem_ne(dataset.train.pixels, dataset.test.pixels, 20 * 784);
    kl_dataset_free(&dataset);
    kl_dataset_free(&again);
}
END_TEST

KL_TEST_MAIN("data sets", idx_folders, compressed_idx, cifar_folders, no_folder, drawn_sets)
