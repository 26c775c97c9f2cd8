// A training run: what it was, its checkpoints, and pictures of it.
#pragma once

#include "files.h"
#include "images.h"
#include "table.h"

// ---- record -------------------------------------------------------------------------------------
// What a training run was: pictures (training.h) and JSON are pure functions of it.

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

// As JSON (schema ladder.training/1, docs/schemas.txt).
kl_status kl_training_json(const kl_training *training, FILE *out, kl_error *err);

// ---- checkpoint.c -------------------------------------------------------------------------------
// Checkpoints: everything that a training run needs to go on as if it had never stopped, bit for
// bit: weights, the optimiser's state, random state, and where in the data it was.
//
// The file, all numbers with the lowest byte first: "KLCKPT\r\n"; version (4 bytes), tensors (4),
// epochs (4); seed, random state, epoch, position (8 each); of each epoch loss, train accuracy,
// test accuracy and seconds (8 each); of each tensor its name (48, filled with zeros), dimensions
// (4), shape (8 each), values (4 each); CRC-64 of all bytes before it (8).

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

// ---- pictures -----------------------------------------------------------------------------------
// Pictures of a training run: how it went, what is taken for what, what the first layer looks for,
// which images are wrong. SVG for light and dark pages; KL_ERROR_SYSTEM when one cannot be written.

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

// ---- graph_picture.c ----------------------------------------------------------------------------
// Pictures of a program's task graph: tasks in layers, each below all that it waits for.

// What a task is (the kinds of a CUDA graph's nodes), with the words of the key.
#define KL_TASK_KINDS(ROW)                                                                         \
    ROW(KERNEL, "kernel")                                                                          \
    ROW(COPY, "copy")                                                                              \
    ROW(SET, "memset")                                                                             \
    ROW(HOST, "host function")                                                                     \
    ROW(EMPTY, "empty")
// A row of KL_TASK_KINDS as an enumerator.
#define KL_TASK_ENUM(name, words) KL_TASK_##name,

// The kinds of KL_TASK_KINDS, in its order.
typedef enum kl_task_kind { KL_TASK_KINDS(KL_TASK_ENUM) KL_TASK_KIND_COUNT } kl_task_kind;

// One task of a graph.
typedef struct kl_task {
    const char *label;  // e.g. the kernel's name
    const char *detail; // below it in small letters, e.g. "grid 16 x 8, block 256"; or NULL
    kl_task_kind kind;  // decides its colour
} kl_task;

// One dependency.
typedef struct kl_task_edge {
    int from, to; // `to` waits for `from`
} kl_task_edge;

enum { KL_TASKS_MAX = 1000, KL_TASK_EDGES_MAX = 8000 };

// The whole graph. Long ones go on in columns to the right.
kl_status kl_draw_tasks(const char *title, const kl_task *tasks, int task_count,
                        const kl_task_edge *edges, int edge_count, FILE *out, kl_error *err);

// ---- layers_picture.c ---------------------------------------------------------------------------
// The network as its layers: what goes from one to the next, and what each one does.

// One layer, as a box of the picture.
typedef struct kl_layer_box {
    const char *label;  // what makes this shape, e.g. "conv 5 x 5 + ReLU"; of the first "input"
    const char *detail; // e.g. "156 parameters"; or NULL
    int channels, height, width; // of what comes out, of one image
    int64_t parameters;          // trained values of the layer: weights and biases
} kl_layer_box;

enum { KL_LAYERS_MAX = 64 };

// KL_ERROR_USAGE on no layer, more than KL_LAYERS_MAX, or a side below 1.
kl_status kl_draw_layers(const char *title, const kl_layer_box *boxes, int count, FILE *out,
                         kl_error *err);

// ---- where tasks of a graph lie -----------------------------------------------------------------
// Where tasks of a graph lie: layers, and in each layer an order in which few edges cross. After
// Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures",
// 1981. Private to common/topics/training.

// A spot is a task, or a bend of an edge that passes through a layer.
typedef struct kl_spot {
    int task;  // or -1: a bend
    int layer; // from 0
    int order; // in its layer, from 0
} kl_spot;

// A layout: freed by kl_graph_layout_free.
typedef struct kl_graph_layout {
    int layers;          // of spots
    int spot_count;      // tasks and bends
    int link_count;      // pieces of edges
    kl_spot *spots;      // [spot_count], the tasks first
    kl_task_edge *links; // [link_count], between spots of neighbouring layers
    int *in_layer;       // [layers]: spots of each
} kl_graph_layout;

// edges: [edge_count], from earlier tasks to later ones. KL_ERROR_MEMORY.
kl_status kl_graph_layout_make(int task_count, const kl_task_edge *edges, int edge_count,
                               kl_graph_layout *out_layout, kl_error *err);
// Frees what the layout holds.
void kl_graph_layout_free(kl_graph_layout *layout);
