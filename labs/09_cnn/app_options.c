// SPDX-License-Identifier: MIT
// Command line of lab 09's application: see app.h.
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>

#include "app.h"

static kl_status read_integer(const char *name, const char *text, int64_t least, int64_t most,
                              int64_t *out, kl_error *err) {
    char *end = NULL;
    errno = 0;
    *out = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *out < least || *out > most)
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes a whole number from %lld to %lld, not '%s'",
                       name, (long long)least, (long long)most, text);
    return KL_OK;
}

static kl_status read_rate(const char *name, const char *text, double below, double *out,
                           kl_error *err) {
    char *end = NULL;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !(*out >= 0.0 && *out < below))
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes a number from 0 to below %g, not '%s'",
                       name, below, text);
    return KL_OK;
}

// "4,8,32"
static kl_status read_widths(const char *text, cnn_options *o, kl_error *err) {
    long long a = 0, b = 0, c = 0;
    char after = '\0';
    if (sscanf(text, "%lld,%lld,%lld%c", &a, &b, &c, &after) != 3 || a < 1 || a > 64 || b < 1 ||
        b > 256 || c < 1 || c > 4096)
        return kl_fail(
            err, KL_ERROR_USAGE,
            "--widths takes filters, filters and hidden outputs, up to 64, 256 and 4096, "
            "as in 16,32,128; not '%s'",
            text);
    o->filters1 = a;
    o->filters2 = b;
    o->hidden = c;
    return KL_OK;
}

enum {
    OPT_DEVICE = 256,
    OPT_HELP,
    OPT_SOLUTION,
    OPT_QUICK,
    OPT_LAYERS,
    OPT_STEP,
    OPT_DATA,
    OPT_SAVE,
    OPT_LOAD,
    OPT_JSON,
    OPT_PLOTS,
    OPT_SEED,
    OPT_EPOCHS,
    OPT_STOP,
    OPT_BATCH,
    OPT_RATE,
    OPT_MOMENTUM,
    OPT_WIDTHS,
    OPT_TRAIN,
    OPT_TEST
};

static const struct option long_options[] = {{"device", required_argument, NULL, OPT_DEVICE},
                                             {"help", no_argument, NULL, OPT_HELP},
                                             {"solution", no_argument, NULL, OPT_SOLUTION},
                                             {"quick", no_argument, NULL, OPT_QUICK},
                                             {"layers", no_argument, NULL, OPT_LAYERS},
                                             {"step", required_argument, NULL, OPT_STEP},
                                             {"data", required_argument, NULL, OPT_DATA},
                                             {"save", required_argument, NULL, OPT_SAVE},
                                             {"load", required_argument, NULL, OPT_LOAD},
                                             {"json", required_argument, NULL, OPT_JSON},
                                             {"plots", required_argument, NULL, OPT_PLOTS},
                                             {"seed", required_argument, NULL, OPT_SEED},
                                             {"epochs", required_argument, NULL, OPT_EPOCHS},
                                             {"stop", required_argument, NULL, OPT_STOP},
                                             {"batch", required_argument, NULL, OPT_BATCH},
                                             {"rate", required_argument, NULL, OPT_RATE},
                                             {"momentum", required_argument, NULL, OPT_MOMENTUM},
                                             {"widths", required_argument, NULL, OPT_WIDTHS},
                                             {"size", required_argument, NULL, OPT_TRAIN},
                                             {"test", required_argument, NULL, OPT_TEST},
                                             {NULL, 0, NULL, 0}};

static kl_status take(int code, const char *text, cnn_options *o, kl_error *err) {
    int64_t number = 0;
    switch (code) {
    case OPT_DEVICE: return kl_device_parse(text, &o->wish, err);
    case OPT_HELP: o->help = true; return KL_OK;
    case OPT_SOLUTION: o->solution = true; return KL_OK;
    case OPT_QUICK: o->quick = true; return KL_OK;
    case OPT_LAYERS: o->layers = true; return KL_OK;
    case OPT_STEP:
        TRY(read_integer("step", text, 0, CNN_LAST_STEP, &number, err));
        o->steps[number] = o->steps_chosen = true;
        return KL_OK;
    case OPT_DATA: o->data = text; return KL_OK;
    case OPT_SAVE: o->save = text; return KL_OK;
    case OPT_LOAD: o->load = text; return KL_OK;
    case OPT_JSON: o->json_file = text; return KL_OK;
    case OPT_PLOTS: o->plot_folder = text; return KL_OK;
    case OPT_SEED:
        TRY(read_integer("seed", text, 0, INT64_MAX, &number, err));
        o->seed = (uint64_t)number;
        return KL_OK;
    case OPT_EPOCHS:
        TRY(read_integer("epochs", text, 1, CNN_MOST_EPOCHS, &number, err));
        o->epochs = (int)number;
        return KL_OK;
    case OPT_STOP:
        TRY(read_integer("stop", text, 1, CNN_MOST_EPOCHS, &number, err));
        o->stop = (int)number;
        return KL_OK;
    case OPT_BATCH: return read_integer("batch", text, 1, 1 << 14, &o->batch, err);
    case OPT_RATE: return read_rate("rate", text, 100.0, &o->learning_rate, err);
    case OPT_MOMENTUM: return read_rate("momentum", text, 1.0, &o->momentum, err);
    case OPT_WIDTHS: return read_widths(text, o, err);
    case OPT_TRAIN: return read_integer("size", text, 1, 1 << 26, &o->train_images, err);
    case OPT_TEST: return read_integer("test", text, 1, 1 << 26, &o->test_images, err);
    default: return kl_fail(err, KL_ERROR_USAGE, "--help lists the options");
    }
}

kl_status cnn_options_parse(int argc, char **argv, cnn_options *out, kl_error *err) {
    *out = (cnn_options){.seed = 1, .learning_rate = NAN, .momentum = NAN};
    for (int code; (code = getopt_long(argc, argv, "", long_options, NULL)) != -1;)
        TRY(take(code, optarg, out, err));
    if (optind < argc)
        return kl_fail(err, KL_ERROR_USAGE, "'%s' is no option; --help lists them", argv[optind]);
    return KL_OK;
}

void cnn_options_fill(cnn_options *o, bool simulated) {
    if (o->epochs == 0) o->epochs = o->quick ? 1 : simulated ? 4 : 10;
    if (o->batch == 0) o->batch = simulated ? 16 : 64;
    if (isnan(o->learning_rate)) o->learning_rate = 0.02;
    if (isnan(o->momentum)) o->momentum = 0.9;
    if (o->filters1 == 0) {
        o->filters1 = simulated ? 4 : 16;
        o->filters2 = simulated ? 8 : 32;
        o->hidden = simulated ? 32 : 128;
    }
    if (o->train_images == 0 && simulated) o->train_images = 2000;
    if (o->test_images == 0 && simulated) o->test_images = 1000;
}

void cnn_options_help(FILE *out) {
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
