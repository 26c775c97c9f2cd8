// SPDX-License-Identifier: MIT
// Epochs: training, then accuracy on training and test images. See app.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "cuda_check.h"
#include "monotonic_clock.h"
#include "progress.h"

enum { EVALUATED = 500 }; // images at a time, at least a batch

// ---- opening -------------------------------------------------------------------------------------

static kl_status check_data(const kl_dataset *data, const cnn_options *o, kl_error *err) {
    const kl_images *t = &data->train;
    if (t->height != t->width || t->height < 16 || t->height > 40 || t->channels > 8 ||
        t->classes > CNN_CLASSES)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s: images of %d x %d x %d in %d classes; the network takes square ones of "
                       "16 to 40, up to 8 channels and %d classes",
                       data->name, t->channels, t->height, t->width, t->classes, CNN_CLASSES);
    if (t->count < o->batch)
        return kl_fail(err, KL_ERROR_INPUT, "%lld training images make no batch of %lld",
                       (long long)t->count, (long long)o->batch);
    return KL_OK;
}

// All training images as floats on the device.
static kl_status upload_images(cnn_run *run, kl_error *err) {
    const kl_images *images = &run->data->train;
    int64_t elems = kl_images_pixels(images), part = 1024;
    float *some = malloc(sizeof(float) * (size_t)(part * elems));
    if (some == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory for images");
    cudaError_t code =
        cudaMalloc((void **)&run->d_train, sizeof(float) * (size_t)(images->count * elems));
    for (int64_t i = 0; i < images->count && code == cudaSuccess; i += part) {
        int64_t count = images->count - i < part ? images->count - i : part;
        kl_images_to_float(images, i, count, run->mean, run->stddev, some);
        code = cudaMemcpy(run->d_train + i * elems, some, sizeof(float) * (size_t)(count * elems),
                          cudaMemcpyHostToDevice);
    }
    free(some);
    KL_CUDA(err, code);
    return KL_OK;
}

static void describe(cnn_run *run) {
    const cnn_options *o = run->options;
    const kl_dataset *data = run->data;
    snprintf(run->network_text, sizeof run->network_text, "conv %lld, conv %lld, fc %lld, fc %d",
             (long long)o->filters1, (long long)o->filters2, (long long)o->hidden, CNN_CLASSES);
    run->record = (kl_training){.network = run->network_text,
                                .dataset = data->name,
                                .source = data->source,
                                .device = run->device->name,
                                .simulated = run->device->simulated,
                                .seed = o->seed,
                                .batch = o->batch,
                                .train_images = data->train.count,
                                .test_images = data->test.count,
                                .parameters = run->model.layout.total,
                                .learning_rate = o->learning_rate,
                                .momentum = o->momentum,
                                .epochs = run->epochs,
                                .classes = data->train.classes,
                                .class_names = data->class_names,
                                .confusion = run->confusion};
}

kl_status cnn_run_open(const cnn_options *o, const kl_device *device, const kl_dataset *data,
                       cnn_run *out, kl_error *err) {
    memset(out, 0, sizeof *out);
    out->options = o;
    out->device = device;
    out->data = data;
    TRY(check_data(data, o, err));
    kl_images_moments(&data->train, &out->mean, &out->stddev);
    TRY(cnn_ops_open(o, &out->ops, err));
    cnn_network shape = {data->train.channels, data->train.height, o->filters1, o->filters2,
                         o->hidden};
    out->most = o->batch > EVALUATED ? o->batch : EVALUATED;
    TRY(cnn_model_new(&shape, out->most, o->seed, &out->model, err));
    describe(out);
    size_t tests = (size_t)data->test.count;
    int64_t elems = kl_images_pixels(&data->train);
    out->predicted = malloc(tests);
    out->confidence = malloc(tests * sizeof *out->confidence);
    out->h_images = malloc(sizeof(float) * (size_t)(out->most * elems));
    out->order = malloc(sizeof(int32_t) * (size_t)data->train.count);
    if (!out->predicted || !out->confidence || !out->h_images || !out->order)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for the predictions");
    KL_CUDA(err, cudaMalloc((void **)&out->d_images, sizeof(float) * (size_t)(out->most * elems)));
    int whole = out->ops.step_of[CNN_TRAIN];
    out->whole_step = whole > 0 && !o->layers ? whole : 0;
    if (out->whole_step == 0) return KL_OK;
    TRY(upload_images(out, err));
    return cnn_whole_open(out, err);
}

void cnn_run_close(cnn_run *run) {
    cnn_whole_close(run);
    cudaFree(run->d_train);
    cudaFree(run->d_images);
    free(run->predicted);
    free(run->confidence);
    free(run->h_images);
    free(run->order);
    cnn_model_free(&run->model);
    cnn_ops_close(&run->ops);
}

// ---- accuracy ------------------------------------------------------------------------------------

static kl_status load_images(cnn_run *run, const kl_images *from, int64_t first, int64_t count,
                             kl_error *err) {
    kl_images_to_float(from, first, count, run->mean, run->stddev, run->h_images);
    KL_CUDA(err, cudaMemcpy(run->d_images, run->h_images,
                            sizeof(float) * (size_t)(count * kl_images_pixels(from)),
                            cudaMemcpyHostToDevice));
    return KL_OK;
}

// The class with the largest logit, and its softmax.
static uint8_t choose(const float *logits, float *out_confidence) {
    int best = 0;
    double sum = 0.0;
    for (int k = 1; k < CNN_CLASSES; k++) best = logits[k] > logits[best] ? k : best;
    for (int k = 0; k < CNN_CLASSES; k++) sum += exp((double)logits[k] - logits[best]);
    *out_confidence = (float)(1.0 / sum);
    return (uint8_t)best;
}

// Share of the first `count` images that are predicted right. test: predictions are kept.
static kl_status evaluate(cnn_run *run, const kl_images *images, int64_t count, bool test,
                          double *out_accuracy, kl_error *err) {
    int64_t right = 0;
    float *all = malloc(sizeof(float) * (size_t)(run->most * CNN_CLASSES));
    if (all == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the predictions");
    kl_status status = KL_OK;
    for (int64_t i = 0; i < count && status == KL_OK; i += run->most) {
        int64_t some = count - i < run->most ? count - i : run->most;
        status = load_images(run, images, i, some, err);
        if (status == KL_OK)
            status = cnn_model_predict(&run->model, &run->ops, some, run->d_images, all, err);
        for (int64_t k = 0; k < some && status == KL_OK; k++) {
            float confidence;
            uint8_t best = choose(all + k * CNN_CLASSES, &confidence);
            right += best == images->labels[i + k];
            if (!test) continue;
            run->predicted[i + k] = best;
            run->confidence[i + k] = confidence;
        }
    }
    free(all);
    *out_accuracy = (double)right / (double)count;
    return status;
}

static void count_confusion(cnn_run *run) {
    int classes = run->data->test.classes;
    memset(run->confusion, 0, sizeof run->confusion);
    for (int64_t i = 0; i < run->data->test.count; i++)
        if (run->predicted[i] < classes)
            run->confusion[run->data->test.labels[i] * classes + run->predicted[i]]++;
}

// ---- training ------------------------------------------------------------------------------------

// One epoch, layer by layer: images are gathered on the host.
static kl_status epoch_by_layers(cnn_run *run, double learning_rate, double *out_loss,
                                 double *out_seconds, kl_error *err) {
    const kl_images *images = &run->data->train;
    int64_t batch = run->options->batch, elems = kl_images_pixels(images), used = 0;
    int32_t labels[1 << 14];
    float *losses = malloc(sizeof(float) * (size_t)batch);
    if (losses == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a batch");
    double sum = 0.0, begun = kl_now_s();
    kl_bar bar = kl_bar_begin("training");
    kl_status status = KL_OK;
    for (; used + batch <= images->count && status == KL_OK; used += batch) {
        for (int64_t i = 0; i < batch; i++) {
            int32_t which = run->order[used + i];
            labels[i] = images->labels[which];
            kl_images_to_float(images, which, 1, run->mean, run->stddev, run->h_images + i * elems);
        }
        cudaError_t code =
            cudaMemcpy(run->d_images, run->h_images, sizeof(float) * (size_t)(batch * elems),
                       cudaMemcpyHostToDevice);
        if (code != cudaSuccess) {
            status = kl_cuda_fail(err, code, __FILE__, __LINE__, "copy of a batch");
            break;
        }
        status = cnn_model_step(&run->model, &run->ops, batch, run->d_images, labels, learning_rate,
                                run->options->momentum, losses, err);
        for (int64_t i = 0; i < batch; i++) sum += losses[i];
        kl_bar_show(&bar, (double)(used + batch) / (double)images->count, "");
    }
    kl_bar_end(&bar);
    free(losses);
    *out_loss = sum / (double)used;
    *out_seconds = kl_now_s() - begun;
    return status;
}

static kl_status one_epoch(cnn_run *run, int number, double *out_wall_s, kl_error *err) {
    const cnn_options *o = run->options;
    const kl_images *train = &run->data->train, *test = &run->data->test;
    kl_epoch *e = &run->epochs[number];
    double rate = o->learning_rate * (1.0 - (double)number / o->epochs);
    kl_epoch_order(o->seed, number, train->count, run->order);
    if (run->whole_step > 0)
        TRY(cnn_whole_epoch(run, run->order, rate, &e->loss, out_wall_s, err));
    else
        TRY(epoch_by_layers(run, rate, &e->loss, out_wall_s, err));
    e->seconds = run->device->simulated ? NAN : *out_wall_s; // nobody models a whole training
    int64_t some = train->count < test->count ? train->count : test->count;
    TRY(evaluate(run, train, some, false, &e->train_accuracy, err));
    TRY(evaluate(run, test, test->count, true, &e->test_accuracy, err));
    run->record.epoch_count = run->epochs_done = number + 1;
    count_confusion(run);
    return KL_OK;
}

kl_status cnn_run_train(cnn_run *run, FILE *out, kl_error *err) {
    const cnn_options *o = run->options;
    fprintf(out, "\nepoch    loss   train    test   %s\n",
            run->device->simulated ? "simulated in" : "training");
    fprintf(out, "-----  ------  ------  ------  ---------\n");
    kl_bar bar = kl_bar_begin("epochs");
    int last = o->stop > 0 && run->epochs_done + o->stop < o->epochs ? run->epochs_done + o->stop
                                                                     : o->epochs;
    for (int number = run->epochs_done; number < last; number++) {
        double wall_s = 0.0;
        kl_bar_show(&bar, (double)number / o->epochs, "");
        TRY(one_epoch(run, number, &wall_s, err));
        kl_bar_end(&bar);
        const kl_epoch *e = &run->epochs[number];
        fprintf(out, "%5d  %6.3f  %5.1f%%  %5.1f%%  %7.3f s\n", number + 1, e->loss,
                100.0 * e->train_accuracy, 100.0 * e->test_accuracy, wall_s);
        fflush(out);
        if (o->save != NULL) TRY(cnn_checkpoint_save(run, o->save, err));
    }
    return KL_OK;
}
