// A training run as JSON, schema ladder.training/1: see training.h and README.md.
#include "json.h"
#include "training.h"

static void put_epochs(const kl_training *t, kl_json *json) {
    kl_json_array(json, "epochs");
    for (int i = 0; i < t->epoch_count; i++) {
        const kl_epoch *e = &t->epochs[i];
        kl_json_object(json, NULL);
        kl_json_int(json, "epoch", i + 1);
        kl_json_number(json, "loss", e->loss);
        kl_json_number(json, "train_accuracy", e->train_accuracy);
        kl_json_number(json, "test_accuracy", e->test_accuracy);
        kl_json_number(json, "seconds", e->seconds);
        kl_json_end(json);
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
    kl_json_object(&json, NULL);
    kl_json_string(&json, "schema", "ladder.training/1");
    kl_json_object(&json, "device");
    kl_json_string(&json, "kind", t->simulated ? "sim" : "gpu");
    kl_json_string(&json, "name", t->device);
    kl_json_end(&json);
    kl_json_string(&json, "time_kind", t->simulated ? "modelled" : "measured");
    kl_json_object(&json, "data");
    kl_json_string(&json, "name", t->dataset);
    kl_json_string(&json, "source", t->source);
    kl_json_int(&json, "train_images", t->train_images);
    kl_json_int(&json, "test_images", t->test_images);
    kl_json_array(&json, "classes");
    for (int c = 0; c < t->classes; c++) kl_json_string(&json, NULL, t->class_names[c]);
    kl_json_end(&json);
    kl_json_end(&json);
    kl_json_string(&json, "network", t->network);
    kl_json_int(&json, "parameters", t->parameters);
    kl_json_object(&json, "optimiser");
    kl_json_uint(&json, "seed", t->seed);
    kl_json_int(&json, "batch", t->batch);
    kl_json_number(&json, "learning_rate", t->learning_rate);
    kl_json_number(&json, "momentum", t->momentum);
    kl_json_number(&json, "weight_decay", t->weight_decay);
    kl_json_end(&json);
    put_epochs(t, &json);
    put_confusion(t, &json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
