// Loss and accuracies by epoch: see training.h.
#include "drawing.h"
#include "training.h"

enum {
    WIDTH = 790,
    HEIGHT = 330,
    TOP = 72,
    FRAME = 200,
    LOSS_LEFT = 62,
    LOSS = 270,
    LEFT = 456,
    ACCURACY = 232
};

// Epochs as the columns of curves: [count] each.
typedef struct columns {
    double *epoch, *loss, *train, *test;
} columns;

static kl_status make_columns(const kl_training *t, columns *out, kl_error *err) {
    size_t n = (size_t)t->epoch_count;
    double *all = malloc((4 * n + 1) * sizeof *all);
    if (!all) return kl_fail(err, KL_ERROR_MEMORY, "no memory to draw %zu epochs", n);
    *out = (columns){all, all + n, all + 2 * n, all + 3 * n};
    for (int i = 0; i < t->epoch_count; i++) {
        out->epoch[i] = i + 1;
        out->loss[i] = t->epochs[i].loss;
        out->train[i] = 100 * t->epochs[i].train_accuracy;
        out->test[i] = 100 * t->epochs[i].test_accuracy;
    }
    return KL_OK;
}

// A mark for each of a few epochs.
static kl_axis epoch_axis(const kl_training *t) {
    enum { FEW = 12 };
    if (t->epoch_count <= FEW)
        return (kl_axis){"epoch", 1, t->epoch_count > 1 ? t->epoch_count : 2, 1, false};
    return kl_axis_over("epoch", 0, t->epoch_count, 8);
}

static kl_chart loss_chart(const kl_training *t, const columns *c) {
    double most = 0;
    for (int i = 0; i < t->epoch_count; i++)
        if (isfinite(c->loss[i])) most = fmax(most, c->loss[i]);
    return (kl_chart){"Loss",
                      epoch_axis(t),
                      kl_axis_over("mean cross-entropy", 0, most > 0 ? most : 1, 5),
                      LOSS_LEFT,
                      TOP,
                      LOSS,
                      FRAME,
                      1,
                      {{"loss", t->epoch_count, c->epoch, c->loss}}};
}

static kl_chart accuracy_chart(const kl_training *t, const columns *c) {
    double least = 100;
    for (int i = 0; i < t->epoch_count; i++) {
        if (isfinite(c->train[i])) least = fmin(least, c->train[i]);
        if (isfinite(c->test[i])) least = fmin(least, c->test[i]);
    }
    return (kl_chart){"Accuracy",
                      epoch_axis(t),
                      kl_axis_over("% of the images", least < 100 ? least : 0, 100, 5),
                      LEFT,
                      TOP,
                      ACCURACY,
                      FRAME,
                      2,
                      {{"training", t->epoch_count, c->epoch, c->train},
                       {"test", t->epoch_count, c->epoch, c->test}}};
}

kl_status kl_draw_curve(const kl_training *training, FILE *out, kl_error *err) {
    columns c = {.epoch = NULL};
    TRY(make_columns(training, &c, err));
    kl_chart loss = loss_chart(training, &c), accuracy = accuracy_chart(training, &c);
    kl_paper_begin(out, WIDTH, HEIGHT, "Loss and accuracy of a training run by epoch");
    kl_paper_text(out, LOSS_LEFT - 44, 20, "t",
                  "Training on %s: %lld images, batches of %lld, seed %llu", training->dataset,
                  (long long)training->train_images, (long long)training->batch,
                  (unsigned long long)training->seed);
    kl_paper_text(out, LOSS_LEFT - 44, 38, "v", "%s; %s", training->network, training->device);
    kl_chart_draw(&loss, out);
    kl_chart_draw(&accuracy, out);
    free(c.epoch);
    return kl_picture_end(out, err);
}
