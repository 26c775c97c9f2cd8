// Images with labels: drawn, from files, in sets.
#include "images.h"
#include "suite.h"
#include "random.h"
#include "files.h"

// ---- images ----
// Floats, orders and subsets of images are what images.h says; drawn shapes can be learned, and are
// not all alike.

static kl_error err;

// Image i is filled with i, its label is labels[i].
static kl_images numbered(int64_t count, int classes, const uint8_t *labels) {
    kl_images images;
    OK(kl_images_alloc(count, 2, 3, 1, classes, &images, &err));
    for (int64_t i = 0; i < count; i++) {
        images.labels[i] = labels[i];
        memset(images.pixels + i * 6, (int)i, 6);
    }
    return images;
}

KL_TEST(moments_and_floats) {
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

KL_TEST(orders_are_permutations) {
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

KL_TEST(subsets_are_balanced) {
    enum { COUNT = 200, TAKE = 50 };
    uint8_t labels[COUNT];
    for (int i = 0; i < COUNT; i++) labels[i] = i < 3 ? 2 : i % 2; // class 2 has three images
    kl_images all = numbered(COUNT, 4, labels), few, again;
    OK(kl_images_subset(&all, TAKE, 1, &few, &err));
    OK(kl_images_subset(&all, TAKE, 1, &again, &err));
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
    OK(kl_images_subset(&all, TAKE, 2, &again, &err));
    ck_assert(memcmp(few.pixels, again.pixels, TAKE * 6) != 0);
    kl_images_free(&again);
    OK(kl_images_subset(&all, COUNT, 1, &again, &err)); // all of them, shuffled
    ck_assert_int_eq(again.count, COUNT);
    kl_images_free(&again);
    ck_assert_int_eq(kl_images_subset(&all, COUNT + 1, 1, &again, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "201 images are wanted, and the set has 200");
    ck_assert_ptr_null(again.pixels);
    ck_assert_int_eq(kl_images_subset(&all, 0, 1, &again, &err), KL_ERROR_INPUT);
    kl_images_free(&few);
    kl_images_free(&all);
}

KL_TEST(sizes_are_checked) {
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

KL_TEST(drawn_shapes_can_be_learned) {
    enum { TRAIN = 2000, TEST = 1000 };
    kl_images train, test, again;
    OK(kl_draw_shapes(1, TRAIN, &train, &err));
    OK(kl_draw_shapes(2, TEST, &test, &err));
    OK(kl_draw_shapes(1, 20, &again, &err)); // image i is a function of i
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

// ---- readers ----
// idx and CIFAR-10 from memory: what is right is read, what is wrong is refused with the byte and
// what to do, and no damage whatever leads outside the data.

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
    OK(kl_bytes_from_memory((char *)e.data, bytes, &e.source, &err));
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

KL_TEST(idx_is_read) {
    kl_images images;
    uint8_t *labels = NULL;
    int64_t count = 0;
    OK_OR_SAY(read_images(two_images, sizeof two_images, &images), err);
    ck_assert_int_eq(images.count, 2);
    ck_assert_int_eq(images.channels, 1);
    ck_assert_int_eq(images.height, 2);
    ck_assert_int_eq(images.width, 3);
    ck_assert_mem_eq(images.pixels, two_images + 16, 12);
    ck_assert_ptr_null(images.labels);
    kl_images_free(&images);
    OK_OR_SAY(read_labels(three_labels, sizeof three_labels, &count, &labels), err);
    ck_assert_int_eq(count, 3);
    ck_assert_mem_eq(labels, "\11\0\4", 3);
    free(labels);
}

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

KL_TEST(wrong_idx_is_refused) {
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

// Records whose label is their number and whose pixels are 100 + number.
static uint8_t *cifar_records(int count) {
    uint8_t *data = malloc((size_t)count * RECORD + 1);
    for (int i = 0; i < count; i++) {
        memset(data + i * RECORD, 100 + i, RECORD);
        data[i * RECORD] = (uint8_t)i;
    }
    return data;
}

KL_TEST(cifar_is_read) {
    uint8_t *data = cifar_records(10);
    kl_images images = {.count = 0};
    OK(add_cifar(data, 3 * RECORD, &images));
    OK(add_cifar(data + 3 * RECORD, 7 * RECORD, &images));
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
    KL_HAS(err.text, "f: byte 3073: label 10 in record 1");
    ck_assert_int_eq(add_cifar(data, 0, &images), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "f: the file is empty");
    ck_assert_int_eq(images.count, 10);
    kl_images_free(&images);
    free(data);
}

KL_TEST(many_cifar_records) {
    enum { COUNT = 2500 }; // more than room is made for at a time
    uint8_t *data = calloc(COUNT, RECORD);
    for (int i = 0; i < COUNT; i++) data[i * RECORD] = (uint8_t)(i % 10);
    kl_images images = {.count = 0};
    OK(add_cifar(data, (size_t)COUNT * RECORD, &images));
    ck_assert_int_eq(images.count, COUNT);
    for (int i = 0; i < COUNT; i++) ck_assert_int_eq(images.labels[i], i % 10);
    kl_images_free(&images);
    free(data);
}

// What may come out of any bytes at all: images that hold together, or a sentence.
static void ck_holds_together(const uint8_t *data, size_t bytes) {
    kl_images images;
    uint8_t *labels = NULL;
    int64_t count = 0;
    err.text[0] = '\0';
    if (read_images(data, bytes, &images) == KL_OK)
        ck_assert_int_eq((int64_t)bytes - 16, images.count * kl_images_pixels(&images));
    else ck_assert(err.text[0] != '\0' && !images.pixels);
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

KL_TEST(damaged_files_hold_together) {
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

// ---- dataset ----
// Data sets are found in folders by their usual names, plain and compressed; what is missing or
// does not belong together is said.

#ifdef KL_HAVE_ZLIB
#include <zlib.h>
#endif

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

KL_TEST(idx_folders) {
    begin();
    ck_refused(KL_ERROR_INPUT, "has neither train-images-idx3-ubyte");
    write_images("train-images-idx3-ubyte", 12, 4);
    ck_refused(KL_ERROR_INPUT, "but not train-labels-idx1-ubyte");
    write_labels("train-labels.idx1-ubyte", "\11\0\0\3\0\2\7\2\5\5\1\4", 12);
    ck_refused(KL_ERROR_INPUT, "has training images, but no t10k-images-idx3-ubyte");
    write_images("t10k-images-idx3-ubyte", 5, 4);
    write_labels("t10k-labels-idx1-ubyte", "\0\1\2\3\4", 5);
    kl_dataset dataset;
    OK_OR_SAY(open_folder(0, 0, &dataset), err);
    ck_assert_str_eq(dataset.name, "Fashion-MNIST"); // by its first labels
    ck_assert_str_eq(dataset.class_names[9], "boot");
    ck_assert_str_eq(dataset.source, folder);
    ck_assert(!dataset.drawn && !kl_dataset_notice(&dataset));
    ck_assert_int_eq(dataset.train.count, 12);
    ck_assert_int_eq(dataset.test.count, 5);
    ck_assert_int_eq(dataset.train.pixels[11 * 16], 11);
    kl_dataset_free(&dataset);
    OK(open_folder(4, 2, &dataset)); // fewer, in balance
    ck_assert_int_eq(dataset.train.count, 4);
    ck_assert_int_eq(dataset.test.count, 2);
    kl_dataset_free(&dataset);
    write_labels("train-labels.idx1-ubyte", "\5\0\4\1\11\2\1\3\1\4\1\4", 12);
    OK(open_folder(0, 0, &dataset));
    ck_assert_str_eq(dataset.name, "MNIST");
    kl_dataset_free(&dataset);
    write_labels("train-labels.idx1-ubyte", "\5\0\4\1\11\2\1\3\1\5\1\4", 12);
    OK(open_folder(0, 0, &dataset));
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

#ifdef KL_HAVE_ZLIB
// Stored, not deflated, so that damage anywhere is found by the check sum alone.
static void write_packed(const char *path, const void *data, size_t bytes) {
    gzFile gz = gzopen(path, "wb0");
    ck_assert_int_eq(gzwrite(gz, data, (unsigned)bytes), (int)bytes);
    ck_assert_int_eq(gzclose(gz), Z_OK);
}
#endif

KL_TEST(compressed_idx) {
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
    OK_OR_SAY(open_folder(0, 0, &dataset), err);
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

KL_TEST(cifar_folders) {
    begin();
    static uint8_t records[3 * 3073];
    records[0] = 3;
    records[3073] = 9;
    write_file("data_batch_1.bin", records, sizeof records);
    ck_refused(KL_ERROR_INPUT, "has training batches, but no test_batch.bin");
    write_file("data_batch_4.bin", records, 3073);
    write_file("test_batch.bin", records, sizeof records);
    kl_dataset dataset;
    OK_OR_SAY(open_folder(0, 0, &dataset), err);
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

KL_TEST(no_folder) {
    kl_dataset dataset;
    ck_assert_int_eq(kl_dataset_open("/nowhere/at/all", 1, 0, 0, &dataset, &err), KL_ERROR_USAGE);
    ck_assert_ptr_nonnull(
        strstr(err.text, "/nowhere/at/all: no such folder. Give one with the idx"));
    static char longest[3000];
    memset(longest, 'a', sizeof longest - 1);
    ck_assert_int_eq(kl_dataset_open(longest, 1, 0, 0, &dataset, &err), KL_ERROR_USAGE);
}

KL_TEST(drawn_sets) {
    kl_dataset dataset, again;
    OK(kl_dataset_open(KL_DATASET_DRAWN, 5, 40, 20, &dataset, &err));
    OK(kl_dataset_open(KL_DATASET_DRAWN, 5, 40, 20, &again, &err));
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

KL_TEST_MAIN("images")
