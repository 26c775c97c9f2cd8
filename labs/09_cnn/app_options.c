// Command line of lab 09's application: see app.h.
#include "app.h"
#include "program.h"

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

void cnn_options_fill(cnn_options *o, bool simulated) {
    if (o->epochs == 0) o->epochs = o->quick ? 1 : simulated ? 4 : 10;
    if (o->batch == 0) o->batch = simulated ? 16 : 64;
    if (isnan(o->learning_rate)) o->learning_rate = 0.02;
    if (isnan(o->momentum)) o->momentum = 0.9;
    if (o->widths[0] == 0) cnn_default_widths(simulated, o->widths);
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
