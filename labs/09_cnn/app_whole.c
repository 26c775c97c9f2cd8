// An epoch in one call of step 9 or 10: see app.h. All training images lie on the device.
#include "app.h"
#include "cuda_check.h"
#include "this_machine.h"

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
