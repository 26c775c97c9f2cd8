// Every gradient of lab 09's layers against central finite differences, in double precision: each
// layer alone, and a whole network. And the bounds: they hold what float may do, and little more.
#include "random.h"
#include "reference.h"
#include "suite.h"

static const double h = 1e-5; // error of the difference: h^2, and 2^-53 / h of the sum

typedef struct layer_case {
    cnn_op forward, backward;
    cnn_layer *go, *back;
    cnn_shape shape;
} layer_case;

static double *numbers(int64_t count, uint64_t seed) {
    double *x = malloc((size_t)(count + 1) * sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (int64_t i = 0; i < count; i++) x[i] = kl_random_signed(seed, (uint64_t)i);
    return x;
}

// sum of delta * y: the function whose derivatives the backward layer gives.
static double weighted(const layer_case *c, const cnn_arrays *a, const double *delta) {
    int64_t count = cnn_tensor_elems(c->forward, CNN_Y, &c->shape);
    double sum = 0.0;
    c->go(a);
    for (int64_t i = 0; i < count; i++) sum += delta[i] * a->y[i];
    return sum;
}

static void check_by_differences(const layer_case *c, const cnn_arrays *a, const double *delta,
                                 double *at, int64_t count, const double *gradient) {
    for (int64_t i = 0; i < count; i++) {
        double kept = at[i];
        at[i] = kept + h;
        double above = weighted(c, a, delta);
        at[i] = kept - h;
        double below = weighted(c, a, delta);
        at[i] = kept;
        ck_assert_double_eq_tol(gradient[i], (above - below) / (2 * h), 1e-8);
    }
}

static const layer_case layers[] = {
    {CNN_FC_FORWARD, CNN_FC_BACKWARD, cnn_fc_forward, cnn_fc_backward, {3, 7, 1, 1, 5}},
    {CNN_CONV_FORWARD, CNN_CONV_BACKWARD, cnn_conv_forward, cnn_conv_backward, {2, 3, 7, 6, 2}},
    {CNN_RELU_FORWARD, CNN_RELU_BACKWARD, cnn_relu_forward, cnn_relu_backward, {4, 9, 1, 1, 1}},
    {CNN_POOL_FORWARD, CNN_POOL_BACKWARD, cnn_pool_forward, cnn_pool_backward, {2, 3, 7, 5, 1}},
};

static void check_layer(const layer_case *c) {
    int64_t x_count = cnn_tensor_elems(c->forward, CNN_X, &c->shape);
    int64_t w_count = cnn_tensor_elems(c->forward, CNN_W, &c->shape);
    int64_t b_count = cnn_tensor_elems(c->forward, CNN_B, &c->shape);
    int64_t y_count = cnn_tensor_elems(c->forward, CNN_Y, &c->shape);
    double *x = numbers(x_count, 1), *w = numbers(w_count, 2), *b = numbers(b_count, 3);
    double *delta = numbers(y_count, 4), *y = numbers(y_count, 5);
    double *dx = numbers(x_count, 6), *dw = numbers(w_count, 7), *db = numbers(b_count, 8);
    uint8_t *where = malloc((size_t)y_count);
    cnn_arrays a = {
        .shape = c->shape, .x = x, .w = w, .b = b, .delta = delta, .where_in = where, .y = y};
    a.where = where;
    a.dx = dx;
    a.dw = dw;
    a.db = db;
    c->go(&a);
    c->back(&a);
    check_by_differences(c, &a, delta, x, x_count, dx);
    check_by_differences(c, &a, delta, w, w_count, dw);
    check_by_differences(c, &a, delta, b, b_count, db);
    double *all[] = {x, w, b, delta, y, dx, dw, db};
    for (int i = 0; i < 8; i++) free(all[i]);
    free(where);
}

KL_TEST(gradients_of_the_layers) {
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) check_layer(&layers[i]);
}

KL_TEST(delta_of_the_loss) {
    enum { IMAGES = 3, CLASSES = 6 };
    double *x = numbers(IMAGES * CLASSES, 11), losses[IMAGES], delta[IMAGES * CLASSES];
    double unused[IMAGES * CLASSES];
    int32_t labels[IMAGES] = {5, 0, 2};
    cnn_arrays a = {.shape = {IMAGES, CLASSES, 1, 1, 1},
                    .x = x,
                    .labels = labels,
                    .losses = losses,
                    .delta_out = delta};
    cnn_loss(&a);
    a.delta_out = unused;
    for (int i = 0; i < IMAGES * CLASSES; i++) {
        double mean[2], kept = x[i];
        for (int side = 0; side < 2; side++) {
            x[i] = side == 0 ? kept + h : kept - h;
            cnn_loss(&a);
            mean[side] = (losses[0] + losses[1] + losses[2]) / IMAGES;
        }
        x[i] = kept;
        ck_assert_double_eq_tol(delta[i], (mean[0] - mean[1]) / (2 * h), 1e-8);
    }
    free(x);
}

// ---- a whole network
// -----------------------------------------------------------------------------

static void one_step(const kl_prepared *p, cnn_values w, cnn_values v, cnn_values losses) {
    kl_error err;
    cnn_training t = {.network = cnn_case_network(&p->shape),
                      .batch = p->shape.ints[1],
                      .batches = 1,
                      .count = (int64_t)p->shape.inputs[1].elems,
                      .d_images = p->inputs[0],
                      .d_labels = p->inputs[1],
                      .d_order = p->inputs[2],
                      .d_parameters_in = p->inputs[3],
                      .d_velocity_in = p->inputs[4],
                      .learning_rate = 0.5f,
                      .momentum = 0.0f};
    ck_assert_int_eq(cnn_bound_training(&t, w, v, losses, &err), KL_OK);
}

static double mean_of(cnn_values losses) {
    double sum = 0.0;
    for (int64_t i = 0; i < losses.count; i++) sum += losses.value[i];
    return sum / (double)losses.count;
}

static void prepare(const char *family, int64_t size, uint64_t seed, kl_prepared *out) {
    kl_error err;
    int f = kl_problem_family(&cnn_problem, family);
    ck_assert_int_eq(kl_prepare_case(&cnn_problem, f, size, seed, out, &err), KL_OK);
}

// Without momentum the new velocity is the gradient of the mean loss.
static void check_network(const char *family) {
    kl_prepared p;
    prepare(family, 1, 5, &p);
    cnn_network net = cnn_case_network(&p.shape);
    int64_t total = cnn_layout_of(&net).total, batch = p.shape.ints[1];
    cnn_values w = cnn_values_new(total), v = cnn_values_new(total), other = cnn_values_new(total);
    cnn_values losses = cnn_values_new(batch);
    float *parameters = p.inputs[3];
    one_step(&p, w, v, losses);
    int looked_at = 0;
    for (int64_t i = 0; i < total; i += 1 + i % 7) { // some of each tensor
        float kept = parameters[i], above = kept + 1e-4f, below = kept - 1e-4f;
        parameters[i] = above;
        one_step(&p, other, w, losses);
        double more = mean_of(losses);
        parameters[i] = below;
        one_step(&p, other, w, losses);
        double difference = (more - mean_of(losses)) / ((double)above - (double)below);
        parameters[i] = kept;
        ck_assert_double_eq_tol(v.value[i], difference, 1e-5);
        looked_at++;
    }
    ck_assert_int_gt(looked_at, 40);
    cnn_values_free(&w);
    cnn_values_free(&v);
    cnn_values_free(&other);
    cnn_values_free(&losses);
    kl_prepared_free(&p);
}

KL_TEST(gradients_of_networks) {
    check_network("train");
    check_network("train-colour");
}

// ---- bounds
// --------------------------------------------------------------------------------------

// Bounds of a training are mostly below a hundredth of the typical gradient: what is wrong shows.
static void check_bounds(const char *family, int64_t batches) {
    kl_prepared p;
    prepare(family, batches, 77, &p);
    int64_t total = (int64_t)p.shape.outputs[1].elems;
    const double *velocity = (const double *)p.solution + 2 * total, *errors = velocity + total;
    double square = 0.0, bounds = 0.0;
    for (int64_t i = 0; i < total; i++) {
        square += velocity[i] * velocity[i];
        bounds += errors[i];
        ck_assert_double_ge(errors[i], 0.0);
    }
    double typical = sqrt(square / (double)total);
    double mean = bounds / (double)total;
    ck_assert_msg(mean < 0.01 * typical, "%s: bound %g, typical %g", family, mean, typical);
    kl_prepared_free(&p);
}

KL_TEST(bounds_are_tight) {
    check_bounds("train", 3);
    check_bounds("train-colour", 2);
    check_bounds("train-small", 1);
}

// A delta may go to either of two elements that float cannot tell apart, and both are right.
KL_TEST(ties_within_the_error_are_open) {
    kl_error err;
    double x[4] = {1.0, 1.0 + 1e-9, 0.5, -1.0}, e[4] = {1e-7, 1e-7, 1e-7, 1e-7}, y[2];
    uint8_t allowed = 0;
    cnn_bounded pool = {.op = CNN_POOL_FORWARD,
                        .shape = {1, 1, 2, 2, 1},
                        .x = {4, x, e},
                        .y = {1, y, y + 1},
                        .where = {1, &allowed}};
    ck_assert_int_eq(cnn_bound(&pool, &err), KL_OK);
    ck_assert_int_eq(allowed, 3);
    double delta = 2.0, dx[8];
    cnn_bounded back = {.op = CNN_POOL_BACKWARD,
                        .shape = {1, 1, 2, 2, 1},
                        .delta = {1, &delta, NULL},
                        .where_set = {1, &allowed},
                        .dx = {4, dx, dx + 4}};
    ck_assert_int_eq(cnn_bound(&back, &err), KL_OK);
    ck_assert(dx[4] == 2.0 && dx[5] == 2.0 && dx[6] == 0.0 && dx[7] == 0.0);
    pool.x.error = NULL;
    ck_assert_int_eq(cnn_bound(&pool, &err), KL_OK);
    ck_assert_int_eq(allowed, 2); // exact inputs: one answer
}

KL_TEST(bad_sizes_are_refused) {
    const cnn_shape good = {4, 3, 12, 12, 8};
    const struct {
        cnn_op op;
        cnn_shape shape;
        int refused;
    } rows[] = {{CNN_CONV_FORWARD, good, 0},
                {CNN_CONV_FORWARD, {0, 3, 5, 5, 8}, 0},
                {CNN_CONV_FORWARD, {4, 3, 4, 12, 8}, 1}, // smaller than a filter
                {CNN_POOL_FORWARD, {4, 3, 4, 12, 8}, 0},
                {CNN_FC_FORWARD, {-1, 3, 1, 1, 8}, 1},
                {CNN_FC_FORWARD, {1 << 21, 3, 1, 1, 8}, 1},
                {CNN_FC_FORWARD, {4, 0, 1, 1, 8}, 1},
                {CNN_FC_FORWARD, {4, -3, 1, 1, -8}, 1},
                {CNN_FC_FORWARD, {4, 3, 1, 1, 0}, 1},
                {CNN_FC_FORWARD, {1 << 20, 1 << 16, 1, 1, 1}, 1}, // too many elements
                {CNN_CONV_FORWARD, {1, INT64_MAX, 12, 12, INT64_MAX}, 1},
                {CNN_SGD, {1, 0, 1, 1, 1}, 1},
                {CNN_SGD, {1, CNN_MOST_ELEMS, 1, 1, 1}, 0},
                {CNN_SGD, {1, CNN_MOST_ELEMS + 1, 1, 1, 1}, 1},
                {CNN_TRAIN, good, 1}}; // without a training
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cnn_task task = {.op = rows[i].op, .shape = rows[i].shape};
        ck_assert_msg(cnn_refuses(&task) == rows[i].refused, "row %zu", i);
    }
    const cnn_training fits = {
        .network = {1, 28, 16, 32, 128}, .batch = 64, .batches = 2, .count = 100};
    cnn_training bad[6];
    for (int i = 0; i < 6; i++) bad[i] = fits;
    bad[0].network.side = 15;
    bad[1].network.channels = 9;
    bad[2].network.hidden = 0;
    bad[3].batch = 0;
    bad[4].batches = -1;
    bad[5].count = 0;
    cnn_task task = {.op = CNN_TRAIN, .training = &fits};
    ck_assert(!cnn_refuses(&task));
    for (int i = 0; i < 6; i++) {
        task.training = &bad[i];
        ck_assert_msg(cnn_refuses(&task), "training %d", i);
    }
}

KL_TEST_MAIN("cnn layers")
