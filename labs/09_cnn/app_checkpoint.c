// Checkpoints: each layer's weights and biases and their velocities. See app.h.
#include "app.h"
#include "training.h"

kl_status cnn_checkpoint_save(const cnn_run *run, const char *path, kl_error *err) {
    const kl_checkpoint c = {.seed = run->options->seed,
                             .epoch = run->epochs_done,
                             .epoch_count = run->epochs_done,
                             .epochs = (kl_epoch *)run->epochs};
    return cnn_model_save(&run->model, &c, path, err);
}

static kl_status take(cnn_run *run, const kl_checkpoint *c, kl_error *err) {
    if (c->seed != run->options->seed)
        return kl_fail(err, KL_ERROR_INPUT, "it was trained with --seed %llu, not %llu",
                       (unsigned long long)c->seed, (unsigned long long)run->options->seed);
    if (c->epoch_count > CNN_MOST_EPOCHS || c->epoch != c->epoch_count)
        return kl_fail(err, KL_ERROR_INPUT, "it does not end with an epoch");
    return cnn_model_take(&run->model, c, err);
}

kl_status cnn_checkpoint_load(cnn_run *run, const char *path, kl_error *err) {
    kl_checkpoint c;
    TRY(kl_checkpoint_load(path, &c, err));
    kl_status status = take(run, &c, err);
    if (status == KL_OK) {
        if (c.epoch_count > 0)
            memcpy(run->epochs, c.epochs, (size_t)c.epoch_count * sizeof *c.epochs);
        run->epochs_done = run->record.epoch_count = c.epoch_count;
    }
    kl_checkpoint_free(&c);
    return status;
}
