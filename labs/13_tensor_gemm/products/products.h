// Products of matrices of floats on a step of lab 13, for its own application and for lab 14's: the
// factors are rounded to 16 bits, and what is added up is float.
#pragma once

#include "tensor_gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- matrices.cu: what lies before and behind a product ----------------------------------------

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

// ---- products.c --------------------------------------------------------------------------------

#include "ladder.h"

enum { NET_LAST_STEP = 31 };

// The products of a network in one type of inputs.
typedef struct net_products {
    kl_step step;          // of this lab
    int number;            // its number; -1: none is written
    tensor_gemm_type type; // of what is multiplied
    float scale;           // of deltas while they have 16 bits
    void *d_a, *d_b, *d_d; // device; as large as the largest so far
    void *d_workspace;     // device, TENSOR_GEMM_PARTS_BYTES
    int64_t a_bytes, b_bytes, d_bytes;
} net_products;

// The last step in `folder` that is written and runs on this device, or, if chosen >= 0, that one.
kl_status net_products_open(const char *folder, int chosen, net_products *out, kl_error *err);
void net_products_close(net_products *products);

// A matrix that lies whole in memory, times scale.
net_matrix net_plain(net_order order, const float *d_from, int64_t rows, int64_t columns,
                     float scale);
// KL_ERROR_CUDA with the number of the step, unless code is 0.
kl_status net_products_check(const net_products *p, int code, kl_error *err);
// Rows of a times rows of b; the sums stay in d_d, in rows of *out_stride.
kl_status net_products_sums(net_products *p, const net_matrix *a, const net_matrix *b,
                            int64_t *out_stride, kl_error *err);
// The same times scale, plus d_bias[row of b] (NULL: none), to d_to [rows of a][rows of b].
kl_status net_product(net_products *p, net_matrix a, net_matrix b, float scale, const float *d_bias,
                      float *d_to, kl_error *err);

// A fully connected layer: y [n][f] = x [n][c] w [c][f] + b [f].
typedef struct net_layer {
    int64_t n, c, f;
    const float *d_x, *d_w, *d_b; // device
} net_layer;

kl_status net_layer_forward(net_products *p, const net_layer *layer, float *d_y, kl_error *err);
// d_delta [n][f]: derivative by y. d_dx [n][c], d_dw [c][f] and d_db [f] are written.
kl_status net_layer_backward(net_products *p, const net_layer *layer, const float *d_delta,
                             float *d_dx, float *d_dw, float *d_db, kl_error *err);

#endif
