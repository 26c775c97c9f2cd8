// Epochs: training, then accuracy on training and test images. See app.h.
#include "app.h"
#include "cuda_check.h"
#include "files.h"
#include "this_machine.h"

enum { PATH_BYTES = 4096 };

// ---- opening
// -------------------------------------------------------------------------------------

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

// ---- training
// ------------------------------------------------------------------------------------

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
