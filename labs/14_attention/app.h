// The application of lab 14 (`ladder run attention --app`): a small transformer that reads a text
// character by character, learns to say which comes next, and then writes on by itself. Attention
// is the lab's step, the other products are lab 13's, the backward pass of attention is
// backward.h's.
//
// A layer adds to each row what attention over the rows before it gives, and then what two linear
// layers make of the row (Vaswani et al. 2017, "Attention is all you need"; the norms stand before
// each of the two, as in GPT-2). Rows of arrays are characters: [batch][context].
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LM_HEAD = 64, LM_MOST_LAYERS = 8, LM_MOST_SYMBOLS = 128 };

// ---- app_kernels.cu: what lies between the products; each returns a cudaError_t ----------------

// y[r] = token[symbols[r]] + position[r % context + first]. y: [rows][width].
typedef struct lm_embedding {
    const int32_t *d_symbols; // device, [rows]
    int64_t rows, first;      // first: position of row 0
    int64_t context, width;   // rows of a sequence; elements of a row
    int64_t symbol_count;     // of the alphabet
    const float *d_token;     // device, [symbol_count][width]
    const float *d_position;  // device, [context][width]
} lm_embedding;

int lm_embed(const lm_embedding *e, float *d_y);
// d_delta: [rows][width]; writes both gradients.
int lm_embed_backward(const lm_embedding *e, const float *d_delta, float *d_token,
                      float *d_position);

// Layer norm of rows: y = gain (x - mean) / deviation + shift.
typedef struct lm_norm_task {
    int64_t rows, width;
    const float *d_x, *d_gain, *d_shift; // device, [rows][width], [width], [width]
} lm_norm_task;

int lm_normalise(const lm_norm_task *n, float *d_y);
// Adds to d_dx, writes d_gain_delta and d_shift_delta. d_moments: [rows][2], overwritten.
int lm_normalise_backward(const lm_norm_task *n, const float *d_delta, float *d_moments,
                          float *d_dx, float *d_gain_delta, float *d_shift_delta);

// y = x Phi(x), Phi: the normal distribution. d_delta: by y, then by x.
int lm_gelu(const float *d_x, int64_t n, float *d_y);
int lm_gelu_backward(const float *d_x, int64_t n, float *d_delta);
int lm_add(const float *d_a, const float *d_b, int64_t n, float *d_sum);

// A part of rows of floats, [batch][rows][stride] from column `column` on, as halves of heads:
// [batch][heads][rows][LM_HEAD].
typedef struct lm_heads {
    int64_t batch, heads, rows;
    int64_t stride, column; // elements
} lm_heads;

int lm_to_heads(const lm_heads *h, const float *d_rows, void *d_halves);
int lm_from_heads(const lm_heads *h, const void *d_halves, float *d_rows);

// losses[r] = log of the sum of exp logits[r] - logits[r][target]; delta: derivative by logits.
int lm_loss(const float *d_logits, const int32_t *d_targets, int64_t rows, int64_t symbols,
            float *d_losses, float *d_delta);

// Adam (Kingma and Ba 2015). Gradients are multiplied by `scale` first.
typedef struct lm_adam_step {
    float rate, scale;       // rate: with both corrections of the bias
    float keep1, keep2, eps; // of the two means; eps: corrected, too
} lm_adam_step;

int lm_adam(const lm_adam_step *a, int64_t n, const float *d_gradient, float *d_mean,
            float *d_square, float *d_parameters);

#ifdef __cplusplus
}
#else

#include "backward.h"
#include "device.h"
#include "products/products.h"
#include "ladder.h"

// ---- app_text.c --------------------------------------------------------------------------------

// A text as numbers of symbols. The last tenth is held out of training.
typedef struct lm_text {
    int64_t count, train; // characters; of them those to train on
    int symbols;          // different characters
    char letter[LM_MOST_SYMBOLS];
    uint8_t *codes; // [count]
} lm_text;

kl_status lm_text_read(const char *path, lm_text *out, kl_error *err);
void lm_text_free(lm_text *text);
// `batch` pieces of context characters and the characters behind each: inputs, targets
// [batch][context]. From the part to train on, or from the held-out part.
void lm_text_batch(const lm_text *text, bool held_out, uint64_t seed, int64_t batch,
                   int64_t context, int32_t *out_inputs, int32_t *out_targets);

// ---- app_model.c: the lab's step ----------------------------------------------------------------

typedef struct lm_attention {
    kl_step step;
    int number;        // -1: none
    void *d_workspace; // as large as the largest so far
    uint64_t workspace_bytes;
} lm_attention;

enum { LM_LAST_STEP = 9 };

// As net_products_open.
kl_status lm_attention_open(const char *folder, int chosen, lm_attention *out, kl_error *err);
void lm_attention_close(lm_attention *attention);

// Halves on the device: q, o [heads][queries][LM_HEAD]; k, v [heads][keys][LM_HEAD].
typedef struct lm_mix {
    int64_t heads, queries, keys;
    void *d_q, *d_k, *d_v, *d_o;
} lm_mix;

// Causal.
kl_status lm_attention_run(lm_attention *attention, const lm_mix *mix, kl_error *err);

// ---- app_backward_check.c: the backward pass of attention --------------------------------------

typedef struct lm_backward {
    kl_step step;                     // backward.so, the student's or the solution's
    int code;                         // what a first call gave; unless 0, this one is not used
    attention_backward_function *run; // else attention_backward_simple
} lm_backward;

// folder: of the built steps.
void lm_backward_open(const char *folder, lm_backward *out);
void lm_backward_close(lm_backward *backward);
// "by backward.cu", or that, and why, it is as given.
const char *lm_backward_words(const lm_backward *backward);
// Compares small cases with the derivatives in double. KL_ERROR_INPUT where one is wrong;
// *out_most: the largest error, as a share of its bound.
kl_status lm_backward_check(const lm_backward *backward, double *out_most, kl_error *err);
// Prints how long large ones take.
kl_status lm_backward_times(const lm_backward *backward, const kl_device *device, kl_error *err);

// ---- app_layout.c: where the parameters are ----------------------------------------------------

typedef struct lm_shape {
    int64_t symbols, context, batch; // batch: sequences of a step of descent
    int64_t layers, heads;
} lm_shape;

static inline int64_t lm_width(const lm_shape *s) {
    return s->heads * LM_HEAD;
}

// Offsets into the parameters. A linear layer: weights [inputs][outputs], biases [outputs].
typedef struct lm_linear {
    int64_t w, b, inputs, outputs;
} lm_linear;
typedef struct lm_norm {
    int64_t gain, shift; // [width] each
} lm_norm;
typedef struct lm_layer {
    lm_norm norm1, norm2;         // before attention, before the two linear layers
    lm_linear qkv, out, up, down; // outputs: 3 width, width, 4 width, width
} lm_layer;
typedef struct lm_layout {
    int64_t token, position; // [symbols][width], [context][width]
    lm_layer layers[LM_MOST_LAYERS];
    lm_norm norm;
    lm_linear head; // width to symbols
    int64_t total;
} lm_layout;

lm_layout lm_layout_of(const lm_shape *shape);
// h_parameters: [total].
void lm_initial(const lm_shape *shape, uint64_t seed, float *h_parameters);

// ---- app_model.c -------------------------------------------------------------------------------

// What a layer keeps for its backward pass; device, a row per character.
typedef struct lm_saved {
    float *d_x;                     // input, [width]
    float *d_norm1, *d_qkv;         // [width], [3 width]
    void *d_q, *d_k, *d_v, *d_o;    // halves of heads
    float *d_mixed, *d_middle;      // [width]: what attention gave; input of the second half
    float *d_norm2, *d_up, *d_gelu; // [width], [4 width], [4 width]
} lm_saved;

// What a model runs on.
typedef struct lm_kernels {
    lm_attention *attention;
    lm_backward *backward;
    net_products *products;
} lm_kernels;

typedef struct lm_model {
    lm_shape shape;
    lm_layout layout;
    lm_kernels kernels;
    float *d_parameters, *d_gradient, *d_mean, *d_square; // [layout.total]
    lm_saved saved[LM_MOST_LAYERS + 1];                   // of the last one d_x and d_norm1 alone
    float *d_logits, *d_delta;                            // [symbols]
    float *d_losses;                                      // a number per row
    int32_t *d_symbols, *d_targets;                       // likewise
    float *d_dx, *d_narrow, *d_wide; // [width], [width], [4 width]: derivatives
    float *d_moments;                // [2]
    float *d_log, *d_row;            // [heads]
    void *d_do, *d_dq, *d_dk, *d_dv; // halves of heads
    float *h_losses;                 // [batch * context]
    int64_t steps;                   // of descent, so far
} lm_model;

kl_status lm_model_new(const lm_shape *shape, uint64_t seed, const lm_kernels *kernels,
                       lm_model *out, kl_error *err);
void lm_model_free(lm_model *model);
// Mean loss of a batch, whose forward pass this makes.
kl_status lm_model_loss(lm_model *m, const int32_t *h_symbols, const int32_t *h_targets,
                        double *out_loss, kl_error *err);

// ---- app_descent.c -----------------------------------------------------------------------------

// Behind lm_model_loss: d_gradient, of the sum of the losses of all rows.
kl_status lm_model_backward(lm_model *m, kl_error *err);
kl_status lm_model_descend(lm_model *m, double rate, kl_error *err);

// ---- app_check.c -------------------------------------------------------------------------------

// Are the gradients of a small model those that differences of its loss give? KL_ERROR_INPUT if
// not; *out_most: the largest relative error.
kl_status lm_check(const lm_kernels *kernels, double *out_most, kl_error *err);

// ---- app_model.c: what it writes ----------------------------------------------------------------

// Writes on behind the text's first characters: out [count].
kl_status lm_write(lm_model *m, const lm_text *text, double temperature, uint64_t seed,
                   int64_t count, char *out, kl_error *err);

#endif
