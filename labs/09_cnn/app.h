// SPDX-License-Identifier: MIT
// The application of lab 09 (`ladder run cnn --app`): a network that trains on the lab's steps.
//
// Layers are modules (app_layers.c, app_conv.c): each has a forward and a backward, and asks for its
// kernels as operations of cnn.h. app_ops.c finds for each operation the step that has it; what a student
// has not written yet runs on the host with the reference (layers.c), so that the network always works
// and each step replaces one kernel of it. With step 9 or 10 a whole epoch is one call instead.
#ifndef CNN_APP_H
#define CNN_APP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cnn.h"
#include "dataset.h"
#include "device.h"
#include "record.h"
#include "step.h"

enum { CNN_LAST_STEP = 10, CNN_MOST_EPOCHS = 1000 };

// ---- app_options.c -----------------------------------------------------------------------------

typedef struct cnn_options {
    kl_device_wish wish;
    bool help, solution, quick, layers; // layers: layer by layer, although step 9 or 10 is there
    bool steps[CNN_LAST_STEP + 1];      // those to use; none: all that are written
    bool steps_chosen;
    const char *data;        // folder of a data set, "shapes", or NULL
    const char *save, *load; // checkpoints
    const char *json_file, *plot_folder;
    uint64_t seed;
    int epochs, stop; // stop: after so many epochs of this run; 0: none
    int64_t batch;
    double learning_rate, momentum;     // NaN: the default
    int64_t filters1, filters2, hidden; // 0: the default
    int64_t train_images, test_images;  // 0: the default
} cnn_options;

kl_status cnn_options_parse(int argc, char **argv, cnn_options *out, kl_error *err);
void cnn_options_help(FILE *out);
// The rest of the defaults, which depend on the device.
void cnn_options_fill(cnn_options *o, bool simulated);

// ---- app_ops.c: operations and the steps that do them ------------------------------------------

typedef struct cnn_ops {
    kl_step steps[CNN_LAST_STEP + 1];
    bool open[CNN_LAST_STEP + 1];
    int step_of[CNN_OPS]; // that does the operation; -1: the host; as the last run of it found out
    void *d_workspace;
    size_t workspace_bytes;
} cnn_ops;

kl_status cnn_ops_open(const cnn_options *o, cnn_ops *out, kl_error *err);
void cnn_ops_close(cnn_ops *ops);
// Does the operation, on a step or on the host; it is done, or on the default stream, afterwards.
kl_status cnn_ops_run(cnn_ops *ops, const cnn_task *task, kl_error *err);
// False when no step that is written has the operation.
bool cnn_ops_has(const cnn_ops *ops, cnn_op op);

// ---- app_layers.c, app_conv.c: modules ---------------------------------------------------------

// What a layer has on the device. Pointers into the network's arrays, not its own.
typedef struct cnn_parameters {
    float *d_w, *d_b;   // weights and biases; NULL: none
    float *d_dw, *d_db; // their gradients
} cnn_parameters;

typedef struct cnn_module cnn_module;

typedef struct cnn_module_kind {
    const char *name;
    // y from x. x: device, [images][inputs of the layer]
    kl_status (*forward)(cnn_module *m, cnn_ops *ops, int64_t images, const float *d_x,
                         kl_error *err);
    // dx and the parameters' gradients from delta, which is the derivative with respect to y.
    kl_status (*backward)(cnn_module *m, cnn_ops *ops, int64_t images, const float *d_x,
                          const float *d_delta, kl_error *err);
} cnn_module_kind;

struct cnn_module {
    const cnn_module_kind *kind;
    cnn_shape shape;         // of one image
    int64_t inputs, outputs; // elements of an image
    cnn_parameters parameters;
    float *d_y, *d_dx;
    float *d_maps, *d_maps_delta; // app_conv.c: what lies between convolution and pooling
    uint8_t *d_where;
};

extern const cnn_module_kind cnn_fc, cnn_relu, cnn_conv_pool;

// Makes the arrays for `most` images. parameters: offsets of a layer without are 0.
kl_status cnn_module_new(const cnn_module_kind *kind, cnn_shape shape, cnn_parameters parameters,
                         int64_t most, cnn_module *out, kl_error *err);
void cnn_module_free(cnn_module *m);

// ---- app_network.c -----------------------------------------------------------------------------

enum { CNN_MODULES = 5 };

typedef struct cnn_model {
    cnn_network shape;
    cnn_layout layout;
    int64_t most;                                  // images at a time
    float *d_parameters, *d_velocity, *d_gradient; // [layout.total]
    float *d_parameters_out, *d_velocity_out;      // likewise, behind a step
    cnn_module modules[CNN_MODULES];               // conv and pool, conv and pool, fc, relu, fc
    int32_t *d_labels;                             // [most]
    float *d_losses, *d_delta;                     // [most], [most][10]
} cnn_model;

// Parameters as `seed` says, velocity 0.
kl_status cnn_model_new(const cnn_network *shape, int64_t most, uint64_t seed, cnn_model *out,
                        kl_error *err);
void cnn_model_free(cnn_model *model);
// What d_parameters_out and d_velocity_out hold becomes the model's.
void cnn_model_exchange(cnn_model *model);
// Logits of images, on the host: [images][10]. x: device, [images][channels][side][side].
kl_status cnn_model_predict(cnn_model *model, cnn_ops *ops, int64_t images, const float *d_x,
                            float *h_logits, kl_error *err);
// One step of descent, layer by layer. h_losses: [images].
kl_status cnn_model_step(cnn_model *model, cnn_ops *ops, int64_t images, const float *d_x,
                         const int32_t *h_labels, double learning_rate, double momentum,
                         float *h_losses, kl_error *err);

// ---- app_train.c -------------------------------------------------------------------------------

typedef struct cnn_run {
    const cnn_options *options;
    const kl_device *device;
    const kl_dataset *data;
    double mean, stddev;
    cnn_ops ops;
    cnn_model model;
    int64_t most;    // images that the model takes at a time
    float *d_images; // device, [most]: what the model sees
    float *h_images; // host, likewise
    int32_t *order;  // [training images]
    int whole_step;  // 9 or 10 when that trains a whole epoch per call, else 0
    void *whole;     // app_whole.c's
    float *d_train;  // device, all training images; only with a whole step
    _Alignas(16) unsigned char plan[CNN_PLAN_BYTES];
    int epochs_done;
    kl_epoch epochs[CNN_MOST_EPOCHS];
    uint8_t *predicted; // [test images]
    float *confidence;  // likewise
    int64_t confusion[CNN_CLASSES * CNN_CLASSES];
    kl_training record;
    char network_text[160];
} cnn_run;

kl_status cnn_run_open(const cnn_options *o, const kl_device *device, const kl_dataset *data,
                       cnn_run *out, kl_error *err);
void cnn_run_close(cnn_run *run);
// Trains to the last epoch; prints a line per epoch to `out`.
kl_status cnn_run_train(cnn_run *run, FILE *out, kl_error *err);

// ---- app_whole.c: an epoch in one call of step 9 or 10 -----------------------------------------

kl_status cnn_whole_open(cnn_run *run, kl_error *err);
void cnn_whole_close(cnn_run *run);
kl_status cnn_whole_epoch(cnn_run *run, const int32_t *h_order, double learning_rate,
                          double *out_loss, double *out_seconds, kl_error *err);

// ---- app_checkpoint.c --------------------------------------------------------------------------

kl_status cnn_checkpoint_save(const cnn_run *run, const char *path, kl_error *err);
kl_status cnn_checkpoint_load(cnn_run *run, const char *path, kl_error *err);

// ---- app_pictures.c ----------------------------------------------------------------------------

// curve, confusion, filters, mistakes, layers, and with step 10 tasks: SVG files in `folder`.
kl_status cnn_run_pictures(cnn_run *run, const char *folder, kl_error *err);

#endif
