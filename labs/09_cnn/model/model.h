// A network that runs and trains on the steps of lab 09: for its own application and for that of
// lab 10.
//
// Layers are modules (module_fc.c, module_conv.c): each has a forward and a backward, and asks for
// its kernels as operations of cnn.h. ops.c finds for each operation the step that has it; what a
// student has not written yet runs on the host with the reference (layers.c), so that the network
// always works and each step replaces one kernel of it.
#pragma once

#include "cnn.h"
#include "images.h"
#include "program.h"
#include "ladder.h"
#include "training.h"

enum { CNN_LAST_STEP = 10 };

// ---- tensors.c: the option --widths ------------------------------------------------------------

// A kl_option.take whose target is int64_t[3]: filters, filters and hidden outputs, "4,8,32".
kl_status cnn_take_widths(const kl_option *option, const char *text, kl_error *err);
void cnn_default_widths(bool simulated, int64_t out_widths[3]);

// ---- ops.c: operations and the steps that do them ----------------------------------------------

typedef struct cnn_ops {
    kl_step steps[CNN_LAST_STEP + 1];
    bool open[CNN_LAST_STEP + 1];
    int step_of[CNN_OPS]; // that does the operation; -1: the host; as the last run of it found out
    void *d_workspace;
    size_t workspace_bytes;
    // Asked before the steps and the host: does an operation and says so in *out_done, or leaves it
    // to them. NULL: nobody. Lab 13 multiplies on tensor cores.
    kl_status (*instead)(void *context, const cnn_task *task, bool *out_done, kl_error *err);
    void *instead_context;
} cnn_ops;

// folder: of the built steps. chosen: [CNN_LAST_STEP + 1], those to use; NULL: all that are
// written.
kl_status cnn_ops_open(const char *folder, const bool *chosen, cnn_ops *out, kl_error *err);
void cnn_ops_close(cnn_ops *ops);
// Does the operation, on a step or on the host; it is done, or on the default stream, afterwards.
kl_status cnn_ops_run(cnn_ops *ops, const cnn_task *task, kl_error *err);
// False when no step that is written has the operation.
bool cnn_ops_has(const cnn_ops *ops, cnn_op op);

// ---- module_fc.c, module_conv.c: modules -------------------------------------------------------

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
    float *d_maps, *d_maps_delta; // module_conv.c: what lies between convolution and pooling
    uint8_t *d_where;
};

extern const cnn_module_kind cnn_fc, cnn_relu, cnn_conv_pool;

// Makes the arrays for `most` images. parameters: offsets of a layer without are 0.
kl_status cnn_module_new(const cnn_module_kind *kind, cnn_shape shape, cnn_parameters parameters,
                         int64_t most, cnn_module *out, kl_error *err);
void cnn_module_free(cnn_module *m);

// ---- network.c ---------------------------------------------------------------------------------

enum { CNN_MODULES = 5 };

typedef struct cnn_model cnn_model;

// Takes the place of CNN_SGD: from d_parameters, d_velocity and d_gradient to d_parameters_out and
// d_velocity_out. Lab 10 descends with a mask.
typedef kl_status cnn_descent(void *context, cnn_model *model, double learning_rate,
                              double momentum, kl_error *err);

struct cnn_model {
    cnn_network shape;
    cnn_layout layout;
    int64_t most;                                  // images at a time
    float *d_parameters, *d_velocity, *d_gradient; // [layout.total]
    float *d_parameters_out, *d_velocity_out;      // likewise, behind a step
    cnn_module modules[CNN_MODULES];               // conv and pool, conv and pool, fc, relu, fc
    int32_t *d_labels;                             // [most]
    float *d_losses, *d_delta;                     // [most], [most][10]
    cnn_descent *descent;                          // NULL: CNN_SGD
    void *descent_context;
};

// Parameters as `seed` says, velocity 0.
kl_status cnn_model_new(const cnn_network *shape, int64_t most, uint64_t seed, cnn_model *out,
                        kl_error *err);
void cnn_model_free(cnn_model *model);
// What d_parameters_out and d_velocity_out hold becomes the model's.
void cnn_model_exchange(cnn_model *model);
// All modules, one after the other: their d_y. x as below.
kl_status cnn_model_forward(cnn_model *model, cnn_ops *ops, int64_t images, const float *d_x,
                            kl_error *err);
// Logits of images, on the host: [images][10]. x: device, [images][channels][side][side].
kl_status cnn_model_predict(cnn_model *model, cnn_ops *ops, int64_t images, const float *d_x,
                            float *h_logits, kl_error *err);
// One step of descent, layer by layer. h_losses: [images].
kl_status cnn_model_step(cnn_model *model, cnn_ops *ops, int64_t images, const float *d_x,
                         const int32_t *h_labels, double learning_rate, double momentum,
                         float *h_losses, kl_error *err);

// ---- tensors.c: checkpoints --------------------------------------------------------------------

// Writes weights and velocities of all layers; the other fields of the checkpoint are `base`'s.
kl_status cnn_model_save(const cnn_model *model, const kl_checkpoint *base, const char *path,
                         kl_error *err);
// Takes them. KL_ERROR_INPUT when one is not there or has another shape.
kl_status cnn_model_take(cnn_model *model, const kl_checkpoint *from, kl_error *err);

// ---- feed.c: images for the model
// ----------------------------------------------------------------

// Images of a data set on their way to the device.
typedef struct cnn_feed {
    const kl_dataset *data;
    double mean, stddev; // of the training pixels
    int64_t most;        // images at a time
    float *d_images;     // device, [most]: what the model sees
    float *h_images;     // host, likewise
} cnn_feed;

// most: images that the model takes at a time, at least a batch. KL_ERROR_INPUT when the images do
// not suit the network, or do not make a batch.
kl_status cnn_feed_open(const kl_dataset *data, int64_t batch, cnn_feed *out, kl_error *err);
void cnn_feed_close(cnn_feed *feed);

// Puts images first .. first + count - 1 through the model; the modules' d_y hold what became of
// them.
kl_status cnn_feed_forward(cnn_feed *feed, cnn_model *model, cnn_ops *ops, const kl_images *images,
                           int64_t first, int64_t count, kl_error *err);

// Share of the first `count` images that are predicted right. out_predicted, out_confidence:
// [count], or NULL.
kl_status cnn_feed_accuracy(cnn_feed *feed, cnn_model *model, cnn_ops *ops, const kl_images *images,
                            int64_t count, uint8_t *out_predicted, float *out_confidence,
                            double *out_accuracy, kl_error *err);

// One epoch, layer by layer. order: [training images]; learning rate and momentum as in
// cnn_model_step. *out_loss: mean over the images.
kl_status cnn_feed_epoch(cnn_feed *feed, cnn_model *model, cnn_ops *ops, const int32_t *order,
                         int64_t batch, double learning_rate, double momentum, double *out_loss,
                         double *out_seconds, kl_error *err);
