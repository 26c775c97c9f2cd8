// The main program of lab 13's application: the same network is trained from the same weights on
// the same batches, with products of floats (lab 09's steps) and of 16-bit numbers. See app.h.
#include "app.h"

#include "cuda_check.h"
#include "device.h"
#include "program.h"
#include "stats.h"

enum { PATH_BYTES = 4096, MOST_EPOCHS = 100 };

typedef struct net_options {
    kl_device_request request;
    bool help, solution, quick;
    bool steps[NET_LAST_STEP + 1]; // at most one
    const char *data;
    uint64_t seed;
    int epochs;
    int64_t batch;
    double learning_rate, momentum, scale;
    int64_t widths[3], train_images, test_images;
} net_options;

static kl_status parse(int argc, char **argv, net_options *out, kl_error *err) {
    net_options *o = out;
    *o = (net_options){.seed = 1, .learning_rate = 0.02, .momentum = 0.9, .scale = 1024};
    const kl_option options[] = {
        {"device", KL_OPTION_DEVICE, &o->request, 0, 0, NULL},
        {"help", KL_OPTION_FLAG, &o->help, 0, 0, NULL},
        {"solution", KL_OPTION_FLAG, &o->solution, 0, 0, NULL},
        {"quick", KL_OPTION_FLAG, &o->quick, 0, 0, NULL},
        {"step", KL_OPTION_MARK, o->steps, 0, NET_LAST_STEP, NULL},
        {"data", KL_OPTION_TEXT, &o->data, 0, 0, NULL},
        {"seed", KL_OPTION_INT64, &o->seed, 0, INT64_MAX, NULL},
        {"epochs", KL_OPTION_INT, &o->epochs, 1, MOST_EPOCHS, NULL},
        {"batch", KL_OPTION_INT64, &o->batch, 1, NET_MOST_BATCH, NULL},
        {"rate", KL_OPTION_REAL, &o->learning_rate, 0, 100, NULL},
        {"momentum", KL_OPTION_REAL, &o->momentum, 0, 1, NULL},
        {"scale", KL_OPTION_REAL, &o->scale, 0, 1 << 24, NULL},
        {"widths", KL_OPTION_OTHER, o->widths, 0, 0, cnn_take_widths},
        {"size", KL_OPTION_INT64, &o->train_images, 1, 1 << 26, NULL},
        {"test", KL_OPTION_INT64, &o->test_images, 1, 1 << 26, NULL},
    };
    TRY(kl_program_options(argc, argv, options, (int)(sizeof options / sizeof options[0]), err));
    if (o->scale > 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "--scale takes a number above 0");
}

static void fill(net_options *o, bool simulated) {
    if (o->epochs == 0) o->epochs = o->quick || simulated ? 1 : 10;
    if (o->batch == 0) o->batch = simulated ? 16 : NET_MOST_BATCH;
    if (o->widths[0] == 0) cnn_default_widths(simulated, o->widths);
    if (o->train_images == 0 && simulated) o->train_images = o->quick ? 160 : 800;
    if (o->test_images == 0 && simulated) o->test_images = o->quick ? 100 : 500;
}

static void print_help(FILE *out) {
    fprintf(
        out,
        "usage: ladder run tensor_gemm [STEP] --app [--solution] [--size N] [--seed N]\n"
        "           [--quick] [--device %s] [-- options]\n\n"
        "Trains lab 09's network with the products of its layers on a step of this lab: with\n"
        "inputs of half, of half with scaled gradients, and of bfloat16, beside float, which\n"
        "runs on lab 09's steps. Without STEP the last one that is written.\n\n"
        "  --data FOLDER    MNIST, Fashion-MNIST or CIFAR-10 (binary); 'shapes': drawn images;\n"
        "                   Debian's dataset-fashion-mnist when it is installed\n"
        "  --size N         training images; all, or 800 on the simulator\n"
        "  --test N         test images; all, or 500 on the simulator\n"
        "  --epochs N       10, or 1 on the simulator or with --quick\n"
        "  --batch N        images of a step of descent; 64, or 16 on the simulator\n"
        "  --rate R         learning rate of the first epoch; it falls linearly; 0.02\n"
        "  --momentum M     0.9\n"
        "  --scale S        gradients are multiplied by S while they are halves; 1024\n"
        "  --widths A,B,C   filters, filters, hidden outputs; 16,32,128, or 4,8,32\n"
        "  --seed N         other initial weights and another order of the images\n"
        "example: ./ladder run tensor_gemm --app --solution -- --epochs 3\n",
        kl_device_words);
}

// What is multiplied in one of the trainings.
typedef struct net_kind {
    const char *name;
    bool products; // on this lab's step
    tensor_gemm_type type;
    bool scaled;
} net_kind;

static const net_kind kinds[] = {{"float", false, TENSOR_GEMM_HALF, false},
                                 {"half", true, TENSOR_GEMM_HALF, false},
                                 {"half, scaled", true, TENSOR_GEMM_HALF, true},
                                 {"bfloat16", true, TENSOR_GEMM_BFLOAT16, false}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct net_run {
    const net_options *options;
    const kl_device *device;
    const kl_dataset *data;
    cnn_feed feed;
    cnn_ops ops;
    net_products products;
    int32_t *order; // [training images]
    double seconds[MOST_EPOCHS];
    double most_error; // of a small layer, in either type
} net_run;

static kl_status folder_of(const char *lab, const net_options *o, char *out, size_t bytes,
                           kl_error *err) {
    char own[PATH_BYTES - 64];
    TRY(kl_device_program_folder(own, sizeof own, err));
    snprintf(out, bytes, "%s/../%s/%s", own, lab, o->solution ? "solution" : "skeleton");
    return KL_OK;
}

static kl_status open_run(const net_options *o, const kl_device *device, const kl_dataset *data,
                          net_run *out, kl_error *err) {
    char folder[PATH_BYTES];
    int chosen = -1;
    *out = (net_run){.options = o, .device = device, .data = data, .products = {.number = -1}};
    for (int s = 0; s <= NET_LAST_STEP; s++) chosen = o->steps[s] ? s : chosen;
    TRY(cnn_feed_open(data, o->batch, &out->feed, err));
    TRY(folder_of("09_cnn", o, folder, sizeof folder, err));
    TRY(cnn_ops_open(folder, NULL, &out->ops, err));
    // Layer by layer: one operation for convolution and pooling, or for a whole epoch, has no
    // product of its own.
    out->ops.step_of[CNN_CONV_POOL] = out->ops.step_of[CNN_TRAIN] = -1;
    out->order = malloc(sizeof(int32_t) * (size_t)data->train.count);
    if (!out->order) return kl_fail(err, KL_ERROR_MEMORY, "no memory for an order of the images");
    TRY(folder_of("13_tensor_gemm", o, folder, sizeof folder, err));
    TRY(net_products_open(folder, chosen, &out->products, err));
    for (int type = TENSOR_GEMM_HALF; type <= TENSOR_GEMM_BFLOAT16; type++) {
        double most = 0;
        out->products.type = (tensor_gemm_type)type;
        out->products.scale = 1;
        TRY(net_check_layers(&out->products, &most, err));
        out->most_error = fmax(out->most_error, most);
    }
    return KL_OK;
}

static void close_run(net_run *run) {
    net_products_close(&run->products);
    cnn_ops_close(&run->ops);
    cnn_feed_close(&run->feed);
    free(run->order);
}

static void print_head(const net_run *run) {
    const net_options *o = run->options;
    const kl_dataset *data = run->data;
    printf("Training with products of 16-bit numbers, 13_tensor_gemm (%s)\n",
           o->solution ? "solution" : "yours");
    printf("device    %s\n", run->device->name);
    printf("data      %s: %lld images to train on, %lld to test with\n", data->name,
           (long long)data->train.count, (long long)data->test.count);
    printf("network   conv %lld, conv %lld, fc %lld, fc %d\n", (long long)o->widths[0],
           (long long)o->widths[1], (long long)o->widths[2], CNN_CLASSES);
    printf("descent   batches of %lld, rate %g, momentum %g, seed %llu, epochs %d\n",
           (long long)o->batch, o->learning_rate, o->momentum, (unsigned long long)o->seed,
           o->epochs);
    printf("products  step %d; float: lab 09's steps or the host\n", run->products.number);
    printf("layers    right: within %.2g of the largest value\n", run->most_error);
    const char *notice = kl_dataset_notice(data);
    if (notice) printf("%s\n", notice);
    printf("\ninputs         loss   train    test   %s\n",
           run->device->simulated ? "an epoch, simulated in" : "an epoch");
    printf("------------  ------  ------  ------  ---------\n");
}

static kl_status train(net_run *run, cnn_model *model, double *out_loss, kl_error *err) {
    const net_options *o = run->options;
    for (int e = 0; e < o->epochs; e++) {
        double rate = o->learning_rate * (1.0 - (double)e / o->epochs);
        kl_epoch_order(o->seed, e, run->data->train.count, run->order);
        TRY(cnn_feed_epoch(&run->feed, model, &run->ops, run->order, o->batch, rate, o->momentum,
                           out_loss, &run->seconds[e], err));
    }
    return KL_OK;
}

static kl_status train_kind(net_run *run, const net_kind *kind, kl_error *err) {
    const net_options *o = run->options;
    const kl_images *images = &run->data->train, *tests = &run->data->test;
    cnn_network shape = {images->channels, images->height, o->widths[0], o->widths[1],
                         o->widths[2]};
    cnn_model model;
    double loss = NAN, of_train = NAN, of_test = NAN;
    run->products.type = kind->type;
    run->products.scale = kind->scaled ? (float)o->scale : 1;
    run->ops.instead = kind->products ? net_products_run : NULL;
    run->ops.instead_context = &run->products;
    kl_status status = cnn_model_new(&shape, run->feed.most, o->seed, &model, err);
    if (status == KL_OK) status = train(run, &model, &loss, err);
    int64_t some = images->count < tests->count ? images->count : tests->count;
    if (status == KL_OK)
        status = cnn_feed_accuracy(&run->feed, &model, &run->ops, images, some, NULL, NULL,
                                   &of_train, err);
    if (status == KL_OK)
        status = cnn_feed_accuracy(&run->feed, &model, &run->ops, tests, tests->count, NULL, NULL,
                                   &of_test, err);
    cnn_model_free(&model);
    if (status != KL_OK) return status;
    printf("%-12s  %6.4f  %5.2f%%  %5.2f%%  %7.3f s\n", kind->name, loss, 100 * of_train,
           100 * of_test, kl_median(run->seconds, (size_t)o->epochs));
    fflush(stdout);
    return KL_OK;
}

static kl_status run_all(net_options *o, const kl_device *device, kl_error *err) {
    kl_dataset data;
    static net_run run;
    fill(o, device->simulated);
    TRY(kl_dataset_open(o->data, o->seed, o->train_images, o->test_images, &data, err));
    kl_status status = open_run(o, device, &data, &run, err);
    if (status == KL_OK) print_head(&run);
    for (int i = 0; i < KINDS && status == KL_OK; i++) status = train_kind(&run, &kinds[i], err);
    close_run(&run);
    kl_dataset_free(&data);
    return status;
}

int main(int argc, char **argv) {
    kl_error err = {KL_OK, ""};
    net_options options;
    kl_device device;
    if (parse(argc, argv, &options, &err) != KL_OK) {
        fprintf(stderr, "tensor_gemm_app: %s\n", err.text);
        return 2;
    }
    if (options.help) {
        print_help(stdout);
        return 0;
    }
    setenv("LADDER_SIM_MODE", "functional", 0); // nobody looks at the counts of a training
    kl_status status = kl_device_select(&options.request, argv, &device, &err);
    if (status == KL_OK) status = run_all(&options, &device, &err);
    if (status != KL_OK) fprintf(stderr, "tensor_gemm_app: %s\n", err.text);
    return status == KL_OK ? 0 : 1;
}
