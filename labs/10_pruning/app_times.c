// Times of the pruned layers, dense and sparse: see app.h. Both fully connected layers one after
// the other, for each batch and sparsity; every output is compared with the same layers in double
// precision.
#include "app.h"
#include "cuda_check.h"
#include "files.h"
#include "timing.h"

const char *const pruning_dense_names[PRUNING_DENSE_KERNELS] = {"step 0", "step 8 with all weights",
                                                                "lab 07's last step"};

static const char *const kernel_names[] = {"vector", "batch", "final", "lab 08", "blocks"};
enum { VECTOR, BATCH, FINAL, LAB_08, BLOCKS, KERNELS };

typedef struct bench {
    const pruning_options *o;
    const pruning_study *study;
    pruning_layers layers;
    kl_timer timer;
    kl_bar bar;
} bench;

// Times a variant through the layers, NaN when it is not there; then compares what it left.
static kl_status time_variant(bench *b, pruning_variant variant, const char *name, double *out_us,
                              kl_error *err) {
    *out_us = NAN;
    if (!pruning_layers_have(&b->layers, variant)) return KL_OK;
    kl_interval us;
    pruning_call call = {&b->layers, variant};
    int repetitions = b->o->repetitions > 0 ? b->o->repetitions : KL_TIMING_DEFAULT;
    TRY(kl_timer_measure(&b->timer, repetitions, pruning_layers_call, &call, &us, NULL, err));
    TRY(pruning_layers_compare(&b->layers, variant, name, err));
    *out_us = us.mid;
    return KL_OK;
}

static kl_status measure_point(bench *b, int batch, int i, pruning_measured *out, kl_error *err) {
    static const pruning_variant variants[KERNELS] = {[VECTOR] = VARIANT_VECTOR,
                                                      [BATCH] = VARIANT_BATCH,
                                                      [FINAL] = VARIANT_FINAL,
                                                      [LAB_08] = VARIANT_LAB_08,
                                                      [BLOCKS] = VARIANT_BLOCKS};
    kl_pruning_point *p = &out->points[batch][i];
    const pruning_stage *single = &b->study->stages[PRUNING_SINGLE][i];
    p->sparsity = single->sparsity;
    p->pruned = single->pruned;
    p->tuned = single->tuned;
    p->blocks = b->study->stages[PRUNING_BY_BLOCKS][i].tuned;
    TRY(pruning_layers_set(&b->layers, i, b->study->batches[batch], &p->storage, err));
    for (int k = 0; k < KERNELS; k++)
        TRY(time_variant(b, variants[k], kernel_names[k], &p->us[k], err));
    if (i > 0) return KL_OK; // to a dense kernel a 0 is a weight like another
    out->records[batch].dense_us = NAN;
    for (int d = 0; d < PRUNING_DENSE_KERNELS; d++) {
        double *us = &out->dense_us[batch][d];
        TRY(time_variant(b, (pruning_variant)(VARIANT_DENSE + d), pruning_dense_names[d], us, err));
        out->records[batch].dense_us = fmin(out->records[batch].dense_us, *us);
    }
    return KL_OK;
}

static kl_status measure(bench *b, pruning_measured *out, kl_error *err) {
    int all = PRUNING_BATCHES * b->study->count, done = 0;
    for (int batch = 0; batch < PRUNING_BATCHES; batch++)
        for (int i = 0; i < b->study->count; i++) {
            kl_bar_show(&b->bar, (double)done++ / all, "");
            TRY(measure_point(b, batch, i, out, err));
        }
    return KL_OK;
}

static void describe(const kl_device *device, const kl_dataset *data, const pruning_study *study,
                     pruning_measured *out) {
    static char network[128];
    const cnn_network *n = &study->network;
    snprintf(network, sizeof network, "conv %lld, conv %lld, fc %lld, fc %d",
             (long long)n->filters1, (long long)n->filters2, (long long)n->hidden, CNN_CLASSES);
    for (int k = 0; k < KERNELS; k++) out->kernels[k] = kernel_names[k];
    for (int b = 0; b < PRUNING_BATCHES; b++)
        out->records[b] = (kl_pruning){.network = network,
                                       .dataset = data->name,
                                       .device = device->name,
                                       .simulated = device->simulated,
                                       .blocks = true,
                                       .accuracy = study->accuracy,
                                       .dense_us = NAN,
                                       .weights = study->weights,
                                       .batch = study->batches[b],
                                       .kernel_count = KERNELS,
                                       .kernels = out->kernels,
                                       .count = study->count,
                                       .points = out->points[b]};
}

kl_status pruning_times(const pruning_options *o, const kl_device *device, const kl_dataset *data,
                        const pruning_study *study, pruning_measured *out, kl_error *err) {
    memset(out, 0, sizeof *out);
    describe(device, data, study, out);
    bench b = {.o = o, .study = study, .bar = kl_bar_begin("times")};
    kl_status status = kl_timer_open(device, &b.timer, err);
    if (status == KL_OK) status = pruning_layers_open(o, study, &b.layers, err);
    if (status == KL_OK) status = measure(&b, out, err);
    kl_bar_end(&b.bar);
    pruning_layers_close(&b.layers);
    kl_timer_close(&b.timer);
    return status;
}
