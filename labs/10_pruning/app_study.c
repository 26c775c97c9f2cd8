// Training, pruning and fine-tuning: see app.h. Each sparsity starts from the weights that the one
// before was tuned to, so that pruning goes on in small steps.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app.h"
#include "cuda_check.h"
#include "files.h"
#include "training.h"

static const int64_t batches_gpu[PRUNING_BATCHES] = {1, 64, 512};
static const int64_t batches_simulated[PRUNING_BATCHES] = {1, 16, 64};

static const char *const kind_names[PRUNING_KINDS] = {"weights", "blocks"};

// ---- memory ------------------------------------------------------------------------------------

static cnn_network network_of(const pruning_options *o, const kl_dataset *data) {
    return (cnn_network){data->train.channels, data->train.height, o->widths[0], o->widths[1],
                         o->widths[2]};
}

static size_t rounded(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

// Where the arrays lie behind the study, in the same piece of memory.
static void lay_out(pruning_study *s) {
    cnn_layout l = cnn_layout_of(&s->network);
    size_t floats = rounded(sizeof(float) * (size_t)l.total), masks = rounded((size_t)l.total);
    char *at = (char *)s + rounded(sizeof *s);
    s->features = (float *)(void *)at;
    at += rounded(sizeof(float) * (size_t)(l.flat * s->most));
    for (int k = 0; k < PRUNING_KINDS; k++)
        for (int i = 0; i < s->count; i++, at += floats + masks) {
            s->stages[k][i].parameters = (float *)(void *)at;
            s->stages[k][i].mask = (uint8_t *)at + floats;
        }
    s->bytes = (size_t)(at - (char *)s);
}

static kl_status map(int fd, size_t bytes, pruning_study **out, kl_error *err) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the networks");
    *out = memory;
    return KL_OK;
}

kl_status pruning_study_new(const pruning_options *o, const kl_dataset *data, bool simulated,
                            pruning_study **out, kl_error *err) {
    static pruning_study s;
    s = (pruning_study){.count = o->sparsity_count, .network = network_of(o, data)};
    memcpy(s.batches, simulated ? batches_simulated : batches_gpu, sizeof s.batches);
    s.most = s.batches[PRUNING_BATCHES - 1];
    if (data->test.count < s.most)
        return kl_fail(err, KL_ERROR_INPUT, "%lld test images make no batch of %lld",
                       (long long)data->test.count, (long long)s.most);
    for (int layer = 0; layer < PRUNING_LAYERS; layer++) {
        pruning_place p = pruning_place_of(&s.network, layer);
        s.weights += p.inputs * p.outputs;
    }
    lay_out(&s); // for the size
    s.fd = memfd_create("networks", 0);
    if (s.fd < 0 || ftruncate(s.fd, (off_t)s.bytes) != 0)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for %d networks", o->sparsity_count);
    TRY(map(s.fd, s.bytes, out, err));
    **out = s;
    lay_out(*out);
    return KL_OK;
}

kl_status pruning_study_adopt(int fd, pruning_study **out, kl_error *err) {
    struct stat file;
    if (fstat(fd, &file) != 0 || (size_t)file.st_size < sizeof **out)
        return kl_fail(err, KL_ERROR_SYSTEM, "the networks are not there");
    TRY(map(fd, (size_t)file.st_size, out, err));
    (*out)->fd = fd;
    lay_out(*out);
    return KL_OK;
}

void pruning_study_free(pruning_study *study) {
    if (!study) return;
    close(study->fd);
    munmap(study, study->bytes);
}

// ---- running -----------------------------------------------------------------------------------

typedef struct study_run {
    const pruning_options *o;
    const kl_dataset *data;
    pruning_study *study;
    FILE *out;
    cnn_ops ops;
    cnn_model model;
    cnn_feed feed;
    pruning_steps steps;
    pruning_masked masked;
    int32_t *order;   // [training images]
    float *velocity;  // [layout.total]
    int epochs_begun; // each has another order of the images
} study_run;

static kl_status open_run(study_run *r, kl_error *err) {
    char folder[PRUNING_PATH];
    cnn_network net = r->study->network;
    TRY(cnn_feed_open(r->data, r->o->batch, &r->feed, err));
    TRY(pruning_folder("09_cnn", !r->o->own, folder, sizeof folder, err));
    TRY(cnn_ops_open(folder, NULL, &r->ops, err));
    TRY(cnn_model_new(&net, r->feed.most, r->o->seed, &r->model, err));
    TRY(pruning_steps_open(r->o, &r->steps, err));
    r->masked = (pruning_masked){&r->steps, net, r->model.layout, NULL};
    KL_CUDA(err, cudaMalloc((void **)&r->masked.d_mask, (size_t)r->model.layout.total));
    r->order = malloc(sizeof *r->order * (size_t)r->data->train.count);
    r->velocity = malloc(sizeof *r->velocity * (size_t)r->model.layout.total);
    if (!r->order || !r->velocity) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a study");
    return KL_OK;
}

static void close_run(study_run *r) {
    cudaFree(r->masked.d_mask);
    free(r->order);
    free(r->velocity);
    pruning_steps_close(&r->steps);
    cnn_model_free(&r->model);
    cnn_feed_close(&r->feed);
    cnn_ops_close(&r->ops);
}

static kl_status test_accuracy(study_run *r, double *out, kl_error *err) {
    const kl_images *test = &r->data->test;
    return cnn_feed_accuracy(&r->feed, &r->model, &r->ops, test, test->count, NULL, NULL, out, err);
}

static kl_status one_epoch(study_run *r, double rate, double *out_loss, kl_error *err) {
    double seconds = 0.0;
    kl_epoch_order(r->o->seed, r->epochs_begun++, r->data->train.count, r->order);
    return cnn_feed_epoch(&r->feed, &r->model, &r->ops, r->order, r->o->batch, rate, 0.9, out_loss,
                          &seconds, err);
}

static kl_status load_checkpoint(study_run *r, kl_error *err) {
    kl_checkpoint c;
    TRY(kl_checkpoint_load(r->o->load, &c, err));
    kl_status status = cnn_model_take(&r->model, &c, err);
    kl_checkpoint_free(&c);
    return status;
}

static kl_status train(study_run *r, kl_error *err) {
    const pruning_options *o = r->o;
    if (o->load) {
        TRY(load_checkpoint(r, err));
        TRY(test_accuracy(r, &r->study->accuracy, err));
        fprintf(r->out, "loaded    %s: %.1f %% of the test images\n", o->load,
                100 * r->study->accuracy);
        return KL_OK;
    }
    fprintf(r->out, "\nepoch    loss    test\n-----  ------  ------\n");
    for (int e = 0; e < o->epochs; e++) {
        double loss = NAN;
        TRY(one_epoch(r, o->learning_rate * (1.0 - (double)e / o->epochs), &loss, err));
        TRY(test_accuracy(r, &r->study->accuracy, err));
        fprintf(r->out, "%5d  %6.3f  %5.1f%%\n", e + 1, loss, 100 * r->study->accuracy);
        fflush(r->out);
    }
    return KL_OK;
}

// What the first fully connected layer gets for the first images of the test set: [flat][most].
static kl_status take_features(study_run *r, kl_error *err) {
    pruning_study *s = r->study;
    int64_t flat = r->model.layout.flat;
    float *some = malloc(sizeof *some * (size_t)flat);
    if (!some) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the layers' input");
    kl_status status = KL_OK;
    for (int64_t n = 0; n < s->most && status == KL_OK; n += r->feed.most) {
        int64_t count = s->most - n < r->feed.most ? s->most - n : r->feed.most;
        status = cnn_feed_forward(&r->feed, &r->model, &r->ops, &r->data->test, n, count, err);
        for (int64_t i = 0; i < count && status == KL_OK; i++) {
            cudaError_t code = cudaMemcpy(some, r->model.modules[1].d_y + i * flat,
                                          sizeof *some * (size_t)flat, cudaMemcpyDeviceToHost);
            if (code != cudaSuccess)
                status = kl_cuda_fail(err, code, __FILE__, __LINE__, "copy of the layers' input");
            for (int64_t k = 0; k < flat; k++) s->features[k * s->most + n + i] = some[k];
        }
    }
    free(some);
    return status;
}

static kl_status to_device(float *d, const float *h, int64_t count, kl_error *err) {
    KL_CUDA(err, cudaMemcpy(d, h, sizeof *h * (size_t)count, cudaMemcpyHostToDevice));
    return KL_OK;
}

static kl_status to_host(float *h, const float *d, int64_t count, kl_error *err) {
    KL_CUDA(err, cudaMemcpy(h, d, sizeof *h * (size_t)count, cudaMemcpyDeviceToHost));
    return KL_OK;
}

// Prunes what the model has, tests, tunes, tests.
static kl_status one_stage(study_run *r, pruning_kind kind, int i, kl_error *err) {
    pruning_stage *stage = &r->study->stages[kind][i];
    int64_t total = r->model.layout.total;
    TRY(to_host(stage->parameters, r->model.d_parameters, total, err));
    memset(r->velocity, 0, sizeof *r->velocity * (size_t)total);
    TRY(pruning_prune(&r->masked, kind, r->o->sparsities[i], stage->parameters, r->velocity,
                      stage->mask, &stage->sparsity, err));
    TRY(to_device(r->model.d_parameters, stage->parameters, total, err));
    TRY(to_device(r->model.d_velocity, r->velocity, total, err));
    TRY(test_accuracy(r, &stage->pruned, err));
    double loss = NAN;
    for (int e = 0; e < r->o->tune; e++)
        TRY(one_epoch(r, 0.5 * r->o->learning_rate * (1.0 - (double)e / r->o->tune), &loss, err));
    TRY(test_accuracy(r, &stage->tuned, err));
    TRY(to_host(stage->parameters, r->model.d_parameters, total, err));
    fprintf(r->out, "%-7s  %8.1f  %5.1f%%  %5.1f%%\n", kind_names[kind], 100 * stage->sparsity,
            100 * stage->pruned, 100 * stage->tuned);
    fflush(r->out);
    return KL_OK;
}

static kl_status prune_all(study_run *r, kl_error *err) {
    int64_t total = r->model.layout.total;
    float *trained = malloc(sizeof *trained * (size_t)total);
    if (!trained) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the trained weights");
    kl_status status = to_host(trained, r->model.d_parameters, total, err);
    r->model.descent = pruning_descend;
    r->model.descent_context = &r->masked;
    fprintf(r->out, "\npruned   sparsity  before   tuned\n-------  --------  ------  ------\n");
    kl_bar bar = kl_bar_begin("pruning");
    for (int k = 0; k < PRUNING_KINDS && status == KL_OK; k++) {
        status = to_device(r->model.d_parameters, trained, total, err);
        for (int i = 0; i < r->study->count && status == KL_OK; i++) {
            kl_bar_show(&bar, (double)(k * r->study->count + i) / (PRUNING_KINDS * r->study->count),
                        kind_names[k]);
            kl_bar_end(&bar);
            status = one_stage(r, (pruning_kind)k, i, err);
        }
    }
    free(trained);
    return status;
}

kl_status pruning_study_run(const pruning_options *o, const kl_dataset *data, pruning_study *study,
                            FILE *out, kl_error *err) {
    study_run r = {.o = o, .data = data, .study = study, .out = out};
    kl_status status = open_run(&r, err);
    if (status == KL_OK) status = train(&r, err);
    if (status == KL_OK) status = take_features(&r, err);
    if (status == KL_OK) status = prune_all(&r, err);
    close_run(&r);
    return status;
}
