// SPDX-License-Identifier: MIT
// The application of lab 13 (`ladder run tensor_gemm --app`): lab 09's network, its products on
// this lab's step, with inputs of float, half and bfloat16.
#ifndef TENSOR_GEMM_APP_H
#define TENSOR_GEMM_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor_gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- app_kernels.cu: what lies before and behind a product -------------------------------------

// Where element (r, c) of a matrix lies in an array of floats.
typedef enum net_order {
    NET_ROWS,            // [rows][columns]
    NET_COLUMNS,         // [columns][rows]
    NET_PATCHES,         // r: image and pixel of the output; c: channel and tap; of x [N][C][H][W]
    NET_PATCHES_COLUMNS, // the same with r and c exchanged
    NET_MAPS,            // r: image and pixel of the output; c: filter; of maps [N][F][pixels]
    NET_MAPS_COLUMNS,    // the same with r and c exchanged
} net_order;

typedef struct net_matrix {
    net_order order;
    const float *d_from;             // device
    int64_t rows, columns;           // those that there are
    int64_t channels, height, width; // of x, for patches
    int64_t pixels;                  // of an image's output, for patches and maps
    float scale;                     // elements are multiplied by it
} net_matrix;

// out: device, [rows][columns] of the padded matrix, 16 bits each; beyond what there is: 0.
int net_pack(const net_matrix *matrix, tensor_gemm_type type, int64_t rows, int64_t columns,
             void *d_out);
// What a product left, d_sums [..][stride], times scale, to its place: element (r, c) of NET_ROWS
// or NET_MAPS in d_to, plus d_bias[c]; NULL: none.
int net_unpack(const net_matrix *to, const float *d_sums, int64_t stride, const float *d_bias,
               float *d_to);
// d_sums: derivatives of patches, [images * pixels][stride]; adds them up in dx [N][C][H][W].
int net_unpack_patches(const net_matrix *to, int64_t images, const float *d_sums, int64_t stride,
                       float *d_dx);
// db[f]: sum over images and pixels of delta [images][filters][pixels].
int net_bias(const float *d_delta, int64_t images, int64_t filters, int64_t pixels, float *d_db);

#ifdef __cplusplus
}
#else

// ---- app_layers.c: layers of lab 09 as products ------------------------------------------------

#include "model/model.h"

enum { NET_LAST_STEP = 31, NET_MOST_BATCH = 64 };

// The products of a network in one type of inputs.
typedef struct net_products {
    kl_step step;          // of this lab
    int number;            // its number; -1: none is written
    tensor_gemm_type type; // of what is multiplied
    float scale;           // of deltas while they have 16 bits
    void *d_a, *d_b, *d_d; // device; as large as the largest so far
    int64_t a_bytes, b_bytes, d_bytes;
} net_products;

// The last step in `folder` that is written and runs on this device, or, if chosen >= 0, that one.
kl_status net_products_open(const char *folder, int chosen, net_products *out, kl_error *err);
void net_products_close(net_products *products);
// cnn_ops.instead: context is net_products.
kl_status net_products_run(void *context, const cnn_task *task, bool *out_done, kl_error *err);

// ---- app_check.c -------------------------------------------------------------------------------

// A small layer of each kind on the step and on the host. KL_ERROR_INPUT when they differ by more
// than the type explains; *out_most: by how much, as a share of a result's largest value.
kl_status net_products_check(net_products *products, double *out_most, kl_error *err);

#endif
#endif
