// The application of lab 09 (`ladder run cnn --app`): a network that trains on the lab's steps.
// Its network is model/model.h's. With step 9 or 10 a whole epoch is one call.
#pragma once

#include "device.h"
#include "model/model.h"
#include "training.h"

enum { CNN_MOST_EPOCHS = 1000 };

// ---- app.c --------------------------------------------------------------------------------------

typedef struct cnn_options {
    kl_device_request request;
    bool help, solution, quick, layers; // layers: layer by layer, although step 9 or 10 is there
    bool steps[CNN_LAST_STEP + 1];      // those to use; none: all that are written
    bool steps_chosen;
    const char *data;        // folder of a data set, "shapes", or NULL
    const char *save, *load; // checkpoints
    const char *json_file, *plot_folder;
    uint64_t seed;
    int epochs, stop; // stop: after so many epochs of this run; 0: none
    int64_t batch;
    double learning_rate, momentum;    // NaN: the default
    int64_t widths[3];                 // filters, filters, hidden outputs; 0: the default
    int64_t train_images, test_images; // 0: the default
} cnn_options;

kl_status cnn_options_parse(int argc, char **argv, cnn_options *out, kl_error *err);

// ---- app_train.c -------------------------------------------------------------------------------

typedef struct cnn_run {
    const cnn_options *options;
    const kl_device *device;
    const kl_dataset *data;
    cnn_ops ops;
    cnn_model model;
    cnn_feed feed;
    int32_t *order; // [training images]
    int whole_step; // 9 or 10 when that trains a whole epoch per call, else 0
    void *whole;    // app_train.c's
    float *d_train; // device, all training images; only with a whole step
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

// ---- app_train.c: an epoch in one call of step 9 or 10 ------------------------------------------

kl_status cnn_whole_open(cnn_run *run, kl_error *err);
void cnn_whole_close(cnn_run *run);
kl_status cnn_whole_epoch(cnn_run *run, const int32_t *h_order, double learning_rate,
                          double *out_loss, double *out_seconds, kl_error *err);

// ---- app.c: checkpoints -------------------------------------------------------------------------

kl_status cnn_checkpoint_save(const cnn_run *run, const char *path, kl_error *err);

// ---- app_pictures.c ----------------------------------------------------------------------------

// curve, confusion, filters, mistakes, layers, and with step 10 tasks: SVG files in `folder`.
kl_status cnn_run_pictures(cnn_run *run, const char *folder, kl_error *err);
