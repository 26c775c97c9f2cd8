// Command line of lab 10's application: see app.h.
#include "app.h"
#include "program.h"

// "50,90,99": percent, ascending.
static kl_status take_sparsities(const kl_option *option, const char *text, kl_error *err) {
    pruning_options *o = option->target;
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

kl_status pruning_options_parse(int argc, char **argv, pruning_options *out, kl_error *err) {
    pruning_options *o = out;
    *o = (pruning_options){.seed = 1, .learning_rate = NAN, .tune = -1};
    const kl_option options[] = {
        {"device", KL_OPTION_DEVICE, &o->request, 0, 0, NULL},
        {"help", KL_OPTION_FLAG, &o->help, 0, 0, NULL},
        {"solution", KL_OPTION_FLAG, &o->solution, 0, 0, NULL},
        {"own", KL_OPTION_FLAG, &o->own, 0, 0, NULL},
        {"quick", KL_OPTION_FLAG, &o->quick, 0, 0, NULL},
        {"step", KL_OPTION_MARK, o->steps, 0, PRUNING_LAST_STEP, NULL},
        {"data", KL_OPTION_TEXT, &o->data, 0, 0, NULL},
        {"load", KL_OPTION_TEXT, &o->load, 0, 0, NULL},
        {"json", KL_OPTION_TEXT, &o->json_file, 0, 0, NULL},
        {"plots", KL_OPTION_TEXT, &o->plot_folder, 0, 0, NULL},
        {"seed", KL_OPTION_INT64, &o->seed, 0, INT64_MAX, NULL},
        {"epochs", KL_OPTION_INT, &o->epochs, 1, 1000, NULL},
        {"tune", KL_OPTION_INT, &o->tune, 0, 1000, NULL},
        {"repeat", KL_OPTION_INT, &o->repetitions, 1, 100000, NULL},
        {"batch", KL_OPTION_INT64, &o->batch, 1, 1 << 14, NULL},
        {"rate", KL_OPTION_REAL, &o->learning_rate, 0, 100, NULL},
        {"widths", KL_OPTION_OTHER, o->widths, 0, 0, cnn_take_widths},
        {"sparsity", KL_OPTION_OTHER, o, 0, 0, take_sparsities},
        {"size", KL_OPTION_INT64, &o->train_images, 1, 1 << 26, NULL},
        {"test", KL_OPTION_INT64, &o->test_images, 1, 1 << 26, NULL},
    };
    TRY(kl_program_options(argc, argv, options, (int)(sizeof options / sizeof options[0]), err));
    for (int i = 0; i <= PRUNING_LAST_STEP; i++) o->steps_chosen |= o->steps[i];
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
    if (o->widths[0] == 0) cnn_default_widths(simulated, o->widths);
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
