// Images with labels in host memory, and what training wants of them: floats, an order for each
// epoch, a smaller set with balanced classes. All of it is a pure function of data and seed.
#pragma once

#include "error.h"
#include "files.h"

// ---- images.c -----------------------------------------------------------------------------------

// The largest set that the kit takes: counts and indices are 32-bit on the device.
#define KL_IMAGES_MAX_COUNT (INT64_C(1) << 26)
#define KL_IMAGES_MAX_BYTES (INT64_C(1) << 30) // a few bytes of .gz may unpack to that much
enum { KL_IMAGES_MAX_SIDE = 4096, KL_CLASSES_MAX = 64 };

// A set of images of one shape. Made by kl_images_alloc and what stands on it; free with
// kl_images_free.
typedef struct kl_images {
    int64_t count;               // of images, at most KL_IMAGES_MAX_COUNT
    int channels, height, width; // of each image; sides in pixels, at most KL_IMAGES_MAX_SIDE
    int classes;                 // kinds of images, at most KL_CLASSES_MAX
    uint8_t *pixels;             // [count][channels][height][width], 0 .. 255
    uint8_t *labels;             // [count], 0 .. classes - 1
} kl_images;

// Memory for a set of this shape, not set to anything. KL_ERROR_LIMIT when it is larger than the
// kit takes, KL_ERROR_MEMORY.
kl_status kl_images_alloc(int64_t count, int channels, int height, int width, int classes,
                          kl_images *out_images, kl_error *err);
// The check alone. KL_ERROR_INPUT on a count or side of 0.
kl_status kl_images_check_shape(int64_t count, int channels, int height, int width, kl_error *err);
// Frees the arrays and leaves an empty set, which may be freed again.
void kl_images_free(kl_images *images);

int64_t kl_images_pixels(const kl_images *images); // values of one image: channels * height * width

// Mean and deviation of all pixels / 255, in double, summed in order. The deviation of a set whose
// pixels are all equal is 1, so that it can be divided by.
void kl_images_moments(const kl_images *images, double *out_mean, double *out_stddev);

// Images first .. first + count - 1 as (pixel / 255 - mean) / stddev.
// out: [count][channels][height][width].
void kl_images_to_float(const kl_images *images, int64_t first, int64_t count, double mean,
                        double stddev, float *out);

// The order in which epoch `epoch` goes through `count` images: a permutation of 0 .. count - 1, a
// pure function of its arguments (Fisher-Yates with kl_random_below). out_order: [count].
void kl_epoch_order(uint64_t seed, int64_t epoch, int64_t count, int32_t *out_order);

// `count` images of a set with as many of each class as possible: classes differ by at most one
// image, the lower ones having more, and classes with too few images leave their share to the
// others. Drawn without repetition, in an order that mixes the classes. All of them, shuffled, when
// count is the set's own. KL_ERROR_INPUT when the set has fewer. from and out must differ.
kl_status kl_images_subset(const kl_images *from, int64_t count, uint64_t seed,
                           kl_images *out_images, kl_error *err);

// ---- idx.c --------------------------------------------------------------------------------------
// idx files, the form of MNIST and Fashion-MNIST: images (three dimensions) and labels (one), plain
// or compressed. Source: LeCun, Cortes and Burges, "The MNIST database of handwritten digits", file
// formats: two zero bytes, the type of a value, the number of dimensions, the sizes (4 bytes each,
// the highest first), then the values, the last dimension fastest.

// The images of a file whose labels are in another: out_images->labels is NULL and classes is 0.
// name stands for the path in messages. Reads to the end of the source; does not close it.
// KL_ERROR_INPUT with the byte when the file is wrong, KL_ERROR_LIMIT, KL_ERROR_MEMORY,
// KL_ERROR_SYSTEM.
kl_status kl_idx_images(kl_byte_source *source, const char *name, kl_images *out_images,
                        kl_error *err);

// [*out_count] labels below `classes`; free() them.
kl_status kl_idx_labels(kl_byte_source *source, const char *name, int classes, int64_t *out_count,
                        uint8_t **out_labels, kl_error *err);

// Both files of a set. KL_ERROR_INPUT when they have different counts, too.
kl_status kl_idx_read(const char *images_path, const char *labels_path, int classes,
                      kl_images *out_images, kl_error *err);

// ---- cifar.c ------------------------------------------------------------------------------------
// CIFAR-10, binary version: records of a label and 32 x 32 pixels of red, then green, then blue,
// row by row. Source: Krizhevsky, "The CIFAR-10 dataset", binary version.

enum { KL_CIFAR_SIDE = 32, KL_CIFAR_CHANNELS = 3, KL_CIFAR_CLASSES = 10 };

// The records of one file, added behind those of `images`, which is empty at first. name stands for
// the path in messages. KL_ERROR_INPUT with record and byte when the file is wrong; `images` then
// holds what it held.
kl_status kl_cifar_add(kl_byte_source *source, const char *name, kl_images *images, kl_error *err);

// Files one after the other.
kl_status kl_cifar_read(const char *const *paths, int path_count, kl_images *out_images,
                        kl_error *err);

// ---- shapes.c -----------------------------------------------------------------------------------
// Drawn images for machines without a data set: ten classes of shapes, 28 x 28, grey, each with a
// place, size, slant, stroke and brightness of its own, and noise. Not as hard as Fashion-MNIST,
// and no substitute for it: a network must learn on it, no more is claimed.

enum { KL_SHAPES = 10, KL_SHAPE_SIDE = 28, KL_DRAWN_TRAIN = 60000, KL_DRAWN_TEST = 10000 };

// By class: "disc" and the like.
extern const char *const kl_shape_names[KL_SHAPES];

// Image i is a pure function of (seed, i); its class is i modulo KL_SHAPES, so that classes are
// balanced and every batch in order mixes them.
kl_status kl_draw_shapes(uint64_t seed, int64_t count, kl_images *out_images, kl_error *err);

// ---- dataset.c ----------------------------------------------------------------------------------
// Data sets with a part to train on and a part to test with: found in a folder by their files'
// usual names, or drawn.

// Where Debian's package puts Fashion-MNIST, and what tells that it is there.
#define KL_FASHION_MNIST_PACKAGE "dataset-fashion-mnist"
#define KL_FASHION_MNIST_FOLDER  "/usr/share/datasets/fashion-mnist"
#define KL_FASHION_MNIST_FILE    KL_FASHION_MNIST_FOLDER "/train-images-idx3-ubyte.gz"

#define KL_DATASET_DRAWN "shapes" // asks for the drawn shapes

enum { KL_DATASET_SOURCE = 1024 };

// A data set in host memory. Free with kl_dataset_free.
typedef struct kl_dataset {
    const char *name; // "Fashion-MNIST", "MNIST", "CIFAR-10", "drawn shapes" or "images"
    char source[KL_DATASET_SOURCE];          // the folder, or how they were drawn
    bool drawn, unasked;                     // unasked: drawn because there was nothing else
    kl_images train, test;                   // of the same shape and classes
    const char *class_names[KL_CLASSES_MAX]; // [train.classes]
} kl_dataset;

// wanted: a folder; KL_DATASET_DRAWN; or NULL: Debian's Fashion-MNIST when it is installed and this
// build can unpack it, otherwise the drawn shapes. A folder holds the four idx files of MNIST or
// Fashion-MNIST (plain or .gz) or the files of CIFAR-10's binary version.
// train_count and test_count: so many of each part, with balanced classes (kl_images_subset by
// `seed`); 0: all. Of drawn shapes that many are drawn, 0: KL_DRAWN_TRAIN and KL_DRAWN_TEST.
// KL_ERROR_INPUT and the like with the file, what is wrong and what to do.
kl_status kl_dataset_open(const char *wanted, uint64_t seed, int64_t train_count,
                          int64_t test_count, kl_dataset *out_dataset, kl_error *err);
void kl_dataset_free(kl_dataset *dataset);

// True when Debian's package is installed, and when this build can read it.
bool kl_fashion_mnist_is_there(void);
bool kl_fashion_mnist_is_readable(void);

// Why a run that asked for nothing trains on drawn shapes, and how to get the data set; NULL when
// it does not.
const char *kl_dataset_notice(const kl_dataset *dataset);
