// The main program of lab 09's application: see app.h.
#include "app.h"

#include "atomic_file.h"
#include "table.h"
#include "training.h"

// Which step computes what, and what runs on the host.
static void print_kernels(const cnn_run *run, FILE *out) {
    static const struct {
        const char *name;
        cnn_op op;
    } rows[] = {{"fully connected", CNN_FC_FORWARD},
                {"its gradients", CNN_FC_BACKWARD},
                {"ReLU and pooling", CNN_POOL_FORWARD},
                {"loss", CNN_LOSS},
                {"convolution", CNN_CONV_FORWARD},
                {"its gradients", CNN_CONV_BACKWARD},
                {"convolution, ReLU and pooling", CNN_CONV_POOL},
                {"descent", CNN_SGD},
                {"a whole step of descent", CNN_TRAIN}};
    if (run->whole_step > 0)
        fprintf(out, "training  step %d, an epoch per call; accuracy layer by layer\n",
                run->whole_step);
    char text[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int s = run->ops.step_of[rows[i].op];
        bool optional = rows[i].op == CNN_CONV_POOL || rows[i].op == CNN_TRAIN;
        if (s < 0 && optional) continue;
        const char *between = used > 0 ? "; " : "";
        used += (size_t)(s < 0 ? snprintf(text + used, sizeof text - used, "%s%s: host", between,
                                          rows[i].name)
                               : snprintf(text + used, sizeof text - used, "%s%s: step %d", between,
                                          rows[i].name, s));
    }
    kl_style style = kl_style_for(out);
    fputs("kernels   ", out);
    kl_print_wrapped(out, &style, 10, text);
}

static void print_head(const cnn_run *run, FILE *out) {
    const kl_training *r = &run->record;
    fprintf(out, "Training of a convolutional network, 09_cnn (%s)\n",
            run->options->solution ? "solution" : "yours");
    fprintf(out, "device    %s\n", r->device);
    fprintf(out, "data      %s: %lld images to train on, %lld to test with\n", r->dataset,
            (long long)r->train_images, (long long)r->test_images);
    fprintf(out, "network   %s: %lld parameters\n", r->network, (long long)r->parameters);
    fprintf(out, "descent   batches of %lld, rate %g, momentum %g, seed %llu\n",
            (long long)r->batch, r->learning_rate, r->momentum, (unsigned long long)r->seed);
    print_kernels(run, out);
    const char *notice = kl_dataset_notice(run->data);
    if (notice) fprintf(out, "%s\n", notice);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    return kl_training_json(context, out, err);
}

static kl_status report(cnn_run *run, kl_error *err) {
    const cnn_options *o = run->options;
    if (o->json_file) TRY(kl_file_put(o->json_file, write_json, &run->record, err));
    char folder[4096];
    if (o->plot_folder) return cnn_run_pictures(run, o->plot_folder, err);
    TRY(kl_device_program_folder(folder, sizeof folder - 16, err));
    strcat(folder, "/pictures");
    return cnn_run_pictures(run, folder, err);
}

static kl_status train(cnn_options *o, const kl_device *device, kl_error *err) {
    kl_dataset data;
    static cnn_run run;
    FILE *out = kl_file_is_stdout(o->json_file) ? stderr : stdout;
    cnn_options_fill(o, device->simulated);
    TRY(kl_dataset_open(o->data, o->seed, o->train_images, o->test_images, &data, err));
    kl_status status = cnn_run_open(o, device, &data, &run, err);
    if (status == KL_OK && o->load) status = cnn_checkpoint_load(&run, o->load, err);
    if (status == KL_OK) print_head(&run, out);
    if (status == KL_OK) status = cnn_run_train(&run, out, err);
    if (status == KL_OK) status = report(&run, err);
    cnn_run_close(&run);
    kl_dataset_free(&data);
    return status;
}

int main(int argc, char **argv) {
    kl_error err = {KL_OK, ""};
    cnn_options options;
    kl_device device;
    if (cnn_options_parse(argc, argv, &options, &err) != KL_OK) {
        fprintf(stderr, "cnn_app: %s\n", err.text);
        return 2;
    }
    if (options.help) {
        cnn_options_help(stdout);
        return 0;
    }
    setenv("LADDER_SIM_MODE", "functional",
           0); // a training is long, and nobody looks at its counts
    kl_status status = kl_device_select(&options.request, argv, &device, &err);
    if (status == KL_OK) status = train(&options, &device, &err);
    if (status != KL_OK) fprintf(stderr, "cnn_app: %s\n", err.text);
    return status == KL_OK ? 0 : 1;
}
