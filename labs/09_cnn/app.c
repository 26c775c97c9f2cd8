// The main program of lab 09's application: see app.h.
#include "app.h"

#include "atomic_file.h"
#include "table.h"
#include "training.h"
#include "program.h"

// ---- Command line of lab 09's application ----

kl_status cnn_options_parse(int argc, char **argv, cnn_options *out, kl_error *err) {
    cnn_options *o = out;
    *o = (cnn_options){.seed = 1, .learning_rate = NAN, .momentum = NAN};
    const kl_option options[] = {
        {"device", KL_OPTION_DEVICE, &o->request, 0, 0, NULL},
        {"help", KL_OPTION_FLAG, &o->help, 0, 0, NULL},
        {"solution", KL_OPTION_FLAG, &o->solution, 0, 0, NULL},
        {"quick", KL_OPTION_FLAG, &o->quick, 0, 0, NULL},
        {"layers", KL_OPTION_FLAG, &o->layers, 0, 0, NULL},
        {"step", KL_OPTION_MARK, o->steps, 0, CNN_LAST_STEP, NULL},
        {"data", KL_OPTION_TEXT, &o->data, 0, 0, NULL},
        {"save", KL_OPTION_TEXT, &o->save, 0, 0, NULL},
        {"load", KL_OPTION_TEXT, &o->load, 0, 0, NULL},
        {"json", KL_OPTION_TEXT, &o->json_file, 0, 0, NULL},
        {"plots", KL_OPTION_TEXT, &o->plot_folder, 0, 0, NULL},
        {"seed", KL_OPTION_INT64, &o->seed, 0, INT64_MAX, NULL},
        {"epochs", KL_OPTION_INT, &o->epochs, 1, CNN_MOST_EPOCHS, NULL},
        {"stop", KL_OPTION_INT, &o->stop, 1, CNN_MOST_EPOCHS, NULL},
        {"batch", KL_OPTION_INT64, &o->batch, 1, 1 << 14, NULL},
        {"rate", KL_OPTION_REAL, &o->learning_rate, 0, 100, NULL},
        {"momentum", KL_OPTION_REAL, &o->momentum, 0, 1, NULL},
        {"widths", KL_OPTION_OTHER, o->widths, 0, 0, cnn_take_widths},
        {"size", KL_OPTION_INT64, &o->train_images, 1, 1 << 26, NULL},
        {"test", KL_OPTION_INT64, &o->test_images, 1, 1 << 26, NULL},
    };
    TRY(kl_program_options(argc, argv, options, (int)(sizeof options / sizeof options[0]), err));
    for (int i = 0; i <= CNN_LAST_STEP; i++) o->steps_chosen |= o->steps[i];
    return KL_OK;
}

// The rest of the defaults, which depend on the device.
static void cnn_options_fill(cnn_options *o, bool simulated) {
    if (o->epochs == 0) o->epochs = o->quick ? 1 : simulated ? 4 : 10;
    if (o->batch == 0) o->batch = simulated ? 16 : 64;
    if (isnan(o->learning_rate)) o->learning_rate = 0.02;
    if (isnan(o->momentum)) o->momentum = 0.9;
    if (o->widths[0] == 0) cnn_default_widths(simulated, o->widths);
    if (o->train_images == 0 && simulated) o->train_images = 2000;
    if (o->test_images == 0 && simulated) o->test_images = 1000;
}

static void cnn_options_help(FILE *out) {
    fprintf(
        out,
        "usage: ladder run cnn [STEP..] --app [--solution] [--size N] [--seed N] [--quick]\n"
        "           [--plots DIR] [--json FILE] [--device %s] [-- options]\n\n"
        "Trains a small convolutional network on the lab's steps. An operation whose step is\n"
        "not written yet runs on the host. With STEP.. only these steps are used.\n\n"
        "  --data FOLDER    MNIST, Fashion-MNIST or CIFAR-10 (binary); 'shapes': drawn images;\n"
        "                   Debian's dataset-fashion-mnist when it is installed\n"
        "  --size N         training images; all, or 2000 on the simulator\n"
        "  --test N         test images; all, or 1000 on the simulator\n"
        "  --epochs N       10, or 4 on the simulator; with --quick 1\n"
        "  --stop N         end after N of them; --save and --load go on later\n"
        "  --batch N        images of a step of descent; 64, or 16 on the simulator\n"
        "  --rate R         learning rate of the first epoch; it falls linearly; 0.02\n"
        "  --momentum M     0.9\n"
        "  --widths A,B,C   filters, filters, hidden outputs; 16,32,128, or 4,8,32\n"
        "  --layers         layer by layer, although step 9 or 10 is written\n"
        "  --save FILE      a checkpoint after each epoch; --load FILE goes on from one\n"
        "  --plots DIR      where curve, confusion matrix, filters, mistakes, layers and task\n"
        "                   graph are written as SVG; 'pictures' beside the program\n"
        "  --seed N         other initial weights and another order of the images\n"
        "example: ./ladder run cnn --app --solution --plots pictures -- --epochs 6\n",
        kl_device_words);
}

// ---- Checkpoints: each layer's weights and biases and their velocities ----

// See app.h.

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

static kl_status cnn_checkpoint_load(cnn_run *run, const char *path, kl_error *err) {
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

// ---- The program ----

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
