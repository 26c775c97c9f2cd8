// Lab 09 as data: kinds of cases, sizes, work formulas. Host only.
// A family is an operation of cnn.h with shapes that follow from the size, mostly the number of
// images.
#include "problem.h"
#include "small_case.h"

#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

#define STEP(s)     (UINT32_C(1) << (s))
#define CONV_STEPS  (STEP(4) | STEP(6) | STEP(7))
#define TRAIN_STEPS (STEP(9) | STEP(10))

#define FAMILY_LIST(F)                                                                             \
    F(FC, "fc", "fully connected, small integers: exact", STEP(0))                                 \
    F(FC_REAL, "fc-real", "the same with real numbers", STEP(0))                                   \
    F(FC_NET, "fc-net", "512 inputs, 128 outputs, as in the network", STEP(0))                     \
    F(FC_BACK, "fc-back", "fully connected backward, small integers: exact", STEP(1))              \
    F(FC_BACK_REAL, "fc-back-real", "the same with real numbers", STEP(1))                         \
    F(FC_BACK_NET, "fc-back-net", "512 inputs, 128 outputs, as in the network", STEP(1))           \
    F(RELU, "relu", "ReLU with zeros and NaN", STEP(2))                                            \
    F(RELU_BACK, "relu-back", "ReLU backward with zeros", STEP(2))                                 \
    F(POOL, "pool", "ReLU and pooling with ties, zeros, NaN and odd sides", STEP(2))               \
    F(POOL_NET, "pool-net", "16 maps of 24 x 24, as in the network", STEP(2))                      \
    F(POOL_BACK, "pool-back", "pooling backward, odd sides", STEP(2))                              \
    F(LOSS, "loss", "softmax and cross-entropy, 2 to 41 classes", STEP(3))                         \
    F(LOSS_LARGE, "loss-large", "logits of large magnitude", STEP(3))                              \
    F(CONV, "conv", "convolution, small integers: exact; odd sides", CONV_STEPS)                   \
    F(CONV_REAL, "conv-real", "the same with real numbers", CONV_STEPS)                            \
    F(CONV_FIRST, "conv-first", "1 channel of 28 x 28, 16 filters: the first layer", CONV_STEPS)   \
    F(CONV_NET, "conv-net", "16 channels of 12 x 12, 32 filters: the second layer", CONV_STEPS)    \
    F(CONV_BACK, "conv-back", "convolution backward, small integers: exact", STEP(5))              \
    F(CONV_BACK_REAL, "conv-back-real", "the same with real numbers", STEP(5))                     \
    F(CONV_BACK_NET, "conv-back-net", "16 channels of 12 x 12, 32 filters", STEP(5))               \
    F(FUSED, "fused", "convolution, ReLU and pooling, small integers: exact", STEP(8))             \
    F(FUSED_REAL, "fused-real", "the same with real numbers", STEP(8))                             \
    F(FUSED_NET, "fused-net", "16 channels of 12 x 12, 32 filters", STEP(8))                       \
    F(SGD, "sgd", "gradient descent with momentum; the size is the number of parameters", STEP(9)) \
    F(TRAIN, "train", "batches of 3 images of 16 x 16", TRAIN_STEPS)                               \
    F(TRAIN_COLOUR, "train-colour", "batches of 5 images of 3 x 18 x 18: odd maps", TRAIN_STEPS)   \
    F(TRAIN_SMALL, "train-small", "batches of 16, 28 x 28, 4 and 8 filters, 32 hidden",            \
      TRAIN_STEPS)                                                                                 \
    F(TRAIN_NET, "train-net", "batches of 64, 28 x 28, 16 and 32 filters, 128 hidden",             \
      TRAIN_STEPS)                                                                                 \
    F(TRAIN_NET_512, "train-net-512", "the same, batches of 512", TRAIN_STEPS)
KL_FAMILIES(FAMILY_LIST);

static const kl_suite_entry suite[] = {
    {FC, 0, KL_CHECK | KL_QUICK},
    {FC, 1, KL_CHECK | KL_QUICK},
    {FC, 33, KL_CHECK},
    {FC_REAL, 9, KL_CHECK | KL_QUICK},
    {FC_NET, 16, KL_CHECK | KL_TIME_SIM},
    {FC_NET, 512, KL_TIME_GPU},
    {FC_BACK, 0, KL_CHECK | KL_QUICK},
    {FC_BACK, 1, KL_CHECK | KL_QUICK},
    {FC_BACK, 34, KL_CHECK},
    {FC_BACK_REAL, 9, KL_CHECK | KL_QUICK},
    {FC_BACK_NET, 16, KL_CHECK | KL_TIME_SIM},
    {FC_BACK_NET, 512, KL_TIME_GPU},
    {RELU, 0, KL_CHECK},
    {RELU, 11, KL_CHECK | KL_QUICK},
    {RELU_BACK, 11, KL_CHECK | KL_QUICK},
    {POOL, 0, KL_CHECK},
    {POOL, 1, KL_CHECK | KL_QUICK},
    {POOL, 10, KL_CHECK | KL_QUICK},
    {POOL_NET, 4, KL_CHECK | KL_TIME_SIM},
    {POOL_NET, 512, KL_TIME_GPU},
    {POOL_BACK, 1, KL_CHECK},
    {POOL_BACK, 8, KL_CHECK | KL_QUICK}, // both sides odd
    {POOL_BACK, 9, KL_CHECK | KL_QUICK},
    {LOSS, 0, KL_CHECK},
    {LOSS, 1, KL_CHECK | KL_QUICK},
    {LOSS, 8, KL_CHECK | KL_QUICK},
    {LOSS, 200, KL_CHECK | KL_TIME_SIM},
    {LOSS, 512, KL_TIME_GPU},
    {LOSS_LARGE, 20, KL_CHECK | KL_QUICK},
    {CONV, 0, KL_CHECK | KL_QUICK},
    {CONV, 1, KL_CHECK | KL_QUICK},
    {CONV, 2, KL_CHECK},
    {CONV, 7, KL_CHECK | KL_QUICK},
    {CONV, 20, KL_CHECK},
    {CONV_REAL, 3, KL_CHECK | KL_QUICK},
    {CONV_FIRST, 2, KL_CHECK},
    {CONV_FIRST, 512, KL_BENCH},
    {CONV_NET, 2, KL_CHECK},
    {CONV_NET, 64, KL_TIME_SIM},
    {CONV_NET, 512, KL_TIME_GPU},
    {CONV_BACK, 0, KL_CHECK | KL_QUICK},
    {CONV_BACK, 1, KL_CHECK | KL_QUICK},
    {CONV_BACK, 7, KL_CHECK | KL_QUICK},
    {CONV_BACK_REAL, 3, KL_CHECK | KL_QUICK},
    {CONV_BACK_NET, 1, KL_CHECK | KL_TIME_SIM},
    {CONV_BACK_NET, 512, KL_TIME_GPU},
    {FUSED, 0, KL_CHECK},
    {FUSED, 1, KL_CHECK | KL_QUICK},
    {FUSED, 7, KL_CHECK | KL_QUICK},
    {FUSED, 20, KL_CHECK},
    {FUSED_REAL, 4, KL_CHECK | KL_QUICK},
    {FUSED_NET, 2, KL_CHECK},
    {FUSED_NET, 64, KL_TIME_SIM},
    {FUSED_NET, 512, KL_TIME_GPU},
    {SGD, 1, KL_CHECK},
    {SGD, 1000, KL_CHECK | KL_QUICK},
    {SGD, 80202, KL_CHECK}, // the network's
    {TRAIN, 1, KL_CHECK | KL_QUICK},
    {TRAIN, 3, KL_CHECK | KL_QUICK},
    {TRAIN_COLOUR, 2, KL_CHECK | KL_QUICK},
    {TRAIN_SMALL, 1, KL_CHECK},
    {TRAIN_SMALL, 2, KL_TIME_SIM},
    {TRAIN_NET, 16, KL_TIME_GPU},
    {TRAIN_NET_512, 8, KL_TIME_GPU},
};

// What a family is: its operation, and what its inputs are drawn from.
static const struct kind {
    cnn_op op;
    cnn_numbers numbers;
} kinds[FAMILIES] = {
    [FC] = {CNN_FC_FORWARD, CNN_INTEGERS},
    [FC_REAL] = {CNN_FC_FORWARD, CNN_REALS},
    [FC_NET] = {CNN_FC_FORWARD, CNN_REALS},
    [FC_BACK] = {CNN_FC_BACKWARD, CNN_INTEGERS},
    [FC_BACK_REAL] = {CNN_FC_BACKWARD, CNN_REALS},
    [FC_BACK_NET] = {CNN_FC_BACKWARD, CNN_REALS},
    [RELU] = {CNN_RELU_FORWARD, CNN_TIES},
    [RELU_BACK] = {CNN_RELU_BACKWARD, CNN_TIES},
    [POOL] = {CNN_POOL_FORWARD, CNN_TIES},
    [POOL_NET] = {CNN_POOL_FORWARD, CNN_REALS},
    [POOL_BACK] = {CNN_POOL_BACKWARD, CNN_REALS},
    [LOSS] = {CNN_LOSS, CNN_LOGITS},
    [LOSS_LARGE] = {CNN_LOSS, CNN_LARGE},
    [CONV] = {CNN_CONV_FORWARD, CNN_INTEGERS},
    [CONV_REAL] = {CNN_CONV_FORWARD, CNN_REALS},
    [CONV_FIRST] = {CNN_CONV_FORWARD, CNN_REALS},
    [CONV_NET] = {CNN_CONV_FORWARD, CNN_REALS},
    [CONV_BACK] = {CNN_CONV_BACKWARD, CNN_INTEGERS},
    [CONV_BACK_REAL] = {CNN_CONV_BACKWARD, CNN_REALS},
    [CONV_BACK_NET] = {CNN_CONV_BACKWARD, CNN_REALS},
    [FUSED] = {CNN_CONV_POOL, CNN_INTEGERS},
    [FUSED_REAL] = {CNN_CONV_POOL, CNN_REALS},
    [FUSED_NET] = {CNN_CONV_POOL, CNN_REALS},
    [SGD] = {CNN_SGD, CNN_REALS},
    [TRAIN] = {CNN_TRAIN, CNN_REALS},
    [TRAIN_COLOUR] = {CNN_TRAIN, CNN_REALS},
    [TRAIN_SMALL] = {CNN_TRAIN, CNN_REALS},
    [TRAIN_NET] = {CNN_TRAIN, CNN_REALS},
    [TRAIN_NET_512] = {CNN_TRAIN, CNN_REALS},
};

// The network and the images of a batch of a family of CNN_TRAIN.
static cnn_network network_of(int family, int64_t *out_batch) {
    switch ((enum family)family) {
    case TRAIN: *out_batch = 3; return (cnn_network){1, 16, 3, 5, 11};
    case TRAIN_COLOUR: *out_batch = 5; return (cnn_network){3, 18, 4, 6, 13};
    case TRAIN_SMALL: *out_batch = 16; return (cnn_network){1, 28, 4, 8, 32};
    default: *out_batch = family == TRAIN_NET ? 64 : 512; return (cnn_network){1, 28, 16, 32, 128};
    }
}

static cnn_shape shape_of(int family, int64_t n) {
    switch ((enum family)family) {
    case FC_NET:
    case FC_BACK_NET: return (cnn_shape){n, 512, 1, 1, 128};
    case RELU:
    case RELU_BACK: return (cnn_shape){n, 37, 1, 1, 1};
    case POOL:
    case POOL_BACK: return (cnn_shape){n, 1 + n % 3, 5 + n % 6, 4 + n % 5, 1};
    case POOL_NET: return (cnn_shape){n, 16, 24, 24, 1};
    case LOSS:
    case LOSS_LARGE: return (cnn_shape){n, n < 100 ? 2 + n * 7 % 40 : CNN_CLASSES, 1, 1, 1};
    case CONV_FIRST: return (cnn_shape){n, 1, 28, 28, 16};
    case CONV_NET:
    case CONV_BACK_NET:
    case FUSED_NET: return (cnn_shape){n, 16, 12, 12, 32};
    case CONV:
    case CONV_REAL:
    case CONV_BACK:
    case CONV_BACK_REAL: return (cnn_shape){n, 1 + n % 4, 5 + n % 9, 6 + n % 7, 3 + n % 6};
    case FUSED:
    case FUSED_REAL: return (cnn_shape){n, 1 + n % 4, 6 + n % 9, 7 + n % 7, 3 + n % 6};
    case SGD: return (cnn_shape){1, n, 1, 1, 1};
    default: return (cnn_shape){n, 13 + n % 50, 1, 1, 7 + n % 11};
    }
}

static const char *const tensor_names[CNN_TENSORS] = {
    [CNN_X] = "x",
    [CNN_W] = "w",
    [CNN_B] = "b",
    [CNN_DELTA] = "delta",
    [CNN_WHERE_IN] = "where",
    [CNN_LABELS] = "labels",
    [CNN_Y] = "y",
    [CNN_DX] = "dx",
    [CNN_DW] = "dw",
    [CNN_DB] = "db",
    [CNN_WHERE] = "where",
    [CNN_LOSSES] = "losses",
    [CNN_DELTA_OUT] = "delta",
};

static kl_dtype dtype_of(cnn_tensor tensor) {
    if (tensor == CNN_WHERE_IN || tensor == CNN_WHERE) return KL_U8;
    return tensor == CNN_LABELS ? KL_I32 : KL_F32;
}

// Multiplications and additions of a layer, or one per element where there are none.
static double ops_of(cnn_op op, const cnn_shape *s) {
    double out =
        (double)(s->images * s->filters * cnn_conv_out(s->height) * cnn_conv_out(s->width));
    double fc = 2.0 * (double)(s->images * s->channels * s->filters);
    double conv = 2.0 * out * (double)(s->channels * CNN_TAPS);
    switch (op) {
    case CNN_FC_FORWARD: return fc;
    case CNN_FC_BACKWARD: return 2.0 * fc;
    case CNN_CONV_FORWARD:
    case CNN_CONV_POOL: return conv;
    case CNN_CONV_BACKWARD: return 2.0 * conv;
    default: return (double)(s->images * cnn_elems_in(op, s));
    }
}

static void describe_layer(int family, int64_t size, kl_case *c) {
    cnn_op op = kinds[family].op;
    cnn_shape s = shape_of(family, size);
    int64_t ints[] = {op, s.images, s.channels, s.height, s.width, s.filters};
    memcpy(c->ints, ints, sizeof ints);
    for (int t = 0; t < CNN_TENSORS; t++) {
        if (!(cnn_tensors_of(op) & CNN_BIT(t))) continue;
        kl_buffer *buffer =
            t < CNN_Y ? &c->inputs[c->input_count++] : &c->outputs[c->output_count++];
        *buffer = (kl_buffer){.name = tensor_names[t],
                              .dtype = dtype_of((cnn_tensor)t),
                              .elems = (uint64_t)cnn_tensor_elems(op, (cnn_tensor)t, &s)};
        if (t == CNN_W || t == CNN_B) buffer->offset_bytes = kl_unaligned_bytes(size);
        c->work_bytes += (double)(buffer->elems * kl_dtype_bytes(buffer->dtype));
    }
    c->work_ops = ops_of(op, &s);
    c->workspace_bytes = cnn_workspace_bytes(op, &s);
}

static void describe_training(int family, int64_t size, kl_case *c) {
    int64_t batch = 0;
    cnn_network net = network_of(family, &batch);
    cnn_layout l = cnn_layout_of(&net);
    int64_t ints[] = {CNN_TRAIN, batch,        size,         net.channels,
                      net.side,  net.filters1, net.filters2, net.hidden};
    memcpy(c->ints, ints, sizeof ints);
    uint64_t used = (uint64_t)(batch * size), count = used + 7, total = (uint64_t)l.total;
    c->input_count = 5;
    c->inputs[0] = (kl_buffer){.name = "images",
                               .dtype = KL_F32,
                               .elems = count * (uint64_t)(net.channels * net.side * net.side)};
    c->inputs[1] = (kl_buffer){.name = "labels", .dtype = KL_I32, .elems = count};
    c->inputs[2] = (kl_buffer){.name = "order", .dtype = KL_I32, .elems = used};
    c->inputs[3] = (kl_buffer){.name = "parameters", .dtype = KL_F32, .elems = total};
    c->inputs[4] = (kl_buffer){.name = "velocity", .dtype = KL_F32, .elems = total};
    c->output_count = 3;
    c->outputs[0] = (kl_buffer){.name = "parameters", .dtype = KL_F32, .elems = total};
    c->outputs[1] = (kl_buffer){.name = "velocity", .dtype = KL_F32, .elems = total};
    c->outputs[2] = (kl_buffer){.name = "losses", .dtype = KL_F32, .elems = used};
    c->reals[0] = 0.05;
    c->reals[1] = 0.9;
    c->prepare_inputs = 3;
    c->workspace_bytes = c->prepared_bytes = cnn_training_bytes(&net, batch);
    int64_t side1 = cnn_conv_out(net.side), side2 = cnn_conv_out(l.pooled1);
    double conv1 = (double)(net.filters1 * side1 * side1 * net.channels * CNN_TAPS);
    double conv2 = (double)(net.filters2 * side2 * side2 * net.filters1 * CNN_TAPS);
    double fc = (double)(net.hidden * (l.flat + CNN_CLASSES));
    // forward, and twice backward, of which the first layer needs its gradient only
    c->work_ops = 2.0 * (double)used * (2.0 * conv1 + 3.0 * conv2 + 3.0 * fc);
    c->work_bytes = 4.0 * (double)(used * (uint64_t)(net.channels * net.side * net.side)) +
                    16.0 * (double)total;
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    bool known = family >= 0 && family < FAMILIES && size >= 0 && size <= cnn_problem.max_size;
    bool training = known && kinds[family].op == CNN_TRAIN;
    if (!known || (training && size > 4096) || ((training || family == SGD) && size < 1))
        return kl_no_such_case(&cnn_problem, family, size, NULL, err);
    *out_case = (kl_case){.family = family, .size = size, .seed = seed, .reals = {0.05, 0.9}};
    if (training)
        describe_training(family, size, out_case);
    else
        describe_layer(family, size, out_case);
    return KL_OK;
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    if ((cnn_op)c->ints[0] == CNN_TRAIN)
        cnn_make_training(c, inputs);
    else
        cnn_make_layer(c, kinds[c->family].numbers, inputs);
    return KL_OK;
}

// Every tensor of floats counts up, to 5, 6, .. in the order of the parameters.
static bool readable(const kl_case *c, void *const *inputs) {
    cnn_numbers numbers = kinds[c->family].numbers;
    if ((cnn_op)c->ints[0] == CNN_TRAIN || numbers == CNN_TIES || numbers == CNN_LARGE)
        return false;
    for (int i = 0; i < c->input_count; i++)
        if (c->inputs[i].dtype == KL_F32) kl_small_count_up(&c->inputs[i], 5 + i, inputs[i]);
    return true;
}

static uint64_t solution_bytes(const kl_case *c) {
    return cnn_answer_bytes(c);
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    return cnn_answer(c, kinds[c->family].numbers == CNN_INTEGERS, inputs, out_solution, err);
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    (void)inputs;
    cnn_verify(c, solution, outputs, out_verdict);
}

static const char *unit_of(int family) {
    return family == SGD ? "parameters" : kinds[family].op == CNN_TRAIN ? "batches" : "images";
}

const kl_problem cnn_problem = {
    .name = "cnn",
    .folder = "09_cnn",
    .title = "Convolutional network",
    .size_unit = "images",
    .unit_of = unit_of,
    .ceiling = KL_CEILING_FMA,
    .default_seed = 1998, // the year of LeNet-5
    .max_size = INT64_C(1) << 20,
    .timed_family = "conv-net",
    KL_PROBLEM_PARTS,
};
