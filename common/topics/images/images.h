// SPDX-License-Identifier: MIT
// Images with labels in host memory, and what training wants of them: floats, an order for each
// epoch, a smaller set with balanced classes. All of it is a pure function of data and seed.
#ifndef KL_IMAGES_H
#define KL_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

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

#endif
