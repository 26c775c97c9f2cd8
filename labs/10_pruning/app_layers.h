// SPDX-License-Identifier: MIT
// The fully connected layers of a pruned network on the device, and the variants through them. Part
// of lab 10's application (app.h).
#ifndef PRUNING_APP_LAYERS_H
#define PRUNING_APP_LAYERS_H

#include "app.h"
#include "sparse.h"

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

#endif
