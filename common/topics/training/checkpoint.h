// SPDX-License-Identifier: MIT
// Checkpoints: everything that a training run needs to go on as if it had never stopped, bit for
// bit: weights, the optimiser's state, random state, and where in the data it was.
//
// The file, all numbers with the lowest byte first: "KLCKPT\r\n"; version (4 bytes), tensors (4),
// epochs (4); seed, random state, epoch, position (8 each); of each epoch loss, train accuracy,
// test accuracy and seconds (8 each); of each tensor its name (48, filled with zeros), dimensions
// (4), shape (8 each), values (4 each); CRC-64 of all bytes before it (8).
#ifndef KL_CHECKPOINT_H
#define KL_CHECKPOINT_H

#include "byte_source.h"
#include "record.h"

enum {
    KL_CHECKPOINT_VERSION = 1,
    KL_TENSOR_NAME = 48, // with its end
    KL_TENSOR_DIMS = 8,
    KL_CHECKPOINT_TENSORS = 4096,
    KL_CHECKPOINT_EPOCHS = 1 << 20
};
// A tensor has at most this many values, the product of its shape.
#define KL_TENSOR_MAX_VALUES (INT64_C(1) << 30)

// One array of a network or of its optimiser.
typedef struct kl_tensor {
    // "conv1.weight", of its momentum "conv1.weight/momentum"; printable ASCII
    char name[KL_TENSOR_NAME];
    int dims; // 1 .. KL_TENSOR_DIMS
    int64_t shape[KL_TENSOR_DIMS];
    float *values; // [shape[0]]..[shape[dims - 1]], the last dimension fastest; any bits
} kl_tensor;

// The state of a run. Free what kl_checkpoint_load made with kl_checkpoint_free.
typedef struct kl_checkpoint {
    uint64_t seed, random_state; // that the run began with, and the generator's present one
    int64_t epoch;               // that is under way or comes next, from 0
    int64_t position;            // images of it that have been used
    int epoch_count;             // epochs that are over
    kl_epoch *epochs;            // [epoch_count]: those that are over, so that the curve goes on
    int tensor_count;            // of `tensors`, at most KL_CHECKPOINT_TENSORS
    kl_tensor *tensors;          // [tensor_count], names differ
} kl_checkpoint;

// Replaces the file, whole or not at all. KL_ERROR_USAGE when the checkpoint itself is wrong
// (names, shapes), KL_ERROR_SYSTEM when it cannot be written.
kl_status kl_checkpoint_save(const char *path, const kl_checkpoint *checkpoint, kl_error *err);

// Free with kl_checkpoint_free. KL_ERROR_INPUT with the byte when the file is wrong, damaged or of
// another version; KL_ERROR_LIMIT, KL_ERROR_MEMORY, KL_ERROR_SYSTEM.
kl_status kl_checkpoint_load(const char *path, kl_checkpoint *out_checkpoint, kl_error *err);
// The same from a source, which stays open; name stands for the path in messages.
kl_status kl_checkpoint_read(kl_byte_source *source, const char *name,
                             kl_checkpoint *out_checkpoint, kl_error *err);
void kl_checkpoint_free(kl_checkpoint *checkpoint);

// NULL when there is none of this name.
const kl_tensor *kl_checkpoint_find(const kl_checkpoint *checkpoint, const char *name);
// Copies a tensor's values. KL_ERROR_INPUT with both shapes when it is not there with this one: the
// checkpoint is of another network.
kl_status kl_checkpoint_take(const kl_checkpoint *checkpoint, const char *name, int dims,
                             const int64_t *shape, float *out_values, kl_error *err);

// Product of a shape, -1 when it is not within the limits.
int64_t kl_tensor_values(int dims, const int64_t *shape);

#endif
