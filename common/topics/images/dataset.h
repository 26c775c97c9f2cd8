// SPDX-License-Identifier: MIT
// Data sets with a part to train on and a part to test with: found in a folder by their files'
// usual names, or drawn.
#ifndef KL_DATASET_H
#define KL_DATASET_H

#include "images.h"

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

#endif
