// SPDX-License-Identifier: MIT
// What a training run was: pictures (pictures.h) and JSON are pure functions of it.
#ifndef KL_TRAINING_RECORD_H
#define KL_TRAINING_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

// One pass over the training images.
typedef struct kl_epoch {
    double loss;           // mean over the epoch's images; NaN or infinity when training diverged
    double train_accuracy; // 0 .. 1; NaN: not taken
    double test_accuracy;  // 0 .. 1; NaN: not taken
    double seconds;        // of the device: measured or modelled, without what reads the data
} kl_epoch;

// A run with all its epochs. Texts and arrays belong to the caller.
typedef struct kl_training {
    const char *network;          // in words, e.g. "conv 6, conv 16, fc 120, fc 84, fc 10"
    const char *dataset, *source; // its name, and the folder or how it was drawn
    const char *device;           // its name
    bool simulated;               // then seconds are modelled
    uint64_t seed;                // of weights and of the order of the images
    int64_t batch, train_images, test_images, parameters; // images per step of the optimiser;
                                                          // images in each part; trained values
    double learning_rate, momentum, weight_decay; // of the optimiser, stochastic gradient descent
                                                  // with momentum
    int epoch_count;                              // of `epochs`
    const kl_epoch *epochs;                       // [epoch_count]
    int classes;                                  // of `class_names`
    const char *const *class_names;               // [classes]
    const int64_t *confusion; // [classes][classes]: row = true class, column = predicted class;
                              // NULL: not taken
} kl_training;

// As JSON (schema ladder.training/1, described in docs/schemas.txt).
kl_status kl_training_json(const kl_training *training, FILE *out, kl_error *err);

#endif
