// Epochs: training, then accuracy on training and test images. See app.h.
#include "app.h"
#include "cuda_check.h"
#include "files.h"
#include "this_machine.h"

enum { PATH_BYTES = 4096 };

// ---- opening ------------------------------------------------------------------------------------

// All training images as floats on the device.
static kl_status upload_images(cnn_run *run, kl_error *err) {
    const kl_images *images = &run->data->train;
    int64_t elems = kl_images_pixels(images), part = 1024;
    float *some = malloc(sizeof(float) * (size_t)(part * elems));
    if (!some) return kl_fail(err, KL_ERROR_MEMORY, "no memory for images");
    cudaError_t code =
        cudaMalloc((void **)&run->d_train, sizeof(float) * (size_t)(images->count * elems));
    for (int64_t i = 0; i < images->count && code == cudaSuccess; i += part) {
        int64_t count = images->count - i < part ? images->count - i : part;
        kl_images_to_float(images, i, count, run->feed.mean, run->feed.stddev, some);
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
             (long long)o->widths[0], (long long)o->widths[1], (long long)o->widths[2],
             CNN_CLASSES);
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

static kl_status open_steps(const cnn_options *o, cnn_ops *out, kl_error *err) {
    char folder[PATH_BYTES - 16], path[PATH_BYTES];
    TRY(kl_device_program_folder(folder, sizeof folder, err));
    snprintf(path, sizeof path, "%s/%s", folder, o->solution ? "solution" : "skeleton");
    return cnn_ops_open(path, o->steps_chosen ? o->steps : NULL, out, err);
}

kl_status cnn_run_open(const cnn_options *o, const kl_device *device, const kl_dataset *data,
                       cnn_run *out, kl_error *err) {
    memset(out, 0, sizeof *out);
    out->options = o;
    out->device = device;
    out->data = data;
    TRY(cnn_feed_open(data, o->batch, &out->feed, err));
    TRY(open_steps(o, &out->ops, err));
    cnn_network shape = {data->train.channels, data->train.height, o->widths[0], o->widths[1],
                         o->widths[2]};
    TRY(cnn_model_new(&shape, out->feed.most, o->seed, &out->model, err));
    describe(out);
    size_t tests = (size_t)data->test.count;
    out->predicted = malloc(tests);
    out->confidence = malloc(tests * sizeof *out->confidence);
    out->order = malloc(sizeof(int32_t) * (size_t)data->train.count);
    if (!out->predicted || !out->confidence || !out->order)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for the predictions");
    int whole = out->ops.step_of[CNN_TRAIN];
    out->whole_step = whole > 0 && !o->layers ? whole : 0;
    if (out->whole_step == 0) return KL_OK;
    TRY(upload_images(out, err));
    return cnn_whole_open(out, err);
}

void cnn_run_close(cnn_run *run) {
    cnn_whole_close(run);
    cudaFree(run->d_train);
    free(run->predicted);
    free(run->confidence);
    free(run->order);
    cnn_model_free(&run->model);
    cnn_feed_close(&run->feed);
    cnn_ops_close(&run->ops);
}

static void count_confusion(cnn_run *run) {
    int classes = run->data->test.classes;
    memset(run->confusion, 0, sizeof run->confusion);
    for (int64_t i = 0; i < run->data->test.count; i++)
        if (run->predicted[i] < classes)
            run->confusion[run->data->test.labels[i] * classes + run->predicted[i]]++;
}

// ---- training -----------------------------------------------------------------------------------

static kl_status one_epoch(cnn_run *run, int number, double *out_wall_s, kl_error *err) {
    const cnn_options *o = run->options;
    const kl_images *train = &run->data->train, *test = &run->data->test;
    kl_epoch *e = &run->epochs[number];
    double rate = o->learning_rate * (1.0 - (double)number / o->epochs);
    kl_epoch_order(o->seed, number, train->count, run->order);
    if (run->whole_step > 0)
        TRY(cnn_whole_epoch(run, run->order, rate, &e->loss, out_wall_s, err));
    else
        TRY(cnn_feed_epoch(&run->feed, &run->model, &run->ops, run->order, o->batch, rate,
                           o->momentum, &e->loss, out_wall_s, err));
    e->seconds = run->device->simulated ? NAN : *out_wall_s; // nobody models a whole training
    int64_t some = train->count < test->count ? train->count : test->count;
    TRY(cnn_feed_accuracy(&run->feed, &run->model, &run->ops, train, some, NULL, NULL,
                          &e->train_accuracy, err));
    TRY(cnn_feed_accuracy(&run->feed, &run->model, &run->ops, test, test->count, run->predicted,
                          run->confidence, &e->test_accuracy, err));
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
        if (o->save) TRY(cnn_checkpoint_save(run, o->save, err));
    }
    return KL_OK;
}

// ---- An epoch in one call of step 9 or 10 ----

// All training images lie on the device.

extern const kl_adapter kl_lab_adapter;

// What stays on the device from epoch to epoch beside the model's own arrays.
typedef struct whole {
    int32_t *d_labels, *d_order;
    float *d_losses, *h_losses;
    void *d_memory;
    cnn_training training;
} whole;

static int64_t batches_of(const cnn_run *run) {
    return run->data->train.count / run->options->batch;
}

static kl_status upload_data(cnn_run *run, whole *w, kl_error *err) {
    const kl_images *images = &run->data->train;
    size_t count = (size_t)images->count, used = (size_t)(batches_of(run) * run->options->batch);
    int32_t *labels = malloc(count * sizeof *labels);
    w->h_losses = malloc(used * sizeof *w->h_losses);
    if (!labels || !w->h_losses) {
        free(labels);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for %lld labels", (long long)images->count);
    }
    for (size_t i = 0; i < count; i++) labels[i] = images->labels[i];
    cudaError_t code = cudaMalloc((void **)&w->d_labels, count * sizeof *labels);
    if (code == cudaSuccess)
        code = cudaMemcpy(w->d_labels, labels, count * sizeof *labels, cudaMemcpyHostToDevice);
    free(labels);
    KL_CUDA(err, code);
    KL_CUDA(err, cudaMalloc((void **)&w->d_order, used * sizeof(int32_t)));
    KL_CUDA(err, cudaMalloc((void **)&w->d_losses, used * sizeof(float)));
    KL_CUDA(err,
            cudaMalloc(&w->d_memory, cnn_training_bytes(&run->model.shape, run->options->batch)));
    return KL_OK;
}

static kl_status call(const cnn_run *run, void *function, cnn_training *training, kl_error *err) {
    KL_FUNCTION(cnn_function, step, function);
    cnn_task task = {.op = CNN_TRAIN, .training = training, .d_workspace = training->d_prepared};
    int code = step(&task);
    if (code == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_CUDA, "step %d: %s", run->whole_step,
                   code == CNN_NOT_IMPLEMENTED ? "not implemented"
                                               : cudaGetErrorString((cudaError_t)code));
}

kl_status cnn_whole_open(cnn_run *run, kl_error *err) {
    whole *w = calloc(1, sizeof *w);
    if (!w) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a training");
    run->whole = w;
    if (batches_of(run) == 0)
        return kl_fail(err, KL_ERROR_INPUT, "%lld images make no batch of %lld",
                       (long long)run->data->train.count, (long long)run->options->batch);
    TRY(upload_data(run, w, err));
    w->training = (cnn_training){.network = run->model.shape,
                                 .batch = run->options->batch,
                                 .batches = batches_of(run),
                                 .count = run->data->train.count,
                                 .d_images = run->d_train,
                                 .d_labels = w->d_labels,
                                 .d_order = w->d_order,
                                 .momentum = (float)run->options->momentum,
                                 .d_prepared = w->d_memory,
                                 .h_plan = run->plan};
    const kl_step *step = &run->ops.steps[run->whole_step];
    if (!step->prepare) return KL_OK;
    return call(run, step->prepare, &w->training, err);
}

void cnn_whole_close(cnn_run *run) {
    whole *w = run->whole;
    if (!w) return;
    cudaFree(w->d_labels);
    cudaFree(w->d_order);
    cudaFree(w->d_losses);
    cudaFree(w->d_memory);
    free(w->h_losses);
    free(w);
    run->whole = NULL;
}

kl_status cnn_whole_epoch(cnn_run *run, const int32_t *h_order, double learning_rate,
                          double *out_loss, double *out_seconds, kl_error *err) {
    whole *w = run->whole;
    cnn_model *m = &run->model;
    size_t used = (size_t)(w->training.batches * w->training.batch);
    KL_CUDA(err, cudaMemcpy(w->d_order, h_order, used * sizeof *h_order, cudaMemcpyHostToDevice));
    cnn_training *t = &w->training;
    t->learning_rate = (float)learning_rate;
    t->d_parameters_in = m->d_parameters;
    t->d_velocity_in = m->d_velocity;
    t->d_parameters = m->d_parameters_out;
    t->d_velocity = m->d_velocity_out;
    t->d_losses = w->d_losses;
    double begun = kl_now_s();
    TRY(call(run, run->ops.steps[run->whole_step].function, t, err));
    KL_CUDA(err, cudaDeviceSynchronize());
    *out_seconds = kl_now_s() - begun;
    cnn_model_exchange(m);
    KL_CUDA(err,
            cudaMemcpy(w->h_losses, w->d_losses, used * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (size_t i = 0; i < used; i++) sum += w->h_losses[i];
    *out_loss = sum / (double)used;
    return KL_OK;
}
