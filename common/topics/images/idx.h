// SPDX-License-Identifier: MIT
// idx files, the form of MNIST and Fashion-MNIST: images (three dimensions) and labels (one), plain
// or compressed. Source: LeCun, Cortes and Burges, "The MNIST database of handwritten digits", file
// formats: two zero bytes, the type of a value, the number of dimensions, the sizes (4 bytes each,
// the highest first), then the values, the last dimension fastest.
#ifndef KL_IDX_H
#define KL_IDX_H

#include "byte_source.h"
#include "images.h"

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

#endif
