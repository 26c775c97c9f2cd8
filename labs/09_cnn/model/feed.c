// Images for a network: batches, accuracy, an epoch layer by layer. See model.h.
#include "cuda_check.h"
#include "files.h"
#include "model/model.h"
#include "this_machine.h"

enum { EVALUATED = 500, MOST_BATCH = 1 << 14 }; // images at a time, at least a batch

static kl_status check_data(const kl_dataset *data, int64_t batch, kl_error *err) {
    const kl_images *t = &data->train;
    if (t->height != t->width || t->height < 16 || t->height > 40 || t->channels > 8 ||
        t->classes > CNN_CLASSES)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s: images of %d x %d x %d in %d classes; the network takes square ones of "
                       "16 to 40, up to 8 channels and %d classes",
                       data->name, t->channels, t->height, t->width, t->classes, CNN_CLASSES);
    if (t->count < batch)
        return kl_fail(err, KL_ERROR_INPUT, "%lld training images make no batch of %lld",
                       (long long)t->count, (long long)batch);
    return KL_OK;
}

kl_status cnn_feed_open(const kl_dataset *data, int64_t batch, cnn_feed *out, kl_error *err) {
    *out = (cnn_feed){.data = data, .most = batch > EVALUATED ? batch : EVALUATED};
    TRY(check_data(data, batch, err));
    kl_images_moments(&data->train, &out->mean, &out->stddev);
    size_t bytes = sizeof(float) * (size_t)(out->most * kl_images_pixels(&data->train));
    out->h_images = malloc(bytes);
    if (!out->h_images) return kl_fail(err, KL_ERROR_MEMORY, "no memory for images");
    KL_CUDA(err, cudaMalloc((void **)&out->d_images, bytes));
    return KL_OK;
}

void cnn_feed_close(cnn_feed *feed) {
    cudaFree(feed->d_images);
    free(feed->h_images);
    *feed = (cnn_feed){.data = NULL};
}

static kl_status load_images(cnn_feed *feed, const kl_images *from, int64_t first, int64_t count,
                             kl_error *err) {
    kl_images_to_float(from, first, count, feed->mean, feed->stddev, feed->h_images);
    KL_CUDA(err, cudaMemcpy(feed->d_images, feed->h_images,
                            sizeof(float) * (size_t)(count * kl_images_pixels(from)),
                            cudaMemcpyHostToDevice));
    return KL_OK;
}

kl_status cnn_feed_forward(cnn_feed *feed, cnn_model *model, cnn_ops *ops, const kl_images *images,
                           int64_t first, int64_t count, kl_error *err) {
    TRY(load_images(feed, images, first, count, err));
    return cnn_model_forward(model, ops, count, feed->d_images, err);
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

kl_status cnn_feed_accuracy(cnn_feed *feed, cnn_model *model, cnn_ops *ops, const kl_images *images,
                            int64_t count, uint8_t *out_predicted, float *out_confidence,
                            double *out_accuracy, kl_error *err) {
    int64_t right = 0;
    float *all = malloc(sizeof(float) * (size_t)(feed->most * CNN_CLASSES));
    if (!all) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the predictions");
    kl_status status = KL_OK;
    for (int64_t i = 0; i < count && status == KL_OK; i += feed->most) {
        int64_t some = count - i < feed->most ? count - i : feed->most;
        status = load_images(feed, images, i, some, err);
        if (status == KL_OK) status = cnn_model_predict(model, ops, some, feed->d_images, all, err);
        for (int64_t k = 0; k < some && status == KL_OK; k++) {
            float confidence;
            uint8_t best = choose(all + k * CNN_CLASSES, &confidence);
            right += best == images->labels[i + k];
            if (out_predicted) out_predicted[i + k] = best;
            if (out_confidence) out_confidence[i + k] = confidence;
        }
    }
    free(all);
    *out_accuracy = (double)right / (double)count;
    return status;
}

kl_status cnn_feed_epoch(cnn_feed *feed, cnn_model *model, cnn_ops *ops, const int32_t *order,
                         int64_t batch, double learning_rate, double momentum, double *out_loss,
                         double *out_seconds, kl_error *err) {
    const kl_images *images = &feed->data->train;
    int64_t elems = kl_images_pixels(images), used = 0;
    int32_t labels[MOST_BATCH];
    float *losses = malloc(sizeof(float) * (size_t)batch);
    if (!losses) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a batch");
    double sum = 0.0, begun = kl_now_s();
    kl_bar bar = kl_bar_begin("training");
    kl_status status = KL_OK;
    for (; used + batch <= images->count && status == KL_OK; used += batch) {
        for (int64_t i = 0; i < batch; i++) {
            int32_t which = order[used + i];
            labels[i] = images->labels[which];
            kl_images_to_float(images, which, 1, feed->mean, feed->stddev,
                               feed->h_images + i * elems);
        }
        cudaError_t code =
            cudaMemcpy(feed->d_images, feed->h_images, sizeof(float) * (size_t)(batch * elems),
                       cudaMemcpyHostToDevice);
        if (code != cudaSuccess) {
            status = kl_cuda_fail(err, code, __FILE__, __LINE__, "copy of a batch");
            break;
        }
        status = cnn_model_step(model, ops, batch, feed->d_images, labels, learning_rate, momentum,
                                losses, err);
        for (int64_t i = 0; i < batch; i++) sum += losses[i];
        kl_bar_show(&bar, (double)(used + batch) / (double)images->count, "");
    }
    kl_bar_end(&bar);
    free(losses);
    *out_loss = sum / (double)used;
    *out_seconds = kl_now_s() - begun;
    return status;
}
