// The contract of lab 09, a convolutional network: what every step takes, gives and may use.
// Source: the lecture on end-to-end CNNs, sections "Backward Propagation" and "CNN Training"; the
// signs and transposes are put right (README.md derives them).
// For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { CNN_NOT_IMPLEMENTED = -1 };

enum {
    CNN_SIDE = 5, // a filter has CNN_SIDE x CNN_SIDE weights per channel
    CNN_TAPS = CNN_SIDE * CNN_SIDE,
    CNN_WINDOW = 2,   // pooling takes the largest of 2 x 2 elements
    CNN_NOWHERE = 4,  // no element of a window is positive
    CNN_CLASSES = 10, // outputs of the whole network
    CNN_PLAN_BYTES = 256
};

// One kernel of the network. Each step has one or a few of them.
typedef enum cnn_op {
    CNN_FC_FORWARD,   // step 0
    CNN_FC_BACKWARD,  // step 1
    CNN_RELU_FORWARD, // step 2, with the next three
    CNN_RELU_BACKWARD,
    CNN_POOL_FORWARD,
    CNN_POOL_BACKWARD,
    CNN_LOSS,          // step 3
    CNN_CONV_FORWARD,  // steps 4, 6, 7
    CNN_CONV_BACKWARD, // step 5
    CNN_CONV_POOL,     // step 8
    CNN_SGD,           // step 9
    CNN_TRAIN,         // steps 9, 10
    CNN_OPS
} cnn_op;

// Shape of a layer. All tensors are row-major, the last index counts neighbours in memory.
typedef struct cnn_shape {
    int64_t images;        // N, 0 .. 2^20: images of the batch
    int64_t channels;      // C, 1 .. 2^16: channels of x; inputs of a fully connected layer;
                           // CNN_SGD: parameters, 1 .. 2^31
    int64_t height, width; // H, W, 1 .. 2^12: of x; 1 and 1 for a fully connected layer
    int64_t filters;       // F, 1 .. 2^16: filters; outputs of a fully connected layer
} cnn_shape;

// No tensor has more elements than this.
#define CNN_MOST_ELEMS (INT64_C(1) << 31)

// The network that CNN_TRAIN trains: convolution, ReLU and pooling; the same again; fully
// connected, ReLU; fully connected; softmax and cross-entropy.
typedef struct cnn_network {
    int64_t channels;           // of an image, 1 .. 8
    int64_t side;               // height and width of an image, 16 .. 40
    int64_t filters1, filters2; // of the convolutions, 1 .. 64 and 1 .. 256
    int64_t hidden;             // outputs of the first fully connected layer, 1 .. 4096
} cnn_network;

// `batches` steps of gradient descent, one after another, on `batch` images each.
typedef struct cnn_training {
    cnn_network network;
    int64_t batch, batches;  // 1 ..
    int64_t count;           // images and labels that there are
    const float *d_images;   // device, [count][channels][side][side]
    const int32_t *d_labels; // device, [count], 0 .. 9
    const int32_t *d_order;  // device, [batches * batch]: image i of step s is order[s * batch + i]
    float learning_rate, momentum;
    const float *d_parameters_in; // device, [cnn_layout.total]: before the first step
    const float *d_velocity_in;   // device, likewise
    float *d_parameters;          // device, likewise: after the last step
    float *d_velocity;            // device, likewise
    float *d_losses; // device, [batches * batch]: each image's loss, in the step's order
    // What the preparation of a step left: device memory of cnn_training_bytes bytes, 256-byte
    // aligned, and CNN_PLAN_BYTES bytes on the host, zero before the preparation. In the
    // preparation d_parameters_in and the pointers behind it are NULL.
    void *d_prepared;
    void *h_plan;
} cnn_training;

// What the preparation of a step that trains by a CUDA graph leaves in h_plan: a cudaGraph_t, which
// the training program draws, and the cudaGraphExec_t made of it. Both live as long as the process:
// nothing is called at their end.
typedef struct cnn_plan {
    void *graph, *launchable;
} cnn_plan;

// What a step gets. Pointers that an operation does not name are NULL. All are device pointers,
// 256-byte aligned but for w, b, dw and db, which may lie anywhere in an array of floats. Inputs
// are only read; outputs hold undefined values (NaN) before and do not overlap anything. `where`
// has a byte for each window.
//
//   op                reads                        writes
//   CNN_FC_FORWARD    x [N][C], w [C][F], b [F]    y [N][F] = x w + b
//   CNN_FC_BACKWARD   x, w, delta [N][F]           dx [N][C] = delta w^T, dw [C][F] = x^T delta,
//                                                  db [F] = sum of delta over the images
//   CNN_RELU_FORWARD  x [N][C]                     y [N][C] = x where x > 0, else 0
//   CNN_RELU_BACKWARD y as x [N][C], delta [N][C]  dx [N][C] = delta where y > 0, else 0
//   CNN_POOL_FORWARD  x [N][C][H][W]               y [N][C][H/2][W/2], where: see below
//   CNN_POOL_BACKWARD delta [N][C][H/2][W/2],      dx [N][C][H][W]: delta at the element that
//                                                  `where`
//                     where                        names, 0 elsewhere
//   CNN_LOSS          x [N][C] (logits), labels    losses [N], delta_out [N][C]: see below
//   CNN_CONV_FORWARD  x [N][C][H][W],              y [N][F][H-4][W-4]: sum over c, r, s of
//                     w [F][C][5][5], b [F]        x[n][c][i+r][j+s] w[f][c][r][s], plus b[f]
//   CNN_CONV_BACKWARD x, w,                        dx [N][C][H][W], dw [F][C][5][5], db [F]:
//                     delta [N][F][H-4][W-4]       derivatives of the sum of delta * y
//   CNN_CONV_POOL     as CNN_CONV_FORWARD          y, where: CNN_POOL_FORWARD of CNN_CONV_FORWARD
//   CNN_SGD           x (parameters), w (velocity),  y = x - learning_rate * v (parameters),
//                     delta (gradient), each [C]     dw = v = momentum * w + delta (velocity)
//   CNN_TRAIN         training                     training
//
// ReLU and pooling in one: y is the largest positive element of a window of 2 x 2, or 0 when there
// is none; where is its index in the window (0, 1 in the upper row, 2, 3 in the lower; the first of
// equal ones), or CNN_NOWHERE. NaN is never the largest. H/2 and W/2 are rounded down; a last odd
// row or column belongs to no window.
//
// The loss of image n is -log p[label], p = softmax(x[n]). delta_out is the derivative of the
// batch's mean loss with respect to the logits: (p - onehot(label)) / N.
//
// With N = 0 nothing is written but dw and db, which are 0.
typedef struct cnn_task {
    cnn_op op;
    cnn_shape shape;
    const float *d_x, *d_w, *d_b, *d_delta;
    const uint8_t *d_where_in;
    const int32_t *d_labels; // [N], 0 .. C-1
    float *d_y, *d_dx, *d_dw, *d_db;
    uint8_t *d_where;
    float *d_losses, *d_delta_out;
    float learning_rate, momentum; // CNN_SGD
    const cnn_training *training;  // CNN_TRAIN, else NULL
    void *d_workspace;             // device, 256-byte aligned, cnn_workspace_bytes(..) bytes
} cnn_task;

// Does task->op. All work goes to the default stream, or is finished before work that is given to
// it later starts; a step need not wait for it to finish. Arithmetic is in float, products and
// additions in any order (reference.c has the bound). The same arguments give the same bits every
// time, so floats must not be added by atomics.
//
// Returns 0, a cudaError_t, or CNN_NOT_IMPLEMENTED. cudaErrorInvalidValue when the step does not
// have this operation, or a size is out of range: see cnn_refuses.
typedef int cnn_function(const cnn_task *task);

cnn_function cnn_step0, cnn_step1, cnn_step2, cnn_step3, cnn_step4, cnn_step5, cnn_step6, cnn_step7,
    cnn_step8, cnn_step9, cnn_step10;

// What a step may do once for given images, labels and order of a CNN_TRAIN. Launches no training.
cnn_function cnn_prepare10;

// ---- sizes ------------------------------------------------------------------------------------

static inline int64_t cnn_conv_out(int64_t side) {
    return side - CNN_SIDE + 1;
}

// Where the tensors of a network's parameters begin in one array of floats; velocities and
// gradients lie likewise. w1 [filters1][channels][5][5], w2 [filters2][filters1][5][5], w3
// [flat][hidden], w4 [hidden][10]; each is followed by its layer's biases.
typedef struct cnn_layout {
    int64_t pooled1, pooled2; // height and width behind the first and the second pooling
    int64_t flat;             // inputs of the first fully connected layer
    int64_t w1, b1, w2, b2, w3, b3, w4, b4, total;
} cnn_layout;

static inline cnn_layout cnn_layout_of(const cnn_network *net) {
    cnn_layout l;
    l.pooled1 = cnn_conv_out(net->side) / CNN_WINDOW;
    l.pooled2 = cnn_conv_out(l.pooled1) / CNN_WINDOW;
    l.flat = net->filters2 * l.pooled2 * l.pooled2;
    l.w1 = 0;
    l.b1 = l.w1 + net->filters1 * net->channels * CNN_TAPS;
    l.w2 = l.b1 + net->filters1;
    l.b2 = l.w2 + net->filters2 * net->filters1 * CNN_TAPS;
    l.w3 = l.b2 + net->filters2;
    l.b3 = l.w3 + l.flat * net->hidden;
    l.w4 = l.b3 + net->hidden;
    l.b4 = l.w4 + net->hidden * CNN_CLASSES;
    l.total = l.b4 + CNN_CLASSES;
    return l;
}

// Most partial sums of a gradient that CNN_TRAIN keeps.
enum { CNN_PARTS = 64 };

// Room for the activations and deltas of a batch, partial and whole gradients, parameters,
// velocity.
static inline size_t cnn_training_bytes(const cnn_network *net, int64_t batch) {
    cnn_layout l = cnn_layout_of(net);
    int64_t maps1 = net->filters1 * l.pooled1 * l.pooled1;
    int64_t image = 4 * maps1 + 4 * l.flat + 4 * net->hidden + 4 * CNN_CLASSES + 64;
    return sizeof(float) * ((size_t)(batch * image) + (size_t)((CNN_PARTS + 4) * l.total)) + 65536;
}

// Nonzero when the contract does not allow this shape.
static inline int cnn_refuses_shape(const cnn_shape *s, int64_t least_side) {
    return s->images < 0 || s->images > INT64_C(1) << 20 || s->channels < 1 ||
           s->channels > INT64_C(1) << 16 || s->filters < 1 || s->filters > INT64_C(1) << 16 ||
           s->height < least_side || s->height > 4096 || s->width < least_side || s->width > 4096 ||
           s->channels * s->height * s->width * (s->images + 1) > CNN_MOST_ELEMS ||
           s->filters * s->height * s->width * (s->images + 1) > CNN_MOST_ELEMS ||
           s->filters * s->channels * CNN_TAPS > CNN_MOST_ELEMS;
}

static inline int cnn_refuses_training(const cnn_training *t) {
    const cnn_network *net = &t->network;
    return net->channels < 1 || net->channels > 8 || net->side < 16 || net->side > 40 ||
           net->filters1 < 1 || net->filters1 > 64 || net->filters2 < 1 || net->filters2 > 256 ||
           net->hidden < 1 || net->hidden > 4096 || t->batch < 1 || t->batch > 1 << 14 ||
           t->batches < 1 || t->batches > 1 << 20 || t->count < 1;
}

// Nonzero when the contract does not allow these arguments.
static inline int cnn_refuses(const cnn_task *task) {
    if (task->op == CNN_TRAIN) return !task->training || cnn_refuses_training(task->training);
    if (task->op == CNN_SGD) // any number of parameters
        return task->shape.channels < 1 || task->shape.channels > CNN_MOST_ELEMS;
    int conv =
        task->op == CNN_CONV_FORWARD || task->op == CNN_CONV_BACKWARD || task->op == CNN_CONV_POOL;
    return cnn_refuses_shape(&task->shape, conv ? CNN_SIDE : 1);
}

// CNN_CONV_FORWARD: the matrix of im2col. CNN_TRAIN: what cnn_training_bytes says. Else nothing.
static inline size_t cnn_workspace_bytes(cnn_op op, const cnn_shape *s) {
    if (op != CNN_CONV_FORWARD) return 0;
    int64_t pixels = cnn_conv_out(s->height) * cnn_conv_out(s->width);
    return sizeof(float) * (size_t)(s->images * s->channels * CNN_TAPS * pixels);
}

#ifdef __cplusplus
}
#endif
