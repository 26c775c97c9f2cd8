// SPDX-License-Identifier: MIT
// What a training run was: pictures (pictures.h) and JSON are pure functions of it.
#ifndef KL_TRAINING_RECORD_H
#define KL_TRAINING_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

typedef struct kl_epoch {
    double loss;           // mean over the epoch's images; NaN or infinity when training diverged
    double train_accuracy; // 0 .. 1; NaN: not taken
    double test_accuracy;  // 0 .. 1; NaN: not taken
    double seconds;        // of the device: measured or modelled, without what reads the data
} kl_epoch;

typedef struct kl_training {
    const char *network; // in words, e.g. "conv 6, conv 16, fc 120, fc 84, fc 10"
    const char *dataset, *source;
    const char *device;
    bool simulated; // then seconds are modelled
    uint64_t seed;
    int64_t batch, train_images, test_images, parameters;
    double learning_rate, momentum, weight_decay;
    int epoch_count;
    const kl_epoch *epochs; // [epoch_count]
    int classes;
    const char *const *class_names; // [classes]
    const int64_t *confusion; // [classes][classes]: row = true class, column = predicted class;
                              // NULL: not taken
} kl_training;

// As JSON (schema ladder.training/1, described in README.md of this room).
kl_status kl_training_json(const kl_training *training, FILE *out, kl_error *err);

#endif
