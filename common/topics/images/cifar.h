// SPDX-License-Identifier: MIT
// CIFAR-10, binary version: records of a label and 32 x 32 pixels of red, then green, then blue,
// row by row. Source: Krizhevsky, "The CIFAR-10 dataset", binary version.
#ifndef KL_CIFAR_H
#define KL_CIFAR_H

#include "byte_source.h"
#include "images.h"

enum { KL_CIFAR_SIDE = 32, KL_CIFAR_CHANNELS = 3, KL_CIFAR_CLASSES = 10 };

// The records of one file, added behind those of `images`, which is empty at first. name stands for
// the path in messages. KL_ERROR_INPUT with record and byte when the file is wrong; `images` then
// holds what it held.
kl_status kl_cifar_add(kl_byte_source *source, const char *name, kl_images *images, kl_error *err);

// Files one after the other.
kl_status kl_cifar_read(const char *const *paths, int path_count, kl_images *out_images,
                        kl_error *err);

#endif
