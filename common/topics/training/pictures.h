// SPDX-License-Identifier: MIT
// Pictures of a training run: how it went, what is taken for what, what the first layer looks for,
// which images are wrong. SVG for light and dark pages; KL_ERROR_SYSTEM when one cannot be written.
#ifndef KL_TRAINING_PICTURES_H
#define KL_TRAINING_PICTURES_H

#include "images.h"
#include "record.h"
#include "table.h"

// Loss and accuracies by epoch. With no epoch yet: empty frames.
kl_status kl_draw_curve(const kl_training *training, FILE *out, kl_error *err);

// The confusion matrix, at most KL_CONFUSION_CLASSES of its classes. KL_ERROR_USAGE without one.
enum { KL_CONFUSION_CLASSES = 20 };
kl_status kl_draw_confusion(const kl_training *training, FILE *out, kl_error *err);

// The filters of a convolution, a panel per filter and channel, at most KL_FILTERS_SHOWN panels.
// weights: [count][channels][height][width]. KL_ERROR_USAGE when a side is 0 or above 32.
enum { KL_FILTERS_SHOWN = 96 };
kl_status kl_draw_filters(const char *title, int count, int channels, int height, int width,
                          const float *weights, FILE *out, kl_error *err);

// Misclassified images with their class and the predicted one: the `most` with the highest
// confidence in the wrong class, or the first ones. Images have 1 or 3 channels (of others the
// first is shown). predicted: [images->count]; confidence: [images->count], 0 .. 1, or NULL; names:
// [images->classes].
kl_status kl_draw_mistakes(const kl_images *images, const uint8_t *predicted,
                           const float *confidence, int most, const char *const *names, FILE *out,
                           kl_error *err);

#endif
