// A training run as JSON, schema ladder.training/1: see training.h and README.md.
#include "json.h"
#include "training.h"

static void put_epochs(const kl_training *t, kl_json *json) {
    kl_json_array(json, "epochs");
    for (int i = 0; i < t->epoch_count; i++) {
        const kl_epoch *e = &t->epochs[i];
        kl_json_put(json, "{epoch %d loss %g train_accuracy %g test_accuracy %g seconds %g}", i + 1,
                    e->loss, e->train_accuracy, e->test_accuracy, e->seconds);
    }
    kl_json_end(json);
}

static void put_confusion(const kl_training *t, kl_json *json) {
    if (!t->confusion) return;
    kl_json_array(json, "confusion");
    for (int r = 0; r < t->classes; r++) {
        kl_json_array(json, NULL);
        for (int c = 0; c < t->classes; c++)
            kl_json_int(json, NULL, t->confusion[r * t->classes + c]);
        kl_json_end(json);
    }
    kl_json_end(json);
}

kl_status kl_training_json(const kl_training *training, FILE *out, kl_error *err) {
    const kl_training *t = training;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json,
                "{schema ladder.training/1 device {kind %s name %s} time_kind %s "
                "data {name %s source %s train_images %ld test_images %ld classes [",
                t->simulated ? "sim" : "gpu", t->device, t->simulated ? "modelled" : "measured",
                t->dataset, t->source, t->train_images, t->test_images);
    for (int c = 0; c < t->classes; c++) kl_json_string(&json, NULL, t->class_names[c]);
    kl_json_put(&json,
                "]} network %s parameters %ld optimiser {seed %lu batch %ld learning_rate %g "
                "momentum %g weight_decay %g}",
                t->network, t->parameters, t->seed, t->batch, t->learning_rate, t->momentum,
                t->weight_decay);
    put_epochs(t, &json);
    put_confusion(t, &json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
