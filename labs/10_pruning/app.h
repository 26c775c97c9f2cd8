// The application of lab 10 (`ladder run pruning --app`): lab 09's network is trained, pruned step
// by step and fine-tuned; then the time of its fully connected layers is taken, dense and sparse.
//
// app_study.c trains, prunes and fine-tunes, on lab 09's kernels and on steps 1 to 3. app_times.c
// makes CSR and blocks of what was left (step 4) and takes times: steps 0, 5 to 8, lab 07's product
// and lab 08's. What a student has not written yet runs on the host, or is not timed.
//
// On the simulator a training needs no counters, and is several times faster without; modelled
// times need them. So the program starts itself again between the two (app.c), and what the study
// left lies in memory that has a descriptor.
#pragma once

#include "device.h"
#include "model/model.h"
#include "prune.h"
#include "pruning.h"
#include "sparse.h"
#include "ladder.h"

// ---- app.c --------------------------------------------------------------------------------------

enum {
    PRUNING_LAST_STEP = 8,
    PRUNING_BATCHES = 3, // of which times are taken
    PRUNING_LAYERS = 2,  // fully connected ones
    PRUNING_PATH = 4096
};

// ---- app.c --------------------------------------------------------------------------------------

typedef struct pruning_options {
    kl_device_request request;
    bool help, solution, own, quick; // own: lab 07 to 09's kernels are the student's, too
    bool steps[PRUNING_LAST_STEP + 1];
    bool steps_chosen;
    const char *data, *load, *json_file, *plot_folder;
    uint64_t seed;
    int epochs, tune, repetitions; // tune: epochs of fine-tuning per sparsity; -1: the default
    int64_t batch;
    double learning_rate;              // NaN: the default
    int64_t widths[3];                 // filters, filters, hidden outputs; 0: the default
    int64_t train_images, test_images; // 0: the default
    int sparsity_count;                // 0: the default ones
    double sparsities[KL_PRUNING_POINTS];
} pruning_options;

kl_status pruning_options_parse(int argc, char **argv, pruning_options *out, kl_error *err);

// ---- app.c: the steps ---------------------------------------------------------------------------

typedef struct pruning_steps {
    kl_step steps[PRUNING_LAST_STEP + 1];
    bool written[PRUNING_LAST_STEP + 1];
    void *d_workspace;
    size_t workspace_bytes;
} pruning_steps;

// A folder of built steps beside this lab's: "07_gemm/solution".
kl_status pruning_folder(const char *lab, bool solution, char *folder, size_t folder_bytes,
                         kl_error *err);
kl_status pruning_steps_open(const pruning_options *o, pruning_steps *out, kl_error *err);
void pruning_steps_close(pruning_steps *steps);
kl_status pruning_steps_run(pruning_steps *steps, int step, const pruning_task *task,
                            kl_error *err);

// ---- app_study.c -------------------------------------------------------------------------------

// How weights are taken out: one by one, or by blocks of PRUNING_BLOCK outputs of one input.
typedef enum pruning_kind { PRUNING_SINGLE, PRUNING_BY_BLOCKS, PRUNING_KINDS } pruning_kind;

// The network at one sparsity. Arrays lie in the study's memory.
typedef struct pruning_stage {
    double pruned, tuned; // test accuracy before and after fine-tuning
    double sparsity;      // as it came out
    float *parameters;    // [layout.total]
    uint8_t *mask;        // [layout.total], 1 where nothing is pruned
} pruning_stage;

// What a study leaves. In memory of its own, which outlives the program that made it.
typedef struct pruning_study {
    int count; // sparsities
    cnn_network network;
    double accuracy;                        // before pruning
    int64_t weights;                        // that may be taken out
    int64_t batches[PRUNING_BATCHES], most; // most: images in `features`
    float *features; // [flat][most]: what the first fully connected layer gets
    pruning_stage stages[PRUNING_KINDS][KL_PRUNING_POINTS];
    size_t bytes; // of the memory
    int fd;       // its descriptor
} pruning_study;

kl_status pruning_study_new(const pruning_options *o, const kl_dataset *data, bool simulated,
                            pruning_study **out, kl_error *err);
// The study of the program before.
kl_status pruning_study_adopt(int fd, pruning_study **out, kl_error *err);
void pruning_study_free(pruning_study *study);
// Prints a line per epoch and per sparsity to `out`.
kl_status pruning_study_run(const pruning_options *o, const kl_dataset *data, pruning_study *study,
                            FILE *out, kl_error *err);

// ---- app_prune.c: masks and descent -------------------------------------------------------------

typedef struct pruning_masked {
    pruning_steps *steps;
    cnn_network network;
    cnn_layout layout;
    uint8_t *d_mask; // [layout.total]
} pruning_masked;

// The offset of a layer's weights in the parameters, and its inputs and outputs.
typedef struct pruning_place {
    int64_t at, inputs, outputs;
} pruning_place;
pruning_place pruning_place_of(const cnn_network *net, int layer);

// Finds the mask (steps 1 and 2) for a sparsity and sets what it takes out to 0 in `parameters` and
// `velocity`, all [layout.total]. *out_sparsity: as it came out.
kl_status pruning_prune(pruning_masked *m, pruning_kind kind, double sparsity, float *parameters,
                        float *velocity, uint8_t *mask, double *out_sparsity, kl_error *err);
// A cnn_descent with the mask (step 3); context: a pruning_masked.
cnn_descent pruning_descend;

// ---- app_times.c -------------------------------------------------------------------------------

enum { PRUNING_DENSE_KERNELS = 3 };

// What was measured: a record per batch, and which dense kernels there were.
typedef struct pruning_measured {
    kl_pruning records[PRUNING_BATCHES];
    kl_pruning_point points[PRUNING_BATCHES][KL_PRUNING_POINTS];
    const char *kernels[KL_PRUNING_KERNELS];
    double dense_us[PRUNING_BATCHES][PRUNING_DENSE_KERNELS]; // NaN: not taken
} pruning_measured;

extern const char *const pruning_dense_names[PRUNING_DENSE_KERNELS];

// Also compares every output with the layers in double precision. KL_ERROR_INPUT when a step is
// wrong.
kl_status pruning_times(const pruning_options *o, const kl_device *device, const kl_dataset *data,
                        const pruning_study *study, pruning_measured *out, kl_error *err);

// ---- app.c: what it says ------------------------------------------------------------------------

// ---- app_layers.c -------------------------------------------------------------------------------
// The fully connected layers of a pruned network on the device, and the variants through them. Part
// of lab 10's application (app.h).

typedef enum pruning_variant {
    VARIANT_VECTOR,       // step 5
    VARIANT_BATCH,        // step 6
    VARIANT_FINAL,        // step 8
    VARIANT_LAB_08,       // lab 08's last step, for one image
    VARIANT_BLOCKS,       // step 7, on the network that was pruned by blocks
    VARIANT_DENSE,        // step 0
    VARIANT_DENSE_FINAL,  // step 8, told that nothing is pruned
    VARIANT_DENSE_LAB_07, // lab 07's last step; without bias and ReLU of the first layer
    VARIANTS
} pruning_variant;

// A layer's weights. Device arrays; rows: outputs, cols: inputs.
typedef struct pruning_layer {
    int64_t rows, cols, nnz, blocks;
    int64_t capacity; // entries that the arrays can hold
    float *d_w, *d_b, *d_val, *d_block_b, *d_block_val;
    int32_t *d_ptr, *d_col, *d_block_ptr, *d_block_col;
    uint8_t *d_mask;
    float *d_y; // [rows][most]
    void *d_spmv;
    size_t spmv_bytes;
    _Alignas(16) unsigned char spmv_plan[256];
} pruning_layer;

typedef struct pruning_layers {
    const pruning_study *study;
    pruning_steps steps;
    kl_step gemm, spmv; // last steps of labs 07 and 08
    bool has_gemm, has_spmv;
    pruning_layer layer[PRUNING_LAYERS];
    int64_t images; // of the batch
    float *d_x;     // [flat][images]
    float *d_gemm_space;
    // In double precision: the first layer's product, [hidden][images]; the logits of both
    // networks, [10][images].
    double *product, *single, *by_blocks;
} pruning_layers;

kl_status pruning_layers_open(const pruning_options *o, const pruning_study *study,
                              pruning_layers *out, kl_error *err);
void pruning_layers_close(pruning_layers *layers);
// Puts the networks of a sparsity on the device (step 4 makes CSR of the weights), for a batch.
kl_status pruning_layers_set(pruning_layers *layers, int sparsity, int64_t images,
                             kl_pruned_storage *out_storage, kl_error *err);
// False when the step that it takes is not there, or not for this batch.
bool pruning_layers_have(const pruning_layers *layers, pruning_variant variant);

typedef struct pruning_call {
    pruning_layers *layers;
    pruning_variant variant;
} pruning_call;

// A kl_timed_work: both layers by a variant. context: a pruning_call.
int pruning_layers_call(void *context);
// The logits that the last call left. KL_ERROR_INPUT when they are not those of the reference.
kl_status pruning_layers_compare(const pruning_layers *layers, pruning_variant variant,
                                 const char *name, kl_error *err);
