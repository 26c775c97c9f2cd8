// SPDX-License-Identifier: MIT
// Command line of lab 10's application: see app.h.
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

enum {
    OPT_DEVICE = 256,
    OPT_HELP,
    OPT_SOLUTION,
    OPT_OWN,
    OPT_QUICK,
    OPT_STEP,
    OPT_DATA,
    OPT_LOAD,
    OPT_JSON,
    OPT_PLOTS,
    OPT_SEED,
    OPT_EPOCHS,
    OPT_TUNE,
    OPT_BATCH,
    OPT_RATE,
    OPT_WIDTHS,
    OPT_SPARSITY,
    OPT_REPEAT,
    OPT_TRAIN,
    OPT_TEST
};

static const struct option long_options[] = {{"device", required_argument, NULL, OPT_DEVICE},
                                             {"help", no_argument, NULL, OPT_HELP},
                                             {"solution", no_argument, NULL, OPT_SOLUTION},
                                             {"own", no_argument, NULL, OPT_OWN},
                                             {"quick", no_argument, NULL, OPT_QUICK},
                                             {"step", required_argument, NULL, OPT_STEP},
                                             {"data", required_argument, NULL, OPT_DATA},
                                             {"load", required_argument, NULL, OPT_LOAD},
                                             {"json", required_argument, NULL, OPT_JSON},
                                             {"plots", required_argument, NULL, OPT_PLOTS},
                                             {"seed", required_argument, NULL, OPT_SEED},
                                             {"epochs", required_argument, NULL, OPT_EPOCHS},
                                             {"tune", required_argument, NULL, OPT_TUNE},
                                             {"batch", required_argument, NULL, OPT_BATCH},
                                             {"rate", required_argument, NULL, OPT_RATE},
                                             {"widths", required_argument, NULL, OPT_WIDTHS},
                                             {"sparsity", required_argument, NULL, OPT_SPARSITY},
                                             {"repeat", required_argument, NULL, OPT_REPEAT},
                                             {"size", required_argument, NULL, OPT_TRAIN},
                                             {"test", required_argument, NULL, OPT_TEST},
                                             {NULL, 0, NULL, 0}};

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

static kl_status read_int(const char *name, const char *text, int64_t least, int64_t most, int *out,
                          kl_error *err) {
    int64_t number = 0;
    TRY(read_integer(name, text, least, most, &number, err));
    *out = (int)number;
    return KL_OK;
}

// "50,90,99": percent, ascending.
static kl_status read_sparsities(const char *text, pruning_options *o, kl_error *err) {
    const char *at = text;
    o->sparsity_count = 0;
    for (double before = -1; o->sparsity_count < KL_PRUNING_POINTS;) {
        char *end = NULL;
        double percent = strtod(at, &end);
        if (end == at || !(percent > before && percent <= 100)) break;
        o->sparsities[o->sparsity_count++] = percent / 100;
        if (*end == '\0') return KL_OK;
        if (*end != ',') break;
        at = end + 1;
        before = percent;
    }
    return kl_fail(
        err, KL_ERROR_USAGE,
        "--sparsity takes up to %d percentages from 0 to 100, ascending, as in 50,90,99; "
        "not '%s'",
        KL_PRUNING_POINTS, text);
}

// "4,8,32"
static kl_status read_widths(const char *text, pruning_options *o, kl_error *err) {
    long long a = 0, b = 0, c = 0;
    char after = '\0';
    if (sscanf(text, "%lld,%lld,%lld%c", &a, &b, &c, &after) != 3 || a < 1 || a > 64 || b < 1 ||
        b > 256 || c < 1 || c > 4096)
        return kl_fail(
            err, KL_ERROR_USAGE,
            "--widths takes filters, filters and hidden outputs, up to 64, 256 and 4096, as "
            "in 16,32,128; not '%s'",
            text);
    o->filters1 = a;
    o->filters2 = b;
    o->hidden = c;
    return KL_OK;
}

static kl_status read_rate(const char *text, double *out, kl_error *err) {
    char *end = NULL;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !(*out >= 0.0 && *out < 100.0))
        return kl_fail(err, KL_ERROR_USAGE, "--rate takes a number from 0 to below 100, not '%s'",
                       text);
    return KL_OK;
}

static kl_status take(int code, const char *text, pruning_options *o, kl_error *err) {
    int64_t number = 0;
    switch (code) {
    case OPT_DEVICE: return kl_device_parse(text, &o->wish, err);
    case OPT_HELP: o->help = true; return KL_OK;
    case OPT_SOLUTION: o->solution = true; return KL_OK;
    case OPT_OWN: o->own = true; return KL_OK;
    case OPT_QUICK: o->quick = true; return KL_OK;
    case OPT_STEP:
        TRY(read_integer("step", text, 0, PRUNING_LAST_STEP, &number, err));
        o->steps[number] = o->steps_chosen = true;
        return KL_OK;
    case OPT_DATA: o->data = text; return KL_OK;
    case OPT_LOAD: o->load = text; return KL_OK;
    case OPT_JSON: o->json_file = text; return KL_OK;
    case OPT_PLOTS: o->plot_folder = text; return KL_OK;
    case OPT_SEED:
        TRY(read_integer("seed", text, 0, INT64_MAX, &number, err));
        o->seed = (uint64_t)number;
        return KL_OK;
    case OPT_EPOCHS: return read_int("epochs", text, 1, 1000, &o->epochs, err);
    case OPT_TUNE: return read_int("tune", text, 0, 1000, &o->tune, err);
    case OPT_REPEAT: return read_int("repeat", text, 1, 100000, &o->repetitions, err);
    case OPT_BATCH: return read_integer("batch", text, 1, 1 << 14, &o->batch, err);
    case OPT_RATE: return read_rate(text, &o->learning_rate, err);
    case OPT_WIDTHS: return read_widths(text, o, err);
    case OPT_SPARSITY: return read_sparsities(text, o, err);
    case OPT_TRAIN: return read_integer("size", text, 1, 1 << 26, &o->train_images, err);
    case OPT_TEST: return read_integer("test", text, 1, 1 << 26, &o->test_images, err);
    default: return kl_fail(err, KL_ERROR_USAGE, "--help lists the options");
    }
}

kl_status pruning_options_parse(int argc, char **argv, pruning_options *out, kl_error *err) {
    *out = (pruning_options){.seed = 1, .learning_rate = NAN, .tune = -1};
    for (int code; (code = getopt_long(argc, argv, "", long_options, NULL)) != -1;)
        TRY(take(code, optarg, out, err));
    if (optind < argc)
        return kl_fail(err, KL_ERROR_USAGE, "'%s' is no option; --help lists them", argv[optind]);
    return KL_OK;
}

void pruning_options_fill(pruning_options *o, bool simulated) {
    static const double few[] = {0.5, 0.9, 0.98};
    static const double many[] = {0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99};
    bool small = simulated || o->quick;
    if (o->sparsity_count == 0) {
        size_t bytes = small ? sizeof few : sizeof many;
        memcpy(o->sparsities, small ? few : many, bytes);
        o->sparsity_count = (int)(bytes / sizeof few[0]);
    }
    if (o->epochs == 0) o->epochs = o->quick ? 1 : simulated ? 2 : 8;
    if (o->tune < 0) o->tune = small ? 1 : 2;
    if (o->batch == 0) o->batch = simulated ? 16 : 64;
    if (isnan(o->learning_rate)) o->learning_rate = 0.02;
    if (o->filters1 == 0) {
        o->filters1 = simulated ? 4 : 16;
        o->filters2 = simulated ? 8 : 32;
        o->hidden = simulated ? 32 : 128;
    }
    if (o->train_images == 0 && simulated) o->train_images = o->quick ? 500 : 2000;
    if (o->test_images == 0 && simulated) o->test_images = o->quick ? 300 : 1000;
}

void pruning_options_help(FILE *out) {
    fprintf(
        out,
        "usage: ladder run pruning [STEP..] --app [--solution] [--size N] [--seed N] [--quick]\n"
        "           [--plots DIR] [--json FILE] [--repeat N] [--device %s] [-- options]\n\n"
        "Trains lab 09's network, takes out more and more of the weights of its fully connected\n"
        "layers with fine-tuning between, and takes their times, dense and sparse. What has no\n"
        "step yet runs on the host or is left out. With STEP.. only these steps are used.\n\n"
        "  --sparsity LIST  percentages to prune to, ascending; 50 to 99, or 50,90,98 on the\n"
        "                   simulator\n"
        "  --tune N         epochs of fine-tuning after each; 2, or 1 on the simulator\n"
        "  --epochs N       epochs of training before; 8, or 2 on the simulator\n"
        "  --load FILE      no training: lab 09's checkpoint (same --widths)\n"
        "  --data FOLDER    MNIST, Fashion-MNIST or CIFAR-10 (binary); 'shapes': drawn images;\n"
        "                   Debian's dataset-fashion-mnist when it is installed\n"
        "  --size N         training images; all, or 2000 on the simulator\n"
        "  --test N         test images; all, or 1000 on the simulator\n"
        "  --batch N        images of a step of descent; 64, or 16 on the simulator\n"
        "  --rate R         learning rate of the first epoch; it falls linearly; 0.02\n"
        "  --widths A,B,C   filters, filters, hidden outputs; 16,32,128, or 4,8,32\n"
        "  --own            kernels of labs 07 to 09 are yours, too\n"
        "  --plots DIR      where accuracy, speed and storage against sparsity are written as\n"
        "                   SVG, a file per batch; 'pictures' beside the program\n"
        "  --seed N         other initial weights and another order of the images\n"
        "example: ./ladder run pruning --app --solution -- --sparsity 50,80,95 --tune 3\n",
        kl_device_words);
}
